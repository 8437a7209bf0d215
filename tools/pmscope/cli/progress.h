/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "perf.data  45%, 1.2 of 2.6 GB, 850 MB/s, 2 s left" on a terminal. */
#pragma once

#include "base/std.h"

struct progress {
	bool shown;
	const char *name;
	uint64_t total;
	uint64_t begin; /* ns */
	uint64_t next;	/* when to print again */
	int printed;	/* letters */
};

/* Is stderr a terminal that a person can see? */
bool progress_visible(void);

/* Do lines of output appear on the same terminal, perhaps through a pager? */
bool progress_is_among_lines(void);

/* @name stays valid; @total is bytes, 0 shows nothing. */
void progress_begin(struct progress *progress, const char *name,
		    uint64_t total);
void progress_set(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

/*
 * The text for @done of @total bytes after @ns; without a rate and the time
 * left before a tenth of a second has passed. At most @size bytes.
 */
void progress_text(char *text, int size, const char *name, uint64_t done,
		   uint64_t total, uint64_t ns);
