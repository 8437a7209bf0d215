// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/columns.h"
#include "cli/terminal.h"
#include "print/name.h"

#include <stdarg.h>

/* As in perf: percentages from which on a share is red or green. */
#define RED   5.0
#define GREEN 0.5

/* Columns of a line; with @least flexible ones are as narrow as can be. */
static int line_width(const struct column *column, size_t nr, bool least)
{
	int width = -1; /* no space before the first */

	for (size_t i = 0; i < nr; i++)
		if (!column[i].hidden)
			width += 1 + (least && column[i].least
					      ? column[i].least
					      : column[i].width);
	return width;
}

/* Hides the column that is to be left out next; false if none is. */
static bool drop_one(struct column *column, size_t nr)
{
	struct column *first = NULL;

	for (size_t i = 0; i < nr; i++)
		if (!column[i].hidden && column[i].drop &&
		    (!first || column[i].drop < first->drop))
			first = &column[i];
	if (first)
		first->hidden = true;
	return first;
}

/* The widest column that may become narrower. */
static struct column *widest(struct column *column, size_t nr)
{
	struct column *found = NULL;

	for (size_t i = 0; i < nr; i++)
		if (!column[i].hidden && column[i].least &&
		    column[i].width > column[i].least &&
		    (!found || column[i].width > found->width))
			found = &column[i];
	return found;
}

/* The last column gets the rest of the line. */
static void use_rest(struct column *column, size_t nr, int room)
{
	int rest = room - line_width(column, nr, false);

	for (size_t i = nr; i-- && rest > 0;) {
		if (column[i].hidden)
			continue;
		if (column[i].left)
			column[i].width += rest;
		return;
	}
}

static void columns_fit(struct column *column, size_t nr, int room)
{
	struct column *flexible;

	if (!room)
		return;
	while (line_width(column, nr, true) > room && drop_one(column, nr))
		;
	while (line_width(column, nr, false) > room &&
	       (flexible = widest(column, nr)))
		flexible->width--;
	use_rest(column, nr, room);
}

void columns_begin(struct columns *columns, struct column *column, size_t nr)
{
	*columns = (struct columns){
		.column = column,
		.nr = nr,
		.is_fitted = terminal_width(),
		.out = stdout,
	};
	columns_fit(column, nr, terminal_width());
	columns->cells = open_memstream(&columns->text, &columns->size);
	columns->failed = !columns->cells;
}

static void put_colour(FILE *out, const struct column *column, const char *cell,
		       const char *colour_end)
{
	double share = strtod(cell, NULL);

	if (!column->is_share || !terminal_has_colour() || share < GREEN)
		return;
	fputs(colour_end ?: share >= RED ? "\033[31m" : "\033[32m", out);
}

static void put_cell(const struct columns *columns, size_t i, const char *cell,
		     bool is_last)
{
	const struct column *column = &columns->column[i];
	int missing = column->width - name_width(cell);

	put_colour(columns->out, column, cell, NULL);
	for (; !column->left && missing > 0; missing--)
		fputc(' ', columns->out);
	if (columns->is_fitted && missing < 0)
		name_put_cut(columns->out, cell, column->width,
			     column->is_path);
	else if (!column->left || is_last ||
		 (column->is_ragged && !columns->is_fitted))
		name_put(columns->out, cell, 0);
	else
		name_put(columns->out, cell, column->width);
	put_colour(columns->out, column, cell, "\033[m");
}

static size_t first_shown(const struct columns *columns)
{
	size_t i = 0;

	while (i + 1 < columns->nr && columns->column[i].hidden)
		i++;
	return i;
}

static size_t last_shown(const struct columns *columns)
{
	size_t i = columns->nr;

	while (i > 1 && columns->column[i - 1].hidden)
		i--;
	return i - 1;
}

void columns_titles(const struct columns *columns)
{
	size_t first = first_shown(columns), last = last_shown(columns);

	if (terminal_has_colour())
		fputs("\033[1m", columns->out);
	for (size_t i = 0; i < columns->nr; i++) {
		if (columns->column[i].hidden)
			continue;
		if (i > first)
			fputc(' ', columns->out);
		put_cell(columns, i, columns->column[i].title, i == last);
	}
	if (terminal_has_colour())
		fputs("\033[m", columns->out);
	fputc('\n', columns->out);
}

void cell_put(const struct columns *columns, const char *fmt, ...)
{
	va_list args;

	if (columns->failed)
		return;
	va_start(args, fmt);
	vfprintf(columns->cells, fmt, args);
	va_end(args);
	fputc('\0', columns->cells);
}

void columns_row(struct columns *columns)
{
	size_t first = first_shown(columns), last = last_shown(columns);
	size_t filled = 0; /* the last one */
	const char *cell;

	if (columns->failed || fflush(columns->cells) ||
	    ferror(columns->cells)) {
		columns->failed = true;
		return;
	}
	cell = columns->text;
	for (size_t i = 0; i <= last; cell += strlen(cell) + 1, i++)
		if (*cell && !columns->column[i].hidden)
			filled = i;
	cell = columns->text;
	for (size_t i = 0; i <= filled; i++, cell += strlen(cell) + 1) {
		if (columns->column[i].hidden)
			continue;
		if (i > first)
			fputc(' ', columns->out);
		put_cell(columns, i, cell, i == filled);
	}
	fputc('\n', columns->out);
	rewind(columns->cells);
}

int columns_end(struct columns *columns)
{
	if (columns->cells)
		fclose(columns->cells);
	free(columns->text);
	return columns->failed ? -ENOMEM : 0;
}
