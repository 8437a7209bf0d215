// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Trace that is not in the file: between what there is of an AUX area, and what
 * AUX records tell of behind it. perf takes the trace of an area after the
 * records that tell of it, so a file that is whole has all of that.
 */
#include "base/array.h"
#include "recording.h"

#include <errno.h>

static int told_new(struct pmscope_recording *rec, const struct told *told)
{
	struct told *tolds;

	if (rec->nr_tolds == UINT32_MAX)
		return -ENOMEM;
	tolds = array_reserve(rec->tolds, rec->nr_tolds, &rec->max_tolds,
			      sizeof(*tolds));
	if (!tolds)
		return -ENOMEM;
	rec->tolds = tolds;
	if (map_set(&rec->told_of_area, told->area, rec->nr_tolds))
		return -ENOMEM;
	tolds[rec->nr_tolds++] = *told;
	return 0;
}

static struct told *told_of(const struct pmscope_recording *rec, uint64_t area)
{
	uint32_t at;

	return map_get(&rec->told_of_area, area, &at) ? &rec->tolds[at] : NULL;
}

static int area_told(struct pmscope_recording *rec, uint64_t area,
		     uint64_t begin, uint64_t end)
{
	struct told *told = told_of(rec, area);

	if (!told)
		return told_new(rec, &(struct told){area, begin, end, 0});
	if (begin < told->begin)
		told->begin = begin;
	if (end > told->end)
		told->end = end;
	return 0;
}

int told_add(struct pmscope_recording *rec,
	     const struct pmscope_perf_event *aux, uint64_t begin, uint64_t end)
{
	const struct pmscope_sample_id *id = &aux->id;
	int ret = 0;

	if (id->has & PERF_SAMPLE_CPU)
		ret = area_told(rec, area_of(id->cpu, id->tid), begin, end);
	if (!ret && id->has & PERF_SAMPLE_TID)
		ret = area_told(rec, area_of(PMSCOPE_NO_ID, id->tid), begin,
				end);
	return ret;
}

static uint64_t missing_between(const struct pmscope_recording *rec,
				const struct queue *q)
{
	uint64_t missing = 0;

	for (size_t i = 1; i < q->nr_traces; i++) {
		uint64_t begin = queue_trace(rec, q, i)->offset;
		uint64_t expected = trace_end(queue_trace(rec, q, i - 1));

		missing += begin > expected ? begin - expected : 0;
	}
	return missing;
}

static void take_traces(struct pmscope_recording *rec, const struct queue *q)
{
	struct told *told = told_of(rec, area_of(q->cpu, q->tid));

	for (size_t i = 0; told && i < q->nr_traces; i++) {
		uint64_t end = trace_end(queue_trace(rec, q, i));

		if (end > told->traced)
			told->traced = end;
	}
}

/*
 * Of an area that has none perf record --switch-output may have put it into the
 * file before: then what is told of seldom begins where the area does.
 */
static uint64_t missing_behind(const struct told *told)
{
	if (!told->traced && told->begin)
		return 0;
	return told->end > told->traced ? told->end - told->traced : 0;
}

static bool is_of_thread(uint64_t area)
{
	return area > UINT32_MAX;
}

void missing_count(struct pmscope_recording *rec, bool whole)
{
	bool threads = areas_are_of_threads(rec);

	if (rec->overwrite || !rec->nr_traces)
		return;
	for (size_t i = 0; i < rec->nr_queues; i++) {
		rec->losses.missing_trace +=
			missing_between(rec, &rec->queues[i]);
		take_traces(rec, &rec->queues[i]);
	}
	for (size_t i = 0; whole && i < rec->nr_tolds; i++)
		if (is_of_thread(rec->tolds[i].area) == threads)
			rec->losses.missing_trace +=
				missing_behind(&rec->tolds[i]);
}
