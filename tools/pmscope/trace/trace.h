/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of `pmscope trace`. */
#pragma once

#include "bpf/trace_maps.h"
#include "print/print.h"
#include "session/event.h"

struct trace_function {
	const char *name;   /* the name that the user gave */
	char *path;	    /* the file it is in; NULL for the kernel */
	const char *symbol; /* its name in that file */
};

bool trace_program_has(const char *path, const char *name);

struct trace_count {
	uint32_t bucket;
	uint64_t count;
};

/* One event of a function, for one thread or for all */
struct trace_row {
	uint32_t func;
	uint32_t tid;	/* 0 for all threads */
	uint32_t event; /* index in the group */
	char comm[TRACE_COMM];
	uint64_t calls;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	struct trace_count *bucket; /* by trace_bucket_of(), sorted */
	size_t nr_buckets;
};

struct trace_table {
	struct trace_row *row;
	size_t nr;
	uint64_t lost[TRACE_LOST_REASONS];
	uint64_t missed;
};

/* The least value that @percent of the calls do not exceed, within 1/32. */
uint64_t trace_percentile(const struct trace_row *row, double percent);

/* Adds @count values of @bucket. Returns 0 or -ENOMEM. */
int trace_row_add(struct trace_row *row, uint32_t bucket, uint64_t count);

void trace_table_free(struct trace_table *table);

struct trace_probes;

struct trace_plan {
	struct trace_function *func;
	size_t nr_funcs;
	size_t nr_events;
	bool per_thread;		   /* each thread has its own rows */
	struct pmscope_counters *counters; /* events on each CPU */
	const pid_t *tgids; /* and their children; NULL for all */
	size_t nr_tgids;
};

#ifdef PMSCOPE_BPF

/* Loads the programs and attaches them. -errno after an error message. */
int trace_probes_open(struct trace_probes **probes,
		      const struct trace_plan *plan);

/* Reads the counts so far; errors as for trace_probes_open(). */
int trace_probes_read(struct trace_probes *probes, struct trace_table *table);

void trace_probes_free(struct trace_probes *probes);

#else

static inline int trace_probes_open(struct trace_probes **,
				    const struct trace_plan *)
{
	error("trace: this pmscope was built without BPF; build it on arm64 "
	      "with clang, bpftool and libbpf-dev");
	return -EOPNOTSUPP;
}

static inline int trace_probes_read(struct trace_probes *, struct trace_table *)
{
	return -EOPNOTSUPP;
}

static inline void trace_probes_free(struct trace_probes *)
{
}

#endif /* PMSCOPE_BPF */

struct trace_printer {
	FILE *out;
	enum print_format format;
	const char *separator;
	bool threads; /* each row is for one thread */
	const struct trace_plan *plan;
	const struct event_list *events;
};

/* Returns 0, or -ENOMEM if rows are missing. */
int trace_print(const struct trace_printer *p, const struct trace_table *table);
