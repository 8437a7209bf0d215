/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmscope export. A format is one file here, and one row in the table of
 * export.c: what it needs, and functions that begin it, add a sample and end
 * it.
 */
#pragma once

#include "cli/whole_file.h"
#include "read/load.h"
#include "read/thread_cache.h"

struct export;
struct export_config;

/**
 * struct export_worker - what one thread adds to
 * @export: the export
 * @load: the thread's own copy, with its filter
 * @currents: its threads
 * @state: the format's
 */
struct export_worker {
	struct export *export;
	struct load load;
	struct thread_cache *currents;
	void *state;
};

/* What a format needs of each sample, besides its thread and its record. */
enum export_need {
	EXPORT_TIME = 1 << 0,	   /* its time */
	EXPORT_BRIEF = 1 << 1,	   /* only columns of PMSCOPE_DECODE_BRIEF */
	EXPORT_DIRECTORY = 1 << 2, /* -o is a directory: no file is opened */
	EXPORT_NOTE = 1 << 3,	   /* has no place for where it comes from */
	EXPORT_MANGLED = 1 << 4,   /* names as the linker has them */
	EXPORT_CALLERS = 1 << 5,   /* load->stacks, and the time with it */
	EXPORT_TWICE = 1 << 6,	   /* reads the recording twice */
};

/**
 * struct export_format - a format; functions return 0 or a negative errno
 * @name: as in --format
 * @needs: enum export_need
 * @begin: once for each worker, before any sample; may set its state
 * @add: adds the newest sample of @current, which the filter passed. Threads
 *	 call it at once, each with its own worker
 * @group: counters that were read together, by one thread at a time and in
 *	   order, or NULL
 * @end: after all samples: writes to export->file
 * @fini: frees the state of a worker, also after an error
 * @read: instead of @begin, @add and @group: reads the recording itself
 */
struct export_format {
	const char *name;
	unsigned int needs;
	int (*begin)(struct export_worker *worker);
	int (*add)(struct export_worker *worker,
		   const struct thread_cache *current);
	int (*group)(struct export *export, const struct pmscope_run *run);
	int (*end)(struct export *export);
	void (*fini)(struct export_worker *worker);
	int (*read)(struct export *export);
};

struct export_config {
	struct load_config load;
	int format;
	const char *output;
	bool symbols;	/* parquet: with the names of functions */
	bool addresses; /* parquet: with virtual and physical addresses */
	bool redact;	/* parquet: without what may name people */
	unsigned int datasets; /* parquet: bits of enum lake_dataset; 0: all */
	const char *host;      /* parquet: in place of the recording's */
	char *labels;	       /* parquet: KEY=VALUE,... of the host */
	char *lost;	       /* parquet: KIND=NUMBER,... for losses */
	const char *binary;    /* bolt: file name, path or build-id */
	uint64_t most;	       /* see export_most(); 0: the default */
};

#define EXPORT_MOST ((size_t)1 << 19)

/* So many different samples, or branches, are held in memory. */
static inline size_t export_most(const struct export_config *config)
{
	return config->most ? config->most : EXPORT_MOST;
}

/**
 * struct export - an export
 * @samples: that passed the filter; set before @end
 * @file: the output; not open for formats that write a directory
 * @note: where it comes from, beside @file, with EXPORT_NOTE
 * @state: the format's, for what all workers share
 */
struct export
{
	const struct export_config *config;
	const struct export_format *format;
	struct load *load;
	struct export_worker *workers;
	unsigned int nr_workers;
	uint64_t samples;
	struct whole_file file;
	struct whole_file note;
	char *note_path;
	void *state;
};

extern const struct export_format export_autofdo;
extern const struct export_format export_bolt;
extern const struct export_format export_firefox;
extern const struct export_format export_folded;
extern const struct export_format export_gcov;
extern const struct export_format export_parquet;
extern const struct export_format export_pprof;
