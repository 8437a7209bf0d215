// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of columns. What follows from the code, the thread or the like (deps.h)
 * is put together once and copied from then on, and where it belongs in the
 * row is planned once: what is left for each record are a few numbers.
 */
#include "script/columns.h"
#include "read/variable.h"
#include "script/row.h"

#include <stdlib.h>

#define PLAN_BITS 10
#define KIND_BITS 11
#define PLAN_PAYS 8 /* records in a row, as far as one place tells */

struct column_printer {
	struct row_memory memory;
	struct plan *plans; /* by packets, and next by kind */
	struct plan *kinds;
	uint32_t has_time; /* what a timestamp adds to a record */
	char *(*close)(char *begin, char *p); /* NULL: as it is */
	uint64_t *times;		      /* of the rows of a batch */
	size_t nr_times;
};

/* Members of an object each bring a comma: the first is its brace. */
static char *object_end(char *begin, char *p)
{
	if (p == begin)
		p++;
	*begin = '{';
	*p++ = '}';
	return p;
}

/* An empty line of CSV would be no row to its readers. */
static char *lone_end(char *begin, char *p)
{
	return p == begin ? text_string(p, "\"\"") : p;
}

static bool printer_init(struct column_printer *printer)
{
	struct row_memory *memory = &printer->memory;
	struct layout *l = &memory->layout;

	memory->codes = codes_new();
	small_init(&memory->small);
	printer->plans = calloc(1 << PLAN_BITS, sizeof(*printer->plans));
	printer->kinds = calloc(1 << KIND_BITS, sizeof(*printer->kinds));
	if (!memory->codes || !printer->plans || !printer->kinds)
		return false;
	for (size_t i = 0; i < l->nr_segments; i++) {
		if (l->segments[i].value < VALUE_OF_THREAD)
			continue;
		l->pieces[i] = calloc(1, sizeof(*l->pieces[i]));
		if (!l->pieces[i])
			return false;
		if (l->segments[i].value < VALUE_OF_DATA || memory->variables)
			continue;
		memory->variables = variables_new();
		if (!memory->variables)
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
	printer->memory.load = load;
	if (pmscope_recording_time(load->recording, 0, &time))
		printer->has_time = COLUMN_HAS_TIME;
	layout_init(&printer->memory.layout, format, columns, nr);
	if (format == SCRIPT_JSONL)
		printer->close = object_end;
	else if (format == SCRIPT_CSV && nr == 1)
		printer->close = lone_end;
	if (printer_init(printer))
		return printer;
	column_printer_free(printer);
	return NULL;
}

void column_printer_free(struct column_printer *printer)
{
	struct row_memory *memory;

	if (!printer)
		return;
	memory = &printer->memory;
	for (size_t i = 0; i < memory->layout.nr_segments; i++)
		free(memory->layout.pieces[i]);
	codes_free(memory->codes);
	variables_free(memory->variables);
	free(memory->buffer.text);
	free(printer->times);
	free(printer->plans);
	free(printer->kinds);
	free(printer);
}

void column_header(const struct column_printer *printer, struct output *out)
{
	const struct layout *l = &printer->memory.layout;
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

static char *row_end(const struct column_printer *printer, char *begin, char *p)
{
	if (printer->close)
		p = printer->close(begin, p);
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
		plan_make(plan, has, &printer->memory.layout, has, NULL);
	return plan;
}

/*
 * For those alike in all but a few numbers, if there are so many that it pays.
 */
static __attribute__((noinline)) const struct plan *
plan_of_new(struct column_printer *printer, struct plan *plan,
	    const struct row *row, size_t at, uint64_t key)
{
	uint32_t has = row->batch.has[at] | COLUMN_HAS_OFFSET;
	struct view view;

	if (has & PMSCOPE_HAS_TIMESTAMP)
		has |= printer->has_time;
	if (plan->candidate != key)
		plan->seen = 0;
	plan->candidate = key;
	if (++plan->seen < PLAN_PAYS)
		return plan_of_has(printer, has);
	row_view(row, false, &view);
	plan_make(plan, key, &printer->memory.layout, has, &view);
	if (!plan->full)
		return plan;
	plan->key = 0;
	return plan_of_has(printer, has);
}

/* Looked up before the row before is put: so it is there when it is wanted. */
struct ahead {
	uint64_t kind;		 /* deps_kind() */
	struct plan *plan;	 /* where it is if there is one */
	uint64_t pc;		 /* as an address */
	const struct code *code; /* a guess */
};

static inline struct ahead look_ahead(const struct column_printer *printer,
				      const struct row *row, size_t at)
{
	const struct current *current = row->current;
	uint64_t kind = deps_kind(&row->batch, at, current->sample.midr);
	uint64_t pc = pmscope_code_address(row->batch.pc[at]);

	return (struct ahead){
		.kind = kind,
		.plan = &printer->kinds[kind >> (64 - KIND_BITS)],
		.pc = pc,
		.code = code_guess(printer->memory.codes,
				   code_space(pc, current), pc),
	};
}

static inline const struct plan *plan_of(struct column_printer *printer,
					 const struct row *row, size_t at,
					 const struct ahead *ahead)
{
	return ahead->plan->key == ahead->kind
		       ? ahead->plan
		       : plan_of_new(printer, ahead->plan, row, at,
				     ahead->kind);
}

/* Where rows go: from @p up to @limit. */
struct room {
	struct output *out;
	char *p;
	char *limit;
};

/* False when memory is short. */
static __attribute__((noinline)) bool room_make(struct room *room, size_t size,
						const struct row_memory *memory)
{
	if (room->p)
		output_commit(room->out, room->p);
	room->p = output_reserve(room->out, size + memory->extra);
	if (!room->p)
		return false;
	room->limit = room->out->buffer + room->out->size - memory->extra;
	return true;
}

/*
 * After a row with texts that are no pieces: was there room for them? If not
 * there is when the row is put again.
 */
static bool row_is_whole(struct row *row, struct room *room)
{
	size_t extra = row->extra;

	row->extra = 0;
	if (extra <= row->memory->extra)
		return true;
	row->memory->extra = 2 * extra;
	room->limit = room->p;
	return false;
}

static inline uint64_t row_time(const struct column_printer *printer,
				const struct row *row, size_t at)
{
	return printer->has_time && row->batch.has[at] & PMSCOPE_HAS_TIMESTAMP
		       ? row->times[at]
		       : 0;
}

static inline bool row_print(struct column_printer *printer, struct row *row,
			     size_t at, const struct plan *plan,
			     struct room *room)
{
	char *end;

	do {
		if (room->limit - room->p < (ptrdiff_t)plan->room &&
		    !room_make(room, plan->room, row->memory))
			return false;
		end = row_put(row, at, plan, room->p);
	} while (row->extra && !row_is_whole(row, room));
	end = row_end(printer, room->p, end);
	if (room->out->lines)
		lines_add(room->out->lines, row_time(printer, row, at),
			  end - room->p);
	room->p = end;
	return true;
}

/* Of the rows of @run; false when memory is short. */
static bool set_times(struct column_printer *printer,
		      const struct pmscope_run *run)
{
	const struct pmscope_batch *batch = run->batch;

	if (batch->capacity > printer->nr_times) {
		free(printer->times);
		printer->times = calloc(batch->capacity, sizeof(uint64_t));
		printer->nr_times = printer->times ? batch->capacity : 0;
	}
	if (!printer->times)
		return false;
	pmscope_recording_times(printer->memory.load->recording,
				batch->timestamp + run->first,
				run->end - run->first,
				printer->times + run->first);
	return true;
}

/* Of a row that is not printed its time counts, for those behind it. */
static void row_pass_over(const struct column_printer *printer,
			  const struct row *row, size_t at, struct lines *lines)
{
	if (lines)
		lines_add(lines, row_time(printer, row, at), 0);
}

/* The rows of @run that pass. */
static void rows_print(struct column_printer *printer, struct row *row,
		       const struct pmscope_run *run, const bool *passes,
		       struct room *room)
{
	struct ahead now, next = look_ahead(printer, row, run->first);

	for (size_t at = run->first; at < run->end; at++) {
		now = next;
		if (at + 1 < run->end)
			next = look_ahead(printer, row, at + 1);
		if (passes && !passes[at]) {
			row_pass_over(printer, row, at, room->out->lines);
			continue;
		}
		current_set(row->current, printer->memory.load, run, at);
		row->pc = now.pc;
		row->guess = now.code;
		row->code = NULL;
		if (!row_print(printer, row, at,
			       plan_of(printer, row, at, &now), room)) {
			row->failed = true;
			break;
		}
	}
}

void column_rows(struct column_printer *printer, struct output *out,
		 const struct pmscope_run *run, struct current *current,
		 const bool *passes)
{
	struct row row = {
		.batch = *run->batch,
		.current = current,
		.memory = &printer->memory,
	};
	struct room room = {.out = out};

	if (!set_times(printer, run)) {
		out->failed = true;
		return;
	}
	row.times = printer->times;
	current_set(current, printer->memory.load, run, run->first);
	rows_print(printer, &row, run, passes, &room);
	if (room.p)
		output_commit(out, room.p);
	out->failed |= row.failed;
}

void column_group(struct column_printer *printer, struct output *out,
		  const struct view *view)
{
	struct row_memory *memory = &printer->memory;
	const struct layout *l = &memory->layout;
	const struct segment all = {
		.columns = l->columns,
		.nr = l->nr_columns,
		.first = true,
	};
	struct text text;
	char *p;

	if (!segment_text(&memory->buffer, l->format, &all, view, &text)) {
		out->failed = true;
		return;
	}
	p = output_reserve(out, text.length + 2 * PIECE_STEP);
	if (p)
		output_commit(out,
			      row_end(printer, p,
				      piece_put(p, text.text, text.length)));
}
