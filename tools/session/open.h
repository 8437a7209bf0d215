/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* perf_event_open(2), with a refusal explained. */
#ifndef PMSCOPE_SESSION_OPEN_H
#define PMSCOPE_SESSION_OPEN_H

#include "error.h"
#include "event.h"

#include <sys/types.h>

/**
 * pmscope_event_open() - open one event
 * @event: named in the error text; the attr that counts is @attr
 * @task: a thread, 0 for the caller, -1 for all tasks of @cpu
 * @cpu: a CPU, or -1 for all CPUs of @task
 * @leader: descriptor of the leader, -1 for a leader
 *
 * Return: a descriptor (close-on-exec); -errno as perf_event_open(2) has it,
 * with @err saying which event of which PMU was refused, why that may be and
 * what to do.
 */
int pmscope_event_open(const struct pmscope_event *event,
		       const union pmscope_attr *attr, pid_t task, int cpu,
		       int leader, struct pmscope_error *err);

/* The same for the tasks of a control group, whose folder is open. */
int pmscope_event_open_cgroup(const struct pmscope_event *event,
			      const union pmscope_attr *attr, int cgroup,
			      int cpu, int leader, struct pmscope_error *err);

/* The text that pmscope_event_open() gives for -@code. */
int pmscope_event_explain(const struct pmscope_event *event,
			  const union pmscope_attr *attr, pid_t task, int cpu,
			  int code, struct pmscope_error *err);

/*
 * The text for -EBUSY of a group of @size events whose first is @event, where
 * @others of the same PMU are open for this command at the same place.
 */
int pmscope_group_explain(const struct pmscope_event *event, size_t size,
			  size_t others, pid_t task, int cpu,
			  struct pmscope_error *err);

/* Do both have the same PMU? */
bool pmscope_events_share(const struct pmscope_event *a,
			  const struct pmscope_event *b);

/**
 * pmscope_event_ioctl() - ioctl(2) of an event that is open
 * @event: named in the error text
 * @request: PERF_EVENT_IOC_ENABLE, _DISABLE or _PERIOD, with its @arg
 *
 * Return: 0; -errno, with @err saying what could not be done, why that may be
 * and what to do.
 */
int pmscope_event_ioctl(const struct pmscope_event *event, int fd,
			unsigned long request, unsigned long arg,
			struct pmscope_error *err);

/**
 * pmscope_event_read() - read(2) of a leader and its group
 *
 * perf core refuses a group (ECHILD) while a child that inherited it exits and
 * takes its own apart, event by event: that is waited for, a second or more.
 *
 * Return: bytes, 0 when the event found no place on a PMU, -errno.
 */
ssize_t pmscope_event_read(int fd, void *buf, size_t size);

/* kernel.perf_event_paranoid; INT_MAX when it cannot be read. */
int pmscope_perf_event_paranoid(void);

/* Lets the process have as many open files as its hard limit allows. */
void pmscope_raise_file_limit(void);

#endif /* PMSCOPE_SESSION_OPEN_H */
