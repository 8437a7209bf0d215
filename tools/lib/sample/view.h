/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A sample as the printers need it: plain values and names. */
#pragma once

#include "base/std.h"

#include <pmscope/recording.h>
#include <pmscope/stream.h>
#include <pmscope/symbols.h>

/**
 * struct view - an SPE record; or a group, with only @sample and @record set
 * @sample: thread, CPU and time
 * @record: stream record of the group, or NULL
 * @has: enum pmscope_has bits: which of the next members are set
 * @pc: canonical address, as are @target, @previous and @va
 * @op_flags: enum pmscope_operation_flag, only after view_flags()
 * @op_text: the operation as perf describes it
 * @counter: as in struct pmscope_batch
 * @file_offset: of @pc, see struct pmscope_place; set with @symbol, or if the
 *		  caller sets it
 * @place: of @pc in its file, or NULL; only if the caller sets it
 * @target_place: the same of @target
 * @symbol: symbol of @pc; its name and dso are NULL if unknown
 * @line: source line of @pc, only after view_line()
 * @data: symbol of @va, only if the caller sets it
 * @member: "table[].next" in that variable, or NULL; likewise
 * @memory: enum pmscope_memory, where @data is not known; likewise
 * @callers: "main;work", who called the function, only if the caller sets it;
 *	     see read/stacks.h
 * @to: symbol of @target, only if the caller sets it
 * @before: symbol of @previous, only if the caller sets it
 * @wall: what the wall clock shows later than @sample's time, ns; only if the
 *	  caller sets it and @has_wall
 * @event_filter: as for pmscope_data_src(), only if the caller sets it
 */
struct view {
	const struct pmscope_sample *sample;
	const struct pmscope_record *record;
	uint32_t has;
	uint64_t pc;
	unsigned int el;
	unsigned int ns;
	uint64_t target;
	uint64_t previous;
	uint64_t va;
	uint64_t pa;
	uint64_t ticks;
	uint64_t events;
	uint32_t context_el1;
	uint32_t context_el2;
	uint16_t total;
	uint16_t issue;
	uint16_t translate;
	uint16_t alt_issue;
	uint16_t source;
	uint32_t counter;
	uint32_t op_flags;
	char op_text[64];
	uint64_t offset;
	uint64_t file_offset;
	const struct pmscope_place *place;
	const struct pmscope_place *target_place;
	struct pmscope_symbol symbol;
	struct pmscope_line line;
	struct pmscope_symbol data;
	const char *member;
	unsigned int memory;
	const char *callers;
	const struct pmscope_symbol *to;
	const struct pmscope_symbol *before;
	uint64_t event_filter;
	bool has_wall;
	int64_t wall;
};

/* Is it an SPE record? Otherwise a group of counters. */
static inline bool view_is_spe(const struct view *view)
{
	return view->sample->kind == PMSCOPE_SAMPLE_SPE;
}

/* Fills in all but the operation's text and the symbol; these: view_names(). */
void view_begin(struct view *view, const struct pmscope_sample *sample);
void view_names(struct view *view, const struct pmscope_recording *recording,
		struct pmscope_symbols *symbols);

/* Fills in only the operation, for callers that need no symbol lookup. */
void view_operation(struct view *view);
void view_flags(struct view *view);

/* Fills in the source line, which is slower than all names. */
void view_line(struct view *view, const struct pmscope_recording *recording,
	       struct pmscope_symbols *symbols);

/* "file.c:12" at @text; "" if unknown, or if the path is too long. */
#define VIEW_LINE_MAX (PATH_MAX + 16)
void view_line_text(const struct pmscope_line *line, char *text);

/* Fills in all but the source line. */
void view_fill(struct view *view, const struct pmscope_sample *sample,
	       const struct pmscope_recording *recording,
	       struct pmscope_symbols *symbols);
