/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formulas of metrics: numbers, names in capitals, + - * / and brackets. */
#pragma once

#include "base/std.h"

/* Sets the value of a name. Returns false if it has none. */
typedef bool (*formula_value_fn)(void *arg, const char *name, size_t length,
				 double *value);

/*
 * Returns false if a name has no value, a divisor is 0 or the syntax is wrong.
 */
bool formula_value(const char *formula, formula_value_fn value_of, void *arg,
		   double *value);
