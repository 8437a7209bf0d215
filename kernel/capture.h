/* SPDX-License-Identifier: GPL-2.0-only */
/* Captures all PMU counters of a CPU at one instant, with either back end. */
#ifndef PMSCOPE_CAPTURE_H
#define PMSCOPE_CAPTURE_H

#include "counter.h"

#include <linux/bits.h>
#include <linux/pmscope.h>
#include <linux/types.h>
#include <asm/sysreg.h>

/**
 * struct pmscope_capture - captured counters
 * @number: number of the capture by its back end on this CPU, from 1
 * @counters: bit n set: @value[n] is valid
 * @backend: the back end that was used
 * @result: result of the hardware capture, if one was tried
 * @stopped: CNTVCT_EL0 ticks during which no counter counted (frozen)
 * @value: raw counter values
 */
struct pmscope_capture {
	u64 number;
	u64 counters;
	enum pmscope_backend backend;
	enum pmscope_capture_result result;
	u64 stopped;
	u64 value[PMSCOPE_NR_COUNTERS];
};

/**
 * struct pmscope_capture_stats - captures of one CPU, or of all
 * @result: hardware captures by their result; a raced one is counted each time
 *	it is retried
 * @given_up: how often hardware captures were abandoned on a CPU, because they
 *	did not complete
 * @frozen: captures by the frozen back end
 * @stopped: total CNTVCT_EL0 ticks for which it stopped the counters
 */
struct pmscope_capture_stats {
	u64 result[PMSCOPE_NR_RESULTS];
	u64 given_up;
	u64 frozen;
	u64 stopped;
};

/*
 * A pseudo-NMI of the PMU would fold and restart counters in the middle of a
 * capture.  With pseudo-NMIs local_irq_save() only raises the priority mask,
 * which does not stop them.
 */
static inline unsigned long pmscope_mask_all_irqs(void)
{
	unsigned long daif = read_sysreg(daif);

	asm volatile("msr daifset, #3" : : : "memory");
	return daif;
}

static inline void pmscope_restore_irqs(unsigned long daif)
{
	/* The compiler moves memory accesses across write_sysreg(). */
	asm volatile("msr daif, %0" : : "r" (daif) : "memory");
}

void pmscope_capture_masked(u64 extra, struct pmscope_capture *cap);

/**
 * pmscope_capture() - mask pseudo-NMIs and call pmscope_capture_masked()
 * @extra: counters wanted beside those that PMCNTENSET_EL0 enables
 * @cap: filled in
 *
 * Context: interrupts off.
 */
static inline void pmscope_capture(u64 extra, struct pmscope_capture *cap)
{
	unsigned long daif = pmscope_mask_all_irqs();

	pmscope_capture_masked(extra, cap);
	pmscope_restore_irqs(daif);
}

enum pmscope_capture_result pmscope_capture_probe(void);
void pmscope_capture_use_hardware(bool hardware);
bool pmscope_capture_uses_hardware(int cpu);
enum pmscope_capture_result pmscope_capture_last_result(int cpu);
void pmscope_capture_stats(struct pmscope_capture_stats *sum);

#endif /* PMSCOPE_CAPTURE_H */
