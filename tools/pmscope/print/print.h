/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text, CSV and JSON. */
#pragma once

#include "base/text.h"
#include "read/load.h"

/*
 * CSV fields (RFC 4180). Control characters and line ends are escaped (see
 * text.h); a name that a spreadsheet could run as a formula gets an apostrophe
 * in front.
 */

/* Quotes if necessary: JSON_QUOTE_MAX() of its length + 1. Returns the end. */
char *csv_field(char *p, const char *text);

/* The same on @out. */
void csv_string(FILE *out, const char *text);

/* The same for fields separated by @sep instead of a comma. */
void csv_separated(FILE *out, const char *text, const char *sep);

/*
 * One of several names in a quoted field, separated by |. A | or backslash in a
 * name gets a backslash in front.
 */
char *csv_listed(char *p, const char *name, bool first);
void csv_put_listed(FILE *out, const char *name, bool first);

/* The forms that rows and records are printed in: --format. */
enum print_format {
	PRINT_TEXT,
	PRINT_JSONL,
	PRINT_CSV,
	PRINT_HTML /* only of print_formats_html */
};

/* Their names as option choices, without and with a page; end with NULL. */
extern const char *const print_formats[];
extern const char *const print_formats_html[];

/*
 * JSON output of all commands. The writer inserts commas between members.
 * Strings are escaped, also control characters (see text.h); bytes that are not
 * UTF-8 become U+FFFD.
 */

/* The most bytes json_quote() writes for a text of @length. */
#define JSON_QUOTE_MAX(length) (TEXT_ESCAPED * (length) + 2)

/* Writes @text in quotes at @p; returns the end. */
char *json_quote(char *p, const char *text);

struct json {
	FILE *out;    /* the output */
	bool comma;   /* the object or array already has a value */
	bool in_html; /* inside of <script>: "<" is escaped */
};

/* One line is one object. */
void json_begin_line(struct json *json);
void json_end_line(struct json *json);

/* Each writes one value: of a member @key, or with NULL of an array. */
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

/* Between these the caller writes ASCII without quotes and backslashes. */
void json_begin_text(struct json *json, const char *key);
void json_end_text(struct json *json);

/* Where a recording comes from, as text and as JSON. */

/* Lines that begin with "# ", named as in perf report --header. */
void header_print(FILE *out, const struct provenance *provenance);

/* The same as members of the object that is being written. */
void header_json(struct json *json, const struct provenance *provenance);

/* What is missing from the samples of a recording, and why. */

/* Prints one line per kind of loss, each starting with @prefix. */
void losses_print(const struct load *load, FILE *out, const char *prefix);

/*
 * The same one by one: the @i-th kind of loss by its name in JSON, and how much
 * of it there is. False behind the last one.
 */
bool losses_at(const struct load *load, size_t i, const char **name,
	       uint64_t *number);

/* The same as members of the object that is being written. */
void losses_json(struct json *json, const struct load *load);

/* Names from files as text for people: they cannot control the terminal. */

/* How many columns of a terminal name_put() fills, without a width. */
int name_width(const char *name);

/* Writes @name without control characters, then spaces up to @width columns. */
void name_put(FILE *out, const char *name, int width);

/* In lines that begin with @prefix, as wide as the terminal. How many. */
int name_put_lines(FILE *out, const char *prefix, const char *text);

/*
 * The same in at most @width columns: of a longer name two dots replace the
 * end, or with @keep_end the beginning.
 */
void name_put_cut(FILE *out, const char *name, int width, bool keep_end);
