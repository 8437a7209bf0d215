// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Control groups of threads. No record tells that a thread is moved; samples
 * with PERF_SAMPLE_CGROUP tell where it is. PERF_RECORD_CGROUP has the path of
 * a group.
 */
#include "base/text.h"
#include "machine.h"
#include "perfdata/reader.h"

#define CGROUP_PATH 8  /* in the body of the record, behind the number */
#define NUMBER_MAX  20 /* decimal digits of 64 bits */

static int set_name(struct machine *m, uint32_t group, const char *name,
		    size_t size)
{
	uint32_t number;

	if (strings_intern(&m->names, name, size, &number))
		return -ENOMEM;
	m->cgroups[group].name = strings_get(&m->names, number);
	return 0;
}

static int group_get(struct machine *m, uint64_t id, uint32_t *group)
{
	char number[NUMBER_MAX + 1];
	const struct cgroup new = {.id = id};

	if (keyed_find(&m->cgroup_of_id, id, group))
		return 0;
	if (keyed_add(&m->cgroup_of_id, sizeof(new), id, &new, group))
		return -ENOMEM;
	return set_name(m, *group, number, text_unsigned(number, id) - number);
}

int cgroup_name(struct machine *m, const struct pmscope_perf_event *record)
{
	const char *path = (const char *)record->body + CGROUP_PATH;
	uint32_t group;
	size_t length;

	if (record->size <= CGROUP_PATH)
		return 0;
	length = strnlen(path, record->size - CGROUP_PATH);
	if (group_get(m, get64(record->body), &group))
		return -ENOMEM;
	return length ? set_name(m, group, path, length) : 0;
}

int cgroup_foresee(struct machine *m, uint32_t tid, uint64_t id)
{
	uint32_t group;

	if (map_get(&m->cgroup_of_tid, tid, &group))
		return 0;
	return group_get(m, id, &group)
		       ?: map_set(&m->cgroup_of_tid, tid, group + 1);
}

bool cgroup_is_changed_by(const struct machine *m, uint32_t tid, uint64_t id)
{
	uint32_t group = cgroup_of(m, machine_thread(m, tid), tid);

	return !group || m->cgroups[group - 1].id != id;
}

int cgroup_apply(struct machine *m, const struct pmscope_perf_event *event,
		 uint64_t id)
{
	struct thread *thread;
	uint32_t group;

	if (!cgroup_is_changed_by(m, event->id.tid, id))
		return 0;
	thread = machine_thread_get(m, event->id.tid, event->id.pid);
	if (!thread || group_get(m, id, &group))
		return -ENOMEM;
	thread->cgroup = group + 1;
	m->epoch++;
	return 0;
}
