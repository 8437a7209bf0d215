/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --fail-if: which changes make diff fail. CONDITION[,CONDITION...]; each is
 * [total:|rows:]MEASURE>[+]LIMIT[%] or [total:|rows:]MEASURE<-LIMIT[%].
 */
#pragma once

#include "compare/compare.h"

#define FAIL_IF_MAX 32

/**
 * struct fail_condition - one condition
 * @text: as it was written, @length bytes
 * @limit: of the change, negative for a decrease; relative: 0.1 is 10 %
 * @on_rows, @on_total: where it is looked for
 * @holds_for_total: it holds for all samples together
 * @failures: for how many rows it holds, and
 * @first: the first of them
 */
struct fail_condition {
	const char *text;
	size_t length;
	enum measure measure;
	bool is_less;
	bool is_relative;
	bool on_rows;
	bool on_total;
	double limit;
	bool holds_for_total;
	size_t failures;
	const struct row_pair *first;
};

struct fail_if {
	struct fail_condition conditions[FAIL_IF_MAX];
	size_t nr;
};

/* @text must stay; NULL: no condition. Returns 0, or -EINVAL after error(). */
int fail_if_parse(struct fail_if *fail_if, const char *text);

/* Does the condition hold for this change? */
bool fail_condition_holds(const struct fail_condition *condition,
			  const struct compared_row *row);

/* Counts the conditions that hold. */
void fail_if_see(struct fail_if *fail_if, const struct compared_row *row);
