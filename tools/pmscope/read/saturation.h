/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts latencies at the limit of SPE's counters: the maximum of 12 or 16 bits
 * (PMSIDR_EL1.CountSize). Recordings do not contain the size, and CPUs may
 * differ: assume 12 bits unless the CPU has a larger latency, including samples
 * that a filter removes.
 */
#ifndef PMSCOPE_READ_SATURATION_H
#define PMSCOPE_READ_SATURATION_H

#include <pmscope/recording.h>

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SATURATION_LIMITS 2

extern const uint16_t saturation_limits[SATURATION_LIMITS];

struct saturated_cpu;

/* Initialize to zeros. */
struct saturation {
	struct saturated_cpu *cpus;
	size_t nr;
	size_t max;
	struct map of_cpu;
};

/* Slow path of saturation_see(). */
int saturation_add(struct saturation *s, uint32_t cpu, uint16_t total,
		   bool counted);

/*
 * Accounts for the total latency of a record, which is at least its other
 * latencies. @counted is false if a filter removes the record. Returns 0 or
 * -ENOMEM.
 */
static inline int saturation_see(struct saturation *s,
				 const struct pmscope_run *run, size_t row,
				 bool counted)
{
	uint16_t total = run->batch->total[row];

	if (total < 0xfff || !(run->batch->has[row] & PMSCOPE_HAS_TOTAL))
		return 0;
	return saturation_add(s, run->cpu, total, counted);
}

/* Adds all of @from to @s. Returns 0 or -ENOMEM. */
int saturation_join(struct saturation *s, const struct saturation *from);

/* The number of total latencies equal to saturation_limits[@limit]. */
uint64_t saturation_at(const struct saturation *s, size_t limit);

void saturation_fini(struct saturation *s);

#endif /* PMSCOPE_READ_SATURATION_H */
