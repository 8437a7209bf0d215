/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outputs of pmscope diff. */
#pragma once

#include "compare/compare.h"
#include "compare/origin.h"
#include "print/format.h"
#include "print/json.h"

/**
 * struct diff_output - all that a printer needs
 * @filters: of the old and the new side, or NULL
 * @origins: texts of what is known about how both were recorded
 * @nr_rows: to print
 * @is_verbose: text has all measures, not only the changed ones
 * @json: the output of jsonl.c, and what is around each of its objects
 */
struct diff_output {
	const struct comparison *all;
	const char *filters[2];
	char *origins[2][NR_ORIGINS];
	size_t nr_rows;
	bool is_verbose;
	struct json *json;
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
