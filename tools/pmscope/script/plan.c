// SPDX-License-Identifier: GPL-2.0-or-later
#include "script/plan.h"
#include "script/cell.h"
#include "script/fused.h"
#include "script/row.h"

#include <string.h>

/* Two times "symoff" cannot be in one text: see struct piece. */
static bool begins_segment(const struct layout *l, const struct segment *s,
			   size_t i)
{
	if (!i || s->value != l->columns[i]->value)
		return true;
	for (size_t j = 0; j < s->nr; j++)
		if (s->columns[j]->kind == COLUMN_OFFSET &&
		    l->columns[i]->kind == COLUMN_OFFSET)
			return true;
	return false;
}

void layout_init(struct layout *l, enum script_format format,
		 const struct column *const *columns, size_t nr)
{
	struct segment *s = NULL;

	l->format = format;
	l->nr_columns = nr;
	memcpy(l->columns, columns, nr * sizeof(*columns));
	for (size_t i = 0; i < nr; i++) {
		if (begins_segment(l, s, i)) {
			s = &l->segments[l->nr_segments++];
			s->columns = &l->columns[i];
			s->first = !i;
			s->value = l->columns[i]->value;
		}
		s->nr++;
	}
}

/* The next step, and the text before it so far. */
struct builder {
	struct layout *layout;
	const struct view *view;
	uint32_t has;
	struct plan *plan;
	struct step *step;
	char text[STEP_TEXT];
	size_t length;
	bool settled; /* it has values of this plan */
};

/* A step for the text so far. */
static void end_text(struct builder *b)
{
	b->step->put = row_step(VALUE_SAME);
	b->step->length = b->length;
	memcpy(b->step->more, b->text, sizeof(b->text));
	b->step++;
	b->length = 0;
}

static void end_value(struct builder *b, enum column_value value)
{
	if (b->length > STEP_SHORT)
		end_text(b);
	b->step->put = row_step(value);
	b->step->length = b->length;
	b->step->settled = b->settled;
	memcpy(b->step->text, b->text, sizeof(b->step->text));
	b->step++;
	b->length = 0;
	b->settled = false;
}

static void add_some(struct builder *b, const char *text, size_t length)
{
	memcpy(b->text + b->length, text, length);
	b->length += length;
	if (b->length == sizeof(b->text))
		end_text(b);
}

static void add_text(struct builder *b, const char *text, const char *end)
{
	size_t length = end - text, some;

	if (length > PLAN_TEXT - b->plan->used) {
		b->plan->full = true;
		return;
	}
	b->plan->used += length;
	for (; length; length -= some, text += some) {
		some = sizeof(b->text) - b->length;
		if (some > length)
			some = length;
		add_some(b, text, some);
	}
}

static void add_string(struct builder *b, const char *text)
{
	add_text(b, text, text + strlen(text));
}

/* The one that the records have, if any of the two. */
static const struct column *column_of(const struct builder *b,
				      const struct column *column)
{
	return b->has & column->has || !column->instead ? column
							: column->instead;
}

static void add_value(struct builder *b, const struct segment *s,
		      const struct column *const *column)
{
	size_t segment = s - b->layout->segments;
	size_t number = column - b->layout->columns;
	const struct column *c = column_of(b, *column);

	end_value(b, c->value);
	b->step[-1].segment = segment;
	b->step[-1].at = c->at;
	if (c->value >= VALUE_OF_THREAD)
		b->step[-1].pieces = b->layout->pieces[segment];
	else if (c->kind == COLUMN_ADDRESS)
		b->step[-1].hex = &b->layout->hex[number];
	else
		b->step[-1].recent = &b->layout->recent[number];
	b->plan->room += CELL_ROOM + PIECE_MAX + PIECE_STEP;
}

/* A column whose value is known: what it is follows from the view. */
static void add_cell(struct builder *b, const struct column *column,
		     const struct view *view, bool first)
{
	enum script_format format = b->layout->format;
	char text[2 * PLAN_TEXT];

	b->settled = true;
	if (cell_room(column, view) > sizeof(text))
		b->plan->full = true;
	else
		add_text(b, text, cell_put(text, format, column, view, first));
}

static void add_digit(struct builder *b, const struct column *column,
		      unsigned int value, bool first)
{
	char text[CELL_ROOM], *p;

	b->settled = true;
	p = cell_begin(text, b->layout->format, column, first);
	*p++ = '0' + value;
	add_text(b, text, p);
}

static void add_member(struct builder *b, const struct segment *s,
		       const struct column *const *column, bool first)
{
	bool json = b->layout->format == SCRIPT_JSONL;
	bool is_address = (*column)->kind == COLUMN_ADDRESS;
	char text[CELL_ROOM];

	add_text(b, text, cell_begin(text, b->layout->format, *column, first));
	/* As the cells of a group: see put_address(). */
	if (is_address)
		add_string(b, json ? "\"0x" : "0x");
	add_value(b, s, column);
	if (is_address && json)
		add_string(b, "\"");
}

/* Of an SPE record: the index of a counter, and its value. */
static void add_counter(struct builder *b, const struct segment *s,
			const struct column *const *column, bool first)
{
	bool json = b->layout->format == SCRIPT_JSONL;
	char text[CELL_ROOM];

	add_text(b, text, cell_begin(text, b->layout->format, *column, first));
	add_string(b, json ? "[{\"index\":" : "");
	add_value(b, s, column);
	add_string(b, json ? ",\"value\":" : "=");
	add_value(b, s, column);
	b->step[-1].put = row_step(VALUE_COUNTER);
	add_string(b, json ? "}]" : "");
}

/* A column that does not belong to others in its segment. */
static void add_column(struct builder *b, const struct segment *s,
		       const struct column *const *column, bool first)
{
	const struct pmscope_sample sample = {.kind = PMSCOPE_SAMPLE_SPE};
	const struct view same = {.sample = &sample};
	char text[CELL_ROOM];

	if (s->value == VALUE_SAME)
		add_cell(b, *column, &same, first);
	else if (s->value == VALUE_NONE ||
		 !(b->has & column_of(b, *column)->has))
		add_text(b, text, cell_none(text, b->layout->format, first));
	else if (s->value == VALUE_COUNTER_INDEX)
		add_counter(b, s, column, first);
	else if (b->view && s->value == VALUE_LEVEL)
		add_digit(b, *column, b->view->el, first);
	else if (b->view && s->value == VALUE_NS)
		add_digit(b, *column, b->view->ns, first);
	else
		add_member(b, s, column, first);
}

/* There are no names of code, data, or events that are not known. */
static bool is_absent(const struct builder *b, const struct segment *s)
{
	if (s->value == VALUE_OF_EVENTS)
		return !(b->has & PMSCOPE_HAS_EVENTS);
	if (s->value == VALUE_OF_DATA || s->value == VALUE_OF_DATA_OFFSET)
		return !(b->has & PMSCOPE_HAS_VA);
	return !(b->has & PMSCOPE_HAS_PC) &&
	       (s->value == VALUE_OF_CODE || s->value == VALUE_OF_LINE);
}

static bool is_settled(const struct builder *b, const struct segment *s)
{
	return b->view &&
	       (s->value == VALUE_OF_OPERATION || s->value == VALUE_OF_EVENTS ||
		s->value == VALUE_OF_SOURCE);
}

static void add_segment(struct builder *b, const struct segment *s)
{
	const struct view none = {};
	const struct view *view = is_absent(b, s)    ? &none
				  : is_settled(b, s) ? b->view
						     : NULL;

	if (s->value >= VALUE_OF_THREAD && !view) {
		add_value(b, s, s->columns);
		return;
	}
	for (size_t i = 0; i < s->nr; i++) {
		bool first = s->first && !i;

		if (view)
			add_cell(b, s->columns[i], view, first);
		else
			add_column(b, s, &s->columns[i], first);
	}
}

void plan_make(struct plan *plan, uint64_t key, struct layout *l, uint32_t has,
	       const struct view *view)
{
	struct builder b = {
		.layout = l,
		.view = view,
		.has = has,
		.plan = plan,
		.step = plan->steps,
	};

	*plan = (struct plan){.key = key, .room = CELL_ROOM};
	for (size_t i = 0; i < l->nr_segments; i++)
		add_segment(&b, &l->segments[i]);
	end_value(&b, VALUE_NONE);
	plan->room += plan->used + PIECE_STEP;
	for (struct step *s = plan->steps; s < b.step;)
		s += steps_fuse(s, b.step - s, l);
}
