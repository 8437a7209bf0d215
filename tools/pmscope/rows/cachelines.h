/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of memory: which threads use which parts of a line, from what code, and
 * whether they share data or only the line.
 */
#pragma once

#include "read/caches.h"
#include "rows/histogram.h"

#define LINES_CPUS 8192 /* what the kernel can have */

/* As many uses are in memory: with lines and code, about 300 MiB. */
#define LINES_USES (1U << 20)

/* log2 of the words that tell which lines have samples */
#define LINES_SEEN_BITS 14

struct cache_lines;
struct view;

/* What a sample did, as bits. */
enum line_access {
	LINE_LOADS = 1,
	LINE_STORES = 2,
	LINE_ATOMIC = 4,
	LINE_PEER = 8, /* a load that another core's cache answered */
};

/**
 * struct lines_config
 * @size: bytes of a line
 * @by_latency: sort by latency, not by sharing and samples
 * @counted: if set, called for each sample after it was counted in a use;
 *	     @access has bits of enum line_access. Returns 0 or -ENOMEM.
 * @room: for uses; 0: LINES_USES, and samples of further ones are in no line.
 *	  Else those of lines with the fewest samples, first where one thread
 *	  uses these, are forgotten, and
 * @forgot: called with the new number of each, and 1; 0: it is gone
 */
struct lines_config {
	unsigned int size;
	bool by_latency;
	int (*counted)(void *context, const struct cache_lines *all,
		       uint32_t use, unsigned int access,
		       const struct view *view);
	size_t room;
	int (*forgot)(void *context, const uint32_t *numbers);
	void *context;
};

/* In this order, the last two are lines that threads share. */
enum line_verdict {
	LINE_ONE_THREAD,
	LINE_READ_ONLY,
	LINE_FALSE_SHARING,
	LINE_TRUE_SHARING,
};

/* A thread that changes its name has one of these for each name. */
struct line_thread {
	uint32_t pid;
	uint32_t tid;
	const char *comm; /* or NULL */
};

/* An address of code */
struct line_site {
	const char *name; /* of its function, or NULL */
	uint64_t pc;
	bool has_pc;
	bool line_known;
	uint8_t build_id[20];
	struct pmscope_place place; /* at the first sample; see @build_id */
	struct pmscope_line line;   /* in the source, once @line_known */
};

/* A variable of a process, which tells where others are */
struct line_anchor {
	uint64_t va; /* of the first sample in it */
	uint8_t build_id[20];
	struct pmscope_place place; /* of @va; its build-id is @build_id */
};

/* A member of a variable, as far as it is in a line. */
struct line_member {
	uint32_t offset; /* in the line */
	uint32_t size;
	const char *path;
};

/**
 * struct line_use - samples of one thread on one CPU, at one address of data
 *		     and of one address of code
 * @key: a hash of what it is
 * @variable: at the address, or NULL
 * @latency, @timed: sum of the total latencies, and of how many samples
 * @from: where the address is, from that of @anchor
 * @anchor: index; only with @variable
 * @line: index
 * @offset: of the address in the line
 * @thread, @site: indices
 * @cpu: or PMSCOPE_NO_ID
 * @loads, @stores: as the operation says, and @others, which are neither
 * @atomics: loads and stores among them that read and write
 * @peers: loads that another core's cache answered, and
 * @far: that memory of another node did
 */
struct line_use {
	uint64_t key;
	const char *variable;
	uint64_t latency;
	uint64_t from;
	uint32_t anchor;
	uint32_t timed;
	uint32_t line;
	uint32_t offset;
	uint32_t thread;
	uint32_t site;
	uint32_t cpu;
	uint32_t loads;
	uint32_t stores;
	uint32_t others;
	uint32_t atomics;
	uint32_t peers;
	uint32_t far;
};

static inline bool use_reads(const struct line_use *use)
{
	return use->loads || use->atomics;
}

static inline bool use_writes(const struct line_use *use)
{
	return use->stores || use->atomics;
}

static inline uint64_t use_samples(const struct line_use *use)
{
	return (uint64_t)use->loads + use->stores + use->others;
}

struct line_sums {
	uint64_t samples;
	uint64_t loads;
	uint64_t stores;
	uint64_t atomics;
	uint64_t peers;
	uint64_t far;
	uint64_t timed;
	uint64_t latency;
};

static inline void line_sums_add(struct line_sums *sums,
				 const struct line_use *use)
{
	sums->samples += use_samples(use);
	sums->loads += use->loads;
	sums->stores += use->stores;
	sums->atomics += use->atomics;
	sums->peers += use->peers;
	sums->far += use->far;
	sums->timed += use->timed;
	sums->latency += use->latency;
}

struct cache_line {
	uint64_t address; /* first byte; @physical: a physical one */
	uint32_t pid;	  /* whose it is; PMSCOPE_NO_ID: physical */
	bool physical;
	uint8_t verdict; /* enum line_verdict */
	/*
	 * of its uses in the order, and how many, @nr_uses. These and the rest
	 * are known once all samples are
	 */
	uint32_t first;
	uint32_t nr_uses;
	uint32_t threads; /* that load or store */
	struct line_sums sums;
};

static inline bool line_is_shared(const struct cache_line *line)
{
	return line->verdict >= LINE_FALSE_SHARING;
}

struct cache_lines {
	struct lines_config config;
	struct load *load;
	KEYED(struct cache_line, lines, nr, line_of_hash);
	KEYED(struct line_use, uses, nr_uses, use_of_hash);
	KEYED(struct line_thread, threads, nr_threads, thread_of_hash);
	KEYED(struct line_site, sites, nr_sites, site_of_hash);
	KEYED(struct line_anchor, anchors, nr_anchors, anchor_of_hash);
	uint32_t *order; /* of uses: line by line */
	uint64_t *seen;	 /* bits of lines, since some were forgotten; or NULL */
	struct symbol_cache *codes;
	struct data_symbols *variables;
	struct thread_cache currents[THREAD_CACHES];
	uint64_t samples;		 /* with a data address */
	uint64_t left_out;		 /* beyond LINES_USES, in no line */
	uint64_t others;		 /* SPE samples without */
	uint64_t latency;		 /* of all lines */
	int32_t node_of_cpu[LINES_CPUS]; /* and 2; 0: not looked up yet */
};

/*
 * Begins with no samples. Returns 0 or -ENOMEM, and so do the next two; end
 * with cache_lines_fini() in any case.
 */
int cache_lines_begin(struct cache_lines *all, struct load *load,
		      const struct lines_config *config);

/* Adds the samples of a run that pass the filter; by one thread at a time. */
int cache_lines_add_run(struct cache_lines *all, const struct pmscope_run *run);

/* Call after the last run: sorts the lines, shared ones first. */
int cache_lines_finish(struct cache_lines *all);
void cache_lines_fini(struct cache_lines *all);

/* "false sharing" */
const char *line_verdict_name(const struct cache_line *line);

/* A function, or a source line in it, that loads or stores. */
struct line_code {
	const char *name;	  /* never NULL */
	struct pmscope_line line; /* zeros if lines are not distinguished */
	uint64_t loads;
	uint64_t stores;
};

/* An array that is used again for the next line. */
struct line_codes {
	struct line_code *code;
	size_t nr;
	size_t max;
};

/* Accesses at one offset of the line: @nr uses, starting at @first. */
struct line_part {
	uint32_t offset;
	size_t first;
	size_t nr;
	struct line_sums sums;
};

/*
 * The uses of one line that load or store. @readers, @writers: CPUs, and
 * @nodes: theirs. @read, @written: eighths of the line.
 */
struct line_detail {
	const struct line_use **uses; /* by offset, then thread and CPU */
	size_t nr_uses;
	size_t max_uses;
	struct line_part *parts; /* one for each offset */
	size_t nr_parts;
	size_t max_parts;
	struct line_codes codes;      /* functions, the busiest first */
	struct line_codes part_codes; /* of the part that is printed */
	const char **variables;	      /* names at these offsets, each once */
	size_t nr_variables;
	size_t max_variables;
	struct cpu_set readers;
	struct cpu_set writers;
	struct cpu_set nodes;
	uint8_t read;
	uint8_t written;
};

/* Sums, threads and verdict of lines. 0 or -ENOMEM, and so do the next. */
int lines_judge(struct cache_lines *all);

/* Zeros hold nothing. Of another line before, @detail is filled anew. */
int line_detail_fill(struct cache_lines *all, const struct cache_line *line,
		     struct line_detail *detail);

/* Source lines in detail->part_codes, the busiest first. */
int line_detail_codes(struct cache_lines *all, struct line_detail *detail,
		      const struct line_part *part);
void line_detail_fini(struct line_detail *detail);

/* The member that is used, "table[].next"; NULL without a variable. */
const char *use_member(struct cache_lines *all, const struct line_use *use);

/*
 * The members that have the bytes of a line, used or not, as far as one of its
 * uses tells where they are. @members has room for each of its bytes; returns
 * how many.
 */
size_t line_members(struct cache_lines *all, const struct line_detail *detail,
		    struct line_member *members);

/*
 * The number that identifies a thread. All idle threads have number 0, and a
 * sample may have no thread: then each CPU counts as a thread.
 */
static inline uint64_t use_agent(const struct cache_lines *all,
				 const struct line_use *use)
{
	uint32_t tid = all->threads[use->thread].tid;

	if (tid && tid != PMSCOPE_NO_ID)
		return tid;
	return (tid ? UINT64_C(2) : UINT64_C(1)) << 32 | use->cpu;
}
