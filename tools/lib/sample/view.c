// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "sample/fields.h"

#include <pmscope/operation.h>

void view_flags(struct view *v)
{
	const struct pmscope_batch *b = v->sample->batch;
	size_t row = v->sample->row;

	if (v->has & PMSCOPE_HAS_OPERATION)
		v->op_flags =
			pmscope_operation_flags(b->op_class[row], b->op[row]);
}

static void fill_operation(struct view *v)
{
	const struct pmscope_batch *b = v->sample->batch;
	size_t n, row = v->sample->row;

	/* A sample of a clock has no operation, and no batch. */
	if (!(v->has & PMSCOPE_HAS_OPERATION))
		return;
	n = pmscope_operation_text(b->op_class[row], b->op[row], v->op_text);
	v->op_text[n] = '\0';
	view_flags(v);
}

static void fill_symbol(struct view *v,
			const struct pmscope_recording *recording,
			struct pmscope_symbols *symbols)
{
	struct pmscope_place place;

	if (!(v->has & PMSCOPE_HAS_PC))
		return;
	pmscope_recording_place(recording, v->sample, v->pc, &place);
	v->file_offset = place.file_offset;
	pmscope_symbols_find(symbols, &place, v->pc, &v->symbol);
}

void view_begin(struct view *v, const struct pmscope_sample *sample)
{
	const struct pmscope_batch *b = sample->batch;
	size_t i = sample->row;

	v->sample = sample;
	v->record = NULL;
	v->has = b->has[i];
	v->pc = pmscope_code_address(b->pc[i]);
	v->el = pmscope_address_el(b->pc[i]);
	v->ns = pmscope_address_ns(b->pc[i]);
	v->target = pmscope_code_address(b->target[i]);
	v->previous = pmscope_code_address(b->previous[i]);
	v->va = pmscope_data_address(b->va[i]);
	v->pa = pmscope_physical_address(b->pa[i]);
	v->ticks = b->timestamp[i];
	v->events = b->events[i];
	v->context_el1 = b->context_el1[i];
	v->context_el2 = b->context_el2[i];
	v->total = b->total[i];
	v->issue = b->issue[i];
	v->translate = b->translate[i];
	v->alt_issue = b->alt_issue[i];
	v->source = b->source[i];
	v->counter = b->counter[i];
	v->offset = b->offset[i];
	v->op_flags = 0;
	v->op_text[0] = '\0';
	v->symbol = (struct pmscope_symbol){};
	v->line = (struct pmscope_line){};
	v->data = (struct pmscope_symbol){};
	v->member = NULL;
	v->memory = PMSCOPE_MEMORY_UNKNOWN;
	v->place = NULL;
	v->target_place = NULL;
	v->event_filter = 0;
}

void view_operation(struct view *v)
{
	fill_operation(v);
}

void view_names(struct view *v, const struct pmscope_recording *recording,
		struct pmscope_symbols *symbols)
{
	view_operation(v);
	fill_symbol(v, recording, symbols);
}

void view_line(struct view *v, const struct pmscope_recording *recording,
	       struct pmscope_symbols *symbols)
{
	struct pmscope_place place;

	v->line = (struct pmscope_line){};
	if (!(v->has & PMSCOPE_HAS_PC))
		return;
	pmscope_recording_place(recording, v->sample, v->pc, &place);
	pmscope_symbols_line(symbols, &place, v->pc, &v->line);
}

void view_line_text(const struct pmscope_line *line, char *text)
{
	const char *slash = line->file ? strrchr(line->file, '/') : NULL;

	*text = '\0';
	if (line->file)
		snprintf(text, VIEW_LINE_MAX, "%s:%u",
			 slash ? slash + 1 : line->file, line->line);
}

void view_fill(struct view *v, const struct pmscope_sample *sample,
	       const struct pmscope_recording *recording,
	       struct pmscope_symbols *symbols)
{
	view_begin(v, sample);
	view_names(v, recording, symbols);
}

static const char *word(const char *const *words, size_t nr, unsigned int value)
{
	return value < nr ? words[value] : "other";
}

#define WORD(words, value) word(words, ARRAY_SIZE(words), value)

struct view capture_view(const struct pmscope_sample *sample,
			 struct pmscope_record *record)
{
	struct view view = {.sample = sample};

	if (sample->record &&
	    pmscope_stream_next(sample->record, sample->record_size, record) >
		    0)
		view.record = record;
	return view;
}

const char *capture_trigger(const struct pmscope_record *record)
{
	static const char *const words[] = {
		[PMSCOPE_TRIGGER_NONE] = NULL,
		[PMSCOPE_TRIGGER_TIMER] = "timer",
		[PMSCOPE_TRIGGER_OVERFLOW] = "overflow",
		[PMSCOPE_TRIGGER_SPE] = "spe",
		[PMSCOPE_TRIGGER_READ] = "read",
		[PMSCOPE_TRIGGER_BPF] = "bpf",
	};

	return WORD(words, record->trigger);
}

const char *capture_backend(const struct pmscope_record *record)
{
	static const char *const words[] = {
		[PMSCOPE_BACKEND_NONE] = NULL,
		[PMSCOPE_BACKEND_HARDWARE] = "hardware",
		[PMSCOPE_BACKEND_FROZEN] = "frozen",
		[PMSCOPE_BACKEND_EXTERNAL] = "external",
		[PMSCOPE_BACKEND_SKEWED] = "skewed",
	};

	return WORD(words, record->backend);
}

const char *capture_result(const struct pmscope_record *record)
{
	static const char *const words[] = {
		[PMSCOPE_CAPTURED] = "captured",
		[PMSCOPE_PROHIBITED] = "prohibited",
		[PMSCOPE_DISABLED] = "disabled",
		[PMSCOPE_TIMED_OUT] = "timed-out",
		[PMSCOPE_RACED] = "raced",
	};

	return WORD(words, record->result);
}
