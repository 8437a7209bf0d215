/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of comma-separated values (RFC 4180). */
#ifndef PMSCOPE_CSV_H
#define PMSCOPE_CSV_H

#include <stdio.h>

/*
 * @text at @p, in quotes where it must be: up to twice its length and two more.
 * Returns the end.
 */
char *csv_field(char *p, const char *text);

/* The same on @out. */
void csv_string(FILE *out, const char *text);

/* The same where @sep, and no comma, is between the fields. */
void csv_separated(FILE *out, const char *text, const char *sep);

/* Some of a field that is in quotes. */
void csv_part(FILE *out, const char *text);

#endif /* PMSCOPE_CSV_H */
