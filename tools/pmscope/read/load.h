/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <pmscope/input.h>
#include <pmscope/symbols.h>

#include "base/containers.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "pack/pack.h"
#include "sample/caches.h"

#include <stdatomic.h>

/*
 * The worker threads that process the runs of a recording. Each thread loops:
 *
 *  1. decodes ahead, as long as there is room;
 *  2. exclusively takes runs from the recording until they make a job;
 *  3. does its job while other threads take theirs;
 *  4. writes the finished jobs in the order of the runs, and takes their runs
 *     where the order matters, so that the output is the same for any number of
 *     threads.
 *
 * In step 2 the recording may return PMSCOPE_CHANGES: the thread does its runs
 * and waits for all other jobs before it asks for the next run.
 */

/*
 * Sorts the rows of many AUX areas by time. Rows are formatted area by area,
 * because consecutive rows of an area are alike; then their text is sorted.
 */

struct time_merge;

/* Writes to @out. NULL if out of memory. */
struct time_merge *time_merge_new(size_t areas, struct output *out);
void time_merge_free(struct time_merge *merge);

/*
 * Takes the rows in @held->lines; writes those that no later row can precede.
 * Returns false on success.
 */
bool time_merge_take(struct time_merge *merge, struct output *held);

/* Writes the rows that are left. */
void time_merge_end(struct time_merge *merge);

#define MAX_THREADS 64

/* @source: argument of @next and @ahead; @context: of @then and @group. */
struct work {
	bool in_order;	      /* of all CPUs in time; not with @merge */
	unsigned int threads; /* with the caller's; at most MAX_THREADS */
	/* as pmscope_recording_next_run(); by one thread at a time */
	int (*next)(void *source, struct pmscope_run *run);
	/*
	 * decodes ahead for @next and returns how many bytes; 0 if that is
	 * enough for now. Called by many threads at once
	 */
	size_t (*ahead)(void *source);
	void *source;
	struct pmscope_recording *recording; /* opened with the option shared */
	/*
	 * processes one run, independently of other jobs, and prints to @out; a
	 * nonzero result ends all work
	 */
	int (*take)(void *worker, const struct pmscope_run *run,
		    struct output *out);
	void **workers; /* the @worker argument of @take for each thread */
	/*
	 * if not NULL, called for each run behind @take, by one thread at a
	 * time and in order; a nonzero result ends all work
	 */
	int (*then)(void *context, const struct pmscope_run *run);
	/*
	 * if not NULL, called for counter groups instead of @take, by one
	 * thread at a time and in order
	 */
	int (*group)(void *context, const struct pmscope_run *run);
	void *context;
	struct output *out; /* the output; NULL if there is none */
	/*
	 * if not NULL, receives the output of @take and writes it in time order
	 */
	struct time_merge *merge;
};

struct worker_pool;

/* @work must stay valid until pool_free(). NULL if out of memory. */
struct worker_pool *pool_new(const struct work *work);
void pool_free(struct worker_pool *pool);

/*
 * Processes all runs. Returns the first non-zero result of take(), or -errno.
 */
int pool_run(struct worker_pool *pool);

/* @wanted or, for 0, one per CPU, 8 at most; fewer if memory is limited. */
unsigned int pool_threads(unsigned int wanted);

/* Opening, reading and closing a recording, for script and report. */

/*
 * Counts latencies at the limit of SPE's counters: the maximum of 12 or 16 bits
 * (PMSIDR_EL1.CountSize). Recordings do not contain the size, and CPUs may
 * differ: assume 12 bits unless the CPU has a larger latency, including samples
 * that a filter removes.
 */

#define SATURATION_LIMITS 2

extern const uint16_t saturation_limits[SATURATION_LIMITS];

struct saturated_cpu;

/* Initialize to zeros. */
struct saturation {
	KEYED(struct saturated_cpu, cpus, nr, of_cpu);
};

/* Slow path of saturation_see(). */
int saturation_add(struct saturation *s, uint32_t cpu, uint16_t total,
		   bool counted);

/*
 * Accounts for the total latency of a record, which is at least its other
 * latencies. @counted is false if a filter removes the record. Returns 0 or
 * -ENOMEM.
 */
static inline int saturation_see(struct saturation *s,
				 const struct pmscope_run *run, size_t row,
				 bool counted)
{
	uint16_t total = run->batch->total[row];

	if (total < 0xfff || !(run->batch->has[row] & PMSCOPE_HAS_TOTAL))
		return 0;
	return saturation_add(s, run->cpu, total, counted);
}

/* Adds all of @from to @s. Returns 0 or -ENOMEM. */
int saturation_join(struct saturation *s, const struct saturation *from);

/* The number of total latencies equal to saturation_limits[@limit]. */
uint64_t saturation_at(const struct saturation *s, size_t limit);

void saturation_fini(struct saturation *s);

struct load_config {
	const char *input;
	char *filter;
	bool raw;
	uint64_t midr;
	unsigned int threads; /* 0: one per CPU, at most 8 */
	const char *symfs;
	const char *kallsyms;
	const char *kcore;
	const char *vmlinux;
	bool mangled;
	bool force; /* other users' files are taken, too */
	bool brief; /* see struct pmscope_recording_options */
	bool skip_unknown;
	bool quiet;    /* show no progress */
	bool mappings; /* see struct pmscope_recording_options */
	bool chains;   /* the same */
	bool clocks;   /* the same */
	bool callers;  /* call chains are read, before the samples */
	/* all data must stay; else pipes are read as they come */
	bool two_passes;
	struct pack pack;
	char beside_symfs[PATH_MAX];
	char beside_kallsyms[PATH_MAX];
	char beside_kcore[PATH_MAX];
};

/* Setters that add terms to a filter. */
int load_option_time(const struct option_row *row, const char *arg,
		     void *field);
int load_option_dsos(const struct option_row *row, const char *arg,
		     void *field);

/* Rows for a CONFIG with a struct load_config, load. */
/* clang-format off */
#define LOAD_OPTIONS \
	OPT("input", 'i', "FILE", load.input, name, \
	    "read this recording; - is standard input (default: perf.data)"), \
	FLAG("raw", 0, load.raw, "FILE is raw SPE data, the contents of an " \
	    "AUX buffer"), \
	OPT("threads", 0, "N", load.threads, unsigned, \
	    "worker threads (default: one per CPU, at most 8)"), \
	OPT("midr", 0, "VALUE", load.midr, u64, \
	    "MIDR_EL1 of the recorded CPU, if FILE does not hold it"), \
	FLAG("skip-unknown", 0, load.skip_unknown, \
	    "keep records with unknown packets; skip those packets"), \
	OPT("symfs", 0, "DIR", load.symfs, string, \
	    "root directory of the recorded machine (default: FILE.symfs)"), \
	OPT("filter", 0, "TERMS", load.filter, join, \
	    "use only samples that match all TERMS, for example " \
	    "op=load,lat>=50,source=dram"), \
	OPT_SET("time", 0, "START,STOP", load.filter, load_option_time, NULL, \
	    "use only samples from START to STOP, in seconds or as 14:03:05; " \
	    "one may be left out"), \
	OPT_SET("dsos", 'd', "LIST", load.filter, load_option_dsos, NULL, \
	    "use only samples in these files, as --filter=dso=FILE|FILE"), \
	OPT("kallsyms", 0, "FILE", load.kallsyms, name, \
	    "copy of the machine's /proc/kallsyms (default: FILE.kallsyms)"), \
	OPT("vmlinux", 'k', "FILE", load.vmlinux, name, "take symbols, lines " \
	    "and code of the kernel from this vmlinux"), \
	FLAG("force", 'f', load.force, "take files and links of other users, " \
	    "too: their names of generated code, and what is beside FILE"), \
	{"no-pager", 0, NULL, 0, option_no_pager, NULL, \
	    "do not show the output in a pager (PMSCOPE_PAGER, PAGER, less)"}, \
	{"color", 0, "WHEN", 0, option_colour, terminal_colours, \
	    "use colours"}, \
	FLAG("no-demangle", 0, load.mangled, \
	    "do not demangle C++ and Rust names")
/* clang-format on */

struct stacks;

/* An open recording. */
struct load {
	const char *name; /* of the file, for messages */
	struct pmscope_input *input;
	union {
		struct name_source names;
		struct { /* the same */
			struct pmscope_recording *recording;
			struct pmscope_symbols *symbols;
			bool lacks_data;
		};
	};
	struct filter *filter;
	struct filter_memo *memo; /* for one thread; NULL until it is used */
	uint64_t filtered;	  /* samples that did not pass the filter */
	struct stacks *stacks;	  /* for the callers of functions, or NULL */
	struct saturation saturation; /* of a report's latencies */
	uint64_t midr;	     /* for event names; 0: CPUs differ in them */
	uint64_t midr_alike; /* another MIDR with the same names, or 0 */
	bool midr_seen;
	bool stream;	   /* it comes from a pipe, and is read only once */
	bool same_machine; /* it was recorded here, in this boot or before */
	const char *pack_error; /* of the pack that it is in; "": none */
	bool has_wall;		/* the recording tells the time of day: */
	int64_t wall;		/* what that clock shows later, ns */
	uint64_t wall_at;	/* when, ns since 1970 */
	bool varies;	 /* the sampling interval changed: see load_weight() */
	bool has_data;	 /* a sample or a group of counters was read */
	bool names_data; /* what is shown has names of data */
	unsigned int threads;
	bool shared;	    /* used by running threads */
	atomic_bool unused; /* pages of @input can be released */
	bool raw;
	bool quiet;
};

/* The filter, times of day as times of the recording; NULL after error(). */
char *load_filter_times(const struct load *load, const char *filter);

/*
 * Fills in config->input from the operands. Files next to the recording, named
 * like it with ".symfs" or ".kallsyms", are the defaults of those options; for
 * kallsyms also the copy that perf record --kcore makes. A pack is unpacked;
 * what is in it are the defaults, then. Returns 0 or -EINVAL.
 */
int load_operand(struct load_config *config, int argc, char **argv, int first);

/*
 * What a sample counts, beside others: 1; the operations that it stands for if
 * the interval changed while recording.
 */
static inline uint64_t load_weight(const struct load *load,
				   const struct pmscope_sample *sample)
{
	return load->varies ? sample->interval : 1;
}

/* Returns 0, or a negative errno after error(). */
int load_open(struct load *load, const struct load_config *config);
void load_close(struct load *load);

/*
 * Does @work for all runs of samples, and shows progress. Returns the first
 * non-zero result of work->take(), or -errno.
 */
int load_runs(struct load *load, const struct work *work);

/* May the recording contain samples of a stream? */
bool load_has_streams(const struct load *load);

/* The last message and the exit status of script and report. */

/*
 * Prints one line on stderr if the recording is damaged, or if it has nothing
 * to show. Returns the exit status: 1 if it is damaged.
 */
int exit_status(const struct load *load);

/*
 * True if the recording is damaged and no sample of it was read. After
 * load_runs(), print nothing then, since all of it would be 0, and call
 * exit_status().
 */
bool is_unreadable(const struct load *load);

/* Where a recording comes from: machine, command, events, times. */

struct provenance_cpus {
	uint64_t midr;	  /* only CPUID: without variant, revision */
	const char *name; /* for instance "Neoverse N2"; NULL when not known */
	const char *list; /* "0-3,6"; NULL when not listed */
	size_t nr;	  /* how many @list has */
};

struct provenance_event {
	const char *name;   /* as written; NULL when not told */
	bool is_spe;	    /* of an SPE PMU */
	uint64_t period;    /* operations or counts; 0: none is taken */
	uint64_t frequency; /* samples per second; 0: see @period */
	uint64_t least;	    /* SPE: shortest that it became; else 0 */
	uint64_t most;	    /* the longest, and */
	uint64_t changes;   /* how often it changed, on all CPUs */
	/*
	 * SPE: format fields that are not 0, for instance
	 * "ts_enable=1,min_latency=30"; "" for other events
	 */
	const char *settings;
};

/* A NULL, "" or 0 means that the recording does not tell */
struct provenance {
	const char *host;   /* name of the machine */
	const char *kernel; /* release of its kernel */
	const char *arch;   /* as of uname(1) */
	/* what wrote it, with the version: perf's alone, or "pmscope 0.1.0" */
	const char *recorder;
	const char *cpu_desc;	 /* perf's description of a CPU */
	uint32_t cpus_online;	 /* number of CPUs, and */
	uint32_t cpus_available; /* with those that were offline */
	uint64_t memory;	 /* of the machine, bytes */
	/* with SPE; without a list: the header's */
	struct provenance_cpus *cpus;
	size_t nr_cpus;	   /* number of kinds */
	const char **args; /* the command line */
	size_t nr_args;	   /* its words */
	uint64_t begin;	   /* perf's clock, ns; next the last one */
	uint64_t end;
	uint64_t wall; /* wall clock, ns since 1970, when it was made */
	struct provenance_event *events; /* in the order of the file */
	size_t nr_events;		 /* how many */
	/* complete when samples were read */
	const struct pmscope_losses *losses;
	struct arena arena;
};

/*
 * Strings stay valid until provenance_fini() and load_close(). A bare trace has
 * only the losses. Returns 0 or -ENOMEM; provenance_fini() is needed then, too.
 */
int provenance_read(struct provenance *provenance, const struct load *load);
void provenance_fini(struct provenance *provenance);

/*
 * What kind of operations have samples, if not all have, by how they were
 * recorded and by the filter of the user: for instance "loads of 30 cycles or
 * more that match comm=xz"; NULL if all. Shares are of these, and the program's
 * other operations are not known. To be freed. Returns 0 or -ENOMEM.
 */
int population_read(const struct load *load, char **population);

/* The same by how they were recorded alone. */
int population_recorded(const struct load *load, char **population);
