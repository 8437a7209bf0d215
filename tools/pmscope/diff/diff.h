/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outputs of pmscope diff. */
#pragma once

#include "compare/compare.h"
#include "print/print.h"

/* All that a printer needs */
struct diff_output {
	const struct comparison *all;
	const char *filters[2]; /* of the old and the new side, or NULL */
	/* what is known of how they were recorded */
	char *origins[2][NR_ORIGINS];
	size_t nr_rows;	 /* to print */
	bool is_verbose; /* text has all measures, not only the changed ones */
	struct json *json; /* of jsonl.c, and around each of its objects */
	void (*begin)(struct json *json);
	void (*end)(struct json *json);
};

/* What cost is, for instance "cycles of latency per 1000 samples". */
#define COST_TEXT 128
void diff_cost_text(const struct comparison *all, char text[COST_TEXT]);

/* rows.c: the rows in a format. Returns 0 or -ENOMEM. */
int diff_rows(const struct diff_output *out, enum print_format format);

/* The member of a measure. */
void diff_measure_json(struct json *json, enum measure measure,
		       const struct compared *m);

/* Each returns 0 or -ENOMEM. */
int diff_print_text(const struct diff_output *out);
int diff_print_csv(const struct diff_output *out);
int diff_print_jsonl(const struct diff_output *out);
int diff_print_html(const struct diff_output *out);

/*
 * --fail-if: which changes make diff fail. CONDITION[,CONDITION...]; each is
 * [total:|rows:]MEASURE>[+]LIMIT[%] or [total:|rows:]MEASURE<-LIMIT[%].
 */

#define FAIL_IF_MAX 32

/* One condition. @on_rows, @on_total: where it is looked for. */
struct fail_condition {
	const char *text; /* as it was written, @length bytes */
	size_t length;
	enum measure measure;
	bool is_less;
	bool is_relative;
	bool on_rows;
	bool on_total;
	double limit;		      /* of the change; relative: 0.1 is 10 % */
	bool holds_for_total;	      /* it holds for all samples together */
	size_t failures;	      /* for how many rows it holds, and */
	const struct row_pair *first; /* the first of them */
};

struct fail_if {
	struct fail_condition conditions[FAIL_IF_MAX];
	size_t nr;
};

/* @text must stay; NULL: no condition. Returns 0, or -EINVAL after error(). */
int fail_if_parse(struct fail_if *fail_if, const char *text);
bool fail_condition_holds(const struct fail_condition *condition,
			  const struct compared_row *row);

/* Counts the conditions that hold. */
void fail_if_see(struct fail_if *fail_if, const struct compared_row *row);
