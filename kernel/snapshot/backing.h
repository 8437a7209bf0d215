/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Backing counters: the pinned events of the CPU's own arm_pmu that do the
 * counting for events of pmu_snapshot and pmu_external.
 */
#ifndef PMSCOPE_SNAPSHOT_BACKING_H
#define PMSCOPE_SNAPSHOT_BACKING_H

#include "capture.h"
#include "compat.h"

#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

struct snap_backing;

int snap_backing_init(void);
void snap_backing_exit(void);

struct snap_backing *snap_backing_create(struct perf_event *event,
					 perf_overflow_handler_t overflow);
int snap_backing_enable_later(struct snap_backing *backing,
			      struct perf_event *event, smp_call_func_t start);
struct perf_event *snap_backing_counter(const struct snap_backing *backing);
void snap_backing_release(struct snap_backing *backing);
int snap_backing_attach(struct perf_event *event);
void snap_backing_detach(struct perf_event *event);
bool snap_backing_has_pmccntr(int cpu);

/**
 * snap_backing_on_cpu() - does a backing counter count on this CPU now?
 * @counter: the backing counter
 *
 * Its state alone does not say so: perf core sets it to active before arm_pmu
 * assigns a hardware counter, and resets it after that was removed.
 *
 * Context: interrupts off, also in a pseudo-NMI.
 * Return: true if it has a hardware counter here
 */
static inline bool snap_backing_on_cpu(const struct perf_event *counter)
{
	return READ_ONCE(counter->state) == PERF_EVENT_STATE_ACTIVE &&
	       READ_ONCE(counter->oncpu) == smp_processor_id() &&
	       READ_ONCE(counter->hw.idx) >= 0;
}

/**
 * snap_backing_number() - the hardware counter behind a backing counter
 * @counter: a backing counter that is on this CPU
 *
 * Context: interrupts off.
 * Return: its number as in PMCNTENSET_EL0.
 */
static inline unsigned int snap_backing_number(const struct perf_event *counter)
{
	return pmscope_idx_to_counter(counter->hw.idx);
}

/**
 * snap_backing_mask() - the bits of a backing counter that count
 * @counter: a backing counter
 *
 * For a 32-bit event arm_pmu sets the upper half to ones (a bias).
 *
 * Context: any.
 * Return: ~0 or U32_MAX
 */
static inline u64 snap_backing_mask(const struct perf_event *counter)
{
	return counter->hw.flags & ARMPMU_EVT_64BIT ? ~0ULL : U32_MAX;
}

/**
 * snap_backing_value() - the count of a backing counter at a capture
 * @counter: the backing counter; it is on this CPU
 * @cap: a capture of this CPU
 * @value: set to the count since @counter was created
 *
 * Context: interrupts off since the capture.
 * Return: false when @cap does not hold the counter, or a pseudo-NMI of the
 * PMU folded the counter after the capture; then capture again.
 */
static inline bool snap_backing_value(struct perf_event *counter,
				      const struct pmscope_capture *cap,
				      u64 *value)
{
	unsigned int n = snap_backing_number(counter);
	u64 mask = snap_backing_mask(counter);
	u64 prev = local64_read(&counter->hw.prev_count);
	u64 delta = (cap->value[n] - prev) & mask;

	*value = local64_read(&counter->count) + delta;
	/* A negative delta: arm_pmu folded the counter after the capture. */
	return (cap->counters & BIT_ULL(n)) && delta <= mask - (mask >> 2) &&
	       prev == local64_read(&counter->hw.prev_count);
}

#endif /* PMSCOPE_SNAPSHOT_BACKING_H */
