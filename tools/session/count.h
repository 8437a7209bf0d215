/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Counting in groups: one read(2) returns a whole group, and for pmu_snapshot
 * that is one capture.
 */
#pragma once

#include "error.h"
#include "event.h"
#include "target.h"

struct pmscope_counters;

/**
 * struct count_rules - how events are opened
 * @inherit: also count the threads and processes that tasks make
 * @on_exec: tasks start to count at their next exec, not at enable
 */
struct count_rules {
	bool inherit;
	bool on_exec;
};

/**
 * struct pmscope_reading - what one read(2) of one group gave
 * @first: index of the group's leader in the event list
 * @nr: events of the group, which follow the leader in the list
 * @cpu: -1 for a group that follows a task
 * @task: -1 for a group of a CPU
 * @enabled: ns
 * @running: ns; less than @enabled when counters were shared out in turns,
 *           0 when the group never counted
 * @value: not scaled
 */
struct pmscope_reading {
	size_t first;
	size_t nr;
	int cpu;
	pid_t task;
	uint64_t enabled;
	uint64_t running;
	const uint64_t *value;
};

/**
 * pmscope_counters_open() - open each group for each task or CPU of @target
 * @events: must outlive the counters
 *
 * A group whose PMU is not on a CPU is left out there.  Counting has not begun.
 *
 * Return: 0; -errno as from event_open(); -ENODEV if a group has no CPU
 * to count on.
 */
int pmscope_counters_open(struct pmscope_counters **counters,
			  const struct event_list *events,
			  const struct target *target,
			  const struct count_rules *rules,
			  struct pmscope_error *err);

/* Start or stop all groups. Return 0, or -errno with @err set. */
int pmscope_counters_enable(struct pmscope_counters *counters,
			    struct pmscope_error *err);
int pmscope_counters_disable(struct pmscope_counters *counters,
			     struct pmscope_error *err);

/**
 * pmscope_counters_read() - read all groups, one read(2) each
 * @readings: set to the readings, valid until the next read or free
 *
 * Return: how many readings there are; -errno.
 */
int pmscope_counters_read(struct pmscope_counters *counters,
			  const struct pmscope_reading **readings,
			  struct pmscope_error *err);

/**
 * pmscope_counters_id() - the number of a group's leader (PERF_EVENT_IOC_ID)
 * @index: index of the group's reading
 *
 * Return: 0, -errno.
 */
int pmscope_counters_id(const struct pmscope_counters *counters, size_t index,
			uint64_t *id);

void pmscope_counters_free(struct pmscope_counters *counters);
