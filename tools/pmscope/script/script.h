/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "fields/fields.h"
#include "print/print.h"

/* The parts of pmscope script. */
struct script_config {
	struct load_config load;
	bool packets;
	const char *list; /* of -F, or NULL */
	struct named_field fields[FIELDS_MAX];
	size_t nr_fields; /* 0: the default fields of the format */
	int format;	  /* enum print_format */
};

/* Both return the exit status. */
int script_packets(const struct load *load);
int script_records(struct load *load, const struct script_config *config);

/*
 * The plan of an output line: fields, each with the text before it. CSV, JSON
 * lines and text all use such plans.
 */

#define PART_BEFORE 32 /* a JSON key with its punctuation */
#define PART_NONE   8
#define PLAN_PARTS  FIELDS_MAX

/* A field in its place in the line */
struct part {
	const struct field *field; /* the field */
	char name[FIELD_NAME_MAX]; /* the name by which the user selected it */
	char before[PART_BEFORE];  /* text before its value */
	char none[PART_NONE];	   /* instead of all three without a value */
	char after[4];		   /* text after its value */
	uint8_t before_length;	   /* length of @before; the others likewise */
	uint8_t none_length;
	uint8_t after_length;
	uint8_t width; /* of the value, padded with blanks */
};

/* Consecutive parts that are formatted together */
struct segment {
	size_t first;	   /* index of the first part in the plan */
	size_t nr;	   /* number of parts */
	unsigned int deps; /* what their text depends on (enum dep) */
	bool remembered;   /* cached: the same for many records */
};

struct plan {
	enum print_format format;
	struct part parts[PLAN_PARTS];
	size_t nr_parts;
	struct segment segments[PLAN_PARTS];
	size_t nr_segments;
	unsigned int deps; /* of all parts */
};

/*
 * Plans a line of some fields. @fields: the fields of -F, or changes to the
 * default fields of @format. @nr: their number; 0: the default fields.
 * @streams: add the fields of streams to CSV.
 */
void plan_make(struct plan *plan, enum print_format format,
	       const struct named_field *fields, size_t nr, bool streams);

/* script/text.c: the parts after @changes to the default. How many. */
size_t text_parts_make(struct part *parts, const struct named_field *changes,
		       size_t nr_changes);

/* Room for some parts, and PART_BEFORE bytes that may be written after. */
size_t parts_room(const struct part *parts, size_t nr, const struct view *view);

/* Writes the parts at @p and returns their end. */
char *parts_put(char *p, enum print_format format, const struct part *parts,
		size_t nr, const struct view *view);

/* Bytes that plan_end() may add. */
#define PLAN_END 4

char *plan_end(const struct plan *plan, char *begin, char *p);

/* The line of names above CSV; returns its end. Room: PLAN_HEADER bytes. */
#define PLAN_HEADER (PLAN_PARTS * FIELD_NAME_MAX)
char *plan_header(const struct plan *plan, char *p);

/* The value of a field as text, in each format. */

/* The most bytes value_put() writes for a number or an address. */
#define VALUE_ROOM 64

/* The same for any value. */
size_t value_room(const struct field *field, const struct view *view);

/* value_put() for all types except numbers and addresses. */
char *value_put_other(char *p, enum print_format format,
		      const struct field *field, const struct view *view);

/* Addresses are strings in JSON, whose numbers are inexact above 2^53. */
static inline char *value_put_address(char *p, enum print_format format,
				      uint64_t address)
{
	if (format != PRINT_JSONL)
		return text_hex(text_string(p, "0x"), address, 1);
	p = text_hex(text_string(p, "\"0x"), address, 1);
	return text_string(p, "\"");
}

/* Writes the value at @p. Returns its end; NULL if the sample has none. */
static inline char *value_put(char *p, enum print_format format,
			      const struct field *field,
			      const struct view *view)
{
	uint64_t number;

	if (field->type > FIELD_ADDRESS)
		return value_put_other(p, format, field, view);
	if (!field->number(view, &number))
		return NULL;
	return field->type == FIELD_ADDRESS
		       ? value_put_address(p, format, number)
		       : text_unsigned(p, number);
}
