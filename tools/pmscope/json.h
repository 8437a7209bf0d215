/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMSCOPE_JSON_H
#define PMSCOPE_JSON_H

#include <stdio.h>

/* @text in quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void json_string(FILE *out, const char *text);

/* The most bytes json_quote() writes for a text of @length. */
#define JSON_QUOTE_MAX(length) (6 * (length) + 2)

/* The same at @p, in memory; returns the end. */
char *json_quote(char *p, const char *text);

#endif /* PMSCOPE_JSON_H */
