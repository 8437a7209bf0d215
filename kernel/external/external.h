/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface of pmu_external to the other folders.
 */
#ifndef PMSCOPE_EXTERNAL_H
#define PMSCOPE_EXTERNAL_H

#include <linux/types.h>

bool ext_frames_find(void);
int pmscope_external_init(void);
void pmscope_external_exit(void);

#endif /* PMSCOPE_EXTERNAL_H */
