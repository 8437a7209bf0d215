/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One value of a row as text. */
#ifndef PMSCOPE_SCRIPT_CELL_H
#define PMSCOPE_SCRIPT_CELL_H

#include "fields/column.h"
#include "script/script.h"

/* The most bytes cell_put() writes; where it is a number CELL_ROOM. */
size_t cell_room(const struct column *column, const struct view *view);
#define CELL_ROOM 64

/*
 * All these write at @p and return the end. Every cell but the first of a row
 * begins with what separates it.
 */

/* What is before the column's value. */
char *cell_begin(char *p, enum script_format format,
		 const struct column *column, bool first);

/* What stands for no value. */
char *cell_none(char *p, enum script_format format, bool first);

/* The column's value, with its beginning; or what stands for none. */
char *cell_put(char *p, enum script_format format, const struct column *column,
	       const struct view *view, bool first);

#endif /* PMSCOPE_SCRIPT_CELL_H */
