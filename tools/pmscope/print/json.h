/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON output of all commands. The writer inserts commas between members.
 * Strings are escaped, also control characters (see text.h); bytes that are not
 * UTF-8 become U+FFFD.
 */
#pragma once

#include "base/text.h"

/* The most bytes json_quote() writes for a text of @length. */
#define JSON_QUOTE_MAX(length) (TEXT_ESCAPED * (length) + 2)

/* Writes @text in quotes at @p; returns the end. */
char *json_quote(char *p, const char *text);

/**
 * struct json - a JSON writer
 * @out: the output
 * @comma: the object or array already has a value
 * @in_html: the output is inside a <script>, so "<" is escaped, too
 */
struct json {
	FILE *out;
	bool comma;
	bool in_html;
};

/* One line is one object. */
void json_begin_line(struct json *json);
void json_end_line(struct json *json);

/*
 * Each writes one value: a member @key of an object, or with NULL an element of
 * an array.
 */
void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);
void json_text(struct json *json, const char *key, const char *text);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);
void json_real(struct json *json, const char *key, int decimals, double value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* Writes a string with 0x, because JSON numbers are inexact above 2^53. */
void json_hex(struct json *json, const char *key, uint64_t value);

/*
 * Between these calls, the caller writes the string to @out: ASCII without
 * quotes and backslashes.
 */
void json_begin_text(struct json *json, const char *key);
void json_end_text(struct json *json);
