/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables for people. On a terminal they fit its width: columns are left out and
 * names are shortened. Elsewhere all columns are printed, and whole names.
 */
#pragma once

#include "base/std.h"

/**
 * struct column - a column of a table
 * @title: with its unit, unless the values have it
 * @width: cells are padded to this; on a terminal longer ones are cut
 * @least: on a terminal it may become as narrow as this; 0: it keeps @width
 * @drop: on a narrow terminal columns are left out in this order; 0: never
 * @left: cells begin at the left, otherwise they end at the right
 * @is_ragged: cells are padded on a terminal only
 * @is_path: of names that are cut, the end is shown
 * @is_share: a percentage, with a colour if it is large
 * @hidden: set by columns_begin()
 */
struct column {
	const char *title;
	int width;
	int least;
	unsigned int drop;
	bool left;
	bool is_ragged;
	bool is_path;
	bool is_share;
	bool hidden;
};

/**
 * struct columns - a table
 * @column: its columns
 * @nr: how many
 * @is_fitted: to a terminal: no line is longer than that is wide
 * @out: where it is printed; columns_begin() sets standard output
 * @cells: for the row that is being made: each cell ends with cell_end()
 * @text: the cells
 * @size: bytes of @text
 * @failed: memory ran out
 */
struct columns {
	struct column *column;
	size_t nr;
	bool is_fitted;
	FILE *out;
	FILE *cells;
	char *text;
	size_t size;
	bool failed;
};

/* Begins a table for the terminal that the output is on. */
void columns_begin(struct columns *columns, struct column *column, size_t nr);

/* Prints the titles; the first one begins with "# ". */
void columns_titles(const struct columns *columns);

/* Writes a cell, or the end of one that was written to columns->cells. */
void cell_put(const struct columns *columns, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints the row whose cells were written. */
void columns_row(struct columns *columns);

/* Returns 0, or -ENOMEM if rows are missing. */
int columns_end(struct columns *columns);
