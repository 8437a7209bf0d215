/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which metrics `pmscope stat` prints, and the groups of events they need.
 * metrics.def is the table.
 */
#pragma once

#include "session/error.h"
#include "session/event_names.h"
#include "stat/stat.h"

/**
 * struct plan_item - one metric
 * @group: Arm's group that it is printed in; NULL if it was asked for by name
 * @turn: the group of events that has all events of its formula
 */
struct plan_item {
	const char *group;
	const char *name;
	const char *unit;
	const char *formula;
	unsigned int turn;
};

/**
 * struct metric_plan - starts as zeros; metric_plan_init() comes first
 * @cpu: a row of METRIC_CPU, @cpu_name its name
 * @by_architecture: the CPU has no methodology of its own in the table
 * @slots: slots per cycle; 0 if unknown
 * @devices: directory of the PMUs in sysfs
 * @missing: events that the CPU does not list, as text; NULL: none
 */
struct metric_plan {
	unsigned int cpu;
	const char *cpu_name;
	bool by_architecture;
	unsigned int slots;
	const char *devices;
	struct plan_item *item;
	size_t nr;
	unsigned int turns;
	char *missing;
};

/**
 * metric_plan_init() - choose the methodology
 * @midr: MIDR_EL1 of the CPU; 0 if unknown
 * @slots: PMMIR_EL1.SLOTS; 0: take those of its methodology
 */
void metric_plan_init(struct metric_plan *plan, const char *devices,
		      uint64_t midr, unsigned int slots);

/* Adds top-down, level 1 or levels 1 and 2. 0, -ENOENT, -ENOMEM. */
int metric_plan_topdown(struct metric_plan *plan, unsigned int level,
			struct pmscope_error *err);

/* Adds the metrics and groups of "NAME,NAME". 0, -ENOENT, -ENOMEM. */
int metric_plan_names(struct metric_plan *plan, const char *names,
		      struct pmscope_error *err);

/**
 * metric_plan_events() - put all events into groups, as few as possible
 * @counters: number that a group may use, without the cycle counter
 * @text: set to the events in perf's syntax; to be freed
 *
 * Return: 0; -ENOSPC if a formula needs more counters; -ENOMEM.
 */
int metric_plan_events(struct metric_plan *plan, unsigned int counters,
		       char **text);

/* Returns the event that a formula calls by a name, or NULL. */
const struct pmscope_event_name *stat_event_of(const char *name, size_t length);

/* The groups that explain a metric of level 1; NULL: none. */
const char *metric_plan_next(const struct metric_plan *plan, const char *name);

/* Names of metrics and groups of all CPUs, ended by NULL; some are there twice.
 */
extern const char *const metric_names[];

/* Prints the metrics and groups of the CPU. */
void metric_plan_list(const struct metric_plan *plan, FILE *out);

void metric_plan_free(struct metric_plan *plan);
