// SPDX-License-Identifier: GPL-2.0-or-later
#include "view.h"

#include <pmscope/operation.h>
#include <pmscope/source.h>

static void fill_operation(struct view *v, unsigned int class, uint8_t payload)
{
	size_t n;

	if (!(v->has & PMSCOPE_HAS_OPERATION))
		return;
	v->op = pmscope_operation_class_name(class, payload);
	n = pmscope_operation_text(class, payload, v->op_text);
	v->op_text[n] = '\0';
}

static void fill_symbol(struct view *v,
			const struct pmscope_recording *recording,
			struct pmscope_symbols *symbols)
{
	struct pmscope_place place;

	if (!(v->has & PMSCOPE_HAS_PC))
		return;
	pmscope_recording_place(recording, v->sample, v->pc, &place);
	pmscope_symbols_find(symbols, &place, v->pc, &v->symbol);
}

void view_fill(struct view *v, const struct pmscope_sample *sample,
	       const struct pmscope_recording *recording,
	       struct pmscope_symbols *symbols)
{
	const struct pmscope_batch *b = sample->batch;
	size_t i = sample->row;

	*v = (struct view){
		.sample = sample,
		.has = b->has[i],
		.pc = pmscope_code_address(b->pc[i]),
		.el = pmscope_address_el(b->pc[i]),
		.ns = pmscope_address_ns(b->pc[i]),
		.target = pmscope_code_address(b->target[i]),
		.previous = pmscope_code_address(b->previous[i]),
		.va = pmscope_data_address(b->va[i]),
		.pa = pmscope_physical_address(b->pa[i]),
		.ticks = b->timestamp[i],
		.events = b->events[i],
		.context_el1 = b->context_el1[i],
		.context_el2 = b->context_el2[i],
		.total = b->total[i],
		.issue = b->issue[i],
		.translate = b->translate[i],
		.source = b->source[i],
		.offset = b->offset[i],
	};
	if (v->has & PMSCOPE_HAS_SOURCE)
		v->source_name = pmscope_source_name(sample->midr, v->source);
	fill_operation(v, b->op_class[i], b->op[i]);
	fill_symbol(v, recording, symbols);
}
