// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "event.h"

#include <sys/ioctl.h>

/* read(2) of a group: nr, enabled, running, then the values. */
#define GROUP_HEAD 3

/* One group on one CPU or task. */
struct counter_group {
	int *fd;
	uint64_t *buf;
};

struct pmscope_counters {
	const struct event_list *events;
	struct counter_group *group;
	struct pmscope_reading *reading;
	size_t nr;
};

static size_t group_size(const struct event_list *events, size_t first)
{
	size_t last = first;

	while (last < events->nr &&
	       events->event[last].group == events->event[first].group)
		last++;
	return last - first;
}

static void group_close(struct counter_group *group, size_t nr)
{
	for (size_t i = 0; group->fd && i < nr; i++)
		close_open(&group->fd[i]);
	free(group->fd);
	free(group->buf);
}

static int group_alloc(struct counter_group *group, size_t nr)
{
	group->fd = malloc(nr * sizeof(*group->fd));
	group->buf = calloc(GROUP_HEAD + nr, sizeof(*group->buf));
	if (!group->fd || !group->buf)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		group->fd[i] = -1;
	return 0;
}

static int group_open(struct counter_group *group,
		      const struct listed_event *event,
		      const struct pmscope_reading *where,
		      const struct count_rules *rules,
		      struct pmscope_error *err)
{
	for (size_t i = 0; i < where->nr; i++) {
		union attr attr = event[i].attr;

		attr_set_size(&attr);
		attr.attr.sample_period = 0;
		attr.attr.freq = 0;
		attr.attr.read_format = PERF_FORMAT_GROUP |
					PERF_FORMAT_TOTAL_TIME_ENABLED |
					PERF_FORMAT_TOTAL_TIME_RUNNING;
		attr.attr.inherit = rules->inherit;
		attr.attr.disabled = !i;
		attr.attr.enable_on_exec = !i && rules->on_exec;
		group->fd[i] = event_open(&event[i], &attr, where->task,
					  where->cpu, group->fd[0], err);
		if (group->fd[i] < 0)
			return group->fd[i];
	}
	return 0;
}

/* Counts events that are already open for the same CPU or task. */
static size_t events_beside(const struct pmscope_counters *counters,
			    const struct pmscope_reading *reading)
{
	const struct listed_event *event = counters->events->event;
	size_t nr = 0;

	for (const struct pmscope_reading *r = counters->reading; r < reading;
	     r++)
		if (r->task == reading->task && r->cpu == reading->cpu &&
		    events_share(&event[r->first], &event[reading->first]))
			nr += r->nr;
	return nr;
}

static int counters_add(struct pmscope_counters *counters, size_t first,
			pid_t task, int cpu, const struct count_rules *rules,
			struct pmscope_error *err)
{
	struct pmscope_reading *reading = &counters->reading[counters->nr];
	struct counter_group *group = &counters->group[counters->nr];
	size_t others;
	int ret;

	reading->first = first;
	reading->nr = group_size(counters->events, first);
	reading->task = task;
	reading->cpu = cpu;
	if (group_alloc(group, reading->nr)) {
		group_close(group, 0);
		memset(group, 0, sizeof(*group));
		return pmscope_fail_nomem(err);
	}
	counters->nr++;
	reading->value = group->buf + GROUP_HEAD;
	ret = group_open(group, &counters->events->event[first], reading, rules,
			 err);
	others = ret == -EBUSY ? events_beside(counters, reading) : 0;
	return others ? group_explain(&counters->events->event[first],
				      reading->nr, others, task, cpu, err)
		      : ret;
}

static int counters_add_cpus(struct pmscope_counters *counters, size_t first,
			     const struct cpulist *cpus,
			     const struct count_rules *rules,
			     struct pmscope_error *err)
{
	const struct listed_event *leader = &counters->events->event[first];
	size_t before = counters->nr;
	int ret;

	for (size_t i = 0; i < cpus->nr; i++) {
		if (leader->cpus.nr &&
		    !cpulist_has(&leader->cpus, cpus->cpu[i]))
			continue;
		ret = counters_add(counters, first, -1, cpus->cpu[i], rules,
				   err);
		if (ret)
			return ret;
	}
	if (counters->nr == before)
		return pmscope_fail(
			err, ENODEV,
			"event '%s': none of the requested CPUs has its PMU",
			leader->name);
	return 0;
}

/* Drops the last group, whose task has ended. */
static void counters_drop(struct pmscope_counters *counters)
{
	counters->nr--;
	group_close(&counters->group[counters->nr],
		    counters->reading[counters->nr].nr);
	memset(&counters->group[counters->nr], 0, sizeof(*counters->group));
}

/* A task may end while it is opened; with several tasks that is no error. */
static int counters_add_tasks(struct pmscope_counters *counters, size_t first,
			      const struct target *target,
			      const struct count_rules *rules,
			      struct pmscope_error *err)
{
	size_t before = counters->nr;
	int ret;

	for (size_t i = 0; i < target->nr_tasks; i++) {
		ret = counters_add(counters, first, target->task[i], -1, rules,
				   err);
		if (ret == -ESRCH && target->nr_tasks > 1)
			counters_drop(counters);
		else if (ret)
			return ret;
	}
	if (counters->nr == before)
		return pmscope_fail(err, ESRCH, "all tasks have ended");
	return 0;
}

static int counters_fill(struct pmscope_counters *counters,
			 const struct target *target,
			 const struct count_rules *rules,
			 struct pmscope_error *err)
{
	const struct event_list *events = counters->events;
	size_t places =
		target->system_wide ? target->cpus.nr : target->nr_tasks;
	int ret;

	counters->group = calloc(events->nr_groups * places + 1,
				 sizeof(*counters->group));
	counters->reading = calloc(events->nr_groups * places + 1,
				   sizeof(*counters->reading));
	if (!counters->group || !counters->reading)
		return pmscope_fail_nomem(err);
	for (size_t i = 0; i < events->nr; i += group_size(events, i)) {
		ret = target->system_wide
			      ? counters_add_cpus(counters, i, &target->cpus,
						  rules, err)
			      : counters_add_tasks(counters, i, target, rules,
						   err);
		if (ret)
			return ret;
	}
	return 0;
}

int pmscope_counters_open(struct pmscope_counters **counters,
			  const struct event_list *events,
			  const struct target *target,
			  const struct count_rules *rules,
			  struct pmscope_error *err)
{
	struct pmscope_counters *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return pmscope_fail_nomem(err);
	c->events = events;
	ret = counters_fill(c, target, rules, err);
	if (ret) {
		pmscope_counters_free(c);
		return ret;
	}
	*counters = c;
	return 0;
}

static int counters_ioctl(struct pmscope_counters *counters,
			  unsigned long request, struct pmscope_error *err)
{
	const struct listed_event *events = counters->events->event;
	int ret = 0;

	for (size_t i = 0; i < counters->nr && !ret; i++)
		ret = event_ioctl(&events[counters->reading[i].first],
				  counters->group[i].fd[0], request,
				  PERF_IOC_FLAG_GROUP, err);
	return ret;
}

int pmscope_counters_enable(struct pmscope_counters *counters,
			    struct pmscope_error *err)
{
	return counters_ioctl(counters, PERF_EVENT_IOC_ENABLE, err);
}

int pmscope_counters_disable(struct pmscope_counters *counters,
			     struct pmscope_error *err)
{
	return counters_ioctl(counters, PERF_EVENT_IOC_DISABLE, err);
}

/* When a CPU goes offline the kernel splits its groups; counts stay. */
static int group_read_apart(struct counter_group *group, size_t nr)
{
	uint64_t one[GROUP_HEAD + 1];
	ssize_t n;

	for (size_t i = 0; i < nr; i++) {
		n = event_read(group->fd[i], one, sizeof(one));
		if (n != sizeof(one))
			return n < 0 ? n : -EIO;
		group->buf[GROUP_HEAD + i] = one[GROUP_HEAD];
	}
	return 0;
}

static int group_read(struct counter_group *group,
		      struct pmscope_reading *reading)
{
	size_t size = (GROUP_HEAD + reading->nr) * sizeof(*group->buf);
	ssize_t n = event_read(group->fd[0], group->buf, size);
	int ret = 0;

	if (n < 0)
		return n;
	/* End of file: the group is pinned but got no counter. */
	if (!n)
		memset(group->buf, 0, size);
	else if ((size_t)n != size)
		ret = group_read_apart(group, reading->nr);
	if (ret)
		return ret;
	reading->enabled = group->buf[1];
	reading->running = group->buf[2];
	return 0;
}

int pmscope_counters_read(struct pmscope_counters *counters,
			  const struct pmscope_reading **readings,
			  struct pmscope_error *err)
{
	int ret;

	for (size_t i = 0; i < counters->nr; i++) {
		struct pmscope_reading *reading = &counters->reading[i];

		ret = group_read(&counters->group[i], reading);
		if (ret)
			return event_explain(
				&counters->events->event[reading->first],
				&counters->events->event[reading->first].attr,
				reading->task, reading->cpu, -ret, err);
	}
	*readings = counters->reading;
	return counters->nr;
}

int pmscope_counters_id(const struct pmscope_counters *counters, size_t index,
			uint64_t *id)
{
	if (ioctl(counters->group[index].fd[0], PERF_EVENT_IOC_ID, id))
		return -errno;
	return 0;
}

void pmscope_counters_free(struct pmscope_counters *counters)
{
	if (!counters)
		return;
	for (size_t i = 0; i < counters->nr; i++)
		group_close(&counters->group[i], counters->reading[i].nr);
	free(counters->group);
	free(counters->reading);
	free(counters);
}
