/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts per event from counter groups. Perf opens a task event once for each
 * CPU. Such a counter is enabled wherever its thread runs, but runs only on its
 * own CPU. So the counters of one thread are judged together: over all CPUs
 * their running times add up to the enabled time, unless they shared the PMU
 * with others.
 */
#pragma once

#include <pmscope/perfdata.h>
#include <pmscope/recording.h>

#include "base/containers.h"

/* Common PMU event numbers (Arm ARM D12.11). */
#define EVENT_INST_RETIRED   0x08
#define EVENT_CPU_CYCLES     0x11
#define EVENT_STALL_FRONTEND 0x23
#define EVENT_STALL_BACKEND  0x24

/**
 * struct reading - of one counter, or the difference of two
 * @time: ns
 * @enabled: ns that its group was enabled, and next that it counted; 0 where
 *	     that was not recorded
 */
struct reading {
	uint64_t value;
	uint64_t time;
	uint64_t enabled;
	uint64_t running;
};

/**
 * struct counted - what a counter counted between two readings
 * @event: index of its event, see struct counters
 * @from: time of the first
 * @value: the difference of the counts
 * @scaled: for the time enabled, if the counter is judged alone
 */
struct counted {
	size_t event;
	uint64_t from;
	uint64_t value;
	uint64_t scaled;
};

/**
 * struct counter - an event on one CPU or of one thread, or the part of an
 * inherited event that one thread has on one CPU
 * @event: index of its event
 * @cpu: PMSCOPE_NO_ID: not known, or several
 * @partial: it belongs to one of several threads
 * @whole: index of the counter of all these threads; else of itself
 * @thread: index of the thread of the last reading
 * @life: life of that thread, see struct counted_thread
 * @last: its last reading
 * @told: for a whole counter, sum of its readings or those of its threads
 * @base: its count when the file began
 */
struct counter {
	size_t event;
	uint32_t cpu;
	bool partial;
	uint32_t whole;
	uint32_t thread;
	unsigned int life;
	struct reading last;
	struct reading told;
	uint64_t base;
};

/**
 * struct counted_event - sums over all counters of one event
 * @name: "event N" of the Nth where it has none
 * @group: index of its group
 * @readings: how many
 * @value: what was counted, not scaled
 * @alone: the same with each counter judged alone, so scaled
 */
struct counted_event {
	int attr;
	char *name;
	bool is_snapshot;
	size_t group;
	uint64_t readings;
	uint64_t value;
	struct reading alone;
};

/**
 * struct counted_pair - CPU_CYCLES and INST_RETIRED of one group, since its
 * reading before, or the sum of many: counts of different groups may be of
 * different times
 */
struct counted_pair {
	bool has_cycles;
	bool has_instructions;
	struct counted cycles;
	struct counted instructions;
};

/**
 * struct counted_group - what the events of one group have in common
 * @attr: of its leader
 * @of_cpus: as its readings seem, its counters are not those of one thread each
 * @has_totals: it was read at the end, too, so that nothing is unknown
 * @totals_of_cpus: these are of CPUs, whatever ran there
 * @begin: time of its first reading
 * @based: it was read when the file began, which goes on from another one
 * @longest: the longest time that a counter ran between two readings
 * @threads: how many have counters of it
 * @pair: sum of all readings
 * @alone: counters are judged alone; else, over all threads,
 * @time: between their first and last readings,
 * @enabled: and of that, ns that they were enabled, and
 * @running: ran
 */
struct counted_group {
	int attr;
	bool of_cpus;
	bool has_totals;
	bool totals_of_cpus;
	bool based;
	uint64_t begin;
	uint64_t longest;
	size_t threads;
	struct counted_pair pair;
	bool alone;
	uint64_t time;
	uint64_t enabled;
	uint64_t running;
};

struct counted_thread;

/* Starts as zeros but for @perfdata. */
struct counters {
	const struct pmscope_perfdata *perfdata;
	KEYED(struct counter, counters, nr, counter_of_key);
	struct counted_event *events;
	size_t nr_events;
	size_t max_events;
	struct counted_group *groups;
	size_t nr_groups;
	size_t max_groups;
	KEYED(struct counted_thread, threads, nr_threads, thread_of_key);
};

/**
 * counters_add() - take a group of counters
 * @time: ns
 * @take: called for each counter that has a reading before this
 * @pair: filled with what this group adds to its pair
 *
 * Return: 0 or -ENOMEM.
 */
int counters_add(struct counters *all, const struct pmscope_sample *sample,
		 uint64_t time,
		 void (*take)(void *context, const struct counted *counted),
		 void *context, struct counted_pair *pair);

/* Call after the last group: finds the uncovered time. */
void counters_settle(struct counters *all);

/* Tells that file @name has more events in groups than the @shown. */
void counters_left_out(const char *name, unsigned int shown);

void counters_fini(struct counters *all);

/* Then: the count of an event, scaled if its counters were shared. */
struct reading counters_sum(const struct counters *all,
			    const struct counted_event *event);

/* Which part of the time it was enabled it counted, 0 to 1. */
static inline double reading_share(const struct reading *sum)
{
	return sum->running < sum->enabled ? (double)sum->running / sum->enabled
					   : 1;
}

/*
 * The same for a slice of time: its @counts by event, and behind @most of these
 * the cycles and the instructions of groups that count both. @scaled: the same
 * by each counter alone.
 */
void counters_scale(const struct counters *all, size_t most, double *counts,
		    const double *scaled);

/*
 * Which part of what was @counted up to @to belongs to a slice of time that has
 * some of it: counts are taken to be even over time.
 */
static inline double counted_part(const struct counted *counted, uint64_t to,
				  uint64_t begin, uint64_t width)
{
	uint64_t from = counted->from, end = begin + width;

	if (begin < from)
		begin = from;
	if (end > to || end < begin)
		end = to;
	return to > from ? (double)(end - begin) / (to - from) : 1;
}

/* The number of an event; 0 for events of other PMUs. */
unsigned int counted_event_number(const struct counters *all,
				  const struct counted_event *event);

static inline bool counted_pair_is_whole(const struct counted_pair *pair)
{
	return pair->has_cycles && pair->has_instructions;
}

/**
 * struct counted_stalls - cycles of a group, and those of them that were lost
 * @front: no operation came from the front end
 * @back: the back end could take none
 */
struct counted_stalls {
	struct reading cycles;
	uint64_t front;
	uint64_t back;
};

/* False if no group counts these, or the CPU counts no stalls at all. */
bool counters_stalls(const struct counters *all, struct counted_stalls *to);

/* Instructions per cycle; negative if unknown. */
double counters_ipc(const struct counters *all);
