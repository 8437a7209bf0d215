// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each step puts the text before a value, then the value, and calls the next: a
 * jump, for nothing is left to do behind it. So the processor learns for each
 * kind of step by itself what follows, which it could not from one place that
 * chooses among all of them.
 */
#include "read/variable.h"
#include "script/step.h"

#include <pmscope/source.h>

static char *put_end(char *p, const struct step *step, struct row *row,
		     size_t at)
{
	(void)row;
	(void)at;
	return text_put(p, step);
}

static char *put_text(char *p, const struct step *step, struct row *row,
		      size_t at)
{
	memcpy(p, step->more, STEP_TEXT);
	return next_put(p + step->length, step, row, at);
}

/*
 * What of a number is not there already is put out of line, so that the others
 * need not save anything on the stack.
 */
static NOINLINE char *number_put_new(char *p, const struct step *step,
				     struct row *row, size_t at, uint64_t value)
{
	return next_put(recent_renew(step->recent, p, value), step, row, at);
}

HOT char *number_put(char *p, const struct step *step, struct row *row,
		     size_t at, uint64_t value)
{
	p = text_put(p, step);
	if (!recent_has(step->recent, value))
		return number_put_new(p, step, row, at, value);
	return next_put(recent_unsigned(step->recent, p, value), step, row, at);
}

static char *put_time(char *p, const struct step *step, struct row *row,
		      size_t at)
{
	return number_put(p, step, row, at, row->times[at]);
}

static char *put_64(char *p, const struct step *step, struct row *row,
		    size_t at)
{
	return number_put(p, step, row, at, member_64(row, step, at));
}

static NOINLINE char *number_put_large(char *p, const struct step *step,
				       struct row *row, size_t at,
				       uint64_t value)
{
	return next_put(quick_unsigned(p, value), step, row, at);
}

static char *put_16(char *p, const struct step *step, struct row *row,
		    size_t at)
{
	uint16_t value = member_16(row, step, at);

	p = text_put(p, step);
	if (value >= SMALL_NUMBERS)
		return number_put_large(p, step, row, at, value);
	p = small_unsigned(&row->memory->small, p, value);
	return next_put(p, step, row, at);
}

static NOINLINE char *number_put_other(char *p, const struct step *step,
				       struct row *row, size_t at,
				       uint32_t value)
{
	return next_put(recent_other(step->recent, p, value), step, row, at);
}

static char *put_32(char *p, const struct step *step, struct row *row,
		    size_t at)
{
	uint32_t value = member_32(row, step, at);

	p = text_put(p, step);
	if (!recent_has(step->recent, value))
		return number_put_other(p, step, row, at, value);
	return next_put(recent_put(step->recent, p), step, row, at);
}

static char *put_counter_index(char *p, const struct step *step,
			       struct row *row, size_t at)
{
	p = text_unsigned(text_put(p, step), member_32(row, step, at) >> 16);
	return next_put(p, step, row, at);
}

static char *put_counter(char *p, const struct step *step, struct row *row,
			 size_t at)
{
	p = text_unsigned(text_put(p, step),
			  member_32(row, step, at) & UINT16_MAX);
	return next_put(p, step, row, at);
}

static char *put_level(char *p, const struct step *step, struct row *row,
		       size_t at)
{
	p = text_put(p, step);
	*p++ = '0' + pmscope_address_el(member_64(row, step, at));
	return next_put(p, step, row, at);
}

static char *put_ns(char *p, const struct step *step, struct row *row,
		    size_t at)
{
	p = text_put(p, step);
	*p++ = '0' + pmscope_address_ns(member_64(row, step, at));
	return next_put(p, step, row, at);
}

static NOINLINE char *address_put_new(char *p, const struct step *step,
				      struct row *row, size_t at,
				      uint64_t address)
{
	struct recent_high *high = recent_high(step->hex, address >> 32);

	return next_put(recent_hex_renew(high, p, address), step, row, at);
}

HOT char *address_put(char *p, const struct step *step, struct row *row,
		      size_t at, uint64_t address)
{
	const struct recent_high *high = recent_high(step->hex, address >> 32);

	p = text_put(p, step);
	if (!(address >> 32))
		return next_put(quick_hex(p, address), step, row, at);
	if (high->high != address >> 32)
		return address_put_new(p, step, row, at, address);
	return next_put(recent_hex(high, p, address), step, row, at);
}

static char *put_code_address(char *p, const struct step *step, struct row *row,
			      size_t at)
{
	return address_put(p, step, row, at,
			   pmscope_code_address(member_64(row, step, at)));
}

static char *put_pc(char *p, const struct step *step, struct row *row,
		    size_t at)
{
	return address_put(p, step, row, at, row->pc);
}

static char *put_data_address(char *p, const struct step *step, struct row *row,
			      size_t at)
{
	return address_put(p, step, row, at,
			   pmscope_data_address(member_64(row, step, at)));
}

static char *put_physical_address(char *p, const struct step *step,
				  struct row *row, size_t at)
{
	return address_put(p, step, row, at,
			   pmscope_physical_address(member_64(row, step, at)));
}

void row_view(const struct row *row, bool line, struct view *view)
{
	const struct load *load = row->memory->load;

	view_begin(view, &row->current->sample);
	view_names_but_symbol(view);
	if (row->code)
		view->symbol = code_symbol(row->code, view->pc);
	if (line)
		view_line(view, load->recording, load->symbols);
}

/* What the SPU of the CPU can tell counts, too: not for all of a kind. */
static void row_data_src(const struct row *row, struct view *view)
{
	const struct pmscope_sample *s = &row->current->sample;
	uint64_t filter = pmscope_recording_event_filter(
		row->memory->load->recording, s->cpu);

	view->data_src = pmscope_data_src(s->batch, s->row, s->midr, filter);
}

/* A text with a hole, which is the offset of the PC in its symbol. */
HOT char *offset_put(char *p, const struct row *row, const char *text,
		     size_t length, size_t hole)
{
	p = piece_put(p, text, hole);
	p = small_or_large(&row->memory->small, p, row->pc - row->code->start);
	return piece_put(p, text + hole, length - hole);
}

/* What is not remembered; false when memory is short. */
static bool segment_fill(const struct step *step, const struct row *row,
			 uint64_t hash, struct text *text)
{
	struct row_memory *memory = row->memory;
	const struct segment *s = &memory->layout.segments[step->segment];
	struct view view;

	row_view(row, s->value == VALUE_OF_LINE, &view);
	if (s->value == VALUE_OF_DATA_SRC)
		row_data_src(row, &view);
	if (row->variable)
		view.data = code_symbol(row->variable, view.va);
	if (!segment_text(&memory->buffer, memory->layout.format, s, &view,
			  text))
		return false;
	if (text->length <= PIECE_MAX)
		piece_keep(step->pieces,
			   &(struct piece){hash, 0, text->length, text->hole},
			   text->text);
	return true;
}

/*
 * Where there is no room, or no memory, nothing is put: what is short is asked
 * for when the row has ended.
 */
static NOINLINE char *segment_put_new(char *p, const struct step *step,
				      struct row *row, size_t at, uint64_t hash)
{
	struct text text;

	if (!segment_fill(step, row, hash, &text)) {
		row->failed = true;
		return next_put(p, step, row, at);
	}
	if (text.length > PIECE_MAX)
		row->extra += text.length;
	if (row->extra <= row->memory->extra)
		p = text.hole == NO_HOLE ? piece_put(p, text.text, text.length)
					 : offset_put(p, row, text.text,
						      text.length, text.hole);
	return next_put(p, step, row, at);
}

static NOINLINE char *segment_put_offset(char *p, const struct step *step,
					 struct row *row, size_t at,
					 uint64_t hash)
{
	const struct piece *piece = piece_of(step->pieces, hash);

	p = offset_put(p, row, step->pieces->pool + piece->at, piece->length,
		       piece->hole);
	return next_put(p, step, row, at);
}

/* A segment, whose text follows from a hash. */
HOT char *segment_put(char *p, const struct step *step, struct row *row,
		      size_t at, uint64_t hash)
{
	const struct piece *piece = piece_of(step->pieces, hash);

	p = text_put(p, step);
	if (piece->hash != hash)
		return segment_put_new(p, step, row, at, hash);
	if (piece->hole != NO_HOLE)
		return segment_put_offset(p, step, row, at, hash);
	p = piece_put(p, step->pieces->pool + piece->at, piece->length);
	return next_put(p, step, row, at);
}

static NOINLINE char *code_put_new(char *p, const struct step *step,
				   struct row *row, size_t at)
{
	row->code =
		code_find(row->memory->codes, row->memory->load, row->current);
	return segment_put(p, step, row, at, row->code->key);
}

static char *put_code(char *p, const struct step *step, struct row *row,
		      size_t at)
{
	const struct code *code = row->guess;

	if (!code_has(code, code_space(row->pc, row->current), row->pc))
		return code_put_new(p, step, row, at);
	row->code = code;
	return segment_put(p, step, row, at, code->key);
}

static char *put_thread(char *p, const struct step *step, struct row *row,
			size_t at)
{
	return segment_put(p, step, row, at, row->current->on_cpu);
}

static char *put_operation(char *p, const struct step *step, struct row *row,
			   size_t at)
{
	return segment_put(p, step, row, at,
			   deps_hash(DEP_OPERATION, row->current, NULL));
}

static char *put_events(char *p, const struct step *step, struct row *row,
			size_t at)
{
	return segment_put(p, step, row, at,
			   deps_hash(DEP_EVENTS, row->current, NULL));
}

static char *put_source(char *p, const struct step *step, struct row *row,
			size_t at)
{
	return segment_put(p, step, row, at,
			   deps_hash(DEP_SOURCE, row->current, NULL));
}

static char *put_data_src(char *p, const struct step *step, struct row *row,
			  size_t at)
{
	return segment_put(p, step, row, at,
			   deps_hash(DEP_OPERATION | DEP_SOURCE | DEP_EVENTS |
					     DEP_CPU,
				     row->current, NULL));
}

static char *put_line(char *p, const struct step *step, struct row *row,
		      size_t at)
{
	row->code =
		code_find(row->memory->codes, row->memory->load, row->current);
	return segment_put(p, step, row, at,
			   deps_hash(DEP_CODE | DEP_LINE, row->current,
				     row->code));
}

static void set_variable(struct row *row)
{
	row->variable = variable_find(row->memory->variables, row->memory->load,
				      row->current);
}

static char *put_data(char *p, const struct step *step, struct row *row,
		      size_t at)
{
	set_variable(row);
	return segment_put(p, step, row, at, row->variable->key);
}

static char *put_data_offset(char *p, const struct step *step, struct row *row,
			     size_t at)
{
	set_variable(row);
	return segment_put(
		p, step, row, at,
		hash_finish(row->variable->key +
			    row->batch.va[at] * UINT64_C(0x8ebc6af09c88c6e3)));
}

step_put *row_step(enum column_value value)
{
	static step_put *const puts[] = {
		[VALUE_NONE] = put_end,
		[VALUE_SAME] = put_text,
		[VALUE_TIME] = put_time,
		[VALUE_16] = put_16,
		[VALUE_32] = put_32,
		[VALUE_64] = put_64,
		[VALUE_COUNTER_INDEX] = put_counter_index,
		[VALUE_COUNTER] = put_counter,
		[VALUE_LEVEL] = put_level,
		[VALUE_NS] = put_ns,
		[VALUE_CODE_ADDRESS] = put_code_address,
		[VALUE_PC] = put_pc,
		[VALUE_DATA_ADDRESS] = put_data_address,
		[VALUE_PHYSICAL_ADDRESS] = put_physical_address,
		[VALUE_OF_THREAD] = put_thread,
		[VALUE_OF_CODE] = put_code,
		[VALUE_OF_OPERATION] = put_operation,
		[VALUE_OF_EVENTS] = put_events,
		[VALUE_OF_SOURCE] = put_source,
		[VALUE_OF_DATA_SRC] = put_data_src,
		[VALUE_OF_LINE] = put_line,
		[VALUE_OF_DATA] = put_data,
		[VALUE_OF_DATA_OFFSET] = put_data_offset,
	};

	return puts[value];
}
