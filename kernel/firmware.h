/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which registers firmware, or an EL2 of our own, lets us touch, and how we
 * know.
 */
#ifndef PMSCOPE_FIRMWARE_H
#define PMSCOPE_FIRMWARE_H

#include <linux/types.h>

/* Registers that MDCR_EL3 and HDFGxTR2_EL2 guard one by one */
enum pmscope_guarded {
	PMSCOPE_PMSSCR,		/* and the saved values */
	PMSCOPE_PMECR,		/* and PMUACR_EL1, PMICNTR_EL0, PMICFILTR_EL0 */
	PMSCOPE_PMSNEVFR,
	PMSCOPE_PMSDSFR,
	PMSCOPE_PMBMAR,
	PMSCOPE_NR_GUARDED
};

/**
 * enum pmscope_access_state - may a register be touched?
 * @PMSCOPE_ACCESS_NONE: the CPU does not have it
 * @PMSCOPE_ACCESS_UNKNOWN: nobody says
 * @PMSCOPE_ACCESS_TRAPPED: no
 * @PMSCOPE_ACCESS_OPEN: yes
 */
enum pmscope_access_state {
	PMSCOPE_ACCESS_NONE,
	PMSCOPE_ACCESS_UNKNOWN,
	PMSCOPE_ACCESS_TRAPPED,
	PMSCOPE_ACCESS_OPEN,
};

/**
 * enum pmscope_ground - how is that known?
 * @PMSCOPE_NOT_REPORTED: it is not
 * @PMSCOPE_REPORTED: firmware said it
 * @PMSCOPE_INFERRED: it follows from something else
 * @PMSCOPE_TRIED: the register was read
 * @PMSCOPE_TRUSTED: the administrator said it
 */
enum pmscope_ground {
	PMSCOPE_NOT_REPORTED,
	PMSCOPE_REPORTED,
	PMSCOPE_INFERRED,
	PMSCOPE_TRIED,
	PMSCOPE_TRUSTED,
};

struct pmscope_access {
	enum pmscope_access_state state;
	enum pmscope_ground ground;
};

/**
 * struct pmscope_fw - what a CPU's firmware says
 * @answers: it knows SMCCC_ARCH_FEATURE_AVAILABILITY
 * @available: its answer for MDCR_EL3, at the bit positions of that register.
 *	1 means that the feature can be used, whatever the polarity of the trap
 * @el2_traps: what traps to an EL2 that is this kernel's own, at the same bits
 */
struct pmscope_fw {
	bool answers;
	u64 available;
	u64 el2_traps;
};

/* A line of pmscope_access_print() for each register of a PMU */
#define PMSCOPE_ACCESS_TEXT_MAX 128

bool pmscope_fw_trusted(void);
void pmscope_fw_ask(struct pmscope_fw *fw);
struct pmscope_access pmscope_fw_access(const struct pmscope_fw *fw,
					enum pmscope_guarded reg, bool trusted);
bool pmscope_fw_read_pmsidr(u64 *val);
int pmscope_access_print(char *text, size_t size, enum pmscope_guarded reg,
			 struct pmscope_access access);
const char *pmscope_guarded_name(enum pmscope_guarded reg);
const char *pmscope_guarded_field(enum pmscope_guarded reg);

#endif /* PMSCOPE_FIRMWARE_H */
