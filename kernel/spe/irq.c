// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMBIRQ: the buffer management interrupt.
 */
#include "spe/pmu.h"
#include "compat.h"
#include "spe/regs.h"
#include "spe/syndrome.h"

/*
 * Profiling cannot go on.  The owner of the event learns it from the TRUNCATED
 * flag of the last AUX record, reads the data and enables the event again: with
 * a new write pointer then, as D17.7.4 asks for.
 */
static void give_up(struct spe_cpu *cpu)
{
	struct perf_event *event = cpu->event;

	spe_run_stop(cpu);
	pmscope_disable_event_soon(event);
}

/*
 * A full buffer: the reader gets it, the hardware the next window.  PMSCR still
 * enables profiling, so it goes on with the interval counter as it stands.
 */
static void next_window(struct spe_cpu *cpu, u64 pmbsr)
{
	spe_window_close(cpu, pmbsr);
	if (spe_window_open(cpu, cpu->event))
		give_up(cpu);
}

/**
 * spe_irq_handler() - PMBIRQ
 * @irq: unused
 * @dev_id: this CPU's struct spe_cpu
 *
 * What stopped the buffer is classified by spe_syndrome_cause(); this acts on
 * it.
 */
irqreturn_t spe_irq_handler(int irq, void *dev_id)
{
	struct spe_cpu *cpu = dev_id;
	u64 pmbsr;

	spe_hw_drain();
	pmbsr = read_sysreg_s(SYS_PMBSR_EL1);

	if (!cpu->event) {
		/* Nobody profiles: only make sure that the line goes low. */
		spe_stats_inc(&cpu->stats, SPE_STAT_SPURIOUS);
		spe_hw_reset();
		return pmbsr & PMBSR_S ? IRQ_HANDLED : IRQ_NONE;
	}

	switch (spe_syndrome_cause(pmbsr)) {
	case SPE_CAUSE_NONE:
		spe_stats_inc(&cpu->stats, SPE_STAT_SPURIOUS);
		return IRQ_NONE;
	case SPE_CAUSE_FULL:
		next_window(cpu, pmbsr);
		break;
	case SPE_CAUSE_ABORT:
	case SPE_CAUSE_FAULT:
		give_up(cpu);
		break;
	}
	return IRQ_HANDLED;
}
