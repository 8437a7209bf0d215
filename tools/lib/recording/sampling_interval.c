// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * The sampling interval of SPE. It is the period of the event, until the
 * recorder changes it (pmscope record --rate and --max-loss) and says so with a
 * PERF_RECORD_AUX_OUTPUT_HW_ID of the event, whose hw_id is the interval of its
 * CPU from then on.
 */
#include "recording.h"

#define SPE_NAME "arm_spe"

static bool is_spe(const struct pmscope_recording *rec,
		   const struct pmscope_perf_attr *attr)
{
	if (attr->name && !strncmp(attr->name, SPE_NAME, strlen(SPE_NAME)))
		return true;
	if (rec->thread.pmu_type && attr->attr.type == rec->thread.pmu_type)
		return true;
	for (size_t i = 0; i < rec->nr_cpus; i++)
		if (rec->cpus[i].pmu_type == attr->attr.type)
			return true;
	return false;
}

/* Without types of PMUs, that of the first SPE event. */
static uint32_t interval_of_events(const struct pmscope_recording *rec,
				   uint32_t pmu_type)
{
	const struct pmscope_perf_attr *attr;
	uint64_t first = 0, period;

	for (size_t i = 0; (attr = pmscope_perfdata_attr(rec->reader, i));
	     i++) {
		if (!is_spe(rec, attr) || attr->attr.freq)
			continue;
		period = attr->attr.sample_period;
		if (period > UINT32_MAX)
			continue;
		if (pmu_type && attr->attr.type == pmu_type)
			return period;
		if (!first)
			first = period;
	}
	return first;
}

static void saw(struct pmscope_recording *rec, uint32_t interval)
{
	struct pmscope_intervals *all = &rec->intervals;

	if (!interval)
		return;
	if (!all->least || interval < all->least)
		all->least = interval;
	all->most = MAX(all->most, interval);
}

static uint32_t interval_in(const struct pmscope_perf_event *event)
{
	uint64_t interval = get64(event->body);

	return interval <= UINT32_MAX ? interval : 0;
}

bool interval_is(struct pmscope_recording *rec,
		 const struct pmscope_perf_event *event)
{
	if (event->size < sizeof(uint64_t) || event->attr < 0 ||
	    !(event->id.has & PERF_SAMPLE_CPU) || !interval_in(event) ||
	    !is_spe(rec, pmscope_perfdata_attr(rec->reader, event->attr)))
		return false;
	rec->intervals.changes++;
	saw(rec, interval_in(event));
	return true;
}

void interval_apply(struct pmscope_recording *rec,
		    const struct pmscope_perf_event *event)
{
	for (size_t i = 0; i < rec->nr_queues; i++)
		if (rec->queues[i].cpu == event->id.cpu)
			rec->queues[i].interval = interval_in(event);
}

void intervals_begin(struct pmscope_recording *rec)
{
	for (size_t i = 0; rec->reader && i < rec->nr_queues; i++) {
		struct queue *q = &rec->queues[i];

		q->interval =
			interval_of_events(rec, cpu_get(rec, q->cpu)->pmu_type);
		saw(rec, q->interval);
	}
}

void pmscope_recording_intervals(const struct pmscope_recording *rec,
				 struct pmscope_intervals *intervals)
{
	*intervals = rec->intervals;
}
