/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMSCOPE_PRINT_JSON_H
#define PMSCOPE_PRINT_JSON_H

#include "base/text.h"

#include <stdio.h>

/*
 * @text in quotes, escaped, also what steers terminals (see text.h); bytes that
 * are not UTF-8 become U+FFFD.
 */
void json_string(FILE *out, const char *text);

/* The most bytes json_quote() writes for a text of @length. */
#define JSON_QUOTE_MAX(length) (TEXT_ESCAPED * (length) + 2)

/* The same at @p, in memory; returns the end. */
char *json_quote(char *p, const char *text);

#endif /* PMSCOPE_PRINT_JSON_H */
