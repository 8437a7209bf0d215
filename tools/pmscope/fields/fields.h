/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sample/fields.h"

/* Finds fields of the table in lib/sample/fields.c, and lists of them. */

#define FIELDS_MAX     64
#define FIELD_NAME_MAX 24

/* A field that the user selected */
struct named_field {
	const struct field *field; /* the field */
	char name[FIELD_NAME_MAX]; /* the name by which the user selected it */
	/*
	 * '+' or '-': it is added to the default fields, or left out of them;
	 * 0: it is selected by itself
	 */
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

/*
 * Parses a list of fields. @command: the command, for messages. @list: names
 * separated by commas; for FIELD_COLUMN, all of them or none have a sign. @use:
 * FIELD_COLUMN or FIELD_SORT. @max: room in @fields. Returns how many; -EINVAL
 * after error().
 */
int fields_parse(const char *command, const char *list, enum field_use use,
		 size_t max, struct named_field *fields);

/* The names of all fields of a use, separated by @separator; for messages. */
#define FIELD_NAMES_MAX 1024
const char *field_names(enum field_use use, const char *separator,
			char names[FIELD_NAMES_MAX]);

/* The help of --sort; until field_set_sort_help(), without its keys. */
extern char field_sort_help[FIELD_NAMES_MAX + 64];
void field_set_sort_help(const char *about);

/* Does report group by text? Otherwise by numbers. */
static inline bool field_has_row_text(const struct field *field)
{
	return field->text || field->row_text;
}

/* Text to group by in report; never NULL. @room: as for a field's text */
const char *field_row_text(const struct field *field, const struct view *view,
			   char *room);

/* The number to group by in report; FIELD_ROW_NONE if the sample has none. */
#define FIELD_ROW_NONE (-1)
int64_t field_row_number(const struct field *field, const struct view *view);

/*
 * Selects samples: --filter=TERM[,TERM...]. All terms must match. A term is
 * NAME OP VALUE[|VALUE...], OP is one of = != >= <= > <. Numbers may have
 * units: K, M, G; times ns, us, ms, s.
 */

#define FILTER_TERMS	 16
#define FILTER_VALUES	 8
#define FILTER_KNOWN_MAX 1024

enum filter_op {
	FILTER_IS,
	FILTER_IS_NOT,
	FILTER_AT_LEAST,
	FILTER_AT_MOST,
	FILTER_ABOVE,
	FILTER_BELOW,
};

struct filter_value {
	const char *text;
	uint64_t number; /* a number or event bits, else 0 */
	bool of_cpu;	 /* an event whose bit means others on other CPUs */
};

struct filter_term {
	const struct field *field;
	char name[FIELD_NAME_MAX]; /* as the user wrote it, for messages */
	enum filter_op op;
	struct filter_value values[FILTER_VALUES];
	size_t nr_values;
};

/* Initialize to zeros: all samples match. */
struct filter {
	struct filter_term terms[FILTER_TERMS];
	size_t nr_terms;
	size_t nr_plain;   /* terms that need neither thread nor names */
	unsigned int deps; /* enum dep of the other terms */
	char *text;
	char *said; /* all of it, for people; NULL: all samples match */
};

/* Returns 0, or -EINVAL or -ENOMEM after error(). */
int filter_parse(struct filter *filter, const char *text);
void filter_fini(struct filter *filter);

/* The words that are values of a type, with a comma before and after each. */
void filter_known_values(enum field_type type, char *known, size_t size);

/* Does a term select data sources by name? Only some CPUs have names. */
bool filter_names_source(const struct filter *filter);

/* Is @wanted a name of the source, or its code? */
bool filter_source_is(const char *wanted, uint64_t midr, uint16_t code);

/* Do the terms match that need only the record? @view needs no names. */
bool filter_plain(const struct filter *filter, const struct view *view);

/* Do the terms of the time match? They are for counter groups, too. */
bool filter_times(const struct filter *filter, const struct view *view);

/* Do the other terms match? @view must have its names. */
bool filter_named(const struct filter *filter, const struct view *view);
