/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines for people. Files get them as they are; on a terminal names and texts
 * are shortened, or left out, until no line is longer than that is wide.
 */
#pragma once

#include "stat/stat.h"

#define STAT_TEXTS 3

/**
 * struct stat_line - a number, what it is, and where
 * @time: of an interval, or ""
 * @place: CPU, core or thread, or ""
 * @cpus: how many CPUs the core has, or ""
 * @number: the number
 * @name: what it is
 * @name_width: the name is padded to this
 * @text: what comes behind the name; "" for nothing
 */
struct stat_line {
	char time[24];
	char place[48];
	char cpus[12];
	char number[48];
	const char *name;
	int name_width;
	char text[STAT_TEXTS][96];
};

/**
 * struct stat_lines - lines of a table that are not printed yet
 * @has_units: the first text is a unit, and is left out last
 */
struct stat_lines {
	struct stat_line *line;
	size_t nr;
	size_t max;
	bool has_units;
};

/* Fills in the time and the place. */
void stat_line_begin(struct stat_line *line, const struct stat_printer *p,
		     const struct stat_row *row, double seconds);

/* Prints the line, or keeps it if the output is a terminal. */
void stat_line_put(const struct stat_printer *p, struct stat_lines *lines,
		   const struct stat_line *line);

/* Prints the lines that were kept. */
void stat_lines_end(const struct stat_printer *p, struct stat_lines *lines);
