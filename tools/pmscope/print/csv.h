/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV fields (RFC 4180). Control characters and line ends are escaped (see
 * text.h); a name that a spreadsheet could run as a formula gets an apostrophe
 * in front.
 */
#pragma once

#include "base/std.h"

/*
 * Writes @text at @p, quoted if necessary: at most JSON_QUOTE_MAX() of its
 * length plus one. Returns the end.
 */
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
