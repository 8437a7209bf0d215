// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/stat.h"

#include <ctype.h>
#include <math.h>

struct formula {
	const char *at;
	formula_value_fn value_of;
	void *arg;
	bool failed;
};

static double sum(struct formula *f);

static char next(struct formula *f)
{
	while (*f->at == ' ')
		f->at++;
	return *f->at;
}

static double name(struct formula *f)
{
	const char *start = f->at;
	double value = 0;

	while (isupper((unsigned char)*f->at) ||
	       isdigit((unsigned char)*f->at) || *f->at == '_')
		f->at++;
	if (!f->value_of(f->arg, start, f->at - start, &value))
		f->failed = true;
	return value;
}

static double factor(struct formula *f)
{
	double value = 0;
	char *end;

	if (isupper((unsigned char)next(f)))
		return name(f);
	if (isdigit((unsigned char)*f->at)) {
		value = strtod(f->at, &end);
		f->at = end;
		return value;
	}
	if (*f->at != '(') {
		f->failed = true;
		return 0;
	}
	f->at++;
	value = sum(f);
	if (next(f) == ')')
		f->at++;
	else
		f->failed = true;
	return value;
}

static double product(struct formula *f)
{
	double value = factor(f), divisor;

	while (!f->failed && (next(f) == '*' || *f->at == '/')) {
		if (*f->at++ == '*') {
			value *= factor(f);
			continue;
		}
		divisor = factor(f);
		f->failed |= divisor == 0;
		value /= divisor;
	}
	return value;
}

static double sum(struct formula *f)
{
	double value = product(f);

	while (!f->failed && (next(f) == '+' || *f->at == '-'))
		value += *f->at++ == '+' ? product(f) : -product(f);
	return value;
}

bool formula_value(const char *formula, formula_value_fn value_of, void *arg,
		   double *value)
{
	struct formula f = {.at = formula, .value_of = value_of, .arg = arg};

	*value = sum(&f);
	return !f.failed && !next(&f) && isfinite(*value);
}
