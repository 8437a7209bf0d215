/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value of a field as text, in each format. */
#pragma once

#include "fields/fields.h"
#include "print/format.h"
#include "base/text.h"

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

/*
 * Writes the value at @p. Returns its end; NULL when the sample does not have
 * one.
 */
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
