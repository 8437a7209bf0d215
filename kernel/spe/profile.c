// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiling on one CPU, from the first window of an event to its last.
 *
 * A window is a piece of the AUX area that the hardware writes between
 * perf_aux_output_begin() and _end().
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "spe/profile.h"
#include "compat.h"
#include "snapshot/stream.h"
#include "spe/caps.h"
#include "spe/freeze.h"
#include "spe/regs.h"
#include "spe/syndrome.h"

#include <linux/bitfield.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/smp.h>

/* Computed once, by event_init */
static const struct spe_regs *spe_event_regs(const struct perf_event *event)
{
	return event->pmu_private;
}

static void spe_count(struct spe_cpu *cpu, enum spe_stat stat)
{
	WRITE_ONCE(cpu->stats[stat], cpu->stats[stat] + 1);
}

/* Pad @len bytes at the head and give them to the reader. */
static void spe_window_skip(struct perf_output_handle *handle,
			    const struct spe_buffer *buf, u64 len)
{
	u64 wrap = buf->size - handle->head % buf->size;
	u64 part = min(len, wrap);

	spe_buffer_pad(buf, handle->head, part);
	spe_buffer_pad(buf, handle->head + part, len - part);
	if (buf->snapshot)
		handle->head += len;
	else
		perf_aux_output_skip(handle, len);
}

static bool spe_window_choose(struct spe_cpu *cpu, const struct spe_buffer *buf)
{
	struct perf_output_handle *handle = &cpu->handle;
	struct spe_window *win = &cpu->window;

	/*
	 * Padding may reach the wakeup position, which moves it.  The second
	 * round starts on an aligned head and needs no padding.
	 */
	for (;;) {
		u64 wakeup = buf->snapshot ? 0 : handle->wakeup;

		if (!spe_window_next(buf, cpu->caps, handle->head,
				     handle->size, wakeup, win))
			return false;
		if (win->start == handle->head)
			return true;
		spe_window_skip(handle, buf, win->start - handle->head);
	}
}

static void spe_window_program(struct spe_cpu *cpu,
			       const struct spe_buffer *buf, u64 pmblimitr)
{
	const struct spe_window *win = &cpu->window;
	u64 pmbptr = spe_buffer_hw_addr(buf, win->start);

	if (buf->extents)
		pmblimitr |= PMBLIMITR_NVM;
	cpu->pmbptr = pmbptr;
	spe_hw_set_buffer(pmbptr, (pmbptr + win->end - win->start) | pmblimitr);
}

/*
 * Let the hardware write the next part of the AUX area.  Profiling is stopped
 * and no window is open.  In discard mode nothing is written, only the mode is
 * set.  Returns 0, -ENOSPC when there is no room in the AUX area, -EINVAL when
 * there is no AUX area.
 */
static int spe_window_open(struct spe_cpu *cpu, struct perf_event *event)
{
	const struct spe_regs *regs = spe_event_regs(event);
	struct spe_buffer *buf;

	if (regs->discard) {
		spe_hw_set_buffer(0, regs->pmblimitr |
				     FIELD_PREP(PMBLIMITR_FM,
						PMBLIMITR_FM_DISCARD));
		return 0;
	}

	buf = perf_aux_output_begin(&cpu->handle, event);
	if (!buf) {
		spe_count(cpu, SPE_STAT_TRUNCATED);
		return -EINVAL;
	}

	if (!spe_window_choose(cpu, buf)) {
		spe_count(cpu, SPE_STAT_TRUNCATED);
		spe_count(cpu, SPE_STAT_NO_ROOM);
		perf_aux_output_flag(&cpu->handle, PERF_AUX_FLAG_TRUNCATED);
		perf_aux_output_end(&cpu->handle, 0);
		return -ENOSPC;
	}

	if (regs->freeze)
		spe_freeze_new_window();
	spe_window_program(cpu, buf, regs->pmblimitr);
	return 0;
}

/* There is no window to flag in discard mode. */
static void spe_window_set_flags(struct perf_output_handle *handle, u64 flags)
{
	if (perf_get_aux(handle))
		perf_aux_output_flag(handle, flags);
}

/* Bytes that the hardware wrote */
static u64 spe_window_fill(struct spe_cpu *cpu)
{
	const struct spe_window *win = &cpu->window;
	u64 start = cpu->pmbptr;
	u64 ptr = read_sysreg_s(SYS_PMBPTR_EL1);

	if (ptr - start <= win->end - win->start)
		return ptr - start;

	pr_err_ratelimited("%s: CPU%d: PMBPTR_EL1 0x%llx left its window 0x%llx-0x%llx\n",
			   cpu->name, smp_processor_id(), ptr, start,
			   start + win->end - win->start);
	perf_aux_output_flag(&cpu->handle,
			     PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL);
	return 0;
}

static bool spe_window_is_frozen(const struct spe_cpu *cpu, u64 pmbsr)
{
	return spe_event_regs(cpu->event)->freeze && pmbsr & PMBSR_S &&
	       read_sysreg_s(SYS_PMBLIMITR_EL1) & PMBLIMITR_E &&
	       spe_freeze_held();
}

/*
 * A record of the counters for the window.  They are frozen while PMBSR.S and
 * PMBLIMITR.E are 1 (RHSGZX), so it is made before either is cleared.
 */
static noinline void spe_window_to_streams(const struct spe_cpu *cpu,
					   u64 pmbsr, u64 fill)
{
	const struct spe_window *win = &cpu->window;
	const struct pmscope_spe_window window = {
		.task		= cpu->event->ctx->task,
		.pmbsr		= pmbsr,
		.pmbptr		= read_sysreg_s(SYS_PMBPTR_EL1),
		.aux_offset	= win->start,
		.aux_size	= fill,
		.frozen		= spe_window_is_frozen(cpu, pmbsr),
	};

	pmscope_stream_spe(&window);
}

static noinline void spe_window_report(const struct spe_cpu *cpu, u64 pmbsr)
{
	int level = spe_syndrome_level(pmbsr);
	char level_text[16] = "";

	if (level != SPE_NO_LEVEL)
		snprintf(level_text, sizeof(level_text), ", level %d", level);
	pr_err_ratelimited("%s: CPU%d: profiling stopped: %s%s%s%s%s (PMBSR_EL1 0x%016llx PMBPTR_EL1 0x%016llx)\n",
			   cpu->name, smp_processor_id(),
			   spe_syndrome_text(pmbsr), spe_syndrome_detail(pmbsr),
			   level_text,
			   pmbsr & PMBSR_DL ? ", data lost" : "",
			   pmbsr & PMBSR_EA ? ", external abort" : "", pmbsr,
			   read_sysreg_s(SYS_PMBPTR_EL1));
}

/* Profiling stops: count the cause, and flag it to the reader. */
static noinline void spe_account_error(struct spe_cpu *cpu,
				       enum spe_cause cause, u64 pmbsr)
{
	if (cause == SPE_CAUSE_FAULT) {
		spe_count(cpu, SPE_STAT_FAULTS);
		spe_count(cpu, SPE_STAT_FAULT_STAGE1 +
			       spe_syndrome_fault(pmbsr));
	}
	spe_count(cpu, SPE_STAT_TRUNCATED);
	spe_window_set_flags(&cpu->handle, PERF_AUX_FLAG_TRUNCATED);
	spe_window_report(cpu, pmbsr);
}

/* The last record may be cut off or not have reached memory. */
static void spe_account_damage(struct spe_cpu *cpu, u64 pmbsr)
{
	if (pmbsr & PMBSR_EA)
		spe_count(cpu, SPE_STAT_EXTERNAL_ABORT);
	if (pmbsr & PMBSR_DL)
		spe_count(cpu, SPE_STAT_DATA_LOSS);
	spe_window_set_flags(&cpu->handle, PERF_AUX_FLAG_PARTIAL);
}

/* Count what PMBSR reports, and flag it to the reader. */
static void spe_account(struct spe_cpu *cpu, u64 pmbsr)
{
	enum spe_cause cause = spe_syndrome_cause(pmbsr);

	if (pmbsr & PMBSR_COLL) {
		spe_count(cpu, SPE_STAT_COLLISIONS);
		spe_window_set_flags(&cpu->handle, PERF_AUX_FLAG_COLLISION);
	}
	/* DL and EA are valid with and without a management event (S). */
	if (pmbsr & (PMBSR_DL | PMBSR_EA))
		spe_account_damage(cpu, pmbsr);
	switch (cause) {
	case SPE_CAUSE_NONE:
		break;
	case SPE_CAUSE_FULL:
		spe_count(cpu, SPE_STAT_BUFFER_FULL);
		break;
	case SPE_CAUSE_ABORT:
	case SPE_CAUSE_FAULT:
		spe_account_error(cpu, cause, pmbsr);
		break;
	}
}

/*
 * Give what was written to the reader; the hardware is drained and stopped.  In
 * discard mode there is no data, but what PMBSR reports is counted.  Without a
 * window (there was no room for another) nothing is left to do.
 */
static void spe_window_close(struct spe_cpu *cpu, u64 pmbsr)
{
	struct perf_output_handle *handle = &cpu->handle;
	struct spe_buffer *buf = perf_get_aux(handle);
	bool truncated;
	u64 fill;

	if (spe_event_regs(cpu->event)->discard)
		spe_account(cpu, pmbsr);
	if (!buf)
		return;

	fill = spe_window_fill(cpu);
	if (pmscope_streams_run())
		spe_window_to_streams(cpu, pmbsr, fill);
	spe_count(cpu, SPE_STAT_WINDOWS);
	/* PMBSR is 0 at most context switches. */
	if (pmbsr)
		spe_account(cpu, pmbsr);
	if (buf->snapshot)
		handle->head += fill;
	truncated = handle->aux_flags & PERF_AUX_FLAG_TRUNCATED;
	perf_aux_output_end(handle, fill);
	/* Now: at a later context switch the reader may have enabled it again. */
	if (truncated)
		pmscope_disable_event_soon(cpu->event);
}

static void spe_run_arm_freeze(const struct spe_cpu *cpu,
			       const struct spe_regs *regs)
{
	if (regs->freeze)
		spe_freeze_arm(cpu->caps->features & SPE_FEAT_FREEZE_CYCLES);
}

static u64 spe_run_pmscr(const struct perf_event *event, bool paused)
{
	return paused ? 0 : spe_event_regs(event)->pmscr;
}

/* An NMI may pause or resume the event after it was looked at. */
static void spe_run_follow_pause(const struct perf_event *event, bool paused)
{
	while (pmscope_aux_paused(event) != paused) {
		paused = !paused;
		spe_hw_sample(spe_run_pmscr(event, paused));
	}
}

/**
 * spe_run_start() - profile for an event on this CPU
 * @cpu: this CPU's state
 * @event: the event
 *
 * Context: on the CPU, interrupts off.
 * Return: 0; -ENOSPC when there is no room in the AUX area, -EINVAL when there
 * is none.  The event is stopped then.
 */
int spe_run_start(struct spe_cpu *cpu, struct perf_event *event)
{
	int ret = spe_window_open(cpu, event);
	bool paused;

	if (ret)
		return ret;

	cpu->event = event;
	spe_run_arm_freeze(cpu, spe_event_regs(event));
	paused = pmscope_aux_paused(event);
	spe_hw_start(spe_event_regs(event),
		     local64_read(&event->hw.period_left),
		     spe_run_pmscr(event, paused));
	/* From here on spe_run_pause() may write PMSCR. */
	WRITE_ONCE(event->hw.state, 0);
	spe_run_follow_pause(event, paused);
	return 0;
}

/**
 * spe_run_pause() - stop or resume sampling, as perf core paused the event
 * @cpu: this CPU's state
 * @event: the event, which need not run
 *
 * The window stays open and the interval counter keeps its count, so a pause
 * loses no record and makes no PERF_RECORD_AUX.
 *
 * Context: on the CPU, interrupts off, or an NMI.
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
 * @cpu: this CPU's state
 *
 * A pending management event belongs to this window.  It is handled here: the
 * interrupt would find the next event.
 *
 * Context: on the CPU, interrupts off.
 */
void spe_run_stop(struct spe_cpu *cpu)
{
	struct perf_event *event = cpu->event;
	u64 pmbsr;

	/* First, so that an NMI that resumes the event does not start it again. */
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
 * spe_run_suspend() - save the registers before the CPU may lose power
 * @cpu: this CPU's state
 *
 * Context: on the CPU, interrupts off.
 */
void spe_run_suspend(struct spe_cpu *cpu)
{
	if (cpu->event)
		spe_hw_save(&cpu->saved);
}

/**
 * spe_run_resume() - restore the registers after the CPU may have lost power
 * @cpu: this CPU's state
 *
 * PMCR_EL0 too: arm_pmuv3 has reset it, and it starts its counters, where the
 * probe would set FZS again, only if it has events.
 *
 * Context: on the CPU, interrupts off.
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
		spe_freeze_note_lapse();
	spe_run_arm_freeze(cpu, regs);
	paused = pmscope_aux_paused(cpu->event);
	spe_hw_restore(regs, &cpu->saved, spe_run_pmscr(cpu->event, paused));
	spe_run_follow_pause(cpu->event, paused);
}

/*
 * Profiling cannot go on.  The reader sees the TRUNCATED flag of the last AUX
 * record, reads the data and enables the event again, which then gets a new
 * write pointer, as D17.7.4 demands.
 */
static void spe_irq_stop(struct spe_cpu *cpu)
{
	struct perf_event *event = cpu->event;

	spe_run_stop(cpu);
	pmscope_disable_event_soon(event);
}

/*
 * A full buffer: the reader gets it, the hardware the next window.  PMSCR still
 * enables profiling, so it goes on with the interval counter as it stands.
 */
static void spe_irq_next_window(struct spe_cpu *cpu, u64 pmbsr)
{
	spe_window_close(cpu, pmbsr);
	if (spe_window_open(cpu, cpu->event))
		spe_irq_stop(cpu);
}

/**
 * spe_irq_handler() - PMBIRQ
 * @irq: unused
 * @dev_id: this CPU's struct spe_cpu
 *
 * Return: IRQ_NONE if there was no management event.
 */
irqreturn_t spe_irq_handler(int irq, void *dev_id)
{
	struct spe_cpu *cpu = dev_id;
	u64 pmbsr;

	spe_hw_drain();
	pmbsr = read_sysreg_s(SYS_PMBSR_EL1);

	if (!cpu->event) {
		/* No event runs here: only take the interrupt line low. */
		spe_count(cpu, SPE_STAT_SPURIOUS);
		spe_hw_reset();
		return pmbsr & PMBSR_S ? IRQ_HANDLED : IRQ_NONE;
	}

	switch (spe_syndrome_cause(pmbsr)) {
	case SPE_CAUSE_NONE:
		spe_count(cpu, SPE_STAT_SPURIOUS);
		return IRQ_NONE;
	case SPE_CAUSE_FULL:
		spe_irq_next_window(cpu, pmbsr);
		break;
	case SPE_CAUSE_ABORT:
	case SPE_CAUSE_FAULT:
		spe_irq_stop(cpu);
		break;
	}
	return IRQ_HANDLED;
}
