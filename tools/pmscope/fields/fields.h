/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds fields of the table in lib/sample/fields.c, and lists of them. */
#pragma once

#include "sample/fields.h"

#define FIELDS_MAX     64
#define FIELD_NAME_MAX 24

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
