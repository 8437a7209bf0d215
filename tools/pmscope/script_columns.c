// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of columns. Those columns that follow from the code, the thread or the
 * like (deps.h) are put together once and copied from then on: what is left
 * for each record are a few numbers.
 */
#include "script_columns.h"
#include "deps.h"
#include "script_cell.h"
#include "text/text.h"

#include <stdlib.h>

#define PIECE_BITS 13
#define PIECE_MAX  240

/* What one or more columns print, as long as they have the same values. */
struct piece {
	uint64_t hash;
	uint32_t epoch; /* 0: empty */
	uint32_t length;
	char text[PIECE_MAX];
};

/* Columns next to each other with the same deps. */
struct segment {
	const struct column *const *columns;
	size_t nr;
	bool first; /* in the row */
	unsigned int deps;
	struct piece *pieces; /* NULL without deps */
	char *buffer;	      /* for what is too long for a piece */
	size_t size;
	const char *text; /* of the row being put together */
	size_t length;
};

struct column_printer {
	enum script_format format;
	const struct load *load;
	const struct column *columns[MAX_COLUMNS];
	size_t nr_columns;
	struct segment segments[MAX_COLUMNS];
	size_t nr_segments;
	bool named; /* the view has its names */
};

static bool begins_segment(const struct column_printer *printer, size_t i)
{
	return !i ||
	       printer->columns[i]->deps != printer->columns[i - 1]->deps;
}

static int segments_fill(struct column_printer *printer)
{
	struct segment *s = NULL;

	for (size_t i = 0; i < printer->nr_columns; i++) {
		if (begins_segment(printer, i)) {
			s = &printer->segments[printer->nr_segments++];
			s->columns = &printer->columns[i];
			s->first = !i;
			s->deps = printer->columns[i]->deps;
		}
		s->nr++;
	}
	for (size_t i = 0; i < printer->nr_segments; i++) {
		s = &printer->segments[i];
		if (!s->deps)
			continue;
		s->pieces = calloc((size_t)1 << PIECE_BITS, sizeof(*s->pieces));
		if (!s->pieces)
			return -1;
	}
	return 0;
}

struct column_printer *column_printer_new(enum script_format format,
					  const struct column *const *columns,
					  size_t nr, const struct load *load)
{
	struct column_printer *printer = calloc(1, sizeof(*printer));

	if (!printer)
		return NULL;
	printer->format = format;
	printer->load = load;
	printer->nr_columns = nr;
	memcpy(printer->columns, columns, nr * sizeof(*columns));
	if (!segments_fill(printer))
		return printer;
	column_printer_free(printer);
	return NULL;
}

void column_printer_free(struct column_printer *printer)
{
	for (size_t i = 0; printer && i < printer->nr_segments; i++) {
		free(printer->segments[i].pieces);
		free(printer->segments[i].buffer);
	}
	free(printer);
}

void column_header(const struct column_printer *printer, struct output *out)
{
	char *p = output_reserve(out, 32 * MAX_COLUMNS);

	if (!p || printer->format != SCRIPT_CSV)
		return;
	for (size_t i = 0; i < printer->nr_columns; i++) {
		if (i)
			*p++ = ',';
		p = text_string(p, printer->columns[i]->name);
	}
	*p++ = '\n';
	output_commit(out, p);
}

static char *put_columns(const struct column_printer *printer,
			 const struct segment *s, const struct view *view,
			 char *p)
{
	for (size_t i = 0; i < s->nr; i++)
		p = cell_put(p, printer->format, s->columns[i], view,
			     s->first && !i);
	return p;
}

/* Puts the columns together in the segment's buffer. */
static bool segment_fill(const struct column_printer *printer,
			 struct segment *s, const struct view *view)
{
	size_t room = 0;

	for (size_t i = 0; i < s->nr; i++)
		room += cell_room(s->columns[i], view);
	if (room > s->size) {
		free(s->buffer);
		s->buffer = malloc(room);
		s->size = s->buffer ? room : 0;
	}
	s->text = s->buffer;
	s->length = 0;
	if (s->buffer)
		s->length = put_columns(printer, s, view, s->buffer) -
			    s->buffer;
	return s->buffer;
}

static void view_set_names(struct column_printer *printer, struct view *view)
{
	if (!printer->named)
		view_names(view, printer->load->recording,
			   printer->load->symbols);
	printer->named = true;
}

static bool segment_find(struct column_printer *printer, struct segment *s,
			 struct view *view, uint32_t epoch)
{
	uint64_t hash = deps_hash(s->deps, view->sample);
	struct piece *piece = &s->pieces[hash >> (64 - PIECE_BITS)];

	if (piece->hash == hash && piece->epoch == epoch) {
		s->text = piece->text;
		s->length = piece->length;
		return true;
	}
	view_set_names(printer, view);
	if (!segment_fill(printer, s, view))
		return false;
	if (s->length > PIECE_MAX)
		return true;
	piece->hash = hash;
	piece->epoch = epoch;
	piece->length = s->length;
	memcpy(piece->text, s->text, s->length);
	return true;
}

/* Every text the row consists of; false when memory is short. */
static bool row_find(struct column_printer *printer, struct view *view,
		     uint32_t epoch, size_t *room)
{
	bool spe = view->sample->kind == PMSCOPE_SAMPLE_SPE;
	bool found = true;

	*room = 2;
	for (size_t i = 0; i < printer->nr_segments && found; i++) {
		struct segment *s = &printer->segments[i];

		s->text = NULL;
		s->length = 0;
		if (!spe)
			found = segment_fill(printer, s, view);
		else if (s->deps)
			found = segment_find(printer, s, view, epoch);
		else
			*room += s->nr * CELL_ROOM_NUMBER;
		*room += s->length;
	}
	return found;
}

static char *row_put(const struct column_printer *printer,
		     const struct view *view, char *p)
{
	char *begin = p;

	for (size_t i = 0; i < printer->nr_segments; i++) {
		const struct segment *s = &printer->segments[i];

		if (s->text)
			p = text_bytes(p, s->text, s->length);
		else
			p = put_columns(printer, s, view, p);
	}
	/* Members of an object each bring a comma: the first is its brace. */
	if (printer->format == SCRIPT_JSONL) {
		if (p == begin)
			p++;
		*begin = '{';
		*p++ = '}';
	}
	*p++ = '\n';
	return p;
}

void column_row(struct column_printer *printer, struct output *out,
		const struct pmscope_sample *sample, uint64_t epoch)
{
	struct view view;
	size_t room;
	char *p;

	printer->named = false;
	if (sample->kind == PMSCOPE_SAMPLE_SPE)
		view_begin(&view, sample);
	else
		view = (struct view){.sample = sample};
	if (!row_find(printer, &view, epoch + 1, &room)) {
		out->failed = true;
		return;
	}
	p = output_reserve(out, room);
	if (p)
		output_commit(out, row_put(printer, &view, p));
}
