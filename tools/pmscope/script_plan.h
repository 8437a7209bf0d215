/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How records of one kind are printed: which columns are empty, and what is in
 * those that all of them share, is settled once. What is left are a few values
 * with texts between.
 */
#ifndef PMSCOPE_SCRIPT_PLAN_H
#define PMSCOPE_SCRIPT_PLAN_H

#include "column.h"
#include "script.h"
#include "script_pieces.h"

/**
 * struct step - a value, and what is before it in the row
 * @text: in the plan, and next how long it is
 * @at: of the value in the batch
 * @value: enum column_value; VALUE_NONE in the last step
 * @column: whose value it is, and next of which segment
 */
struct step {
	const char *text;
	uint16_t length;
	uint16_t at;
	uint8_t value;
	uint8_t column;
	uint8_t segment;
};

/* Columns next to each other that follow from the same. */
struct segment {
	const struct column *const *columns;
	size_t nr;
	bool first; /* in the row */
	enum column_value value;
};

/* What is printed: the same for all records. */
struct layout {
	enum script_format format;
	const struct column *columns[MAX_COLUMNS];
	size_t nr_columns;
	struct segment segments[MAX_COLUMNS];
	size_t nr_segments;
};

#define PLAN_TEXT 2048 /* enough for the longest names as keys of JSON */

struct plan {
	uint64_t key;	    /* of the kind of records; 0: no plan */
	uint64_t candidate; /* another kind that came, and next how often */
	unsigned int seen;
	bool full;   /* there is more text than room */
	size_t room; /* for a row whose texts are all pieces */
	size_t used; /* of text */
	struct step steps[MAX_COLUMNS + 1];
	char text[PLAN_TEXT + PIECE_STEP];
};

void layout_init(struct layout *layout, enum script_format format,
		 const struct column *const *columns, size_t nr);

/*
 * For records with the bits @has of enum pmscope_has, and COLUMN_HAS_*; with
 * @view only for those like it in operation, events, Data Source and level.
 */
void plan_make(struct plan *plan, uint64_t key, const struct layout *layout,
	       uint32_t has, const struct view *view);

#endif /* PMSCOPE_SCRIPT_PLAN_H */
