/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which registers of a CPU EL3 and EL2 do not trap, and whether EL3, EL2 and
 * EL1 allow snapshots on it (Arm ARM, Table D13-10).
 */
#ifndef PMSCOPE_ACCESS_H
#define PMSCOPE_ACCESS_H

#include "sysreg.h"

#include <linux/bitfield.h>
#include <linux/pmscope.h>
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
 * enum pmscope_access_state - may a register be accessed?
 * @PMSCOPE_ACCESS_NONE: the CPU does not have it
 * @PMSCOPE_ACCESS_UNKNOWN: firmware does not report it, and it was not tried
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
 * enum pmscope_known_by - how is the state of a register known?
 * @PMSCOPE_NOT_REPORTED: it is not known
 * @PMSCOPE_REPORTED: firmware reported it
 * @PMSCOPE_INFERRED: it follows from something else
 * @PMSCOPE_TRIED: the register was read
 * @PMSCOPE_TRUSTED: set by the administrator
 */
enum pmscope_known_by {
	PMSCOPE_NOT_REPORTED,
	PMSCOPE_REPORTED,
	PMSCOPE_INFERRED,
	PMSCOPE_TRIED,
	PMSCOPE_TRUSTED,
};

struct pmscope_access {
	enum pmscope_access_state state;
	enum pmscope_known_by known_by;
};

/**
 * pmscope_claim_counters() - let the event counters of the host count
 * @mdcr: MDCR_EL2
 * @pmcr: PMCR_EL0 as EL2 reads it, with the number of all counters
 *
 * el2_setup of 6.1 takes PMUVer for a signed field: from FEAT_PMUv3p8 on it
 * leaves HPMN 0 and HPME 0, so that no event counter counts.  HPMN 0 with HPME 1
 * is somebody's choice: the counters count, as EL2's.
 *
 * Return: the value for MDCR_EL2
 */
static inline u64 pmscope_claim_counters(u64 mdcr, u64 pmcr)
{
	if (mdcr & (PMSCOPE_MDCR_EL2_HPMN | PMSCOPE_MDCR_EL2_HPME))
		return mdcr;
	return mdcr | FIELD_PREP(PMSCOPE_MDCR_EL2_HPMN,
				 FIELD_GET(PMSCOPE_PMCR_N, pmcr));
}

/* A line of pmscope_access_print() for each register of a PMU */
#define PMSCOPE_ACCESS_TEXT_MAX 128

int pmscope_access_init(void);
void pmscope_access_exit(void);

/* The access to one register, on this CPU */
struct pmscope_access pmscope_access_find(enum pmscope_guarded reg,
					  bool trusted);
bool pmscope_access_may_dump(enum pmscope_guarded reg);

/* In words */

/**
 * struct pmscope_register - a guarded register in the words of the Arm ARM
 * @name: its name
 * @field: the field of MDCR_EL3 that guards it
 */
struct pmscope_register {
	const char *name;
	const char *field;
};

extern const struct pmscope_register pmscope_registers[PMSCOPE_NR_GUARDED];

int pmscope_access_print(char *text, size_t size, enum pmscope_guarded reg,
			 struct pmscope_access access);
int pmscope_access_print_cpu(int cpu, char *text, size_t size);
int pmscope_access_print_captures(int cpu, char *text, size_t size);

/* Snapshots of a CPU */
enum pmscope_backend pmscope_access_backend(int cpu);
bool pmscope_access_is_forced_frozen(void);

#endif /* PMSCOPE_ACCESS_H */
