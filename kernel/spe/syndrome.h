/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decodes PMBSR_EL1, why the Profiling Buffer stopped, to an enum and to text.
 */
#ifndef PMSCOPE_SPE_SYNDROME_H
#define PMSCOPE_SPE_SYNDROME_H

#include "spe/regs.h"

#include <linux/bitfield.h>
#include <linux/types.h>

/* The action that a buffer event requires */
enum spe_cause {
	SPE_CAUSE_NONE,		/* still running: no management event */
	SPE_CAUSE_FULL,		/* give it a new window */
	SPE_CAUSE_ABORT,	/* data lost or an external abort: stop */
	SPE_CAUSE_FAULT,	/* the buffer cannot be written: stop */
};

/* The class of a fault, in the order of SPE_STAT_FAULT_* */
enum spe_fault {
	SPE_FAULT_STAGE1,
	SPE_FAULT_STAGE2,
	SPE_FAULT_GPC,
	SPE_FAULT_IMPDEF,
	SPE_FAULT_TOO_LARGE,
	SPE_FAULT_OTHER,
};

/**
 * spe_syndrome_cause() - classify a buffer status
 * @pmbsr: PMBSR_EL1, read after a PSB CSYNC, DSB and ISB
 *
 * After data loss or an external abort, profiling cannot continue from the
 * saved pointers, whatever else happened (D17.7.4), so these take precedence
 * over "full".  The hardware may report them without PMBSR.S (spe_hw_save()).
 *
 * Return: SPE_CAUSE_NONE if the buffer was not stopped
 */
static inline enum spe_cause spe_syndrome_cause(u64 pmbsr)
{
	u64 bsc = FIELD_GET(PMBSR_BSC, pmbsr);

	if (!(pmbsr & PMBSR_S))
		return SPE_CAUSE_NONE;
	if (FIELD_GET(PMBSR_EC, pmbsr) != PMBSR_EC_OTHER)
		return SPE_CAUSE_FAULT;
	if (bsc != PMBSR_BSC_FULL && bsc != PMBSR_BSC_NOT_FULL)
		return SPE_CAUSE_FAULT;
	if (pmbsr & (PMBSR_DL | PMBSR_EA))
		return SPE_CAUSE_ABORT;
	return bsc == PMBSR_BSC_FULL ? SPE_CAUSE_FULL : SPE_CAUSE_FAULT;
}

/**
 * spe_syndrome_fault() - class of a fault
 * @pmbsr: PMBSR_EL1 whose cause is SPE_CAUSE_FAULT
 *
 * Return: SPE_FAULT_OTHER for a code that this does not know
 */
static inline enum spe_fault spe_syndrome_fault(u64 pmbsr)
{
	switch (FIELD_GET(PMBSR_EC, pmbsr)) {
	case PMBSR_EC_STAGE1:
		return SPE_FAULT_STAGE1;
	case PMBSR_EC_STAGE2:
		return SPE_FAULT_STAGE2;
	case PMBSR_EC_GPC:
		return SPE_FAULT_GPC;
	case PMBSR_EC_IMPDEF:
		return SPE_FAULT_IMPDEF;
	case PMBSR_EC_OTHER:
		if (FIELD_GET(PMBSR_BSC, pmbsr) == PMBSR_BSC_TOO_LARGE)
			return SPE_FAULT_TOO_LARGE;
		fallthrough;
	default:
		return SPE_FAULT_OTHER;
	}
}

/* Room for the longest text of spe_syndrome_print() */
#define SPE_SYNDROME_TEXT_MAX	160

int spe_syndrome_print(char *text, size_t size, u64 pmbsr);

#endif /* PMSCOPE_SPE_SYNDROME_H */
