/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts per event from counter groups. Perf opens a task event once for each
 * CPU. Such a counter is enabled wherever its thread runs, but runs only on its
 * own CPU. So the counters of one thread are judged together: over all CPUs
 * their running times add up to the enabled time, unless they shared the PMU
 * with others.
 */
#pragma once

#include <pmscope/recording.h>

#include "base/containers.h"

/* Common PMU event numbers (Arm ARM D12.11). */
#define EVENT_INST_RETIRED   0x08
#define EVENT_CPU_CYCLES     0x11
#define EVENT_STALL_FRONTEND 0x23
#define EVENT_STALL_BACKEND  0x24

/* Of one counter, or the difference of two */
struct reading {
	uint64_t value;
	uint64_t time; /* ns */
	/* ns of its group, and next that it counted; 0: not recorded */
	uint64_t enabled;
	uint64_t running;
};

struct counted {
	size_t event;	 /* index of its event, see struct counters */
	uint64_t from;	 /* time of the first */
	uint64_t value;	 /* the difference of the counts */
	uint64_t scaled; /* for the time enabled, if judged alone */
};

/*
 * An event on one CPU or of one thread, or the part of an inherited event that
 * one thread has on one CPU
 */
struct counter {
	size_t event;	     /* index of its event */
	uint32_t cpu;	     /* PMSCOPE_NO_ID: not known, or several */
	bool partial;	     /* it belongs to one of several threads */
	uint32_t whole;	     /* counter of all these threads, or itself */
	uint32_t thread;     /* index of the thread of the last reading */
	unsigned int life;   /* of it, see struct counted_thread */
	struct reading last; /* its last reading */
	struct reading told; /* whole: sum of its, or its threads' readings */
	uint64_t base;	     /* its count when the file began */
};

/* Sums over all counters of one event */
struct counted_event {
	int attr;
	char *name; /* "event N" of the Nth where it has none */
	bool is_snapshot;
	size_t group;	      /* index of its group */
	uint64_t readings;    /* how many */
	uint64_t value;	      /* what was counted, not scaled */
	struct reading alone; /* scaled, each counter judged alone */
};

/*
 * CPU_CYCLES and INST_RETIRED of one group, since its reading before, or the
 * sum of many: counts of different groups may be of different times
 */
struct counted_pair {
	bool has_cycles;
	bool has_instructions;
	struct counted cycles;
	struct counted instructions;
};

/* What the events of one group have in common */
struct counted_group {
	int attr; /* of its leader */
	/*
	 * as its readings seem, its counters are not those of one thread each
	 */
	bool of_cpus;
	bool has_totals;	  /* read at the end, too: nothing is unknown */
	bool totals_of_cpus;	  /* these are of CPUs, whatever ran there */
	bool based;		  /* read when the file began: it goes on */
	uint64_t begin;		  /* time of its first reading */
	uint64_t longest;	  /* that a counter ran between two readings */
	size_t threads;		  /* how many have counters of it */
	struct counted_pair pair; /* sum of all readings */
	bool alone;	  /* each is judged alone; else, over threads, */
	uint64_t time;	  /* between their first and last readings, */
	uint64_t enabled; /* and of that, ns that they were enabled, and */
	uint64_t running; /* ran */
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

/*
 * Takes a group of counters. @time: ns. @take: called for each counter that has
 * a reading before this. @pair: filled with what this group adds to its pair.
 * Returns 0 or -ENOMEM.
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

/* Cycles of a group, and those of them that were lost */
struct counted_stalls {
	struct reading cycles;
	uint64_t front; /* no operation came from the front end */
	uint64_t back;	/* the back end could take none */
};

/* False if no group counts these, or the CPU counts no stalls at all. */
bool counters_stalls(const struct counters *all, struct counted_stalls *to);

/* Instructions per cycle; negative if unknown. */
double counters_ipc(const struct counters *all);
