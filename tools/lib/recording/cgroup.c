// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Samples with PERF_SAMPLE_CGROUP: see machine_cgroup.c. */
#include "recording.h"

/* Fields of a sample behind its control group, 8 bytes each. */
#define BEHIND_CGROUP (PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

bool cgroup_read(const struct pmscope_recording *rec,
		 const struct pmscope_perf_event *event, uint64_t *id)
{
	uint64_t type;
	size_t behind;

	if (event->type != PERF_RECORD_SAMPLE || event->attr < 0 ||
	    !(event->id.has & PERF_SAMPLE_TID))
		return false;
	type = pmscope_perfdata_attr(rec->reader, event->attr)
		       ->attr.sample_type;
	/* The length of AUX data, which comes last, is not known. */
	if (!(type & PERF_SAMPLE_CGROUP) || type & PERF_SAMPLE_AUX)
		return false;
	behind = 8 * __builtin_popcountll(type & BEHIND_CGROUP);
	if (event->size < behind + 8)
		return false;
	*id = get64(event->body + event->size - behind - 8);
	return true;
}

int cgroups_foresee(struct pmscope_recording *rec)
{
	struct pmscope_perf_event event;
	uint64_t id;
	int ret = 0;

	for (size_t i = 0; rec->has_cgroups && i < rec->nr_sides && !ret; i++) {
		record_read(rec->reader, rec->sides[i].record, &event);
		if (cgroup_read(rec, &event, &id))
			ret = cgroup_foresee(&rec->machine, event.id.tid, id);
	}
	return ret;
}
