/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening, reading and closing a recording, for script and report. */
#pragma once

#include "base/map.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "read/worker_pool.h"
#include "pack/pack.h"

#include <pmscope/input.h>
#include <pmscope/recording.h>
#include <pmscope/symbols.h>

#include <stdatomic.h>

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
	bool quiet;	 /* show no progress */
	bool mappings;	 /* see struct pmscope_recording_options */
	bool chains;	 /* the same */
	bool clocks;	 /* the same */
	bool callers;	 /* call chains are read, before the samples */
	bool two_passes; /* all data must stay; else pipes are read as they come
			  */
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

/* Rows for a table of options whose config has a load_config at @at. */
/* clang-format off */
#define LOAD_OPTIONS(at)                                                     \
	{ "input", 'i', "FILE", (at) + offsetof(struct load_config, input),  \
	  option_name, NULL,                                                 \
	  "read this recording; - is standard input (default: perf.data)" },       \
	{ "raw", 0, NULL, (at) + offsetof(struct load_config, raw),          \
	  option_true, NULL, "FILE is raw SPE data, the contents of an AUX buffer" }, \
	{ "threads", 0, "N", (at) + offsetof(struct load_config, threads),   \
	  option_unsigned, NULL, "worker threads (default: one per CPU, at most 8)" },\
	{ "midr", 0, "VALUE", (at) + offsetof(struct load_config, midr),     \
	  option_u64, NULL, "MIDR_EL1 of the recorded CPU, if FILE does not hold it" },       \
	{ "skip-unknown", 0, NULL,                                           \
	  (at) + offsetof(struct load_config, skip_unknown), option_true,    \
	  NULL, "keep records with unknown packets; skip those packets" },\
	{ "symfs", 0, "DIR", (at) + offsetof(struct load_config, symfs),     \
	  option_string, NULL,                                               \
	  "root directory of the recorded machine (default: FILE.symfs)" },  \
	{ "filter", 0, "TERMS", (at) + offsetof(struct load_config, filter), \
	  option_join, NULL, "use only samples that match all TERMS, for example "    \
	  "op=load,lat>=50,source=dram" },                                   \
	{ "time", 0, "START,STOP",                                           \
	  (at) + offsetof(struct load_config, filter), load_option_time,     \
	  NULL, "use only samples from START to STOP, in seconds or as 14:03:05; one may be left out" }, \
	{ "dsos", 'd', "LIST", (at) + offsetof(struct load_config, filter),  \
	  load_option_dsos, NULL, "use only samples in these files, as --filter=dso=FILE|FILE" }, \
	{ "kallsyms", 0, "FILE",                                             \
	  (at) + offsetof(struct load_config, kallsyms), option_name,        \
	  NULL, "copy of the machine's /proc/kallsyms (default: FILE.kallsyms)" },     \
	{ "vmlinux", 'k', "FILE",                                            \
	  (at) + offsetof(struct load_config, vmlinux), option_name, NULL,   \
	  "take symbols, lines and code of the kernel from this vmlinux" },  \
	{ "force", 'f', NULL, (at) + offsetof(struct load_config, force),    \
	  option_true, NULL, "take files and links of other users, too: their names " \
	  "of generated code, and what is beside FILE" },                    \
	{ "no-pager", 0, NULL, 0, option_no_pager, NULL,                       \
	  "do not show the output in a pager (PMSCOPE_PAGER, PAGER, less)" },  \
	{ "color", 0, "WHEN", 0, option_colour, terminal_colours,              \
	  "use colours" },                                                     \
	{ "no-demangle", 0, NULL,                                            \
	  (at) + offsetof(struct load_config, mangled), option_true, NULL,   \
	  "do not demangle C++ and Rust names" }
/* clang-format on */

struct stacks;

/* An open recording. */
struct load {
	const char *name; /* of the file, for messages */
	struct pmscope_input *input;
	struct pmscope_recording *recording;
	struct pmscope_symbols *symbols;
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
	bool lacks_data; /* mappings of data were not recorded */
	unsigned int threads;
	bool shared;	    /* used by running threads */
	atomic_bool unused; /* pages of @input can be released */
	bool raw;
	bool quiet;
};

/* The filter with times of day as times of the recording; NULL after error().
 */
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
