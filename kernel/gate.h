/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who lets a CPU capture snapshots: EL3, EL2 and EL1 (Arm ARM, Table D13-10).
 */
#ifndef PMSCOPE_GATE_H
#define PMSCOPE_GATE_H

#include "capture.h"

/**
 * enum pmscope_gate - the state of PMU snapshots on a CPU
 * @PMSCOPE_GATE_ABSENT: the CPU has no FEAT_PMUv3_SS
 * @PMSCOPE_GATE_UNUSED: backend=frozen
 * @PMSCOPE_GATE_UNKNOWN: firmware does not say whether PMSSCR_EL1 traps
 * @PMSCOPE_GATE_TRAPPED: MDCR_EL3.EnPMSS is 0, or HDFGRTR2_EL2.nPMSSCR_EL1 of
 *	the kernel's own EL2
 * @PMSCOPE_GATE_REFUSED: disabled or prohibited, NC does not tell which
 * @PMSCOPE_GATE_DISABLED: capture requests are ignored
 * @PMSCOPE_GATE_PROHIBITED: captures complete without capturing
 * @PMSCOPE_GATE_STUCK: a capture did not complete
 * @PMSCOPE_GATE_ALLOWED: captures work
 */
enum pmscope_gate {
	PMSCOPE_GATE_ABSENT,
	PMSCOPE_GATE_UNUSED,
	PMSCOPE_GATE_UNKNOWN,
	PMSCOPE_GATE_TRAPPED,
	PMSCOPE_GATE_REFUSED,
	PMSCOPE_GATE_DISABLED,
	PMSCOPE_GATE_PROHIBITED,
	PMSCOPE_GATE_STUCK,
	PMSCOPE_GATE_ALLOWED,
};

int pmscope_gate_init(void);
void pmscope_gate_exit(void);

enum pmscope_backend pmscope_gate_backend(int cpu);
bool pmscope_gate_accessible(int cpu);
bool pmscope_gate_controls(int cpu);
bool pmscope_gate_forced_frozen(void);
int pmscope_gate_access(int cpu, char *text, size_t size);
const char *pmscope_gate_name(int cpu);
const char *pmscope_gate_reason(int cpu);

#endif /* PMSCOPE_GATE_H */
