/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include "pmu.h"
#include "system.h"
#include "target.h"

/*
 * Lists of events in perf's syntax:
 *
 *	{pmu_snapshot/cpu_cycles/,pmu_snapshot/event=0x8/}:u,arm_spe_0/jitter/
 *	cpu_cycles,r8,cpu-clock
 */

struct listed_event {
	/*
	 * as it was written, or the value of name=; "PMU/NAME/" for a bare NAME
	 * of the default PMU. As in perf, it includes the event's own
	 * modifiers, but not those of its group, nor any after a name=
	 */
	char *name;
	bool named;	 /* @name is the value of name= */
	char *pmu;	 /* its name in sysfs; NULL: an event of the kernel's */
	union attr attr; /* with what modifiers, period= and freq= set */
	unsigned int group;  /* one number, one group; the first leads */
	bool sample_read;    /* modifier S: samples carry the whole group */
	struct cpulist cpus; /* the CPUs of its PMU; empty when any will do */
};

/* Events in the order they were written. Starts as zeros. */
struct event_list {
	struct listed_event *event;
	size_t nr;
	unsigned int nr_groups; /* an event without braces is its own */
	bool braces;		/* a group was written with braces */
};

/* How to resolve bare names and PMU families */
struct event_rules {
	const char *devices; /* NULL: PMSCOPE_PMU_DEVICES */
	const char *pmu;     /* where a bare name or rNN is first; or NULL */
	/* only PMUs of a family that have one of these, if any; NULL: all */
	const struct cpulist *cpus;
};

/*
 * Adds the events of @text to @list. @rules: NULL for the defaults. "PMU//" of
 * a family (arm_spe for arm_spe_0 and arm_spe_1) adds one event for each of its
 * PMUs. In the default PMU, perf's names cycles, instructions, branches and so
 * on mean the Arm events that arm_pmuv3 uses for them. Returns 0; -EINVAL for
 * bad syntax, an unknown event or more than 1024 of them, -ENOENT for an
 * unknown PMU, -ENOMEM.  On error @list is as it was.
 */
int events_parse(struct event_list *list, const char *text,
		 const struct event_rules *rules, struct pmscope_error *err);

/* Is it an event of the SPE PMU arm_spe_<n>, with either driver? */
bool event_is_spe(const struct listed_event *event);
bool event_is_snapshot(const struct listed_event *event);

/* Puts the whole list into one group, unless braces divide it. */
void events_join(struct event_list *list);

/* Removes those behind the first @nr. */
void events_truncate(struct event_list *list, size_t nr);

void events_free(struct event_list *list);

/* perf_event_open(2) with an explanation of errors. */

/*
 * Opens one event. @event: named in the error text. @attr: the attr to open,
 * instead of that of @event. @task: a thread, 0 for the caller, -1 for all
 * tasks of @cpu. @cpu: a CPU, or -1 for all CPUs of @task. @leader: descriptor
 * of the leader, -1 for a leader. Returns a descriptor (close-on-exec); -errno
 * of perf_event_open(2), with @err saying which event of which PMU was refused,
 * the likely reason, and what to do.
 */
int event_open(const struct listed_event *event, const union attr *attr,
	       pid_t task, int cpu, int leader, struct pmscope_error *err);

/* The same for the tasks of a control group; @cgroup is its open directory. */
int event_open_cgroup(const struct listed_event *event, const union attr *attr,
		      int cgroup, int cpu, int leader,
		      struct pmscope_error *err);

/* The text that event_open() gives for -@code. */
int event_explain(const struct listed_event *event, const union attr *attr,
		  pid_t task, int cpu, int code, struct pmscope_error *err);

/*
 * The text for -EBUSY of a group of @size events whose first is @event, if this
 * command has @others events of the same PMU open on the same CPU or task.
 */
int group_explain(const struct listed_event *event, size_t size, size_t others,
		  pid_t task, int cpu, struct pmscope_error *err);

/* Do both have the same PMU? */
bool events_share(const struct listed_event *a, const struct listed_event *b);

/*
 * ioctl(2) on an open event. @event: named in the error text. @request:
 * PERF_EVENT_IOC_ENABLE, _DISABLE or _PERIOD, with its @arg. Returns 0; -errno,
 * with @err saying what failed, the likely reason, and what to do.
 */
int event_ioctl(const struct listed_event *event, int fd, unsigned long request,
		unsigned long arg, struct pmscope_error *err);

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

/* One read(2) returns a whole group, and of pmu_snapshot that is a capture. */
struct pmscope_counters;

/* How events are opened */
struct count_rules {
	bool inherit; /* also count tasks' threads and processes */
	bool on_exec; /* tasks count from their next exec on */
};

/* What one read(2) of one group gave */
struct pmscope_reading {
	size_t first;	  /* index of the group's leader in the event list */
	size_t nr;	  /* of the group, behind the leader in the list */
	int cpu;	  /* -1 for a group that follows a task */
	pid_t task;	  /* -1 for a group of a CPU */
	uint64_t enabled; /* ns */
	uint64_t running; /* ns; less if in turns, 0: never counted */
	const uint64_t *value; /* not scaled */
};

/*
 * Opens each group for each task or CPU of @target. @events: must outlive the
 * counters. A group whose PMU is not on a CPU is left out there. Counting has
 * not begun. Returns 0; -errno as from event_open(); -ENODEV if a group has no
 * CPU to count on.
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

/*
 * Reads all groups, one read(2) each. @readings: set to the readings, valid
 * until the next read or free. Returns how many readings there are; -errno.
 */
int pmscope_counters_read(struct pmscope_counters *counters,
			  const struct pmscope_reading **readings,
			  struct pmscope_error *err);

/* The number of the group's leader (PERF_EVENT_IOC_ID). 0, -errno. */
int pmscope_counters_id(const struct pmscope_counters *counters, size_t index,
			uint64_t *id);

void pmscope_counters_free(struct pmscope_counters *counters);

/*
 * What `pmscope doctor --verify` found wrong, kept for the commands that count:
 * /var/lib/pmscope/verified if root ran it, else pmscope/verified in the
 * user's cache directory. A line is "KERNEL MIDR_EL1 NUMBER NAME WORDS".
 */

void verified_add(FILE *lines, uint64_t midr, unsigned int number,
		  const char *name, const char *words);

/* Replaces this user's file; -errno. */
int verified_save(const char *lines, struct pmscope_error *err);

/*
 * What is wrong with the event, on the kind of CPU that counts it and with this
 * kernel: "l1d_cache_refill is dead". False if nothing is known.
 */
bool verified_find(const struct listed_event *event, char *text, size_t size);
