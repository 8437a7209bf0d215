/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accesses to this CPU's profiling registers in the architected order. Call
 * these functions on that CPU with interrupts off.
 */
#ifndef PMSCOPE_SPE_HW_H
#define PMSCOPE_SPE_HW_H

#include <linux/types.h>
#include <asm/barrier.h>

/**
 * struct spe_regs - values of the control registers for an event
 * @pmscr: Exception levels and packets; writing it starts profiling
 * @pmsfcr: enabled filters
 * @pmsevfr: events a record must have
 * @pmsnevfr: events a record must not have (SPE_FEAT_FILT_INV_EVENT)
 * @pmsdsfr: data sources a record may have (SPE_FEAT_FILT_SOURCE)
 * @pmslatfr: smallest latency of a record, cycles
 * @pmsirr: sampling interval
 * @pmblimitr: E and PMFZ; the limit and the mode depend on the window
 * @discard: write no records, only count the PMU's SAMPLE_* events
 * @freeze: freeze the PMU's counters at a management event
 */
struct spe_regs {
	u64	pmscr;
	u64	pmsfcr;
	u64	pmsevfr;
	u64	pmsnevfr;
	u64	pmsdsfr;
	u64	pmslatfr;
	u64	pmsirr;
	u64	pmblimitr;
	bool	discard;
	bool	freeze;
};

/**
 * struct spe_hw_state - registers that change while profiling runs
 * @pmsicr: interval counter
 * @pmbptr: write pointer
 * @pmblimitr: limit and enable bit
 * @pmbsr: buffer status
 */
struct spe_hw_state {
	u64	pmsicr;
	u64	pmbptr;
	u64	pmblimitr;
	u64	pmbsr;
};

/**
 * spe_hw_drain() - wait until every record taken so far is in memory
 *
 * PMBPTR_EL1 and PMBSR_EL1 are valid afterwards.
 */
static inline void spe_hw_drain(void)
{
	/* Format what is in flight, D17.7.4; then complete its writes. */
	psb_csync();
	dsb(nsh);
	/* Make the hardware's updates of PMBPTR and PMBSR visible to MRS. */
	isb();
}

void spe_hw_exclude_guests(void);
void spe_hw_reset(void);
void spe_hw_stop(void);
void spe_hw_set_buffer(u64 pmbptr, u64 pmblimitr);
void spe_hw_start(const struct spe_regs *regs, u64 pmsicr, u64 pmscr);
void spe_hw_sample(u64 pmscr);
void spe_hw_resume(u64 pmscr);
void spe_hw_save(struct spe_hw_state *state);
void spe_hw_restore(const struct spe_regs *regs,
		    const struct spe_hw_state *state, u64 pmscr);

#endif /* PMSCOPE_SPE_HW_H */
