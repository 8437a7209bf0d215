/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmscope report --cachelines: which lines CPUs take from each other, who
 * reads and who writes them, and from what code.
 */
#ifndef PMSCOPE_REPORT_LINES_H
#define PMSCOPE_REPORT_LINES_H

#include "code.h"
#include "cpu_set.h"
#include "table/map.h"
#include "table/strings.h"

#define LINES_AS_TEXT 0
#define LINES_IN_TEXT 50

struct lines_config {
	int format;	    /* as in report.c: text, jsonl, csv */
	unsigned int limit; /* 0: LINES_IN_TEXT in text, else all of them */
	unsigned int size;  /* bytes of a line */
};

/* Of nearly all lines few functions are known: more take memory of their own.
 */
#define LINE_CODES 8

/* A function that reads or writes a line. */
struct line_code {
	uint32_t symbol; /* number of the string */
	uint32_t loads;
	uint32_t stores;
};

/**
 * struct cache_line - all samples of one line
 * @address: of its first byte; @physical: recorded as a physical one
 * @pid: whose address it is; PMSCOPE_NO_ID for physical ones
 * @peers: loads that another core or its caches answered
 * @latency, @timed: sum of the total latencies, and of how many samples
 * @read, @written: eighths of the line
 * @shared: is_shared(), known once all samples are
 * @few, @many: all its functions, see line_codes()
 */
struct cache_line {
	uint64_t address;
	uint32_t pid;
	bool physical;
	uint64_t samples;
	uint64_t loads;
	uint64_t stores;
	uint64_t peers;
	uint64_t latency;
	uint64_t timed;
	struct cpu_set readers;
	struct cpu_set writers;
	uint8_t read;
	uint8_t written;
	bool shared;
	struct line_code few[LINE_CODES];
	struct line_code *many;
	size_t nr_codes;
	size_t max_codes; /* of @many */
};

static inline const struct line_code *line_codes(const struct cache_line *line)
{
	return line->many ? line->many : line->few;
}

struct cache_lines {
	struct lines_config config;
	struct load *load;
	struct cache_line *lines;
	size_t nr;
	size_t max;
	struct map line_of_hash;
	struct strings symbols;
	struct map symbol_of_name; /* by where the name is kept */
	struct map code_of_line;   /* those behind the first few */
	struct codes *codes;
	struct current currents[CURRENTS];
	uint64_t samples; /* with a data address */
	uint64_t others;  /* SPE samples without */
};

/* report_lines_print.c: the first @nr lines. */
void lines_print(const struct cache_lines *lines, size_t nr);

/* Returns the exit status. */
int report_lines(struct load *load, const struct lines_config *config);

#endif /* PMSCOPE_REPORT_LINES_H */
