// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures through the PMU frame of a CPU, without an instruction on it.
 *
 * A capture is proven as on the CPU itself (capture.c), by each of its counters:
 * what was saved lies between two live values, before the request and after it, and
 * reads the same twice.  So it is of one instant in between, whoever asked for it: the
 * CPU itself, a debugger and the SoC capture, too, into the same registers.
 *
 * arm_pmu changes its counters only while PMCR_EL0.E is 0.
 *
 * The frame is mapped as Device-nGnRE memory: reads and writes of one frame stay in
 * program order, so none of this needs a barrier.
 */
#include "external/frame.h"
#include "external/registers.h"
#include "sysreg.h"

#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/io.h>
#include <asm/virt.h>

/* The architecture sets no bound; a read of the frame takes some 100 ns. */
#define MAX_POLLS 64

/* Two halves of a counter that counts */
static u64 ext_read_halves(const struct ext_frame *frame, unsigned int offset)
{
	u32 high, low;

	do {
		high = readl_relaxed(frame->pmu + offset + 4);
		low = readl_relaxed(frame->pmu + offset);
	} while (high != readl_relaxed(frame->pmu + offset + 4));
	return (u64)high << 32 | low;
}

static u64 ext_read_count(const struct ext_frame *frame, unsigned int n)
{
	unsigned int offset = n == PMSCOPE_CYCLE_COUNTER ? PMCCNTR :
			      n == PMSCOPE_INSTR_COUNTER ? PMICNTR :
							   PMEVCNTR(n);

	if (frame->layout == EXT_ARCH)
		return readq_relaxed(frame->pmu + offset);
	if (frame->wide || n == PMSCOPE_CYCLE_COUNTER)
		return ext_read_halves(frame, offset);
	return readl_relaxed(frame->pmu + offset);
}

/* @live: its value shortly before, for the half that an event of 32 bits lacks */
static u64 ext_read_saved(const struct ext_frame *frame, unsigned int n,
			  u64 live)
{
	if (frame->layout != EXT_ARCH) {
		if (n == PMSCOPE_CYCLE_COUNTER)
			return ext_read_halves(frame, ARM_PMCCNTSR);
		return live + (u32)(readl_relaxed(frame->pmu +
						  ARM_PMEVCNTSR(n)) - (u32)live);
	}
	if (n == PMSCOPE_CYCLE_COUNTER)
		return readq_relaxed(frame->pmu + PMCCNTSVR);
	if (n == PMSCOPE_INSTR_COUNTER)
		return readq_relaxed(frame->pmu + PMICNTSVR);
	return readq_relaxed(frame->pmu + PMEVCNTSVR(n));
}

/* The counters that count, and can be captured */
static u64 ext_enabled(const struct ext_frame *frame)
{
	u64 cycles = BIT_ULL(PMSCOPE_CYCLE_COUNTER), set, pmcr;

	if (frame->layout == EXT_ARCH) {
		pmcr = readq_relaxed(frame->pmu + PMCR_EXT64);
		set = readq_relaxed(frame->pmu + PMCNTENSET);
	} else {
		pmcr = readl_relaxed(frame->pmu + PMCR_EXT32);
		set = readl_relaxed(frame->pmu + PMCNTENSET);
	}
	if (frame->layout == EXT_ARM)
		set &= GENMASK_ULL(ARM_NR_PMEVCNTSR - 1, 0) | cycles;
	return pmcr & PMSCOPE_PMCR_E ? set : 0;
}

static void ext_read_counts(const struct ext_frame *frame,
			    const unsigned long *set, u64 *value)
{
	unsigned int n;

	for_each_set_bit(n, set, PMSCOPE_NR_COUNTERS)
		value[n] = ext_read_count(frame, n);
}

/*
 * RSCLCQ: a write of 1 to SS requests a capture.  RVPZHN: {NC,SS} becomes {0,0} when
 * it is done.  RMPZSB: {1,0} when it is prohibited; NC is written as 1, so that it is
 * still 1 when the request was ignored (RMFJWS).
 */
static int ext_request_arch(const struct ext_frame *frame)
{
	void __iomem *pmsscr = frame->pmu + PMSSCR_EXT64;
	unsigned int polls = MAX_POLLS;
	u64 state;

	/* SS must not be written while another capture is in progress. */
	do {
		state = readq_relaxed(pmsscr);
	} while (state & PMSSCR_EL1_SS && --polls);
	if (!polls)
		return -EIO;
	writeq_relaxed(PMSSCR_EL1_NC | PMSSCR_EL1_SS, pmsscr);
	do {
		state = readq_relaxed(pmsscr);
	} while (state & PMSSCR_EL1_SS && --polls);
	return state & (PMSSCR_EL1_SS | PMSSCR_EL1_NC) ? -EIO : 0;
}

/* Arm 100798, PMSSCR: there is no busy flag; a read behind the write waits for it. */
static int ext_request_arm(const struct ext_frame *frame)
{
	writel_relaxed(ARM_PMSSCR_SS, frame->pmu + ARM_PMSSCR);
	return readl_relaxed(frame->pmu + ARM_PMSSSR) & ARM_PMSSSR_NC ? -EIO : 0;
}

/* FEAT_PCSRv8 does not tell EL0 from EL1, but the kernel's addresses have bit 55. */
static u64 ext_read_edpcsr(const struct ext_frame *frame, u32 *context)
{
	u64 pc = readl_relaxed(frame->debug + EDPCSR_LO);
	u32 state = readl_relaxed(frame->debug + EDVIDSR);
	u64 el = state & EDVIDSR_E3 ? 3 : state & EDVIDSR_E2 ? 2 : 1;

	pc |= (u64)readl_relaxed(frame->debug + EDPCSR_HI) << 32;
	pc &= GENMASK_ULL(55, 0);
	*context = readl_relaxed(frame->debug + EDCIDSR);
	if (!(pc & BIT_ULL(55)) && (el == 1 || is_kernel_in_hyp_mode()))
		el = el == 3 ? 3 : 0;
	return pc | FIELD_PREP(PMPCSR_EL, el) |
	       (state & EDVIDSR_NS ? PMPCSR_NS : 0);
}

/* A read of the low word of PMPCSR takes the sample, if captures do not. */
static u64 ext_read_words(const struct ext_frame *frame, unsigned int offset)
{
	u32 low = readl_relaxed(frame->pmu + offset);

	return low | (u64)readl_relaxed(frame->pmu + offset + 4) << 32;
}

static void ext_read_pc(const struct ext_frame *frame, struct ext_capture *cap)
{
	bool hyp = is_kernel_in_hyp_mode();

	if (frame->pc == EXT_PC_NONE) {
		cap->pc = EXT_NO_PC;
	} else if (frame->pc == EXT_PC_DEBUG) {
		cap->pc = ext_read_edpcsr(frame, &cap->context);
	} else if (frame->layout == EXT_ARCH) {
		cap->pc = readq_relaxed(frame->pmu + PMPCSR);
		/* Somebody else wants samples at reads: this is an old one. */
		if (frame->pc == EXT_PC_CAPTURE &&
		    !(readq_relaxed(frame->pmu + PMPCSCTL) & PMPCSCTL_SS))
			cap->pc = EXT_NO_PC;
		cap->context = readq_relaxed(frame->pmu + PMCCIDSR) >>
			       (hyp ? 32 : 0);
	} else if (frame->pc == EXT_PC_READ) {
		cap->pc = ext_read_words(frame, PMPCSR);
		cap->context = readl_relaxed(frame->pmu +
					     (hyp ? PMCID2SR : PMCID1SR));
	} else {
		cap->pc = ext_read_words(frame, ARM_PMPCSSR);
		cap->context = readl_relaxed(frame->pmu + (hyp ?
					     ARM_PMCID2SSR : ARM_PMCIDSSR));
	}
}

/* Return: -EAGAIN if not, as when somebody else's capture came between */
static int ext_prove_capture(const struct ext_frame *frame,
			     const struct ext_capture *cap, const u64 *before)
{
	u64 live, value;
	unsigned int n;

	/* As CPU code does: no capture in progress between both reads */
	if (frame->layout == EXT_ARCH &&
	    readq_relaxed(frame->pmu + PMSSCR_EXT64) & PMSSCR_EL1_SS)
		return -EAGAIN;
	for_each_set_bit(n, &cap->counters, PMSCOPE_NR_COUNTERS)
		if (ext_read_saved(frame, n, before[n]) != cap->value[n])
			return -EAGAIN;
	for_each_set_bit(n, &cap->counters, PMSCOPE_NR_COUNTERS) {
		live = ext_read_count(frame, n) - before[n];
		value = cap->value[n] - before[n];
		if (value > live)
			return -EAGAIN;
	}
	return 0;
}

static int ext_capture_saved(const struct ext_frame *frame,
			     struct ext_capture *cap)
{
	u64 before[PMSCOPE_NR_COUNTERS];
	unsigned int n;
	int ret;

	ext_read_counts(frame, &cap->counters, before);
	ret = frame->layout == EXT_ARCH ? ext_request_arch(frame) :
					  ext_request_arm(frame);
	if (ret)
		return ret;
	for_each_set_bit(n, &cap->counters, PMSCOPE_NR_COUNTERS)
		cap->value[n] = ext_read_saved(frame, n, before[n]);
	/* What is saved with the counters is proven with them. */
	if (cap->wants_pc)
		ext_read_pc(frame, cap);
	return ext_prove_capture(frame, cap, before);
}

/**
 * ext_capture() - capture the counters of another CPU at one instant
 * @frame: the frame of that CPU, which is powered
 * @cap: filled in
 *
 * With layout live the counters are read one after the other.
 *
 * Context: interrupts off, frame->lock.
 * Return: 0; -EIO when it was prohibited or ignored, or did not complete; -EAGAIN when
 * it may succeed soon: the CPU is about to change its counters, or somebody else
 * captured at the same time.
 */
int ext_capture(const struct ext_frame *frame, struct ext_capture *cap)
{
	int ret = 0;

	cap->counters = ext_enabled(frame);
	if (!cap->counters)
		return -EAGAIN;
	if (frame->layout == EXT_LIVE) {
		ext_read_counts(frame, &cap->counters, cap->value);
		if (cap->wants_pc)
			ext_read_pc(frame, cap);
	} else {
		ret = ext_capture_saved(frame, cap);
	}
	if (!ret && ext_enabled(frame) != cap->counters)
		ret = -EAGAIN;
	return ret;
}
