/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of comma-separated values (RFC 4180). What steers a terminal or ends a
 * line is escaped (see text.h), and a name that spreadsheets would take for a
 * formula has an apostrophe before.
 */
#ifndef PMSCOPE_PRINT_CSV_H
#define PMSCOPE_PRINT_CSV_H

#include <stdbool.h>
#include <stdio.h>

/*
 * @text at @p, in quotes where it must be: up to JSON_QUOTE_MAX() of its length
 * and one more. Returns the end.
 */
char *csv_field(char *p, const char *text);

/* The same on @out. */
void csv_string(FILE *out, const char *text);

/* The same where @sep, and no comma, is between the fields. */
void csv_separated(FILE *out, const char *text, const char *sep);

/*
 * One of several names in a field that is in quotes, with | between. One in a
 * name has a backslash before, and so has a backslash.
 */
char *csv_listed(char *p, const char *name, bool first);
void csv_put_listed(FILE *out, const char *name, bool first);

#endif /* PMSCOPE_PRINT_CSV_H */
