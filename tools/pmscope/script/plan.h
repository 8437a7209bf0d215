/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How records of one kind are printed: which columns are empty, and what is in
 * those that all of them share, is settled once. What is left are a few values
 * with texts between.
 */
#ifndef PMSCOPE_SCRIPT_PLAN_H
#define PMSCOPE_SCRIPT_PLAN_H

#include "fields/column.h"
#include "print/recent.h"
#include "script/group.h"
#include "script/pieces.h"
#include "script/script.h"
#include "script/segment.h"

#define STEP_SHORT 16 /* text before a value */
#define STEP_TEXT  32 /* without a value */

struct row;
struct step;

/**
 * typedef step_put - puts a step, and all that follow
 * @p: where
 * @step: of the row's plan
 * @row: what it is about
 * @at: of the record in its batch
 *
 * Return: the end.
 */
typedef char *step_put(char *p, const struct step *step, struct row *row,
		       size_t at);

/**
 * struct step - a value, and the text before it in the row
 * @put: for values of its kind
 * @at: of the value in the batch
 * @length: what counts of the text
 * @segment: that has the columns of the value
 * @settled: the text has values that others of the layout have not
 * @recent: what is remembered of values that are numbers, or
 * @hex: addresses, or
 * @pieces: texts
 * @text: copied as a whole
 * @more: in its place where there is no value
 */
struct step {
	step_put *put;
	uint16_t at;
	uint8_t length;
	uint8_t segment;
	bool settled;
	union {
		struct {
			union {
				struct recent *recent;
				struct recent_hex *hex;
				struct pieces *pieces;
			};
			char text[STEP_SHORT];
		};
		char more[STEP_TEXT];
	};
};

/* What is printed, the same for all records, and remembered of it. */
struct layout {
	enum script_format format;
	const struct column *columns[MAX_COLUMNS];
	size_t nr_columns;
	struct segment segments[MAX_COLUMNS];
	size_t nr_segments;
	struct pieces *pieces[MAX_COLUMNS]; /* of each segment, or NULL */
	struct recent recent[MAX_COLUMNS];
	struct recent_hex hex[MAX_COLUMNS];
	struct group head, tail; /* of rows: script_fused.c */
};

/* Enough for the longest names as keys of JSON. */
#define PLAN_TEXT  2048
#define PLAN_STEPS (2 * MAX_COLUMNS + PLAN_TEXT / STEP_TEXT + 1)

struct plan {
	uint64_t key;	    /* of the kind of records; 0: no plan */
	uint64_t candidate; /* another kind that came, and next how often */
	unsigned int seen;
	bool full;   /* there is more text than room */
	size_t room; /* for a row whose texts are all pieces */
	size_t used; /* of text */
	struct step steps[PLAN_STEPS];
};

void layout_init(struct layout *layout, enum script_format format,
		 const struct column *const *columns, size_t nr);

/*
 * For records with the bits @has of enum pmscope_has, and COLUMN_HAS_*; with
 * @view only for those like it in operation, events, Data Source and level.
 */
void plan_make(struct plan *plan, uint64_t key, struct layout *layout,
	       uint32_t has, const struct view *view);

#endif /* PMSCOPE_SCRIPT_PLAN_H */
