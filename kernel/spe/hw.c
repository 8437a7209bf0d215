// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profiling registers of this CPU.
 *
 * While PMBLIMITR_EL1.E is 1 a CPU or a hypervisor may ignore writes to
 * PMBPTR_EL1, PMBSR_EL1 and PMBLIMITR_EL1 but for the one that clears E (Arm
 * DEN0154, SFDXJJ).  So the buffer is always changed in this order: clear E,
 * ISB, program, ISB, set E.
 */
#include "spe/hw.h"
#include "spe/regs.h"

#include <linux/bitfield.h>
#include <asm/barrier.h>
#include <asm/virt.h>

static void spe_hw_disable_buffer(void)
{
	write_sysreg_s(0, SYS_PMBLIMITR_EL1);
	/* No write to the other buffer registers may come before E is 0. */
	isb();
}

/**
 * spe_hw_stop() - stop profiling, with all records in memory
 *
 * PMBPTR_EL1, PMBSR_EL1 and PMSICR_EL1 keep what they hold.
 */
void spe_hw_stop(void)
{
	write_sysreg_s(0, SYS_PMSCR_EL1);
	/* PSB covers earlier samples; take none after it. */
	isb();
	spe_hw_drain();
	spe_hw_disable_buffer();
}

/**
 * spe_hw_exclude_guests() - after a reset: sample no guest
 *
 * With VHE the buffer is EL2's and stays enabled while a guest runs, where
 * PMSCR_EL1 says what is sampled (StatisticalProfilingEnabled()).  A reset leaves
 * it UNKNOWN, guests cannot write it, and KVM clears it in newer kernels only.
 */
void spe_hw_exclude_guests(void)
{
	/* No ISB: entering a guest is a context synchronization event. */
	if (is_kernel_in_hyp_mode())
		write_sysreg_s(0, SYS_PMSCR_EL12);
}

/**
 * spe_hw_reset() - bring registers of unknown content into a quiet state
 */
void spe_hw_reset(void)
{
	spe_hw_stop();
	write_sysreg_s(0, SYS_PMBPTR_EL1);
	/* PMBSR.S keeps the interrupt asserted. */
	write_sysreg_s(0, SYS_PMBSR_EL1);
	isb();
}

/*
 * With physical addresses PMBMAR_EL1 gives the attributes (RSDWFC): those that
 * the kernel's own mapping has, Normal, Inner and Outer Write-Back, Inner
 * Shareable, so that there is no mismatch.
 */
static void spe_hw_write_pmbmar(u64 pmblimitr)
{
	if (pmblimitr & PMBLIMITR_NVM)
		write_sysreg_s(FIELD_PREP(PMBMAR_ATTR, MAIR_ATTR_NORMAL) |
			       FIELD_PREP(PMBMAR_SH, PMBMAR_SH_INNER),
			       SYS_PMBMAR_EL1);
}

/**
 * spe_hw_set_buffer() - give the hardware a new piece of memory
 * @pmbptr: write pointer, as spe_window_next() wants it
 * @pmblimitr: limit, mode and enable bit
 *
 * Clears a management event.  Profiling goes on at once if PMSCR_EL1 still
 * enables it and pmblimitr.E is 1.
 */
void spe_hw_set_buffer(u64 pmbptr, u64 pmblimitr)
{
	spe_hw_disable_buffer();
	write_sysreg_s(pmbptr, SYS_PMBPTR_EL1);
	write_sysreg_s(0, SYS_PMBSR_EL1);
	spe_hw_write_pmbmar(pmblimitr);
	/* RHXSYK holds when profiling becomes enabled: pointer before limit. */
	isb();
	write_sysreg_s(pmblimitr, SYS_PMBLIMITR_EL1);
	isb();
}

/* Firmware may trap two of them: only an event that needs them touches them. */
static void spe_hw_write_filters(const struct spe_regs *regs)
{
	write_sysreg_s(regs->pmsfcr, SYS_PMSFCR_EL1);
	write_sysreg_s(regs->pmsevfr, SYS_PMSEVFR_EL1);
	if (regs->pmsfcr & PMSFCR_FNE)
		write_sysreg_s(regs->pmsnevfr, SYS_PMSNEVFR_EL1);
	if (regs->pmsfcr & PMSFCR_FDS)
		write_sysreg_s(regs->pmsdsfr, SYS_PMSDSFR_EL1);
	write_sysreg_s(regs->pmslatfr, SYS_PMSLATFR_EL1);
	write_sysreg_s(regs->pmsirr, SYS_PMSIRR_EL1);
}

/**
 * spe_hw_sample() - choose what is sampled from now on
 * @pmscr: PMSCR_EL1, 0 for nothing; the interval counter stands still then
 */
void spe_hw_sample(u64 pmscr)
{
	write_sysreg_s(pmscr, SYS_PMSCR_EL1);
	isb();
}

/**
 * spe_hw_resume() - sample again after a pause, into the same buffer
 * @pmscr: as spe_hw_sample() takes it
 *
 * After an External abort or lost data profiling must not go on from the pointers
 * as they are (D17.7.4), which S says only if there was a management event.  So
 * there is one: the interrupt closes the window, and nothing is sampled before.
 */
void spe_hw_resume(u64 pmscr)
{
	u64 pmbsr;

	psb_csync();
	isb();
	pmbsr = read_sysreg_s(SYS_PMBSR_EL1);
	if (pmbsr & (PMBSR_EA | PMBSR_DL) && !(pmbsr & PMBSR_S)) {
		u64 limit = read_sysreg_s(SYS_PMBLIMITR_EL1);

		spe_hw_disable_buffer();
		write_sysreg_s(pmbsr | PMBSR_S, SYS_PMBSR_EL1);
		isb();
		write_sysreg_s(limit, SYS_PMBLIMITR_EL1);
		isb();
	}
	spe_hw_sample(pmscr);
}

/**
 * spe_hw_start() - start profiling into the buffer already set
 * @regs: of the event
 * @pmsicr: interval counter to go on with, 0 for a new interval (D17.3.3)
 * @pmscr: as spe_hw_sample() takes it
 */
void spe_hw_start(const struct spe_regs *regs, u64 pmsicr, u64 pmscr)
{
	spe_hw_write_filters(regs);
	write_sysreg_s(pmsicr, SYS_PMSICR_EL1);
	/* Filters and interval are in force before the first operation. */
	isb();
	spe_hw_sample(pmscr);
}

/**
 * spe_hw_save() - stop profiling because the CPU is about to lose its state
 * @state: gets what spe_hw_restore() needs
 */
void spe_hw_save(struct spe_hw_state *state)
{
	state->pmblimitr = read_sysreg_s(SYS_PMBLIMITR_EL1);
	spe_hw_stop();
	state->pmbptr = read_sysreg_s(SYS_PMBPTR_EL1);
	state->pmbsr = read_sysreg_s(SYS_PMBSR_EL1);
	/*
	 * After an External abort or lost data profiling must not go on from
	 * these pointers (D17.7.4): stop it, and let the interrupt see why.
	 */
	if (state->pmbsr & (PMBSR_EA | PMBSR_DL))
		state->pmbsr |= PMBSR_S;
	state->pmsicr = read_sysreg_s(SYS_PMSICR_EL1);
}

/**
 * spe_hw_restore() - go on where spe_hw_save() stopped
 * @regs: of the event
 * @state: what was saved
 * @pmscr: as spe_hw_sample() takes it
 *
 * D17.7.4 lets the saved pointers be restored, because they were read after a
 * PSB and an ISB; a management event that was pending is pending again.
 */
void spe_hw_restore(const struct spe_regs *regs,
		    const struct spe_hw_state *state, u64 pmscr)
{
	spe_hw_stop();
	write_sysreg_s(state->pmbptr, SYS_PMBPTR_EL1);
	write_sysreg_s(state->pmbsr, SYS_PMBSR_EL1);
	spe_hw_write_pmbmar(state->pmblimitr);
	/* As in spe_hw_set_buffer(). */
	isb();
	write_sysreg_s(state->pmblimitr, SYS_PMBLIMITR_EL1);
	isb();
	spe_hw_start(regs, state->pmsicr, pmscr);
}
