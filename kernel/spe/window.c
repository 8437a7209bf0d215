// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows: between perf_aux_output_begin() and _end() the hardware writes one
 * piece of the AUX area.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "spe/pmu.h"
#include "compat.h"
#include "snapshot/stream.h"
#include "spe/freeze.h"
#include "spe/regs.h"
#include "spe/syndrome.h"

#include <linux/bitfield.h>
#include <linux/printk.h>
#include <linux/smp.h>

/* Pad @len bytes at the head and give them to the reader. */
static void skip(struct perf_output_handle *handle,
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

static bool choose_window(struct spe_cpu *cpu, const struct spe_buffer *buf)
{
	struct perf_output_handle *handle = &cpu->handle;
	struct spe_window *win = &cpu->window;

	/*
	 * Padding may reach the wakeup position, which moves it.  The second
	 * round starts on an aligned head and needs no padding.
	 */
	for (;;) {
		u64 wakeup = buf->snapshot ? 0 : handle->wakeup;

		if (!spe_window_next(buf, &cpu->spe->caps, handle->head,
				     handle->size, wakeup, win))
			return false;
		if (win->start == handle->head)
			return true;
		skip(handle, buf, win->start - handle->head);
	}
}

/* Address of a position, as PMBPTR_EL1 takes it */
static u64 hw_addr(const struct spe_buffer *buf, u64 pos)
{
	u64 offset = pos % buf->size;

	if (!buf->extents)
		return (u64)buf->base + offset;
	return spe_extent_at(buf, offset)->delta + offset;
}

static void program_window(struct spe_cpu *cpu, const struct spe_buffer *buf,
			   u64 pmblimitr)
{
	const struct spe_window *win = &cpu->window;
	u64 pmbptr = hw_addr(buf, win->start);

	if (buf->extents)
		pmblimitr |= PMBLIMITR_NVM;
	cpu->pmbptr = pmbptr;
	spe_hw_set_buffer(pmbptr, (pmbptr + win->end - win->start) | pmblimitr);
}

/**
 * spe_window_open() - let the hardware write the next part of the AUX area
 * @cpu: this CPU's state; profiling is stopped and no window is open
 * @event: the event to write for
 *
 * In discard mode there is nothing to write, only the mode is set.
 *
 * Return: 0, -ENOSPC when there is no room in the AUX area, -EINVAL when there
 * is no AUX area.
 */
int spe_window_open(struct spe_cpu *cpu, struct perf_event *event)
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
		spe_stats_inc(&cpu->stats, SPE_STAT_TRUNCATED);
		return -EINVAL;
	}

	if (!choose_window(cpu, buf)) {
		spe_stats_inc(&cpu->stats, SPE_STAT_TRUNCATED);
		spe_stats_inc(&cpu->stats, SPE_STAT_NO_ROOM);
		perf_aux_output_flag(&cpu->handle, PERF_AUX_FLAG_TRUNCATED);
		perf_aux_output_end(&cpu->handle, 0);
		return -ENOSPC;
	}

	if (regs->freeze)
		spe_freeze_new_window();
	program_window(cpu, buf, regs->pmblimitr);
	return 0;
}

/* There is no window to flag in discard mode. */
static void set_flags(struct perf_output_handle *handle, u64 flags)
{
	if (perf_get_aux(handle))
		perf_aux_output_flag(handle, flags);
}

/* Bytes that the hardware wrote */
static u64 window_fill(struct spe_cpu *cpu)
{
	const struct spe_window *win = &cpu->window;
	u64 start = cpu->pmbptr;
	u64 ptr = read_sysreg_s(SYS_PMBPTR_EL1);

	if (ptr - start <= win->end - win->start)
		return ptr - start;

	pr_err_ratelimited("%s: CPU%d: PMBPTR_EL1 0x%llx left its window 0x%llx-0x%llx\n",
			   cpu->spe->name, smp_processor_id(), ptr, start,
			   start + win->end - win->start);
	perf_aux_output_flag(&cpu->handle,
			     PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL);
	return 0;
}

static bool is_frozen(const struct spe_cpu *cpu, u64 pmbsr)
{
	return spe_event_regs(cpu->event)->freeze && pmbsr & PMBSR_S &&
	       read_sysreg_s(SYS_PMBLIMITR_EL1) & PMBLIMITR_E &&
	       spe_freeze_held();
}

/*
 * A snapshot of the counters for the window, as long as they are frozen: that is
 * while PMBSR.S and PMBLIMITR.E are 1 (RHSGZX).
 */
static noinline void tell_streams(const struct spe_cpu *cpu, u64 pmbsr, u64 fill)
{
	const struct spe_window *win = &cpu->window;
	const struct pmscope_spe_window window = {
		.task		= cpu->event->ctx->task,
		.pmbsr		= pmbsr,
		.pmbptr		= read_sysreg_s(SYS_PMBPTR_EL1),
		.aux_offset	= win->start,
		.aux_size	= fill,
		.frozen		= is_frozen(cpu, pmbsr),
	};

	pmscope_stream_spe(&window);
}

static noinline void report(const struct spe_cpu *cpu, u64 pmbsr)
{
	int level = spe_syndrome_level(pmbsr);
	char level_text[16] = "";

	if (level != SPE_NO_LEVEL)
		snprintf(level_text, sizeof(level_text), ", level %d", level);
	pr_err_ratelimited("%s: CPU%d: profiling stopped: %s%s%s%s%s (PMBSR_EL1 0x%016llx PMBPTR_EL1 0x%016llx)\n",
			   cpu->spe->name, smp_processor_id(),
			   spe_syndrome_text(pmbsr), spe_syndrome_detail(pmbsr),
			   level_text,
			   pmbsr & PMBSR_DL ? ", data lost" : "",
			   pmbsr & PMBSR_EA ? ", external abort" : "", pmbsr,
			   read_sysreg_s(SYS_PMBPTR_EL1));
}

/* Profiling cannot go on by itself: count why and tell the reader. */
static noinline void account_error(struct spe_cpu *cpu, enum spe_cause cause,
				   u64 pmbsr)
{
	if (cause == SPE_CAUSE_FAULT) {
		spe_stats_inc(&cpu->stats, SPE_STAT_FAULTS);
		spe_stats_inc(&cpu->stats, SPE_STAT_FAULT_STAGE1 +
					   spe_syndrome_fault(pmbsr));
	}
	spe_stats_inc(&cpu->stats, SPE_STAT_TRUNCATED);
	set_flags(&cpu->handle, PERF_AUX_FLAG_TRUNCATED);
	report(cpu, pmbsr);
}

/* The last record may be cut off or not have reached memory. */
static void account_damage(struct spe_cpu *cpu, u64 pmbsr)
{
	if (pmbsr & PMBSR_EA)
		spe_stats_inc(&cpu->stats, SPE_STAT_EXTERNAL_ABORT);
	if (pmbsr & PMBSR_DL)
		spe_stats_inc(&cpu->stats, SPE_STAT_DATA_LOSS);
	set_flags(&cpu->handle, PERF_AUX_FLAG_PARTIAL);
}

/* Count what PMBSR reports and tell the reader. */
static void account(struct spe_cpu *cpu, u64 pmbsr)
{
	enum spe_cause cause = spe_syndrome_cause(pmbsr);

	if (pmbsr & PMBSR_COLL) {
		spe_stats_inc(&cpu->stats, SPE_STAT_COLLISIONS);
		set_flags(&cpu->handle, PERF_AUX_FLAG_COLLISION);
	}
	/* With or without a management event: S is no condition for these. */
	if (pmbsr & (PMBSR_DL | PMBSR_EA))
		account_damage(cpu, pmbsr);
	switch (cause) {
	case SPE_CAUSE_NONE:
		break;
	case SPE_CAUSE_FULL:
		spe_stats_inc(&cpu->stats, SPE_STAT_BUFFER_FULL);
		break;
	case SPE_CAUSE_ABORT:
	case SPE_CAUSE_FAULT:
		account_error(cpu, cause, pmbsr);
		break;
	}
}

/**
 * spe_window_close() - give what was written to the reader
 * @cpu: this CPU's state; the hardware is drained and writes no more
 * @pmbsr: PMBSR_EL1
 *
 * In discard mode there is no data, but what PMBSR reports is counted.  Does
 * nothing when the window is closed already and there was no room for another.
 */
void spe_window_close(struct spe_cpu *cpu, u64 pmbsr)
{
	struct perf_output_handle *handle = &cpu->handle;
	struct spe_buffer *buf = perf_get_aux(handle);
	bool truncated;
	u64 fill;

	if (spe_event_regs(cpu->event)->discard)
		account(cpu, pmbsr);
	if (!buf)
		return;

	fill = window_fill(cpu);
	if (pmscope_streams_run())
		tell_streams(cpu, pmbsr, fill);
	spe_stats_inc(&cpu->stats, SPE_STAT_WINDOWS);
	/* At most context switches there is nothing to tell. */
	if (pmbsr)
		account(cpu, pmbsr);
	if (buf->snapshot)
		handle->head += fill;
	truncated = handle->aux_flags & PERF_AUX_FLAG_TRUNCATED;
	perf_aux_output_end(handle, fill);
	/* Now, not at a context switch after the reader has enabled it. */
	if (truncated)
		pmscope_disable_event_soon(cpu->event);
}
