/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMCR_EL0.FZS: freezes the PMU's counters while the interrupt of an SPE
 * management event is pending (Arm ARM D13.5.2.2, RHSGZX).
 */
#ifndef PMSCOPE_SPE_FREEZE_H
#define PMSCOPE_SPE_FREEZE_H

#include <linux/types.h>

int spe_freeze_get(void);
void spe_freeze_exit(void);

void spe_freeze_arm(bool cycles);
void spe_freeze_disarm(void);
void spe_freeze_new_window(void);
void spe_freeze_note_lapse(void);
bool spe_freeze_held(void);

#endif /* PMSCOPE_SPE_FREEZE_H */
