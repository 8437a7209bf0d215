/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records SPE into memory for one interval of `pmscope top`. */
#pragma once

#include "cli/measure.h"

#define INTERVAL_PATH 32

/* Why an interval ended. */
enum interval_end {
	INTERVAL_TIME,
	INTERVAL_KEY,	/* the user quits */
	INTERVAL_SIGNAL /* or nothing is left to measure, or no terminal */
};

/**
 * struct interval - what to record, and the result
 * @measure: what to measure; -a if nothing is named
 * @event: in perf's syntax
 * @keys: also wait for standard input
 * @signal_fd: from measure_signals()
 * @path: of the last complete interval, in memory; empty: there is none
 * @ns: how long it was
 * @fd: of @path, -1 at the start
 */
struct interval {
	struct measure_options measure;
	const char *event;
	bool keys;
	int signal_fd;
	char path[INTERVAL_PATH];
	uint64_t ns;
	int fd;
};

/*
 * Records for @ns. Calls @key(@context) where the user may have pressed a key
 * or the terminal may have another size; it returns false to stop. Returns enum
 * interval_end, or -errno after error().
 */
int interval_record(struct interval *interval, uint64_t ns,
		    bool (*key)(void *context), void *context);
void interval_fini(struct interval *interval);
