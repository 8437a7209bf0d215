// SPDX-License-Identifier: GPL-2.0-only
/*
 * The capture engine: every counter of this CPU at one instant.
 *
 * `hardware` requests a Capture event of the PE (Arm ARM D13.9): write
 * PMSSCR_EL1.SS, wait, read the snapshot registers.  `frozen` clears PMCR_EL0.E
 * while it reads the counters; they are not skewed, but events meanwhile are
 * not counted.  That does not stop counters at and above MDCR_EL2.HPMN.  Linux
 * uses none: at EL1 PMCR_EL0.N leaves them out, at EL2 Linux sets HPMN to N.
 *
 * SS=0 after a request proves nothing: while captures are disabled the request
 * is ignored (RMFJWS), and an external agent may capture at any time (RSCLCQ).
 * So each capture is proven by counters that are read before and after the
 * request.
 *
 * The functions are nokprobe: a probe's BPF program could capture again, and
 * the snapshot registers would change between two reads.
 */
#include "capture.h"
#include "sysreg.h"

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <asm/virt.h>

/* The architecture sets no bound; real captures take tens of cycles. */
#define MAX_POLLS 4096
/* External captures in a row that may overwrite one of ours */
#define MAX_RACES 8
/* Captures in a row that do not complete before the CPU is given up */
#define MAX_TIMEOUTS 3

/* A result that another proof has to decide */
#define UNPROVEN ((enum pmscope_capture_result)PMSCOPE_NR_RESULTS)

/**
 * struct capture_cpu - captures of one CPU
 * @stats: how they ended
 * @hardware: the hardware back end is tried
 * @timeouts: captures in a row that did not complete
 * @failed: the result of the last one that failed
 * @before_failed: how many had succeeded before that
 */
struct capture_cpu {
	struct pmscope_capture_stats stats;
	bool hardware;
	unsigned int timeouts;
	enum pmscope_capture_result failed;
	u64 before_failed;
};

static DEFINE_PER_CPU(struct capture_cpu, capture_cpu);

/* Sets of counters */

/*
 * MRS takes a constant register.  A test and a read for each counter take fewer
 * instructions than a loop with a switch.
 */
#define DO_IF_SET(set, n, op)						\
	do {								\
		if ((set) & BIT_ULL(n))					\
			op(n);						\
	} while (0)

#define DO_EIGHT(set, n, op)						\
	do {								\
		DO_IF_SET(set, (n) + 0, op);				\
		DO_IF_SET(set, (n) + 1, op);				\
		DO_IF_SET(set, (n) + 2, op);				\
		DO_IF_SET(set, (n) + 3, op);				\
		DO_IF_SET(set, (n) + 4, op);				\
		DO_IF_SET(set, (n) + 5, op);				\
		DO_IF_SET(set, (n) + 6, op);				\
		DO_IF_SET(set, (n) + 7, op);				\
	} while (0)

/* Few CPUs have more than eight, and arm_pmu uses the first ones first. */
#define FOR_EVENT_COUNTERS(set, op)					\
	do {								\
		u64 __events = (set) & GENMASK_ULL(30, 0);		\
									\
		DO_EIGHT(__events, 0, op);				\
		if (!(__events >> 8))					\
			break;						\
		DO_EIGHT(__events, 8, op);				\
		if (!(__events >> 16))					\
			break;						\
		DO_EIGHT(__events, 16, op);				\
		DO_EIGHT(__events, 24, op);				\
	} while (0)

/* A counter that may be a witness (capture_by()): 0, cycles, instructions */
static __always_inline u64 capture_read_count(unsigned int n)
{
	if (n == PMSCOPE_CYCLE_COUNTER)
		return read_sysreg(pmccntr_el0);
	if (n == PMSCOPE_INSTR_COUNTER)
		return read_sysreg_s(SYS_PMICNTR_EL0);
	return read_sysreg_s(SYS_PMEVCNTR(0));
}

/* Its snapshot register */
static __always_inline u64 capture_read_svr(unsigned int n)
{
	if (n == PMSCOPE_CYCLE_COUNTER)
		return read_sysreg_s(SYS_PMCCNTSVR_EL1);
	if (n == PMSCOPE_INSTR_COUNTER)
		return read_sysreg_s(SYS_PMICNTSVR_EL1);
	return read_sysreg_s(SYS_PMEVCNTSVR(0));
}

/* The snapshot registers of the counters in @set */
static __always_inline void capture_read_svrs(u64 set, u64 *value)
{
#define LOAD(n) (value[n] = read_sysreg_s(SYS_PMEVCNTSVR(n)))
	FOR_EVENT_COUNTERS(set, LOAD);
#undef LOAD
	if (set & BIT_ULL(PMSCOPE_CYCLE_COUNTER))
		value[PMSCOPE_CYCLE_COUNTER] =
			read_sysreg_s(SYS_PMCCNTSVR_EL1);
	if (set & BIT_ULL(PMSCOPE_INSTR_COUNTER))
		value[PMSCOPE_INSTR_COUNTER] =
			read_sysreg_s(SYS_PMICNTSVR_EL1);
}

/* The live values of the counters in @set */
static noinline void __kprobes capture_read_counts(u64 set, u64 *value)
{
#define LOAD(n) (value[n] = read_sysreg_s(SYS_PMEVCNTR(n)))
	FOR_EVENT_COUNTERS(set, LOAD);
#undef LOAD
	if (set & BIT_ULL(PMSCOPE_CYCLE_COUNTER))
		value[PMSCOPE_CYCLE_COUNTER] = read_sysreg(pmccntr_el0);
	if (set & BIT_ULL(PMSCOPE_INSTR_COUNTER))
		value[PMSCOPE_INSTR_COUNTER] = read_sysreg_s(SYS_PMICNTR_EL0);
}

/* Return: 0 if each of the counters in @set still reads @value */
static noinline u64 __kprobes capture_counts_differ(u64 set, const u64 *value)
{
	u64 differ = 0;

#define COMPARE(n) (differ |= value[n] ^ read_sysreg_s(SYS_PMEVCNTR(n)))
	FOR_EVENT_COUNTERS(set, COMPARE);
#undef COMPARE
	if (set & BIT_ULL(PMSCOPE_CYCLE_COUNTER))
		differ |= value[PMSCOPE_CYCLE_COUNTER] ^
			  read_sysreg(pmccntr_el0);
	if (set & BIT_ULL(PMSCOPE_INSTR_COUNTER))
		differ |= value[PMSCOPE_INSTR_COUNTER] ^
			  read_sysreg_s(SYS_PMICNTR_EL0);
	return differ;
}

/* Requests */

static __always_inline u64 capture_read_pmsscr(void)
{
	u64 pmsscr = read_sysreg_s(SYS_PMSSCR_EL1);

	/* IYSWSD: before the snapshot registers are read */
	isb();
	return pmsscr;
}

static noinline u64 __kprobes capture_poll_pmsscr(void)
{
	unsigned int i = MAX_POLLS;
	u64 pmsscr;

	do {
		pmsscr = capture_read_pmsscr();
	} while ((pmsscr & PMSSCR_EL1_SS) && --i);
	return pmsscr;
}

/* Return: PMSSCR_EL1 when SS reads 0, or with SS set after MAX_POLLS */
static __always_inline u64 capture_wait(void)
{
	u64 pmsscr = capture_read_pmsscr();

	return unlikely(pmsscr & PMSSCR_EL1_SS) ? capture_poll_pmsscr() :
						  pmsscr;
}

/*
 * NC was written as 1, and is 1 after the request.  A request that is ignored
 * leaves it so (RMFJWS), and one that is prohibited sets it (RMPZSB).  After a
 * write of 0 only the latter sets it again.
 */
static noinline enum pmscope_capture_result __kprobes
capture_why_not(u64 before)
{
	u64 pmsscr;

	write_sysreg_s(0, SYS_PMSSCR_EL1);
	pmsscr = capture_wait();
	if (pmsscr & PMSSCR_EL1_SS)
		return PMSCOPE_TIMED_OUT;
	/* NC may be read-only; then it says nothing if it was 1 before. */
	if (pmsscr & PMSSCR_EL1_NC)
		return before & PMSSCR_EL1_NC ? PMSCOPE_DISABLED :
						PMSCOPE_PROHIBITED;
	write_sysreg_s(PMSSCR_EL1_SS, SYS_PMSSCR_EL1);
	pmsscr = capture_wait();
	if (pmsscr & PMSSCR_EL1_SS)
		return PMSCOPE_TIMED_OUT;
	return pmsscr & PMSSCR_EL1_NC ? PMSCOPE_PROHIBITED : PMSCOPE_DISABLED;
}

/*
 * NC is written as 1 with SS (as in IMXCMM, which writes SS alone): where
 * software can write it, NC=0 afterwards is another proof of a capture
 * (RVPZHN).
 *
 * The ISB in capture_wait() completes earlier reads of counters before the
 * request.
 */
static __always_inline enum pmscope_capture_result capture_request(void)
{
	u64 before, after;

	/* SS must not be written while an external capture is in progress. */
	before = capture_wait();
	if (before & PMSSCR_EL1_SS)
		return PMSCOPE_TIMED_OUT;
	write_sysreg_s(PMSSCR_EL1_NC | PMSSCR_EL1_SS, SYS_PMSSCR_EL1);
	after = capture_wait();
	if (!(after & (PMSSCR_EL1_SS | PMSSCR_EL1_NC)))
		return PMSCOPE_CAPTURED;
	if (after & PMSSCR_EL1_SS)
		return PMSCOPE_TIMED_OUT;
	return capture_why_not(before);
}

/* RACED if @value was captured after ours, by an external agent */
static noinline enum pmscope_capture_result __kprobes
capture_why_unproven(u64 value, u64 after, u64 now)
{
	return value - after < now - after ? PMSCOPE_RACED : UNPROVEN;
}

/*
 * Between reads of snapshot registers.  RSCLCQ: a capture, also an external one,
 * sets SS.  RVPZHN: it clears SS once it has written all of them.  IYSWSD: they
 * are seen behind a read of SS=0 and a context synchronization event.  So reads
 * before that saw no later capture than reads behind it.
 *
 * Return: PMSSCR_EL1.SS, 0 unless a capture is in progress
 */
static __always_inline u64 capture_in_progress(void)
{
	/* Complete the reads before, and see what they saw of SS. */
	isb();
	return capture_read_pmsscr() & PMSSCR_EL1_SS;
}

/*
 * Proof by one counter that counts here, the witness.  It reads B before the
 * request, and A after completion.  S is its own snapshot register, read after
 * all others.  B < S < A proves that S was captured in between.  All snapshot
 * registers are of that capture: capture_in_progress() behind A means that the
 * others are of no earlier one, and before S that they are of no later one.
 *
 * S = B is enough for the cycle counter, as no cycle has passed in between, and
 * for a counter that is captured alone.  An ignored request could pass only if
 * arm_pmu has set the counter back since the last capture, S happens to be in
 * that range, and software cannot write NC.
 */
static __always_inline enum pmscope_capture_result
capture_by(unsigned int witness, struct pmscope_capture *cap)
{
	u64 before = capture_read_count(witness), after, busy, value;
	enum pmscope_capture_result result = capture_request();

	if (result)
		return result;
	after = capture_read_count(witness);
	busy = capture_in_progress();
	capture_read_svrs(cap->counters & ~BIT_ULL(witness), cap->value);
	busy |= capture_in_progress();
	value = capture_read_svr(witness);
	cap->value[witness] = value;
	if (unlikely(busy))
		return PMSCOPE_RACED;
	if (likely(value - before < after - before) &&
	    (witness == PMSCOPE_CYCLE_COUNTER || value != before ||
	     cap->counters == BIT_ULL(witness)))
		return PMSCOPE_CAPTURED;
	return capture_why_unproven(value, after, capture_read_count(witness));
}

/*
 * Proof by all counters, also where no witness counts: each snapshot register
 * is between the counter's values before and after the request, and all of them
 * read the same twice, so they are of one capture.  An older capture passes
 * only if no counter has moved since.
 */
static noinline enum pmscope_capture_result __kprobes
capture_by_all(struct pmscope_capture *cap)
{
	u64 before[PMSCOPE_NR_COUNTERS], again[PMSCOPE_NR_COUNTERS];
	const u64 *value = cap->value, *after = again;
	enum pmscope_capture_result result;
	unsigned int n;
	u64 rest;

	capture_read_counts(cap->counters, before);
	result = capture_request();
	if (result)
		return result;
	capture_read_svrs(cap->counters, cap->value);
	if (capture_in_progress())
		return PMSCOPE_RACED;
	capture_read_svrs(cap->counters, again);
	for (rest = cap->counters; rest; rest &= rest - 1) {
		n = __ffs64(rest);
		if (again[n] != value[n])
			return PMSCOPE_RACED;
	}
	capture_read_counts(cap->counters, again);
	for (rest = cap->counters; rest; rest &= rest - 1) {
		n = __ffs64(rest);
		if (value[n] - before[n] > after[n] - before[n])
			return PMSCOPE_DISABLED;
	}
	return PMSCOPE_CAPTURED;
}

static noinline enum pmscope_capture_result __kprobes
capture_without_cycles(struct pmscope_capture *cap)
{
	if (cap->counters & BIT_ULL(PMSCOPE_INSTR_COUNTER))
		return capture_by(PMSCOPE_INSTR_COUNTER, cap);
	if (cap->counters & BIT_ULL(0))
		return capture_by(0, cap);
	return capture_by_all(cap);
}

/*
 * While a vCPU is loaded (VHE), and after that on some kernels, MDCR_EL2 has
 * the guest's value, which prohibits captures (RTSYTY).  Allow them for this
 * one only, so that the guest cannot capture.  HPMN can stay: it does not limit
 * what is captured (RVPZHN).  No ISB: capture_wait() has one before a request, and
 * entering the guest is a context synchronization event.
 *
 * Return: true if it was changed; @mdcr is the old value then.
 */
static __always_inline bool capture_allow(u64 *mdcr)
{
	if (!is_kernel_in_hyp_mode())
		return false;
	*mdcr = read_sysreg(mdcr_el2);
	if ((*mdcr & PMSCOPE_MDCR_EL2_PMSSE) == PMSCOPE_MDCR_EL2_PMSSE)
		return false;
	write_sysreg(*mdcr | PMSCOPE_MDCR_EL2_PMSSE, mdcr_el2);
	return true;
}

static __always_inline enum pmscope_capture_result
capture_again(struct capture_cpu *cc, struct pmscope_capture *cap)
{
	enum pmscope_capture_result result;
	unsigned int tries;

	for (tries = 0; tries < MAX_RACES; tries++) {
		result = capture_by_all(cap);
		if (result != PMSCOPE_RACED)
			break;
		cc->stats.result[PMSCOPE_RACED]++;
	}
	return result;
}

/* The witness stood still, the request was ignored, or a capture followed. */
static noinline enum pmscope_capture_result __kprobes
capture_slowly(struct capture_cpu *cc, struct pmscope_capture *cap,
	       enum pmscope_capture_result result)
{
	bool allowed;
	u64 mdcr;

	if (result == PMSCOPE_TIMED_OUT)
		return result;
	/* No counter has moved since the capture, so the values are current. */
	if (result == UNPROVEN &&
	    !capture_counts_differ(cap->counters, cap->value))
		return PMSCOPE_CAPTURED;
	if (result == PMSCOPE_RACED)
		cc->stats.result[PMSCOPE_RACED]++;

	allowed = capture_allow(&mdcr);
	if (allowed || result == UNPROVEN || result == PMSCOPE_RACED)
		result = capture_again(cc, cap);
	if (allowed)
		write_sysreg(mdcr, mdcr_el2);
	return result;
}

static noinline void __kprobes
capture_note_failure(struct capture_cpu *cc, enum pmscope_capture_result result)
{
	bool in_a_row = cc->before_failed == cc->stats.result[PMSCOPE_CAPTURED];

	if (result != PMSCOPE_TIMED_OUT || !in_a_row)
		cc->timeouts = 0;
	if (result == PMSCOPE_TIMED_OUT && ++cc->timeouts == MAX_TIMEOUTS) {
		cc->hardware = false;
		cc->stats.given_up++;
	}
	cc->failed = result;
	cc->before_failed = cc->stats.result[PMSCOPE_CAPTURED];
}

static __always_inline enum pmscope_capture_result
capture_hardware(struct capture_cpu *cc, struct pmscope_capture *cap)
{
	enum pmscope_capture_result result;

	if (likely(cap->counters & BIT_ULL(PMSCOPE_CYCLE_COUNTER)))
		result = capture_by(PMSCOPE_CYCLE_COUNTER, cap);
	else
		result = capture_without_cycles(cap);
	if (unlikely(result))
		result = capture_slowly(cc, cap, result);
	if (unlikely(result))
		capture_note_failure(cc, result);
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

	capture_read_counts(cap->counters, cap->value);

	if (running) {
		/* The counters are read before they run again. */
		isb();
		write_sysreg(pmcr, pmcr_el0);
		isb();
		/* One ISB after the write, as @start is: so they compare. */
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
 * By the back end of this CPU.  If a hardware capture fails, which is counted,
 * the frozen back end captures instead: no count is lost if firmware or a
 * hypervisor withdraws its permission.
 *
 * Context: pmscope_mask_all_irqs().  nokprobe: a probe here could re-enter.
 */
void __kprobes pmscope_capture_masked(u64 extra, struct pmscope_capture *cap)
{
	struct capture_cpu *cc = this_cpu_ptr(&capture_cpu);
	enum pmscope_capture_result result;

	cap->counters = read_sysreg(pmcntenset_el0) | extra;
	cap->stopped = 0;
	if (!cc->hardware) {
		cap->result = PMSCOPE_CAPTURED;
		capture_frozen(cc, cap);
		return;
	}
	result = capture_hardware(cc, cap);
	if (likely(result != PMSCOPE_RACED))
		cap->number = ++cc->stats.result[result];
	if (unlikely(result))
		capture_frozen(cc, cap);
}

/* An unused cycle counter is set to differ from its snapshot register. */
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
	/* Complete the access to the counter before the request. */
	isb();
	result = capture_request();
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
 * Only where PMSSCR_EL1 may be accessed.
 *
 * Context: interrupts off.
 * Return: PMSCOPE_CAPTURED, _PROHIBITED, _DISABLED or _TIMED_OUT.  It is
 * _DISABLED also for a prohibited capture where software cannot clear NC.
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
 * @hardware: the hardware one, otherwise the frozen one
 *
 * Context: interrupts off.
 */
void pmscope_capture_use_hardware(bool hardware)
{
	struct capture_cpu *cc = this_cpu_ptr(&capture_cpu);

	cc->failed = PMSCOPE_CAPTURED;
	cc->timeouts = 0;
	WRITE_ONCE(cc->hardware, hardware);
}

/**
 * pmscope_capture_uses_hardware() - is the back end of a CPU the hardware one?
 * @cpu: a possible CPU
 *
 * Context: any.
 * Return: false for the frozen one, or before the CPU came online
 */
bool pmscope_capture_uses_hardware(int cpu)
{
	return READ_ONCE(per_cpu(capture_cpu.hardware, cpu));
}

/**
 * pmscope_capture_last_result() - how the last hardware capture of a CPU ended
 * @cpu: a possible CPU
 *
 * Context: any.
 * Return: PMSCOPE_CAPTURED also if none was tried since the CPU came online.
 */
enum pmscope_capture_result pmscope_capture_last_result(int cpu)
{
	const struct capture_cpu *cc = per_cpu_ptr(&capture_cpu, cpu);
	u64 captured = READ_ONCE(cc->stats.result[PMSCOPE_CAPTURED]);

	return captured == READ_ONCE(cc->before_failed) ?
		       READ_ONCE(cc->failed) : PMSCOPE_CAPTURED;
}

/**
 * pmscope_capture_stats() - results of captures since the module was loaded
 * @sum: set to the sum of all CPUs
 *
 * Context: any.
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
		sum->given_up += READ_ONCE(stats->given_up);
		sum->frozen += READ_ONCE(stats->frozen);
		sum->stopped += READ_ONCE(stats->stopped);
	}
}
