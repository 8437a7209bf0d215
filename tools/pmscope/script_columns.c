// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of columns. What follows from the code, the thread or the like (deps.h)
 * is put together once and copied from then on, and where it belongs in the
 * row is planned once: what is left for each record are a few numbers.
 */
#include "script_columns.h"
#include "deps.h"
#include "recent.h"
#include "script_cell.h"
#include "script_pieces.h"
#include "script_plan.h"

#include <stdlib.h>
#include <string.h>

/* What each row takes, whatever the compiler thinks of its size. */
#define HOT static inline __attribute__((always_inline))

#define PLAN_BITS 10
#define KIND_BITS 11
#define PLAN_PAYS 8 /* records in a row, as far as one place tells */
#define AHEAD	  8 /* rows whose code is fetched from memory meanwhile */

struct column_printer {
	const struct load *load;
	struct layout layout;
	struct codes *codes;
	struct small small;
	struct plan *plans; /* by packets, and next by kind */
	struct plan *kinds;
	uint32_t has_time; /* what a timestamp adds to a record */
	char *buffer;	   /* for what is being put together */
	size_t size;
	size_t extra; /* room in a row for texts longer than a piece */
};

/* A record, and what is known of it. */
struct row {
	const struct pmscope_batch *batch;
	size_t at; /* in the batch */
	const struct current *current;
	const struct code *code; /* once asked for; NULL without a PC */
	size_t extra;		 /* of the printer's, used */
	bool failed;		 /* memory is short */
};

static uint64_t pc_of(const struct row *row)
{
	return pmscope_code_address(row->batch->pc[row->at]);
}

static bool printer_init(struct column_printer *printer)
{
	const struct layout *l = &printer->layout;

	printer->codes = codes_new();
	printer->plans = calloc(1 << PLAN_BITS, sizeof(*printer->plans));
	printer->kinds = calloc(1 << KIND_BITS, sizeof(*printer->kinds));
	small_init(&printer->small);
	if (!printer->codes || !printer->plans || !printer->kinds)
		return false;
	for (size_t i = 0; i < l->nr_segments; i++) {
		if (l->segments[i].value < VALUE_OF_THREAD)
			continue;
		printer->layout.pieces[i] =
			calloc(1, sizeof(*printer->layout.pieces[i]));
		if (!printer->layout.pieces[i])
			return false;
	}
	return true;
}

struct column_printer *column_printer_new(enum script_format format,
					  const struct column *const *columns,
					  size_t nr, const struct load *load)
{
	struct column_printer *printer = calloc(1, sizeof(*printer));
	uint64_t time;

	if (!printer)
		return NULL;
	printer->load = load;
	if (pmscope_recording_time(load->recording, 0, &time))
		printer->has_time = COLUMN_HAS_TIME;
	layout_init(&printer->layout, format, columns, nr);
	if (printer_init(printer))
		return printer;
	column_printer_free(printer);
	return NULL;
}

void column_printer_free(struct column_printer *printer)
{
	if (!printer)
		return;
	for (size_t i = 0; i < printer->layout.nr_segments; i++)
		free(printer->layout.pieces[i]);
	free(printer->plans);
	free(printer->kinds);
	free(printer->codes);
	free(printer->buffer);
	free(printer);
}

void column_header(const struct column_printer *printer, struct output *out)
{
	const struct layout *l = &printer->layout;
	char *p = output_reserve(out, 32 * MAX_COLUMNS);

	if (!p || l->format != SCRIPT_CSV)
		return;
	for (size_t i = 0; i < l->nr_columns; i++) {
		if (i)
			*p++ = ',';
		p = text_string(p, l->columns[i]->name);
	}
	*p++ = '\n';
	output_commit(out, p);
}

static bool buffer_reserve(struct column_printer *printer, size_t room)
{
	if (room <= printer->size)
		return true;
	free(printer->buffer);
	printer->buffer = malloc(room);
	printer->size = printer->buffer ? room : 0;
	return printer->buffer;
}

/* What columns print; @hole as in struct piece. */
struct text {
	const char *text;
	size_t length;
	size_t hole;
};

/* In the buffer; false when memory is short. */
static bool columns_put(struct column_printer *printer,
			const struct column *const *columns, size_t nr,
			bool first, const struct view *view, struct text *text)
{
	enum script_format format = printer->layout.format;
	size_t room = PIECE_STEP;
	char *p;

	for (size_t i = 0; i < nr; i++)
		room += cell_room(columns[i], view);
	if (!buffer_reserve(printer, room))
		return false;
	text->text = p = printer->buffer;
	text->hole = NO_HOLE;
	for (size_t i = 0; i < nr; i++, first = false) {
		if (columns[i]->kind == COLUMN_OFFSET && view->symbol.name) {
			p = cell_begin(p, format, columns[i], first);
			text->hole = p - text->text;
		} else {
			p = cell_put(p, format, columns[i], view, first);
		}
	}
	text->length = p - text->text;
	return true;
}

static void view_set_names(struct column_printer *printer, struct view *view,
			   const struct row *row, bool line)
{
	view_begin(view, &row->current->sample);
	view_names_but_symbol(view);
	if (row->code)
		view->symbol = code_symbol(row->code, view->pc);
	if (line)
		view_line(view, printer->load->recording,
			  printer->load->symbols);
}

/* What is not remembered; false when memory is short. */
static bool segment_fill(struct column_printer *printer,
			 const struct step *step, const struct row *row,
			 uint64_t hash, struct text *text)
{
	const struct segment *s = &printer->layout.segments[step->segment];
	struct view view;

	view_set_names(printer, &view, row, s->value == VALUE_OF_LINE);
	if (!columns_put(printer, s->columns, s->nr, s->first, &view, text))
		return false;
	if (text->length <= PIECE_MAX)
		piece_keep(step->pieces,
			   &(struct piece){hash, 0, text->length, text->hole},
			   text->text);
	return true;
}

static inline char *piece_and_offset(char *p, const struct row *row,
				     const char *text, size_t length,
				     size_t hole)
{
	if (hole == NO_HOLE)
		return piece_put(p, text, length);
	p = piece_put(p, text, hole);
	p = quick_unsigned(p, pc_of(row) - row->code->start);
	return piece_put(p, text + hole, length - hole);
}

/*
 * Where there is no room, or no memory, nothing is put: what is short is asked
 * for when the row has ended.
 */
static __attribute__((noinline)) char *
segment_put_new(struct column_printer *printer, const struct step *step,
		struct row *row, uint64_t hash, char *p)
{
	struct text text;

	if (!segment_fill(printer, step, row, hash, &text)) {
		row->failed = true;
		return p;
	}
	if (text.length > PIECE_MAX) {
		row->extra += text.length;
		if (row->extra > printer->extra)
			return p;
	}
	return piece_and_offset(p, row, text.text, text.length, text.hole);
}

HOT void row_set_code(struct column_printer *printer, struct row *row)
{
	if (row->batch->has[row->at] & PMSCOPE_HAS_PC)
		row->code =
			code_find(printer->codes, printer->load, row->current);
}

HOT char *segment_put(struct column_printer *printer, const struct step *step,
		      struct row *row, uint64_t hash, char *p)
{
	const struct piece *piece = piece_of(step->pieces, hash);

	if (piece->hash != hash)
		return segment_put_new(printer, step, row, hash, p);
	return piece_and_offset(p, row, step->pieces->pool + piece->at,
				piece->length, piece->hole);
}

static inline char *code_put(struct column_printer *printer,
			     const struct step *step, struct row *row, char *p)
{
	row_set_code(printer, row);
	return segment_put(printer, step, row, code_key(row->code), p);
}

static char *hashed_put(struct column_printer *printer, const struct step *step,
			struct row *row, unsigned int deps, char *p)
{
	return segment_put(printer, step, row,
			   deps_hash(deps, row->current, row->code), p);
}

static uint64_t time_of(const struct column_printer *printer, uint64_t ticks)
{
	uint64_t time = 0;

	pmscope_recording_time(printer->load->recording, ticks, &time);
	return time;
}

/* Where the value of a step is, one of @width bytes. */
static inline const void *member(const struct row *row, const struct step *step,
				 size_t width)
{
	const char *batch = (const char *)row->batch;

	return *(const char *const *)(batch + step->at) + row->at * width;
}

static inline uint64_t member_64(const struct row *row, const struct step *step)
{
	return *(const uint64_t *)member(row, step, 8);
}

static inline uint32_t member_32(const struct row *row, const struct step *step)
{
	return *(const uint32_t *)member(row, step, 4);
}

static inline uint16_t member_16(const struct row *row, const struct step *step)
{
	return *(const uint16_t *)member(row, step, 2);
}

static inline char *digit_put(char *p, unsigned int digit)
{
	*p = '0' + digit;
	return p + 1;
}

HOT char *address_put(const struct step *step, char *p, uint64_t address)
{
	return recent_hex(step->recent, p, address);
}

/* Each step puts a number, or a segment whose text follows from a hash. */
static char *row_put(struct column_printer *printer, const struct plan *plan,
		     struct row *row, char *p)
{
	const struct step *step;

	for (step = plan->steps;; step++) {
		memcpy(p, step->text, STEP_TEXT);
		p += step->length;
		switch ((enum column_value)step->value) {
		case VALUE_NONE:
			return p;
		case VALUE_SAME:
			break;
		case VALUE_TIME:
			p = recent_unsigned(step->recent, p,
					    time_of(printer,
						    member_64(row, step)));
			break;
		case VALUE_16:
			p = small_unsigned(&printer->small, p,
					   member_16(row, step));
			break;
		case VALUE_32:
			p = recent_same(step->recent, p, member_32(row, step));
			break;
		case VALUE_64:
			p = recent_unsigned(step->recent, p,
					    member_64(row, step));
			break;
		case VALUE_LEVEL:
			p = digit_put(p,
				      pmscope_address_el(member_64(row, step)));
			break;
		case VALUE_NS:
			p = digit_put(p,
				      pmscope_address_ns(member_64(row, step)));
			break;
		case VALUE_CODE_ADDRESS:
			p = address_put(
				step, p,
				pmscope_code_address(member_64(row, step)));
			break;
		case VALUE_DATA_ADDRESS:
			p = address_put(
				step, p,
				pmscope_data_address(member_64(row, step)));
			break;
		case VALUE_PHYSICAL_ADDRESS:
			p = address_put(
				step, p,
				pmscope_physical_address(member_64(row, step)));
			break;
		case VALUE_OF_THREAD:
			p = segment_put(printer, step, row,
					row->current->on_cpu, p);
			break;
		case VALUE_OF_CODE:
			p = code_put(printer, step, row, p);
			break;
		case VALUE_OF_OPERATION:
			p = hashed_put(printer, step, row, DEP_OPERATION, p);
			break;
		case VALUE_OF_EVENTS:
			p = hashed_put(printer, step, row, DEP_EVENTS, p);
			break;
		case VALUE_OF_SOURCE:
			p = hashed_put(printer, step, row, DEP_SOURCE, p);
			break;
		case VALUE_OF_LINE:
			row_set_code(printer, row);
			p = hashed_put(printer, step, row, DEP_CODE | DEP_LINE,
				       p);
			break;
		default:
			__builtin_unreachable();
		}
	}
}

/* Members of an object each bring a comma: the first is its brace. */
static char *row_end(const struct column_printer *printer, char *begin, char *p)
{
	if (printer->layout.format == SCRIPT_JSONL) {
		if (p == begin)
			p++;
		*begin = '{';
		*p++ = '}';
	}
	*p++ = '\n';
	return p;
}

/* For all records that have the same packets. */
static const struct plan *plan_of_has(struct column_printer *printer,
				      uint32_t has)
{
	struct plan *plan =
		&printer->plans[has * UINT32_C(0x9e3779b1) >> (32 - PLAN_BITS)];

	if (plan->key != has)
		plan_make(plan, has, &printer->layout, has, NULL);
	return plan;
}

/*
 * For those alike in all but a few numbers, if there are so many that it pays;
 * else NULL.
 */
static __attribute__((noinline)) const struct plan *
plan_of_new(struct column_printer *printer, struct plan *plan,
	    const struct row *row, uint32_t has, uint64_t key)
{
	struct view view;

	if (plan->candidate != key)
		plan->seen = 0;
	plan->candidate = key;
	if (++plan->seen < PLAN_PAYS)
		return NULL;
	view_set_names(printer, &view, row, false);
	plan_make(plan, key, &printer->layout, has, &view);
	if (!plan->full)
		return plan;
	plan->key = 0;
	return NULL;
}

static inline const struct plan *plan_of(struct column_printer *printer,
					 const struct row *row)
{
	const struct pmscope_sample *s = &row->current->sample;
	uint32_t has = s->batch->has[s->row] | COLUMN_HAS_OFFSET;
	const struct plan *plan;
	uint64_t key;

	if (has & PMSCOPE_HAS_TIMESTAMP)
		has |= printer->has_time;
	key = deps_kind(s);
	plan = &printer->kinds[key >> (64 - KIND_BITS)];
	if (plan->key != key)
		plan = plan_of_new(printer, (struct plan *)plan, row, has, key);
	return plan ? plan : plan_of_has(printer, has);
}

/* Had the row what it needs? If not it has for the next try, or has failed. */
static inline bool row_is_whole(struct column_printer *printer, struct row *row)
{
	if (row->extra <= printer->extra)
		return true;
	printer->extra = 2 * row->extra;
	return false;
}

static inline void row_print(struct column_printer *printer, struct output *out,
			     struct row *row)
{
	const struct plan *plan = plan_of(printer, row);
	char *begin, *end;

	do {
		row->extra = 0;
		begin = output_reserve(out, plan->room + printer->extra);
		if (!begin)
			return;
		end = row_put(printer, plan, row, begin);
	} while (!row_is_whole(printer, row));
	output_commit(out, row_end(printer, begin, end));
	out->failed |= row->failed;
}

void column_rows(struct column_printer *printer, struct output *out,
		 const struct pmscope_run *run, struct current *current,
		 size_t first, size_t end)
{
	struct row row = {
		.batch = run->batch,
		.current = current,
	};

	for (row.at = first; row.at < end; row.at++) {
		if (row.at + AHEAD < row.batch->count)
			code_prefetch(printer->codes, current, row.at + AHEAD);
		current_set(current, printer->load, run, row.at);
		row.code = NULL;
		row_print(printer, out, &row);
	}
}

void column_group(struct column_printer *printer, struct output *out,
		  const struct view *view)
{
	const struct layout *l = &printer->layout;
	struct text text;
	char *p;

	if (!columns_put(printer, l->columns, l->nr_columns, true, view,
			 &text)) {
		out->failed = true;
		return;
	}
	p = output_reserve(out, text.length + 2 * PIECE_STEP);
	if (p)
		output_commit(out,
			      row_end(printer, p,
				      piece_put(p, text.text, text.length)));
}
