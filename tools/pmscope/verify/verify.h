/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pmscope doctor --verify`: do counters count what they say? */
#pragma once

#include "print/format.h"
#include "session/count.h"
#include "session/pmu.h"
#include "verify/loops.h"
#include "verify/verdict.h"

/* How exactly an event can be counted */
enum exactness {
	RETIRED,  /* to the instruction */
	EXECUTED, /* with what is guessed wrongly, fused or split */
	CACHED,	  /* in caches, which fetch and merge on their own */
};

/**
 * struct verify_rule - what events must count
 * @used: by pmscope's own views
 */
struct verify_rule {
	const char *events;
	enum quantity quantity;
	enum exactness exactness;
	bool used;
};

static inline double verify_margin(const struct verify_rule *rule)
{
	return rule->exactness == RETIRED    ? 0.01
	       : rule->exactness == EXECUTED ? 0.1
					     : 0.3;
}

/* NULL: no loop knows the event. */
const struct verify_rule *verify_rule(const char *event);

/* A known erratum of an event or a check, by its title; NULL: none. */
const char *verify_erratum(uint64_t midr, const char *name, const char **note);

/**
 * struct verify_row - what was found of a counter
 * @number: of an event; -1: a check of something else
 * @loop: name of the loop that decides, NULL: none
 * @counted: there, and next what is right
 * @used: pmscope's own views rest on it
 * @is_silent: an overflow makes no interrupt
 * @listed: the CPU reports that it has the event
 * @text: the verdict in words
 * @note: what else is to be known; empty: nothing
 */
struct verify_row {
	char name[48];
	int number;
	enum verdict verdict;
	const char *loop;
	double counted;
	double expected;
	double ratio;
	bool used;
	bool is_silent;
	bool listed;
	char text[64];
	char note[128];
};

/**
 * struct verify_kind - CPUs of one kind; the loops run on the first of them
 * @until: when to stop, by CLOCK_MONOTONIC, seconds
 * @stolen: ticks that a hypervisor took meanwhile; those runs are repeated
 * @kernel: this user may count the kernel
 */
struct verify_kind {
	struct pmu pmu;
	char cpus[64];
	int cpu;
	uint64_t midr;
	double until;
	uint64_t stolen;
	bool kernel;
	struct loop_memory memory;
	struct verify_row *row;
	size_t nr;
};

/* A row, with the words of its verdict by @loop and @m; NULL: no memory. */
struct verify_row *verify_add(struct verify_kind *kind, const char *name,
			      int number, struct judged judged,
			      const struct loop *loop,
			      const struct measured *m);

__attribute__((format(printf, 2, 3))) void verify_note(struct verify_row *row,
						       const char *fmt, ...);

/* CLOCK_MONOTONIC, seconds */
double verify_now(void);

/**
 * struct counting - events that are counted of this thread
 */
struct counting {
	struct pmscope_counters *counters;
	struct event_list events;
	struct target target;
};

/* Always needs counting_close(). Returns 0, -errno. */
int counting_open(struct counting *counting, const char *events);
void counting_close(struct counting *counting);

/* snapshots.c: pmu_snapshot, if it is there. 0, -ENOMEM. */
int verify_snapshots(struct verify_kind *kind);

/* spe.c: samples of SPE, if the CPU has it. 0, -ENOMEM. */
int verify_spe(struct verify_kind *kind);

/* counters.c: all events of its PMU. 0, -ENOMEM. */
int verify_counters(struct verify_kind *kind);

/*
 * Runs all and prints it. 0; 1: what pmscope's own views use is wrong, or
 * nothing could be run.
 */
int verify_main(enum print_format format);
