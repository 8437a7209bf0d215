/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errata of CPUs that change what their samples mean.
 */
#ifndef PMSCOPE_SPE_ERRATA_H
#define PMSCOPE_SPE_ERRATA_H

#include <linux/types.h>

struct device;

unsigned long spe_errata_of(u32 midr);
void spe_errata_report(struct device *dev, unsigned long found);
int spe_errata_emit(char *page, unsigned long found);

#endif /* PMSCOPE_SPE_ERRATA_H */
