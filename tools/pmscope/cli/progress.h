/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "45%" on a terminal, for long work. */
#ifndef PMSCOPE_CLI_PROGRESS_H
#define PMSCOPE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown;
	uint64_t total;
	unsigned int percent;
};

/* Is stderr a terminal that a person can see? */
bool progress_visible(void);

/* Do lines of output appear on the same terminal, perhaps through a pager? */
bool progress_is_among_lines(void);

/* @total in any unit; 0 shows nothing. */
void progress_begin(struct progress *progress, uint64_t total);
void progress_set(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

#endif /* PMSCOPE_CLI_PROGRESS_H */
