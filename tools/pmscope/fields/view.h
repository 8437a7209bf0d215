/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sample as the printers need it: plain values, names already found. */
#ifndef PMSCOPE_FIELDS_VIEW_H
#define PMSCOPE_FIELDS_VIEW_H

#include <pmscope/recording.h>
#include <pmscope/stream.h>
#include <pmscope/symbols.h>

#include <limits.h>

/**
 * struct view - one SPE record; or a group, of which the first two are set
 * @sample: who, where and when
 * @record: what a stream's record says of the capture of the group, else NULL
 * @has: enum pmscope_has bits: which of the next are set
 * @pc: canonical, and so are @target, @previous and @va
 * @op_text: the operation in perf's words
 * @counter: as of struct pmscope_batch
 * @symbol: of @pc; its name and dso are NULL when not known
 * @line: of @pc in the source, only after view_line()
 * @data: the symbol of @va, only where the caller has set it
 * @event_filter: as of pmscope_data_src(), only where the caller has set it
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
	char op_text[64];
	uint64_t offset;
	struct pmscope_symbol symbol;
	struct pmscope_line line;
	struct pmscope_symbol data;
	uint64_t event_filter;
};

/* All but the names: of the operation and the symbol. */
void view_begin(struct view *view, const struct pmscope_sample *sample);
void view_names(struct view *view, const struct pmscope_recording *recording,
		struct pmscope_symbols *symbols);

/* Only the operation, for callers that know the symbol or need none. */
void view_operation(struct view *view);

/* The source line costs more than all names. */
void view_line(struct view *view, const struct pmscope_recording *recording,
	       struct pmscope_symbols *symbols);

/* "file.c:12" at @text; "" if unknown, or if the path is too long. */
#define VIEW_LINE_MAX (PATH_MAX + 16)
void view_line_text(const struct pmscope_line *line, char *text);

/* All but the source line. */
void view_fill(struct view *view, const struct pmscope_sample *sample,
	       const struct pmscope_recording *recording,
	       struct pmscope_symbols *symbols);

#endif /* PMSCOPE_FIELDS_VIEW_H */
