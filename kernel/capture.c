// SPDX-License-Identifier: GPL-2.0-only
/*
 * The capture engine: every counter of this CPU at one instant.
 *
 * `hardware` asks the PE (Arm ARM D13.9): write PMSSCR_EL1.SS, wait, read the
 * snapshot registers.  `frozen` stops PMCR_EL0.E while it reads the counters;
 * nothing is skewed, but what happens meanwhile is not counted.
 */
#include "capture.h"
#include "counter_set.h"
#include "gate.h"

#include <linux/kprobes.h>
#include <linux/percpu.h>

/* The architecture bounds no capture; real ones take tens of cycles. */
#define MAX_POLLS 4096
/* External captures in a row that may spoil the reading of one of ours */
#define MAX_RACES 8

struct capture_cpu {
	struct pmscope_capture_stats stats;
	bool hardware;
	/* the snapshot registers read last, and their sum */
	u64 last_set;
	u64 last_sum;
};

static DEFINE_PER_CPU(struct capture_cpu, capture_cpu);

static __always_inline u64 read_pmsscr(void)
{
	u64 pmsscr = read_sysreg_s(SYS_PMSSCR_EL1);

	/* SS==0, then a context synchronization event, then the SVRs */
	isb();
	return pmsscr;
}

static noinline u64 __kprobes poll_pmsscr(void)
{
	unsigned int i = MAX_POLLS;
	u64 pmsscr;

	do {
		pmsscr = read_pmsscr();
	} while ((pmsscr & PMSSCR_EL1_SS) && --i);
	return pmsscr;
}

/* PMSSCR_EL1 once SS reads 0; SS still set means it never did */
static __always_inline u64 wait_for_capture(void)
{
	u64 pmsscr = read_pmsscr();

	return unlikely(pmsscr & PMSSCR_EL1_SS) ? poll_pmsscr() : pmsscr;
}

/*
 * NC was 1 before and after the request.  Cleared by hand, only a prohibited
 * capture sets it again; where it cannot be cleared there is no telling.
 */
static noinline enum pmscope_capture_result __kprobes why_not_captured(void)
{
	u64 pmsscr;

	write_sysreg_s(0, SYS_PMSSCR_EL1);
	pmsscr = wait_for_capture();
	if (pmsscr & PMSSCR_EL1_SS)
		return PMSCOPE_TIMED_OUT;
	if (pmsscr & PMSSCR_EL1_NC)
		return PMSCOPE_DISABLED;
	write_sysreg_s(PMSSCR_EL1_SS, SYS_PMSSCR_EL1);
	pmsscr = wait_for_capture();
	if (pmsscr & PMSSCR_EL1_SS)
		return PMSCOPE_TIMED_OUT;
	return pmsscr & PMSSCR_EL1_NC ? PMSCOPE_PROHIBITED : PMSCOPE_DISABLED;
}

/*
 * {NC,SS}={0,0} is no proof: a disabled capture leaves a stale NC behind
 * (D13.9, RMFJWS).  The caller looks at the snapshot registers too.
 */
static __always_inline enum pmscope_capture_result request_capture(void)
{
	u64 before, after;

	/* SS must not be written while an external capture is under way */
	before = wait_for_capture();
	if (before & PMSSCR_EL1_SS)
		return PMSCOPE_TIMED_OUT;
	write_sysreg_s(PMSSCR_EL1_SS, SYS_PMSSCR_EL1);
	after = wait_for_capture();
	if (!(after & (PMSSCR_EL1_SS | PMSSCR_EL1_NC)))
		return PMSCOPE_CAPTURED;
	if (after & PMSSCR_EL1_SS)
		return PMSCOPE_TIMED_OUT;
	return before & PMSSCR_EL1_NC ? why_not_captured() : PMSCOPE_PROHIBITED;
}

/* Another capture may have come between two of the registers. */
static __always_inline enum pmscope_capture_result
read_captured(struct pmscope_capture *cap, u64 *sum)
{
	*sum = pmscope_read_svrs(cap->counters, cap->value);
	return pmscope_sum_svrs(cap->counters) == *sum ? PMSCOPE_CAPTURED :
							 PMSCOPE_RACED;
}

/*
 * No counter may be older than it was before the request.  This is the full
 * proof of a capture, for when the registers read the same as last time, or
 * other ones were read then.
 */
static noinline enum pmscope_capture_result __kprobes
capture_verified(struct capture_cpu *cc, struct pmscope_capture *cap)
{
	u64 before[PMSCOPE_NR_COUNTERS], rest;
	enum pmscope_capture_result result;
	unsigned int n;

	pmscope_read_counts(cap->counters, before);
	/* The counters are read before the capture is asked for. */
	isb();
	result = request_capture();
	if (result)
		return result;
	result = read_captured(cap, &cc->last_sum);
	for (rest = cap->counters; rest; rest &= rest - 1) {
		n = __ffs64(rest);
		if ((s64)(cap->value[n] - before[n]) < 0)
			return PMSCOPE_DISABLED;
	}
	return result;
}

/* A request that was dropped leaves every snapshot register as it was. */
static bool is_fresh(struct capture_cpu *cc, const struct pmscope_capture *cap,
		     u64 sum)
{
	bool fresh = cc->last_sum != sum && cc->last_set == cap->counters;

	cc->last_sum = sum;
	cc->last_set = cap->counters;
	return fresh;
}

static __always_inline enum pmscope_capture_result
capture_once(struct capture_cpu *cc, struct pmscope_capture *cap)
{
	enum pmscope_capture_result result = request_capture();
	u64 sum;

	if (result)
		return result;
	result = read_captured(cap, &sum);
	if (result)
		return result;
	return is_fresh(cc, cap, sum) ? PMSCOPE_CAPTURED :
					capture_verified(cc, cap);
}

static __always_inline enum pmscope_capture_result
capture_hardware(struct capture_cpu *cc, struct pmscope_capture *cap)
{
	enum pmscope_capture_result result;
	unsigned int tries;

	for (tries = 0; tries < MAX_RACES; tries++) {
		result = capture_once(cc, cap);
		if (result != PMSCOPE_RACED)
			break;
		cc->stats.result[PMSCOPE_RACED]++;
	}
	cap->backend = PMSCOPE_BACKEND_HARDWARE;
	cap->result = result;
	return result;
}

static noinline void __kprobes capture_frozen(struct capture_cpu *cc,
					      struct pmscope_capture *cap)
{
	u64 pmcr = read_sysreg(pmcr_el0);
	bool running = pmcr & PMSCOPE_PMCR_E;
	u64 start = 0;

	if (running) {
		write_sysreg(pmcr & ~PMSCOPE_PMCR_E, pmcr_el0);
		/* No counter moves once this ISB is done. */
		isb();
		start = read_sysreg(cntvct_el0);
	}

	pmscope_read_counts(cap->counters, cap->value);

	if (running) {
		/* The counters are read before they run again. */
		isb();
		write_sysreg(pmcr, pmcr_el0);
		isb();
		/* As far behind the write as @start is behind the other. */
		cap->stopped = read_sysreg(cntvct_el0) - start;
	}

	cap->backend = PMSCOPE_BACKEND_FROZEN;
	cap->number = ++cc->stats.frozen;
	cc->stats.stopped += cap->stopped;
}

/**
 * pmscope_capture_masked() - capture the counters of this CPU at one instant
 * @extra: counters wanted beside those that PMCNTENSET_EL0 enables
 * @cap: filled in
 *
 * By the back end of this CPU.  A hardware capture that fails is counted, and
 * the counters are captured by the frozen back end instead: no count is lost
 * when firmware changes its mind.
 *
 * No probe is allowed inside, that might capture again.
 *
 * Context: pmscope_mask_all_irqs()
 */
void __kprobes pmscope_capture_masked(u64 extra, struct pmscope_capture *cap)
{
	struct capture_cpu *cc = this_cpu_ptr(&capture_cpu);
	enum pmscope_capture_result result = PMSCOPE_DISABLED;

	cap->counters = read_sysreg(pmcntenset_el0) | extra;
	cap->stopped = 0;

	if (cc->hardware) {
		result = capture_hardware(cc, cap);
		if (result != PMSCOPE_RACED)
			cap->number = ++cc->stats.result[result];
	}
	if (result != PMSCOPE_CAPTURED) {
		capture_frozen(cc, cap);
		cap->result = cc->hardware ? result : PMSCOPE_CAPTURED;
	}
}

/**
 * pmscope_capture() - the same, with interrupts off, pseudo-NMI allowed
 * @extra: counters wanted beside those that PMCNTENSET_EL0 enables
 * @cap: filled in
 */
void pmscope_capture(u64 extra, struct pmscope_capture *cap)
{
	unsigned long daif = pmscope_mask_all_irqs();

	pmscope_capture_masked(extra, cap);
	pmscope_restore_irqs(daif);
}

/* The cycle counter, if nobody uses it, is made to differ from its SVR. */
static enum pmscope_capture_result capture_cycle_counter(void)
{
	bool idle = !(read_sysreg(pmcntenset_el0) & BIT(PMSCOPE_CYCLE_COUNTER));
	u64 saved = read_sysreg(pmccntr_el0), before = saved;
	enum pmscope_capture_result result;
	u64 after, svr;

	if (idle) {
		before = ~read_sysreg_s(SYS_PMCCNTSVR_EL1);
		write_sysreg(before, pmccntr_el0);
	}
	/* The counter is read, or written, before the capture is asked for. */
	isb();
	result = request_capture();
	svr = read_sysreg_s(SYS_PMCCNTSVR_EL1);
	isb();
	after = read_sysreg(pmccntr_el0);
	if (idle)
		write_sysreg(saved, pmccntr_el0);

	if (result == PMSCOPE_CAPTURED && svr - before > after - before)
		return PMSCOPE_DISABLED;
	return result;
}

/**
 * pmscope_capture_probe() - does a capture work on this CPU, and if not, why?
 *
 * Only where PMSSCR_EL1 may be accessed.  Interrupts off.
 *
 * Return: PMSCOPE_CAPTURED, _PROHIBITED, _DISABLED or _TIMED_OUT.  DISABLED is
 * also the answer where NC cannot be cleared and so cannot tell it from
 * PROHIBITED.
 */
enum pmscope_capture_result pmscope_capture_probe(void)
{
	unsigned long daif = pmscope_mask_all_irqs();
	enum pmscope_capture_result result = capture_cycle_counter();

	pmscope_restore_irqs(daif);
	return result;
}

/**
 * pmscope_capture_use_hardware() - choose the back end of this CPU
 * @hardware: the hardware one
 */
void pmscope_capture_use_hardware(bool hardware)
{
	this_cpu_write(capture_cpu.hardware, hardware);
}

/**
 * pmscope_capture_uses_hardware() - is the back end of a CPU the hardware one?
 * @cpu: the CPU
 */
bool pmscope_capture_uses_hardware(int cpu)
{
	return READ_ONCE(per_cpu(capture_cpu.hardware, cpu));
}

/**
 * pmscope_capture_stats() - how captures went since the module was loaded
 * @sum: the sum of all CPUs
 */
void pmscope_capture_stats(struct pmscope_capture_stats *sum)
{
	const struct pmscope_capture_stats *stats;
	unsigned int i;
	int cpu;

	*sum = (struct pmscope_capture_stats){};
	for_each_possible_cpu(cpu) {
		stats = &per_cpu_ptr(&capture_cpu, cpu)->stats;
		for (i = 0; i < PMSCOPE_NR_RESULTS; i++)
			sum->result[i] += READ_ONCE(stats->result[i]);
		sum->frozen += READ_ONCE(stats->frozen);
		sum->stopped += READ_ONCE(stats->stopped);
	}
}
