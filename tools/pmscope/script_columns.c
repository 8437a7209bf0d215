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

#define PIECE_BITS 15
#define PIECE_STEP 32 /* pieces are copied in steps, and beyond their end */
#define PIECE_MAX  240
#define POOL_SIZE  (1U << 20)

/* What one or more columns print, as long as they have the same values. */
struct piece {
	uint64_t hash;
	uint32_t at : 20; /* in the pool */
	uint32_t length : 12;
	uint32_t epoch; /* 0: empty */
};

/* Texts close to each other, so that those in use stay in the caches. */
struct pieces {
	struct piece piece[1 << PIECE_BITS];
	size_t used;
	char pool[POOL_SIZE];
};

/* Columns next to each other with the same deps. */
struct segment {
	const struct column *const *columns;
	size_t nr;
	bool first; /* in the row */
	unsigned int deps;
	struct pieces *pieces; /* NULL without deps */
	char *buffer;	       /* for what is too long for a piece */
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
	bool named;		    /* the view has its names */
	const struct segment *code; /* the first with much to remember */
	const struct piece *ahead[COLUMN_AHEAD]; /* by row */
};

static bool begins_segment(const struct column_printer *printer, size_t i)
{
	return !i || printer->columns[i]->deps != printer->columns[i - 1]->deps;
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
		s->pieces = calloc(1, sizeof(*s->pieces));
		if (!s->pieces)
			return -1;
		if (!printer->code && s->deps & DEP_CODE)
			printer->code = s;
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

/* Puts the columns together in the segment's buffer; see put_piece(). */
static bool segment_fill(const struct column_printer *printer,
			 struct segment *s, const struct view *view)
{
	size_t room = PIECE_STEP;

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
		s->length =
			put_columns(printer, s, view, s->buffer) - s->buffer;
	return s->buffer;
}

static void view_set_names(struct column_printer *printer, struct view *view)
{
	if (!printer->named)
		view_names(view, printer->load->recording,
			   printer->load->symbols);
	printer->named = true;
}

/* Remembers the segment's text; when the pool is full all others are lost. */
static void piece_keep(struct pieces *pieces, struct piece *piece,
		       const struct segment *s)
{
	size_t size = s->length + PIECE_STEP;

	if (s->length > PIECE_MAX)
		return;
	if (size > sizeof(pieces->pool) - pieces->used) {
		memset(pieces->piece, 0, sizeof(pieces->piece));
		pieces->used = 0;
	}
	memcpy(pieces->pool + pieces->used, s->text, s->length);
	piece->at = pieces->used;
	piece->length = s->length;
	pieces->used += s->length;
}

static struct piece *piece_of(const struct segment *s, uint64_t hash)
{
	return &s->pieces->piece[hash >> (64 - PIECE_BITS)];
}

/* In two steps: its place in the pool is known only when the piece is there. */
void column_ahead(struct column_printer *printer,
		  const struct pmscope_sample *sample)
{
	const struct segment *s = printer->code;
	const struct piece *half_way;

	if (!s)
		return;
	half_way =
		printer->ahead[(sample->row + COLUMN_AHEAD / 2) % COLUMN_AHEAD];
	if (half_way)
		__builtin_prefetch(s->pieces->pool + half_way->at);
	half_way = piece_of(s, deps_hash(s->deps, sample));
	__builtin_prefetch(half_way);
	printer->ahead[sample->row % COLUMN_AHEAD] = half_way;
}

static bool segment_find(struct column_printer *printer, struct segment *s,
			 struct view *view, uint32_t epoch)
{
	uint64_t hash = deps_hash(s->deps, view->sample);
	struct piece *piece = piece_of(s, hash);

	if (piece->hash == hash && piece->epoch == epoch) {
		s->text = s->pieces->pool + piece->at;
		s->length = piece->length;
		return true;
	}
	view_set_names(printer, view);
	if (s->deps & DEP_LINE)
		view_line(view, printer->load->recording,
			  printer->load->symbols);
	if (!segment_fill(printer, s, view))
		return false;
	piece_keep(s->pieces, piece, s);
	if (s->length <= PIECE_MAX) {
		piece->hash = hash;
		piece->epoch = epoch;
	}
	return true;
}

/* Every text the row consists of; false when memory is short. */
static bool row_find(struct column_printer *printer, struct view *view,
		     uint32_t epoch, size_t *room)
{
	bool spe = view->sample->kind == PMSCOPE_SAMPLE_SPE;
	bool found = true;

	*room = 2 + PIECE_STEP;
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

/* A call of memcpy() costs more than the few bytes of a piece. */
static char *put_piece(char *p, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i += PIECE_STEP)
		memcpy(p + i, text + i, PIECE_STEP);
	return p + length;
}

static uint64_t member(const struct view *view, const struct column *c)
{
	const char *at = (const char *)view + c->at;
	uint64_t wide;
	uint32_t word;
	uint16_t half;

	switch (c->size) {
	case 8:
		memcpy(&wide, at, 8);
		return wide;
	case 4:
		memcpy(&word, at, 4);
		return word;
	default:
		memcpy(&half, at, 2);
		return half;
	}
}

/* What put_columns() does for CSV, where most columns are plain numbers. */
static char *put_numbers(const struct segment *s, const struct view *view,
			 char *p)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct column *c = s->columns[i];

		if (!c->has || (s->first && !i)) {
			p = cell_put(p, SCRIPT_CSV, c, view, s->first && !i);
			continue;
		}
		*p++ = ',';
		if (!(view->has & c->has))
			continue;
		if (c->kind == COLUMN_NUMBER)
			p = text_unsigned(p, member(view, c));
		else
			p = text_hex(text_bytes(p, "0x", 2), member(view, c),
				     1);
	}
	return p;
}

static char *row_put(const struct column_printer *printer,
		     const struct view *view, char *p)
{
	char *begin = p;

	for (size_t i = 0; i < printer->nr_segments; i++) {
		const struct segment *s = &printer->segments[i];

		if (s->text)
			p = put_piece(p, s->text, s->length);
		else if (printer->format == SCRIPT_CSV)
			p = put_numbers(s, view, p);
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
