// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiling on one CPU, from the first window of an event to its last: the
 * registers, the freezing of counters, windows, runs of events, the interrupt.
 *
 * A window is a piece of the AUX area that the hardware writes between
 * perf_aux_output_begin() and _end().
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "spe/profile.h"
#include "compat.h"
#include "snapshot/stream.h"
#include "spe/caps.h"
#include "spe/regs.h"
#include "spe/syndrome.h"

#include <linux/bitfield.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <asm/barrier.h>
#include <asm/sysreg.h>
#include <asm/virt.h>

/*
 * The profiling registers
 *
 * While PMBLIMITR_EL1.E is 1 a CPU or a hypervisor may ignore writes to
 * PMBPTR_EL1, PMBSR_EL1 and PMBLIMITR_EL1 but for the one that clears E (Arm
 * DEN0154, SFDXJJ).  So the buffer is always changed in this order: clear E,
 * ISB, program, ISB, set E.
 */

/*
 * Wait until every record taken so far is in memory.  PMBPTR_EL1 and PMBSR_EL1
 * are valid afterwards.
 */
static void spe_hw_drain(void)
{
	/* Format what is in flight, D17.7.4; then complete its writes. */
	psb_csync();
	dsb(nsh);
	/* Make the hardware's updates of PMBPTR and PMBSR visible to MRS. */
	isb();
}

static void spe_hw_disable_buffer(void)
{
	write_sysreg_s(0, SYS_PMBLIMITR_EL1);
	/* No write to the other buffer registers may come before E is 0. */
	isb();
}

/*
 * Stop profiling, with all records in memory.  PMBPTR_EL1, PMBSR_EL1 and
 * PMSICR_EL1 keep their values.
 */
static void spe_hw_stop(void)
{
	write_sysreg_s(0, SYS_PMSCR_EL1);
	/* PSB covers earlier samples; take none after it. */
	isb();
	spe_hw_drain();
	spe_hw_disable_buffer();
}

/*
 * After a reset: sample no guest.  With VHE the buffer belongs to EL2 and stays
 * enabled while a guest runs, and PMSCR_EL1 says what is sampled there
 * (StatisticalProfilingEnabled()).  It is UNKNOWN after a reset, guests cannot
 * write it, and only newer kernels have KVM clear it.
 *
 * With another owner in MDCR_EL2.E2PB the register and the buffer are those of a
 * guest, which no KVM up to 7.3 has.
 */
static void spe_hw_exclude_guests(void)
{
	/* No ISB: entering a guest is a context synchronization event. */
	if (is_kernel_in_hyp_mode() &&
	    !(read_sysreg(mdcr_el2) & PMSCOPE_MDCR_EL2_E2PB))
		write_sysreg_s(0, SYS_PMSCR_EL12);
}

/* Stop profiling, and take the interrupt low: PMBSR.S keeps it asserted. */
static void spe_hw_reset(void)
{
	spe_hw_stop();
	write_sysreg_s(0, SYS_PMBPTR_EL1);
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

/*
 * Give the hardware a new piece of memory, which clears a management event.
 * Profiling continues at once if PMSCR_EL1 still enables it and pmblimitr.E is 1.
 */
static void spe_hw_set_buffer(u64 pmbptr, u64 pmblimitr)
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

/* Sample as @pmscr says from now on; with 0 the interval counter stands still. */
static void spe_hw_sample(u64 pmscr)
{
	write_sysreg_s(pmscr, SYS_PMSCR_EL1);
	isb();
}

/*
 * Sample again after a pause, into the same buffer.  After an External abort or
 * lost data, profiling must not continue from the current pointers (D17.7.4).
 * PMBSR.S reports that only if there was a management event, so raise one: its
 * interrupt closes the window, and nothing is sampled before it.
 */
static void spe_hw_resume(u64 pmscr)
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

/*
 * Start profiling into the buffer that is set.  @pmsicr is the interval counter
 * to continue from, 0 for a new interval (D17.3.3).
 */
static void spe_hw_start(const struct spe_regs *regs, u64 pmsicr, u64 pmscr)
{
	spe_hw_write_filters(regs);
	write_sysreg_s(pmsicr, SYS_PMSICR_EL1);
	/* Filters and interval are in force before the first operation. */
	isb();
	spe_hw_sample(pmscr);
}

/* Stop profiling because the CPU is about to lose its registers. */
static void spe_hw_save(struct spe_hw_state *state)
{
	state->pmblimitr = read_sysreg_s(SYS_PMBLIMITR_EL1);
	spe_hw_stop();
	state->pmbptr = read_sysreg_s(SYS_PMBPTR_EL1);
	state->pmbsr = read_sysreg_s(SYS_PMBSR_EL1);
	/*
	 * After an External abort or lost data, profiling must not continue
	 * from these pointers (D17.7.4): set S, so that it stays stopped and
	 * the interrupt handler finds the cause.
	 */
	if (state->pmbsr & (PMBSR_EA | PMBSR_DL))
		state->pmbsr |= PMBSR_S;
	state->pmsicr = read_sysreg_s(SYS_PMSICR_EL1);
}

/*
 * Continue where spe_hw_save() stopped.  D17.7.4 permits it, because the pointers
 * were read after a PSB and an ISB.  A pending management event is pending again.
 */
static void spe_hw_restore(const struct spe_regs *regs,
			   const struct spe_hw_state *state, u64 pmscr)
{
	/* After a reset it is UNKNOWN, and PMBLIMITR.E is 0. */
	write_sysreg_s(0, SYS_PMSCR_EL1);
	write_sysreg_s(state->pmbptr, SYS_PMBPTR_EL1);
	write_sysreg_s(state->pmbsr, SYS_PMBSR_EL1);
	spe_hw_write_pmbmar(state->pmblimitr);
	/* As in spe_hw_set_buffer(). */
	isb();
	write_sysreg_s(state->pmblimitr, SYS_PMBLIMITR_EL1);
	isb();
	spe_hw_start(regs, state->pmsicr, pmscr);
}

/*
 * PMCR_EL0.FZS freezes the PMU's counters while the interrupt of a management
 * event is pending (Arm ARM D13.5.2.2, RHSGZX).
 *
 * PMCR_EL0 belongs to arm_pmuv3, which clears FZS each time it starts its
 * counters: at a context switch, or when an event is added or removed.  From
 * the first event with freeze=1 on, a return probe on the function that starts
 * them sets FZS again on the CPUs where such an event runs.
 */

/* The bits that PMCR_EL0 must have on this CPU, 0 if nothing is frozen */
static DEFINE_PER_CPU(u64, freeze_bits);

/* The counters have counted since the management event of this window. */
static DEFINE_PER_CPU(bool, freeze_lapsed);

/* The probe has been called. */
static bool freeze_probe_called;

/*
 * The counters counted after the management event.  They do while PMCR_EL0.FZS
 * or PMBLIMITR_EL1.E is 0 (RHSGZX).
 */
static void spe_freeze_note_lapse(void)
{
	this_cpu_write(freeze_lapsed, true);
}

NOKPROBE_SYMBOL(spe_freeze_note_lapse);

static void spe_freeze_set_bits(void)
{
	write_sysreg(read_sysreg(pmcr_el0) | this_cpu_read(freeze_bits),
		     pmcr_el0);
	isb();
}

/*
 * Counters start with interrupts off, or in the PMU's own interrupt, so PMBIRQ
 * may be pending here.  Then they counted from the write of PMCR_EL0 until now.
 * FZS is set first, so that no event is missed between the look and the freeze;
 * PSB and ISB make the hardware's update of PMBSR_EL1 visible (D17.7).
 */
static int spe_freeze_started(struct kretprobe_instance *ri,
			      struct pt_regs *regs)
{
	if (!READ_ONCE(freeze_probe_called))
		WRITE_ONCE(freeze_probe_called, true);
	if (!this_cpu_read(freeze_bits))
		return 0;
	spe_freeze_set_bits();
	psb_csync();
	isb();
	if (read_sysreg_s(SYS_PMBSR_EL1) & PMBSR_S)
		spe_freeze_note_lapse();
	return 0;
}

NOKPROBE_SYMBOL(spe_freeze_started);

static struct kretprobe freeze_probe;
static bool freeze_probe_inserted;
static DEFINE_MUTEX(freeze_probe_lock);

/* Make arm_pmuv3 start the counters of one CPU. */
static void spe_freeze_start_counters(void)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_HARDWARE,
		.config	= PERF_COUNT_HW_CPU_CYCLES,
		.size	= sizeof(attr),
	};
	struct perf_event *event;
	int cpu;

	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL,
							 NULL);
		if (IS_ERR(event))
			continue;
		perf_event_release_kernel(event);
		return;
	}
}

/*
 * LTO may have inlined the function into its callers: the symbol exists then,
 * but the probe is never called.
 */
static int spe_freeze_insert_probe(void)
{
	int ret;

	/* A failed registration leaves an address: start from zero. */
	freeze_probe = (struct kretprobe){
		.kp.symbol_name	= "armv8pmu_start",
		.handler	= spe_freeze_started,
	};
	ret = register_kretprobe(&freeze_probe);
	if (ret)
		return ret;
	spe_freeze_start_counters();
	if (READ_ONCE(freeze_probe_called))
		return 0;
	unregister_kretprobe(&freeze_probe);
	pr_warn_once("freeze=1 is refused: counters start without a call of %s, so PMCR_EL0.FZS would not stay set\n",
		     freeze_probe.kp.symbol_name);
	return -EOPNOTSUPP;
}

/**
 * spe_freeze_get() - insert the probe that keeps FZS set
 *
 * The probe stays until the module is unloaded.  Inserting and removing it
 * stops all CPUs, and users could repeat that by opening and closing events.
 *
 * Context: process, without locks of perf core.
 * Return: 0, -EOPNOTSUPP where the kernel cannot probe arm_pmuv3.
 */
int spe_freeze_get(void)
{
	mutex_lock(&freeze_probe_lock);
	if (!freeze_probe_inserted)
		freeze_probe_inserted = !spe_freeze_insert_probe();
	mutex_unlock(&freeze_probe_lock);
	return freeze_probe_inserted ? 0 : -EOPNOTSUPP;
}

/**
 * spe_freeze_exit() - remove the probe; no event is left
 */
void spe_freeze_exit(void)
{
	if (freeze_probe_inserted)
		unregister_kretprobe(&freeze_probe);
	freeze_probe_inserted = false;
}

/*
 * Set FZS on this CPU, and keep it set.  To freeze the cycle counter, too,
 * PMCR_EL0.DP is needed (FEAT_SPE_DPFZS); DP also stops that counter where
 * counting is prohibited.
 */
static void spe_freeze_arm(bool cycles)
{
	this_cpu_write(freeze_bits, PMSCOPE_PMCR_FZS |
				    (cycles ? PMSCOPE_PMCR_DP : 0));
	spe_freeze_set_bits();
}

/* Give PMCR_EL0 back to arm_pmuv3.  The ISB follows that of PMBSR_EL1. */
static void spe_freeze_disarm(void)
{
	u64 bits = this_cpu_read(freeze_bits);

	if (!bits)
		return;
	this_cpu_write(freeze_bits, 0);
	write_sysreg(read_sysreg(pmcr_el0) & ~bits, pmcr_el0);
}

/* A new window: the next management event freezes again. */
static void spe_freeze_new_window(void)
{
	this_cpu_write(freeze_lapsed, false);
}

/* Have the counters been frozen since the pending management event? */
static bool spe_freeze_held(void)
{
	return read_sysreg(pmcr_el0) & PMSCOPE_PMCR_FZS &&
	       !this_cpu_read(freeze_lapsed);
}

/* Windows */

/* Computed once, by event_init */
static const struct spe_regs *spe_event_regs(const struct perf_event *event)
{
	return event->pmu_private;
}

static void spe_count(struct spe_cpu *cpu, enum spe_stat stat)
{
	WRITE_ONCE(cpu->stats[stat], cpu->stats[stat] + 1);
}

/* Pad @len bytes at the head, which do not wrap, and give them to the reader. */
static void spe_window_skip(struct perf_output_handle *handle,
			    const struct spe_buffer *buf, u64 len)
{
	spe_buffer_pad(buf, handle->head, len);
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

/*
 * Where the reader's position is a multiple of the page, the byte that perf
 * leaves free costs a page.  Padding moves the position, and is news to a reader
 * that has read all and is about to enable the event.  It fills nothing up:
 * without any room perf core tells the reader nothing.  The perf tool rounds what
 * it reads up to eight bytes, so less than that would be there twice.  Behind
 * padding there is less room than that for the next, which is eight bytes less.
 */
#define SPE_REFUSAL_PAD	64

static void spe_window_refuse(struct spe_cpu *cpu, const struct spe_buffer *buf)
{
	struct perf_output_handle *handle = &cpu->handle;
	u64 room = handle->size ? round_down(handle->size - 1, 8) : 0;

	spe_count(cpu, SPE_STAT_TRUNCATED);
	spe_count(cpu, SPE_STAT_NO_ROOM);
	if (!(handle->head % PAGE_SIZE) && room)
		spe_window_skip(handle, buf, min_t(u64, room, SPE_REFUSAL_PAD));
	perf_aux_output_flag(handle, PERF_AUX_FLAG_TRUNCATED);
	perf_aux_output_end(handle, 0);
}

static void spe_window_program(struct spe_cpu *cpu,
			       const struct spe_buffer *buf, u64 pmblimitr)
{
	const struct spe_window *win = &cpu->window;

	if (buf->extents)
		pmblimitr |= PMBLIMITR_NVM;
	spe_hw_set_buffer(win->pmbptr, (win->pmbptr + win->end - win->start) |
				       pmblimitr);
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
		spe_window_refuse(cpu, buf);
		return -ENOSPC;
	}

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
	u64 start = win->pmbptr;
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

/* A window that is closed while PMBLIMITR.E is 1 has ended with its event. */
static bool spe_window_is_frozen(const struct spe_cpu *cpu)
{
	return read_sysreg_s(SYS_PMBLIMITR_EL1) & PMBLIMITR_E &&
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
		.owner		= spe_event_regs(cpu->event)->owner,
		.sees_all	= spe_event_regs(cpu->event)->sees_all,
		.pmbsr		= pmbsr,
		.pmbptr		= read_sysreg_s(SYS_PMBPTR_EL1),
		.aux_offset	= win->start,
		.aux_size	= fill,
		.frozen		= spe_window_is_frozen(cpu),
	};

	pmscope_stream_spe(&window);
}

static noinline void spe_window_report(const struct spe_cpu *cpu, u64 pmbsr)
{
	char text[SPE_SYNDROME_TEXT_MAX];

	spe_syndrome_print(text, sizeof(text), pmbsr);
	pr_err_ratelimited("%s: CPU%d: profiling stopped: %s (PMBSR_EL1 0x%016llx PMBPTR_EL1 0x%016llx)\n",
			   cpu->name, smp_processor_id(), text, pmbsr,
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
	/* Now: later the reader may have enabled the event again. */
	if (truncated)
		pmscope_disable_event_soon(cpu->event);
	else if (fill)
		pmscope_count_record(cpu->event);
}

/* Runs */

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
 * spe_run_resume() - make the registers valid after a reset or a loss of power
 * @cpu: this CPU's state
 *
 * They are UNKNOWN after a reset.  Profiling continues if an event ran.
 *
 * PMCR_EL0 too: arm_pmuv3 has reset it, and it starts its counters, where the
 * probe would set FZS again, only if it has events.
 *
 * Context: on the CPU; interrupts off if an event ran.
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
 * enables profiling, so it continues with the current interval counter.
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
	/*
	 * Wake the reader, and disable an event that has no room, before this
	 * CPU takes an IPI: the reader may have made room after the look at it,
	 * and its enabling must not come ahead of the disabling.
	 */
	irq_work_run();
	return IRQ_HANDLED;
}
