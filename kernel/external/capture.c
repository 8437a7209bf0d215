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

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/io.h>

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
	if (frame->layout == EXT_LIVE)
		ext_read_counts(frame, &cap->counters, cap->value);
	else
		ret = ext_capture_saved(frame, cap);
	if (!ret && ext_enabled(frame) != cap->counters)
		ret = -EAGAIN;
	return ret;
}
