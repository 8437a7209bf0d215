/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "print.h"
#include "rows/rows.h"

/*
 * A view is a table: each column says once how its value is found and what it
 * is called, and is printed as text, CSV or JSON lines.
 */

/*
 * Tables for people. On a terminal they fit its width: columns are left out and
 * names are shortened. Elsewhere all columns are printed, and whole names.
 */

struct column {
	const char *title; /* with its unit, unless the values have it */
	int width;	   /* cells have it; a terminal cuts longer ones */
	int least;	   /* on a terminal; 0: it keeps @width */
	unsigned int drop; /* order of leaving out on terminals; 0: never */
	bool left;	   /* cells begin at the left, not end at the right */
	bool is_ragged;	   /* cells are padded on a terminal only */
	bool is_path;	   /* of names that are cut, the end is shown */
	bool is_share;	   /* a percentage, with a colour if it is large */
	bool hidden;	   /* set by columns_begin() */
};

struct columns {
	struct column *column; /* its columns */
	size_t nr;	       /* how many */
	bool is_fitted;	       /* no line is wider than the terminal */
	FILE *out;	       /* columns_begin() sets standard output */
	FILE *cells;	       /* of the row; each cell ends with cell_end() */
	char *text;	       /* the cells */
	size_t size;	       /* bytes of @text */
	bool failed;	       /* memory ran out */
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

#define TABLE_COLUMNS 192
#define CELL_ROOM     VIEW_LINE_MAX

/* The value of a column in a row. */
struct cell {
	enum cell_type {
		CELL_NONE,  /* JSON has no key, text a "-" */
		CELL_NULL,  /* JSON: null */
		CELL_COUNT, /* unsigned; JSON has no key for 0 */
		CELL_UNSIGNED,
		CELL_SIGNED,
		CELL_BOOL,
		CELL_REAL,
		CELL_HEX,
		CELL_WORD, /* hexadecimal with all eight digits */
		CELL_CPUS, /* NULL: JSON has no key */
		CELL_TEXT
	} type;
	union {
		uint64_t number;
		double real;
		const struct cpu_set *cpus;
		const char *text;
	};
};

/* A column of a view. @arg: passed to the functions. */
struct table_column {
	const char *name; /* heading in CSV and key in JSON; NULL: text only */
	/* JSON: the object that has the key; with a NULL @get it only begins */
	const char *object;
	const char *key; /* JSON: if it is not @name; "": none */
	bool no_csv;	 /* not in CSV */
	/* the order of CSV columns; those of one number: as added */
	int csv_at;
	int decimals; /* of a CELL_REAL in CSV and JSON */
	/*
	 * title and widths of the text column; without a title, text has none.
	 * If it begins with a space, so do the cells
	 */
	struct column text;
	int at;		  /* text columns are in this order */
	double scale;	  /* text: what a CELL_REAL is multiplied by; 0: 1 */
	int digits;	  /* text: its decimals */
	const char *unit; /* text: printed behind the value */
	size_t arg;
	/*
	 * finds the value in a row; a text may be written to @room (CELL_ROOM)
	 */
	struct cell (*get)(const void *row, size_t arg, char *room);
	/* writes the cell instead, for people */
	void (*put_text)(FILE *cell, const void *row, size_t arg);
	/* writes the field instead, for a list */
	void (*put_csv)(FILE *out, const void *row, size_t arg);
	/* writes the member instead, for a list */
	void (*put_json)(struct json *json, const void *row, size_t arg);
};

/* A view that is being printed */
struct table {
	enum print_format format; /* how */
	const char *type;	  /* JSON: "type" of each row; NULL: none */
	const char *separator;	  /* of CSV; NULL: a comma */
	struct table_column column[TABLE_COLUMNS]; /* its columns */
	size_t nr;				   /* how many */
	struct json json;	/* of lines or, in the page, of objects */
	struct columns columns; /* text: the columns and their cells */
	struct column text[TABLE_COLUMNS];
	size_t blank; /* text: so many columns of a row are empty */
	unsigned char order[TABLE_COLUMNS]; /* of @nr_shown columns */
	size_t nr_shown;
};

static inline struct cell cell_unsigned(uint64_t number)
{
	return (struct cell){.type = CELL_UNSIGNED, .number = number};
}

static inline struct cell cell_real(double real)
{
	return (struct cell){.type = CELL_REAL, .real = real};
}

static inline struct cell cell_hex(uint64_t number)
{
	return (struct cell){.type = CELL_HEX, .number = number};
}

static inline struct cell cell_bool(bool is_true)
{
	return (struct cell){.type = CELL_BOOL, .number = is_true};
}

/* Without a value if @text is NULL */
static inline struct cell cell_text(const char *text)
{
	return (struct cell){.type = text ? CELL_TEXT : CELL_NONE,
			     .text = text};
}

/* Without a value unless @known */
static inline struct cell cell_if(bool known, struct cell cell)
{
	return known ? cell : (struct cell){};
}

/*
 * For columns of members of the row, which @offset says: a uint64_t, a double,
 * a text or NULL. COLUMN_NUMBER() and so on begin such a column.
 */
struct cell table_number(const void *row, size_t offset, char *room);
struct cell table_real(const void *row, size_t offset, char *room);
struct cell table_string(const void *row, size_t offset, char *room);

#define COLUMN_NUMBER(type, member) \
	.name = #member, .arg = offsetof(type, member), .get = table_number
#define COLUMN_REAL(type, member) \
	.name = #member, .arg = offsetof(type, member), .get = table_real
#define COLUMN_STRING(type, member) \
	.name = #member, .arg = offsetof(type, member), .get = table_string

/* The function of a column: finds the cell @value in the row @v, a @type. */
#define CELL_OF(name, type, value)                                \
	struct cell name(const void *row, size_t arg, char *room) \
	{                                                         \
		const type *v = row;                              \
                                                                  \
		(void)arg;                                        \
		(void)room;                                       \
		return value;                                     \
	}                                                         \
	_Static_assert(1, "")

void table_add(struct table *table, const struct table_column *columns,
	       size_t nr);

/* The text column of the column @name, which there is. */
struct column *table_text(struct table *table, const char *name);

/* Prints what comes before the rows: the line of names, or text's titles. */
void table_begin(struct table *table, bool titles);

/* Prints a row; @row is passed to the columns' functions. */
void table_row(struct table *table, const void *row);

/* The members of a row, without the object around them. */
void table_members(const struct table *table, struct json *json,
		   const void *row);

/* Returns 0, or -ENOMEM if rows are missing. */
int table_end(struct table *table);

/* The columns of rows of samples: of report, top, annotate and the page. */

/*
 * What the functions of the columns take as a row. A view with more columns has
 * it as the first member of its own
 */
struct row_view {
	const struct row_table *table;	 /* the rows */
	const struct row *row;		 /* one of them */
	const struct row_parts *parts;	 /* its events and sources */
	const struct row_totals *totals; /* NULL: they are not counted */
	/*
	 * of an instruction, which has a part of its function's time; or NULL
	 */
	const double *share;
};

/*
 * For columns of views that have some of them in text. A latency's argument is
 * one of them and, above, a figure of it; an event's is its bit.
 */
enum row_latency {
	TOTAL,
	ISSUE,
	XLAT
};

enum row_figure {
	TIMED,
	MEAN,
	P50,
	P90,
	P99,
	MOST
};

struct cell row_share_get(const void *row, size_t arg, char *room);
struct cell row_share_of_operations_get(const void *row, size_t arg,
					char *room);
struct cell row_samples_get(const void *row, size_t arg, char *room);
struct cell row_latency_get(const void *row, size_t arg, char *room);
struct cell row_event_get(const void *row, size_t bit, char *room);
void row_source_text(FILE *out, const void *row, size_t arg);
void row_columns_keys(struct table *to, const struct row_table *table);

/* Samples and share; latencies, events and sources. */
void row_columns_share(struct table *to, const struct row_table *table);

/* @all: CSV has the percentiles of each latency, else those of the total one */
void row_columns_measures(struct table *to, bool all);

/* All of them, with the operations where @totals are known. */
void row_columns(struct table *to, const struct row_table *table,
		 const struct row_totals *totals);

/* The first @nr rows. @codes: tells codes of one name apart. 0 or -ENOMEM. */
int row_columns_print(struct table *to, const struct row_table *table,
		      const struct row_totals *totals, size_t nr, bool codes);

/* Members of the JSON object of a data source. */
void row_json_source(struct json *json, uint16_t code, const char *name);
