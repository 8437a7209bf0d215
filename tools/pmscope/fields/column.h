/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of pmscope script: names that are stable, and their values. */
#ifndef PMSCOPE_FIELDS_COLUMN_H
#define PMSCOPE_FIELDS_COLUMN_H

#include "fields/view.h"

enum column_kind {
	COLUMN_NUMBER,
	COLUMN_OFFSET, /* of the PC in its symbol */
	COLUMN_ADDRESS,
	COLUMN_TEXT,
	COLUMN_EVENTS,
	COLUMN_COUNTS, /* of a group, out of its sample; or a counter of SPE */
	COLUMN_COUNTERS, /* of a stream, out of its record */
};

/* Where the value is, of an SPE record. */
enum column_value {
	VALUE_NONE,
	VALUE_SAME, /* for all of them */
	VALUE_TIME,
	/* A member of the batch: */
	VALUE_16,
	VALUE_32,
	VALUE_64,
	VALUE_COUNTER_INDEX,
	VALUE_COUNTER,
	VALUE_LEVEL,
	VALUE_NS,
	VALUE_PC,
	VALUE_CODE_ADDRESS,
	VALUE_DATA_ADDRESS,
	VALUE_PHYSICAL_ADDRESS,
	/* Follows from, and is remembered with; see deps.h: */
	VALUE_OF_THREAD,
	VALUE_OF_CODE,
	VALUE_OF_OPERATION,
	VALUE_OF_EVENTS,
	VALUE_OF_SOURCE,
	VALUE_OF_DATA_SRC,
	VALUE_OF_LINE,
	VALUE_OF_DATA,
	VALUE_OF_DATA_OFFSET,
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
 * @value: where it is
 * @get: false when the sample does not have it; not asked of SPE records where
 *	 @value is a member of the batch, and NULL where only they have it. Of a
 *	 group, all of the view but its sample and record is zeros
 * @has: enum pmscope_has bit, or one of those below, of records that have the
 *	 member
 * @at: where it is in struct pmscope_batch
 * @instead: the column of records that do not have this one, or NULL
 */
struct column {
	const char *name;
	enum column_kind kind;
	enum column_value value;
	bool (*get)(const struct view *view, struct cell *cell);
	uint32_t has;
	uint16_t at;
	const struct column *instead;
};

/* Bits of @has beside those of enum pmscope_has. */
#define COLUMN_HAS_TIME	  (1U << 30)
#define COLUMN_HAS_OFFSET (1U << 31)

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

#endif /* PMSCOPE_FIELDS_COLUMN_H */
