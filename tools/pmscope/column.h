/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of pmscope script: names that are stable, and their values. */
#ifndef PMSCOPE_COLUMN_H
#define PMSCOPE_COLUMN_H

#include "view.h"

enum column_kind {
	COLUMN_NUMBER,
	COLUMN_ADDRESS,
	COLUMN_TEXT,
	COLUMN_EVENTS,
	COLUMN_COUNTS,	 /* of a group, out of its sample */
	COLUMN_COUNTERS, /* of a stream, out of its record */
};

/* The value of a column; which member depends on its kind. */
struct cell {
	uint64_t number;
	const char *text;
};

/**
 * struct column - one column
 * @name: for -F, and in the header line
 * @kind: of its values
 * @deps: enum dep: records alike in these have the same value; 0: any record
 *	  may have another
 * @get: false when the sample does not have it. Names in the view are there
 *	 only where @deps is not 0. For a group all of the view but its sample
 *	 is zeros
 * @has: enum pmscope_has bit of a number that is a member of the view, then
 * @at: where, and
 * @size: how large it is: @get does the same, for each record more slowly
 */
struct column {
	const char *name;
	enum column_kind kind;
	unsigned int deps;
	bool (*get)(const struct view *view, struct cell *cell);
	uint32_t has;
	uint16_t at;
	uint8_t size;
};

#define MAX_COLUMNS 64

/**
 * columns_parse() - the columns of -F
 * @list: names with commas between; NULL: those of CSV
 * @streams: in which those of streams are, too
 * @columns: room for MAX_COLUMNS
 *
 * Return: how many; -EINVAL after error().
 */
int columns_parse(const char *list, bool streams,
		  const struct column **columns);

#endif /* PMSCOPE_COLUMN_H */
