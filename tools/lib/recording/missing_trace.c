// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Trace that is not in the file: gaps between the traces of an AUX area, and
 * trace that AUX records announce after the last one. perf copies an area after
 * reading these records, so a complete file has all that they announce.
 */
#include "recording.h"

static int extent_new(struct pmscope_recording *rec,
		      const struct aux_extent *extent)
{
	uint32_t number;

	return rec->nr_extents == UINT32_MAX
		       ? -ENOMEM
		       : keyed_add(&rec->extent_of_area, sizeof(*extent),
				   extent->area, extent, &number);
}

static struct aux_extent *extent_of(const struct pmscope_recording *rec,
				    uint64_t area)
{
	uint32_t at;

	return keyed_find(&rec->extent_of_area, area, &at) ? &rec->extents[at]
							   : NULL;
}

static int extent_widen(struct pmscope_recording *rec, uint64_t area,
			uint64_t begin, uint64_t end)
{
	struct aux_extent *extent = extent_of(rec, area);

	if (!extent)
		return extent_new(rec,
				  &(struct aux_extent){area, begin, end, 0});
	extent->begin = MIN(extent->begin, begin);
	extent->end = MAX(extent->end, end);
	return 0;
}

int aux_extent_add(struct pmscope_recording *rec,
		   const struct pmscope_perf_event *aux, uint64_t begin,
		   uint64_t end)
{
	const struct pmscope_sample_id *id = &aux->id;
	int ret = 0;

	if (id->has & PERF_SAMPLE_CPU)
		ret = extent_widen(rec, area_of(id->cpu, id->tid), begin, end);
	if (!ret && id->has & PERF_SAMPLE_TID)
		ret = extent_widen(rec, area_of(PMSCOPE_NO_ID, id->tid), begin,
				   end);
	return ret;
}

static uint64_t missing_between(const struct pmscope_recording *rec,
				const struct queue *q)
{
	uint64_t missing = 0;

	for (size_t i = q->fresh ? q->fresh : 1; i < q->nr_traces; i++) {
		uint64_t begin = queue_trace(rec, q, i)->offset;
		uint64_t expected = trace_end(queue_trace(rec, q, i - 1));

		missing += begin > expected ? begin - expected : 0;
	}
	return missing;
}

static void take_traces(struct pmscope_recording *rec, const struct queue *q)
{
	struct aux_extent *extent = extent_of(rec, area_of(q->cpu, q->tid));

	for (size_t i = 0; extent && i < q->nr_traces; i++) {
		uint64_t end = trace_end(queue_trace(rec, q, i));

		extent->traced = MAX(extent->traced, end);
	}
}

/*
 * If an area has no trace here, perf record --switch-output may have written it
 * to an earlier file: then its first AUX record rarely starts at offset 0.
 */
static uint64_t missing_behind(const struct aux_extent *extent)
{
	if (!extent->traced && extent->begin)
		return 0;
	return extent->end > extent->traced ? extent->end - extent->traced : 0;
}

void missing_trace_count(struct pmscope_recording *rec, bool whole)
{
	bool threads = areas_are_of_threads(rec);

	if (rec->overwrite || !rec->nr_traces)
		return;
	for (size_t i = 0; i < rec->nr_queues; i++) {
		rec->losses.missing_trace +=
			missing_between(rec, &rec->queues[i]);
		take_traces(rec, &rec->queues[i]);
	}
	for (size_t i = 0; whole && i < rec->nr_extents; i++)
		if ((rec->extents[i].area > UINT32_MAX) == threads)
			rec->losses.missing_trace +=
				missing_behind(&rec->extents[i]);
}
