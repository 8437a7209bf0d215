/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of a sample. The table is in fields.c: a row can be a column of
 * script, a sort key of report, a filter, a JSON key, or several of these.
 */
#ifndef PMSCOPE_FIELDS_FIELDS_H
#define PMSCOPE_FIELDS_FIELDS_H

#include "fields/deps.h"
#include "fields/view.h"

#include <sys/types.h>

enum field_type {
	FIELD_NUMBER,	 /* decimal */
	FIELD_ADDRESS,	 /* hexadecimal */
	FIELD_SOURCE,	 /* the code of a data source: CPUs have names for it */
	FIELD_TEXT,	 /* a name */
	FIELD_OPERATION, /* the class of an operation, one of a few words */
	FIELD_EVENTS,	 /* a bit for each event; a list of names */
	FIELD_COUNTS,	 /* a list: events of a group and their counts */
	FIELD_COUNTERS,	 /* a list: the registers of a stream's record */
	/* Texts as those of perf script, in the text format: */
	FIELD_IP,      /* an address, without 0x */
	FIELD_PLACE,   /* a file and an offset, in parentheses */
	FIELD_BRANCHES /* branches, or nothing */
};

/* What a field can be used for. */
enum field_use {
	FIELD_COLUMN = 1 << 0, /* script -F */
	FIELD_CSV = 1 << 1,    /* script --format=csv without -F */
	FIELD_STREAM = 1 << 2, /* the same, for recordings with streams */
	FIELD_JSON = 1 << 3,   /* script --format=jsonl without -F */
	FIELD_SORT = 1 << 4,   /* report --sort */
	FIELD_FILTER = 1 << 5, /* --filter */
};

/**
 * struct field - one property of a sample
 * @name: name of the column, and key in JSON
 * @also: other accepted names, separated by spaces: perf's, and short ones for
 *	  sort keys and filters
 * @heading: heading in report, and key in its JSON; NULL: @name
 * @unit: unit of numbers, or NULL
 * @type: which getter it has, and how its value is printed
 * @uses: enum field_use
 * @width: width of its column in report
 * @deps: enum dep: what the value of an SPE record depends on; 0: it is the
 *	  same for all, or absent
 * @number: getter of numbers, addresses, codes and event bits; false if the
 *	    sample has no value
 * @text: getter of names and words; NULL if the sample has no value. The text
 *	  is valid until this thread calls it again
 * @row_text: the text that report groups by, instead of @number or @text
 */
struct field {
	const char *name;
	const char *also;
	const char *heading;
	const char *unit;
	enum field_type type;
	unsigned int uses;
	int width;
	unsigned int deps;
	bool (*number)(const struct view *view, uint64_t *value);
	const char *(*text)(const struct view *view);
	const char *(*row_text)(const struct view *view);
};

/* The table; it ends with a row of zeros. */
extern const struct field all_fields[];

#define FIELDS_MAX     64
#define FIELD_NAME_MAX 24

/* The version of the keys of script's JSON lines: see pmscope-script(1). */
#define FIELDS_SCHEMA 1

/**
 * struct named_field - a field that the user selected
 * @field: the field
 * @name: the name by which the user selected it
 * @sign: '+' or '-': it is added to the default fields, or left out of them;
 *	  0: it is selected by itself
 */
struct named_field {
	const struct field *field;
	char name[FIELD_NAME_MAX];
	char sign;
};

/* Finds a field of this use by name; NULL if there is none. */
const struct field *field_find(const char *name, size_t length,
			       enum field_use use);

/* The fields that have one of @uses, in the order of the table. */
size_t fields_with(unsigned int uses, struct named_field *fields);

/*
 * Adds to the list @fields, which has room for all fields, those of @changes
 * that have a '+', and removes those that have a '-'. Returns the new length.
 */
size_t fields_change(struct named_field *fields, size_t nr,
		     const struct named_field *changes, size_t nr_changes);

/**
 * fields_parse() - parse a list of fields
 * @command: the command, for messages
 * @list: names separated by commas; for FIELD_COLUMN, all of them or none have
 *	  a sign
 * @use: FIELD_COLUMN or FIELD_SORT
 * @max: room in @fields
 *
 * Return: how many; -EINVAL after error().
 */
int fields_parse(const char *command, const char *list, enum field_use use,
		 size_t max, struct named_field *fields);

/* The names of all fields of a use, separated by @separator; for messages. */
#define FIELD_NAMES_MAX 1024
const char *field_names(enum field_use use, const char *separator,
			char names[FIELD_NAMES_MAX]);

static inline const char *field_heading(const struct field *field)
{
	return field->heading ? field->heading : field->name;
}

/* Does report group by text? Otherwise by numbers. */
static inline bool field_has_row_text(const struct field *field)
{
	return field->text || field->row_text;
}

/* Text to group by in report; never NULL. */
const char *field_row_text(const struct field *field, const struct view *view);

/* The number to group by in report; FIELD_ROW_NONE if the sample has none. */
#define FIELD_ROW_NONE (-1)
int64_t field_row_number(const struct field *field, const struct view *view);

/*
 * Writes the name of one event, or "IMPDEF:n", at @p; at most EVENT_NAME_MAX
 * bytes. Returns the end.
 */
#define EVENT_NAME_MAX 64
char *event_put(char *p, unsigned int bit, uint64_t midr);

/* Writes the names of the bits of @events, separated by @separator. */
#define EVENTS_TEXT_MAX 2048
char *events_put(char *p, uint64_t events, uint64_t midr, char separator);

/*
 * The type of a group: a snapshot, or the counts at the end of the recording.
 */
const char *group_type(const struct pmscope_sample *group);

#endif /* PMSCOPE_FIELDS_FIELDS_H */
