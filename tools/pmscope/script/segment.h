/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of columns that are next to each other in a row. */
#ifndef PMSCOPE_SCRIPT_SEGMENT_H
#define PMSCOPE_SCRIPT_SEGMENT_H

#include "fields/column.h"
#include "script/script.h"

/* Columns next to each other that follow from the same. */
struct segment {
	const struct column *const *columns;
	size_t nr;
	bool first; /* in the row */
	enum column_value value;
};

/* What they print; @hole as in struct piece. */
struct text {
	const char *text;
	size_t length;
	size_t hole;
};

/* Where it is put together, for as long as no other is. */
struct text_buffer {
	char *text;
	size_t size;
};

/* With room for PIECE_STEP bytes behind it; false when memory is short. */
bool segment_text(struct text_buffer *buffer, enum script_format format,
		  const struct segment *segment, const struct view *view,
		  struct text *text);

#endif /* PMSCOPE_SCRIPT_SEGMENT_H */
