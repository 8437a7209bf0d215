/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What EL3 firmware says about the features it has opened.
 */
#ifndef PMSCOPE_FIRMWARE_H
#define PMSCOPE_FIRMWARE_H

#include <linux/types.h>

int pmscope_fw_mdcr_el3(u64 *available);
u64 pmscope_own_el2_traps(void);

#endif /* PMSCOPE_FIRMWARE_H */
