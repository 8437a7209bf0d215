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
};

/* What a field serves for. */
enum field_use {
	FIELD_COLUMN = 1 << 0, /* script -F */
	FIELD_CSV = 1 << 1,    /* script --format=csv without -F */
	FIELD_STREAM = 1 << 2, /* the same, for recordings with streams */
	FIELD_JSON = 1 << 3,   /* script --format=jsonl without -F */
	FIELD_SORT = 1 << 4,   /* report --sort */
	FIELD_FILTER = 1 << 5, /* --filter */
};

/**
 * struct field - one thing that a sample is described by
 * @name: the column's name, and the key in JSON
 * @also: other names that are accepted, with spaces between them: perf's, and
 *	  the short ones of sort keys and filters
 * @heading: what report prints over it, and its key in report's JSON; NULL:
 *	     @name
 * @unit: of numbers, or NULL
 * @type: which of the getters it has, and how its value is printed
 * @uses: enum field_use
 * @width: of its column in report
 * @deps: enum dep: what the value of SPE records follows from; 0: all of them
 *	  have the same, or none
 * @number: the getter of numbers, addresses, codes and bits of events; false
 *	    when the sample does not have it
 * @text: the getter of names and words; NULL when the sample does not have it.
 *	  The text stays until the thread asks for the next
 * @row_text: what report groups by, where that is not @number or @text
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

/* A field, and the name that it was asked for by. */
struct named_field {
	const struct field *field;
	char name[FIELD_NAME_MAX];
};

/* NULL: no field of this use has this name. */
const struct field *field_find(const char *name, size_t length,
			       enum field_use use);

/* The fields that have one of @uses, in the order of the table. */
size_t fields_with(unsigned int uses, struct named_field *fields);

/**
 * fields_parse() - the fields of a list
 * @command: whose option it is, for messages
 * @list: names with commas between
 * @use: FIELD_COLUMN or FIELD_SORT
 * @max: room in @fields
 *
 * Return: how many; -EINVAL after error().
 */
int fields_parse(const char *command, const char *list, enum field_use use,
		 size_t max, struct named_field *fields);

/* The names of all fields of one use, with @separator between; for messages. */
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

/* The same of a number; -1 when the sample does not have it. */
int64_t field_row_number(const struct field *field, const struct view *view);

/*
 * Writes the name of one event, or "IMPDEF:n", at @p; at most EVENT_NAME_MAX
 * bytes. Returns the end.
 */
#define EVENT_NAME_MAX 64
char *event_put(char *p, unsigned int bit, uint64_t midr);

/* The names of the bits of @events, with @separator between. */
#define EVENTS_TEXT_MAX 2048
char *events_put(char *p, uint64_t events, uint64_t midr, char separator);

/*
 * The type of a group: a snapshot, or the counts at the end of the recording.
 */
const char *group_type(const struct pmscope_sample *group);

#endif /* PMSCOPE_FIELDS_FIELDS_H */
