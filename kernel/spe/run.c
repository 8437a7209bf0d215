// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiling on this CPU: from the first window of an event to its last.
 */
#include "spe/pmu.h"
#include "compat.h"
#include "spe/freeze.h"
#include "spe/regs.h"

#include <linux/perf_event.h>

static void arm_freeze(const struct spe_cpu *cpu, const struct spe_regs *regs)
{
	if (regs->freeze)
		spe_freeze_arm(cpu->spe->caps.features &
			       SPE_FEAT_FREEZE_CYCLES);
}

static u64 pmscr_of(const struct perf_event *event, bool paused)
{
	return paused ? 0 : spe_event_regs(event)->pmscr;
}

/* A pause or its end may come in an NMI, after this check. */
static void sample_as_paused(const struct perf_event *event, bool paused)
{
	while (pmscope_aux_paused(event) != paused) {
		paused = !paused;
		spe_hw_sample(pmscr_of(event, paused));
	}
}

/**
 * spe_run_start() - profile for an event on this CPU
 * @cpu: this CPU's state, interrupts off
 * @event: the event
 *
 * Return: 0, or what spe_window_open() returned; the event is as it was then.
 */
int spe_run_start(struct spe_cpu *cpu, struct perf_event *event)
{
	int ret = spe_window_open(cpu, event);
	bool paused;

	if (ret)
		return ret;

	cpu->event = event;
	arm_freeze(cpu, spe_event_regs(event));
	paused = pmscope_aux_paused(event);
	spe_hw_start(spe_event_regs(event),
		     local64_read(&event->hw.period_left),
		     pmscr_of(event, paused));
	/* From here on a pause finds the registers set. */
	WRITE_ONCE(event->hw.state, 0);
	sample_as_paused(event, paused);
	return 0;
}

/**
 * spe_run_pause() - the event has been paused, or goes on
 * @cpu: this CPU's state, interrupts off; may be an NMI
 * @event: the event, which need not run
 *
 * The window stays open and the interval counter keeps its place, so a pause
 * costs no record and no PERF_RECORD_AUX.
 */
void spe_run_pause(struct spe_cpu *cpu, struct perf_event *event)
{
	if (cpu->event != event || event->hw.state & PERF_HES_STOPPED)
		return;
	if (pmscope_aux_paused(event))
		spe_hw_sample(0);
	else
		spe_hw_resume(spe_event_regs(event)->pmscr);
}

/**
 * spe_run_stop() - stop profiling and hand over the last window
 * @cpu: this CPU's state, interrupts off
 *
 * A management event that is pending belongs to this event's window: it is
 * taken here and not left to the interrupt, which would meet the next event.
 */
void spe_run_stop(struct spe_cpu *cpu)
{
	struct perf_event *event = cpu->event;
	u64 pmbsr;

	/* First, so that the end of a pause in an NMI does not start it again. */
	if (event)
		WRITE_ONCE(event->hw.state,
			   PERF_HES_STOPPED | PERF_HES_UPTODATE);
	spe_hw_stop();
	if (!event)
		return;

	pmbsr = read_sysreg_s(SYS_PMBSR_EL1);
	spe_window_close(cpu, pmbsr);
	if (spe_event_regs(event)->freeze)
		spe_freeze_disarm();
	write_sysreg_s(0, SYS_PMBSR_EL1);
	isb();

	/* The whole register, since FEAT_SPE_ERnd keeps ECOUNT in it. */
	local64_set(&event->hw.period_left, read_sysreg_s(SYS_PMSICR_EL1));
	cpu->event = NULL;
}

/**
 * spe_run_suspend() - the CPU is about to lose its registers
 * @cpu: this CPU's state, interrupts off
 */
void spe_run_suspend(struct spe_cpu *cpu)
{
	if (cpu->event)
		spe_hw_save(&cpu->saved);
}

/**
 * spe_run_resume() - the CPU may have lost its registers
 * @cpu: this CPU's state, interrupts off
 *
 * PMCR_EL0 too: arm_pmuv3 has reset it, and starts no counter if it has none.
 */
void spe_run_resume(struct spe_cpu *cpu)
{
	const struct spe_regs *regs;
	bool paused;

	spe_hw_exclude_guests();
	if (!cpu->event) {
		spe_hw_reset();
		return;
	}
	regs = spe_event_regs(cpu->event);
	/* PMBLIMITR.E was 0, and arm_pmuv3 has started its counters already. */
	if (cpu->saved.pmbsr & PMBSR_S)
		spe_freeze_thawed();
	arm_freeze(cpu, regs);
	paused = pmscope_aux_paused(cpu->event);
	spe_hw_restore(regs, &cpu->saved, pmscr_of(cpu->event, paused));
	sample_as_paused(cpu->event, paused);
}
