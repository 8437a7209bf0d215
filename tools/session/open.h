/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* perf_event_open(2) with an explanation of errors. */
#pragma once

#include "error.h"
#include "event.h"

/**
 * event_open() - open one event
 * @event: named in the error text
 * @attr: the attr to open, instead of that of @event
 * @task: a thread, 0 for the caller, -1 for all tasks of @cpu
 * @cpu: a CPU, or -1 for all CPUs of @task
 * @leader: descriptor of the leader, -1 for a leader
 *
 * Return: a descriptor (close-on-exec); -errno of perf_event_open(2), with @err
 * saying which event of which PMU was refused, the likely reason, and what to
 * do.
 */
int event_open(const struct pmscope_event *event, const union attr *attr,
	       pid_t task, int cpu, int leader, struct pmscope_error *err);

/* The same for the tasks of a control group; @cgroup is its open directory. */
int event_open_cgroup(const struct pmscope_event *event, const union attr *attr,
		      int cgroup, int cpu, int leader,
		      struct pmscope_error *err);

/* The text that event_open() gives for -@code. */
int event_explain(const struct pmscope_event *event, const union attr *attr,
		  pid_t task, int cpu, int code, struct pmscope_error *err);

/*
 * The text for -EBUSY of a group of @size events whose first is @event, if this
 * command has @others events of the same PMU open on the same CPU or task.
 */
int group_explain(const struct pmscope_event *event, size_t size, size_t others,
		  pid_t task, int cpu, struct pmscope_error *err);

/* Do both have the same PMU? */
bool events_share(const struct pmscope_event *a, const struct pmscope_event *b);

/**
 * event_ioctl() - ioctl(2) on an open event
 * @event: named in the error text
 * @request: PERF_EVENT_IOC_ENABLE, _DISABLE or _PERIOD, with its @arg
 *
 * Return: 0; -errno, with @err saying what failed, the likely reason, and what
 * to do.
 */
int event_ioctl(const struct pmscope_event *event, int fd,
		unsigned long request, unsigned long arg,
		struct pmscope_error *err);

/*
 * Does read(2) of a leader and its group. perf core returns ECHILD while an
 * exiting child dismantles its inherited copy of the group, event by event;
 * then this retries, for a second or more. Returns bytes, 0 if the event could
 * not be scheduled on the PMU, -errno.
 */
ssize_t event_read(int fd, void *buf, size_t size);

/* kernel.perf_event_paranoid; INT_MAX when it cannot be read. */
int perf_event_paranoid(void);

/* Raises the limit of open files to the hard limit. */
void raise_file_limit(void);
