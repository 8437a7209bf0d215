/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes Parquet files: typed columns of rows, dictionary or delta encoded,
 * compressed with zstd, in row groups that are sorted by some columns. Debian
 * has no C library that does.
 */
#pragma once

#include "base/containers.h"

enum parquet_type {
	PARQUET_BOOL,
	PARQUET_UINT8,
	PARQUET_UINT16,
	PARQUET_UINT32,
	PARQUET_UINT64,
	PARQUET_INT64,
	PARQUET_DOUBLE,
	PARQUET_TEXT, /* UTF-8 */
};

struct parquet_column {
	const char *name;	/* in queries; NULL ends the table */
	enum parquet_type type; /* of its values */
	bool required;		/* every row has a value */
	/*
	 * rows of a row group are in the order of this column, after those of
	 * the sorted columns before it; rows without a value come first
	 */
	bool sorted;
};

/* A column of such a table; @is: a type without its prefix. */
#define PARQUET_COLUMN(name, is)                 \
	{                                        \
		name, PARQUET_##is, false, false \
	}
#define PARQUET_REQUIRED(name, is)              \
	{                                       \
		name, PARQUET_##is, true, false \
	}
#define PARQUET_SORTED(name, is)                \
	{                                       \
		name, PARQUET_##is, false, true \
	}

#define PARQUET_ROWS ((size_t)1 << 20) /* of a row group */

/* The values of one column in the row group that is being filled. */
struct parquet_values {
	const struct parquet_column *column;
	unsigned int bytes; /* of one value: 1, 2, 4 or 8 */
	void *values;
	uint8_t *present; /* a bit for each row */
};

struct parquet {
	FILE *file;
	struct parquet_values *columns;
	size_t nr_columns;
	size_t rows; /* of the row group, and how many there is room for */
	size_t room;
	size_t max_rows; /* of a row group: PARQUET_ROWS, or fewer */
	struct strings strings;
	struct parquet_footer *footer;
	struct parquet_scratch *scratch;
	int error;
};

/*
 * Begins a file. @file: where it goes; the caller closes it. @columns: the
 * columns; the table must stay until parquet_free(). Returns the writer, which
 * takes at most about 8 bytes of memory for each column and each row of
 * PARQUET_ROWS; NULL if memory is short.
 */
struct parquet *parquet_new(FILE *file, const struct parquet_column *columns);
void parquet_free(struct parquet *parquet);

/* Sets the value of @column in this row; rows begin without values. */
static inline void parquet_set(struct parquet *parquet, size_t column,
			       uint64_t value)
{
	struct parquet_values *to = &parquet->columns[column];
	size_t row = parquet->rows;

	to->present[row / 8] |= 1U << row % 8;
	switch (to->bytes) {
	case 1:
		((uint8_t *)to->values)[row] = (uint8_t)value;
		break;
	case 2:
		((uint16_t *)to->values)[row] = (uint16_t)value;
		break;
	case 4:
		((uint32_t *)to->values)[row] = (uint32_t)value;
		break;
	default:
		((uint64_t *)to->values)[row] = value;
	}
}

void parquet_set_double(struct parquet *parquet, size_t column, double value);

/* Leaves it without a value where @text is NULL. */
void parquet_set_text(struct parquet *parquet, size_t column, const char *text);

/*
 * A number that parquet_set() takes for a column of text, for callers that see
 * one text often. Bytes that are no UTF-8 become U+FFFD.
 */
uint32_t parquet_text(struct parquet *parquet, const char *text);

/* Writes the row group if it is full; errors show in parquet_finish(). */
void parquet_end_row(struct parquet *parquet);

/* Text about the file, for the footer: who made it and from what. */
void parquet_note(struct parquet *parquet, const char *key, const char *text);

/*
 * Writes what is left and the footer, without which no reader opens the file.
 * Returns 0 or -errno: also of what failed earlier.
 */
int parquet_finish(struct parquet *parquet);

/* How many rows the file has so far. */
uint64_t parquet_rows(const struct parquet *parquet);
