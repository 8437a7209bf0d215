// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From samples to operations, by what SPE counted of itself (Arm ARM D17.3):
 * the operations that it could have sampled, those that it did sample, and the
 * records that were left behind its filters.
 */
#include "report.h"

#include <math.h>

/* Common PMU event numbers. */
#define EVENT_SAMPLE_POP      0x4000
#define EVENT_SAMPLE_FEED     0x4001
#define EVENT_SAMPLE_FILTRATE 0x4002

/* Of the normal distribution: 95 % are so many standard deviations around. */
#define DEVIATIONS 1.96

/* Counted until the last snapshot of each CPU, or in all threads. */
static uint64_t sum(const struct report *report, uint64_t number)
{
	uint64_t count = 0;

	for (size_t i = 0; i < report->nr_counters; i++) {
		const struct report_counter *c = &report->counters[i];

		if (!c->partial &&
		    report_event_number(report->perfdata, c->attr,
					c->is_snapshot) == number)
			count += c->last_value;
	}
	return count;
}

struct report_totals report_totals(const struct report *report,
				   uint64_t samples)
{
	uint64_t population = sum(report, EVENT_SAMPLE_POP);
	uint64_t sampled = sum(report, EVENT_SAMPLE_FEED);
	uint64_t kept = sum(report, EVENT_SAMPLE_FILTRATE);
	struct report_totals totals = {.population = population};

	if (!population || !sampled || sampled > population || !samples)
		return totals;
	/* Behind the last snapshot there may be samples more, but not counts.
	 */
	totals.lost = kept > samples ? kept - samples : 0;
	totals.sampled = (double)sampled / population;
	totals.each = (samples + totals.lost) / totals.sampled / samples;
	return totals;
}

double report_totals_error(const struct report_totals *totals, uint64_t samples)
{
	return DEVIATIONS * totals->each *
	       sqrt(samples * (1 - totals->sampled));
}
