// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/load.h"

/* The rows of an area that are not written yet. */
struct waiting {
	char *text;
	size_t at;
	size_t used;
	size_t size;
	struct lines lines;
	size_t line; /* the first of them */
};

struct time_merge {
	struct output *out;
	struct waiting *areas;
	size_t nr_areas;
	struct tournament first; /* areas with rows, by the time they are due */
};

struct time_merge *time_merge_new(size_t areas, struct output *out)
{
	struct time_merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	merge->out = out;
	merge->areas = calloc(areas, sizeof(*merge->areas));
	merge->nr_areas = areas;
	if (merge->areas && tournament_init(&merge->first, areas))
		return merge;
	time_merge_free(merge);
	return NULL;
}

void time_merge_free(struct time_merge *merge)
{
	if (!merge)
		return;
	for (size_t i = 0; merge->areas && i < merge->nr_areas; i++) {
		free(merge->areas[i].text);
		lines_free(&merge->areas[i].lines);
	}
	free(merge->areas);
	tournament_fini(&merge->first);
	free(merge);
}

static void write_text(struct output *out, const char *text, size_t length)
{
	char *p = output_reserve(out, length);

	if (!p)
		return;
	memcpy(p, text, length);
	output_commit(out, p + length);
}

/* Writes the earliest row, which belongs to area @number. */
static void write_first(struct time_merge *merge, size_t number)
{
	struct waiting *area = &merge->areas[number];
	const struct line *line = &area->lines.line[area->line++];

	write_text(merge->out, area->text + area->at, line->length);
	area->at += line->length;
	if (area->line < area->lines.nr) {
		tournament_enter(&merge->first, number, line[1].due);
		return;
	}
	area->at = area->used = 0;
	area->line = area->lines.nr = 0;
	tournament_leave(&merge->first, number);
}

static void write_until(struct time_merge *merge, const struct line *line)
{
	const struct entrant limit = {line->due, line->area};

	while (!tournament_is_over(&merge->first) &&
	       !entrant_is_before(limit, tournament_first(&merge->first)))
		write_first(merge, tournament_first(&merge->first).number);
}

/* Room for @length bytes more. */
static bool reserve_text(struct waiting *area, size_t length)
{
	size_t left = area->used - area->at, wanted = left + length;
	char *text;

	if (area->used + length <= area->size)
		return true;
	if (left)
		memmove(area->text, area->text + area->at, left);
	area->at = 0;
	area->used = left;
	if (wanted <= area->size)
		return true;
	text = realloc(area->text, 2 * wanted);
	if (!text)
		return false;
	area->text = text;
	area->size = 2 * wanted;
	return true;
}

static bool reserve_lines(struct waiting *area, size_t nr)
{
	struct lines *lines = &area->lines;

	if (lines->nr + nr > lines->max && area->line) {
		lines->nr -= area->line;
		memmove(lines->line, lines->line + area->line,
			lines->nr * sizeof(*lines->line));
		area->line = 0;
	}
	return lines_reserve(lines, nr);
}

/* @nr rows of one area. */
static bool wait_for(struct time_merge *merge, const struct line *line,
		     size_t nr, const char *text, size_t length)
{
	struct waiting *area = &merge->areas[line->area];
	bool none = !area->lines.nr;

	if (!reserve_text(area, length) || !reserve_lines(area, nr))
		return false;
	memcpy(area->text + area->used, text, length);
	area->used += length;
	memcpy(area->lines.line + area->lines.nr, line, nr * sizeof(*line));
	area->lines.nr += nr;
	if (none)
		tournament_enter(&merge->first, line->area, line->due);
	return true;
}

/* The rows after line @at. Returns their number. */
static size_t take_rows(struct time_merge *merge, struct output *held,
			size_t at, const char **text)
{
	const struct line *begin = held->lines->line + at;
	const struct line *end = held->lines->line + held->lines->nr;
	const struct line *first = begin + 1, *line = first;
	size_t length = 0, nr;

	for (; line < end && line->length; line++)
		length += line->length;
	nr = line - first;
	write_until(merge, begin);
	if (!length)
		return 0;
	if (begin->area == LINES_NO_AREA)
		write_text(merge->out, *text, length);
	else if (!wait_for(merge, first, nr, *text, length))
		merge->out->failed = true;
	*text += length;
	return nr;
}

bool time_merge_take(struct time_merge *merge, struct output *held)
{
	const char *text = held->buffer;
	size_t line = 0;

	while (line < held->lines->nr)
		line += 1 + take_rows(merge, held, line, &text);
	merge->out->failed |= held->failed;
	held->lines->nr = 0;
	held->used = 0;
	return merge->out->failed;
}

void time_merge_end(struct time_merge *merge)
{
	const struct line last = {UINT64_MAX, 0, LINES_NO_AREA};

	write_until(merge, &last);
}
