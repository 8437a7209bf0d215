/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal that the output is on: its width, colour, and a pager. None of
 * this applies to files and pipes, which get whole tables.
 */
#pragma once

#include "cli/options.h"

/* Rows of a table on a terminal, when --limit does not say how many. */
#define TERMINAL_ROWS 50

/* --color: indices of terminal_colours. */
enum terminal_colour {
	COLOUR_AUTO,
	COLOUR_ALWAYS,
	COLOUR_NEVER
};
extern const char *const terminal_colours[];

/* Setters of options without a field: --no-pager and --color. */
int option_no_pager(const struct option_row *row, const char *arg, void *field);
int option_colour(const struct option_row *row, const char *arg, void *field);

/* Call first if the output is @out, not standard output. */
void terminal_use(FILE *out);

/* Is the output a terminal, also through the pager? */
bool terminal_is_output(void);

/* Columns of the terminal; 0: no limit. */
int terminal_width(void);

/* Rows of the terminal; 0: not known. */
int terminal_rows(void);

/* Measures again: the user may have changed the size. Not with a pager. */
void terminal_measure(void);

/* May escape sequences for colours be printed? */
bool terminal_has_colour(void);

/*
 * Starts a pager if the output is a terminal: $PMSCOPE_PAGER, $PAGER or
 * less. Call before the first output, when no thread runs; again is fine.
 */
void pager_begin(void);

/* The same; less begins at the first line that matches this expression. */
void pager_begin_at(const char *expression);

/* Waits for the pager. Call before exit, after flushing standard output. */
void pager_end(void);
