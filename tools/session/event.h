/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Lists of events in perf's syntax:
 *
 *	{pmu_snapshot/cpu_cycles/,pmu_snapshot/event=0x8/}:u,arm_spe_0/jitter/
 *	cpu_cycles,r8,cpu-clock
 */
#pragma once

#include "attr.h"
#include "cpulist.h"
#include "error.h"

/**
 * struct pmscope_event - one event of a list
 * @name: as it was written, or the value of name=; "PMU/NAME/" for a bare NAME
 *        of the default PMU. As in perf, it includes the event's own modifiers,
 *        but not those of its group, nor any after a name=
 * @named: @name is the value of name=
 * @pmu: the name of its PMU in sysfs; NULL for the kernel's generic events
 * @attr: type, config*, and the members set by modifiers, period= and freq=
 * @group: events with the same number form a group; the first is the leader
 * @sample_read: the modifier S: samples of the leader carry the whole group
 * @cpus: the CPUs of its PMU; empty when any will do
 */
struct pmscope_event {
	char *name;
	bool named;
	char *pmu;
	union attr attr;
	unsigned int group;
	bool sample_read;
	struct cpulist cpus;
};

/**
 * struct event_list - events in the order they were written
 * @nr_groups: number of groups; an event outside of braces is its own group
 * @braces: a group was written with braces
 *
 * Starts as zeros.
 */
struct event_list {
	struct pmscope_event *event;
	size_t nr;
	unsigned int nr_groups;
	bool braces;
};

/**
 * struct event_rules - how to resolve bare names and PMU families
 * @devices: where PMUs are looked up; NULL: PMSCOPE_PMU_DEVICES
 * @pmu: the PMU where a bare name, or rNN, is looked up first; NULL: none
 * @cpus: use only the PMUs of a family that have one of these CPUs, if there
 *	  are any; NULL: use all
 */
struct event_rules {
	const char *devices;
	const char *pmu;
	const struct cpulist *cpus;
};

/**
 * events_parse() - add the events of @text to @list
 * @rules: NULL for the defaults
 *
 * "PMU//" of a family (arm_spe for arm_spe_0 and arm_spe_1) adds one event for
 * each of its PMUs.  In the default PMU, perf's names cycles, instructions,
 * branches and so on mean the Arm events that arm_pmuv3 uses for them.
 *
 * Return: 0; -EINVAL for bad syntax, an unknown event or more than 1024 of
 * them, -ENOENT for an unknown PMU, -ENOMEM.  On error @list is as it was.
 */
int events_parse(struct event_list *list, const char *text,
		 const struct event_rules *rules, struct pmscope_error *err);

/* Is it an event of the SPE PMU arm_spe_<n>, with either driver? */
bool event_is_spe(const struct pmscope_event *event);

/* Is it an event of pmu_snapshot? */
bool event_is_snapshot(const struct pmscope_event *event);

/* Puts the whole list into one group, unless braces divide it. */
void events_join(struct event_list *list);

/* Removes those behind the first @nr. */
void events_truncate(struct event_list *list, size_t nr);

void events_free(struct event_list *list);
