/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One value of a row as text. */
#ifndef PMSCOPE_SCRIPT_CELL_H
#define PMSCOPE_SCRIPT_CELL_H

#include "column.h"
#include "script.h"

/* The most bytes cell_put() writes. */
size_t cell_room(const struct column *column, const struct view *view);

/* The same where the column has no names: deps are 0, the record SPE's. */
#define CELL_ROOM_NUMBER 64

/*
 * The column's value at @p, or what stands for none; returns the end. Every
 * cell but the first of a row begins with what separates it.
 */
char *cell_put(char *p, enum script_format format, const struct column *column,
	       const struct view *view, bool first);

#endif /* PMSCOPE_SCRIPT_CELL_H */
