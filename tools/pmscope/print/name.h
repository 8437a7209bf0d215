/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from files as text for people: they cannot control the terminal. */
#pragma once

#include "base/std.h"

/* How many columns of a terminal name_put() fills, without a width. */
int name_width(const char *name);

/* Writes @name without control characters, then spaces up to @width columns. */
void name_put(FILE *out, const char *name, int width);

/*
 * Writes a text in lines that begin with @prefix, between words and as wide as
 * the terminal. Returns how many.
 */
int name_put_lines(FILE *out, const char *prefix, const char *text);

/*
 * The same in at most @width columns: of a longer name two dots replace the
 * end, or with @keep_end the beginning.
 */
void name_put_cut(FILE *out, const char *name, int width, bool keep_end);
