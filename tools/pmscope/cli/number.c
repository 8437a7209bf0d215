// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers, with units or without. */
#include "cli/cli.h"

#include <strings.h>

const struct number_unit number_counts[] = {
	{"K", 1000}, {"M", 1000000}, {"G", 1000000000}, {}};

const struct number_unit number_times[] = {
	{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {}};

int option_u64(const struct option_row *, const char *arg, void *field)
{
	int base = strncasecmp(arg, "0x", 2) ? 10 : 16;
	unsigned long long value;
	char *end;

	if (*arg < '0' || *arg > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(arg, &end, base);
	if (errno || *end)
		return -EINVAL;
	*(uint64_t *)field = value;
	return 0;
}

static uint64_t factor_of(const char *name, const struct number_unit *units)
{
	for (; units->name; units++)
		if (!strcasecmp(units->name, name))
			return units->factor;
	return 0;
}

/* Adds the decimals at @text, in units of @factor. Returns their end. */
static const char *add_decimals(const char *text, uint64_t factor,
				uint64_t *value)
{
	for (; isdigit((unsigned char)*text); text++) {
		if (*text != '0' && factor % 10)
			return NULL;
		factor /= 10;
		*value += (uint64_t)(*text - '0') * factor;
	}
	return text;
}

int number_parse(const char *text, const struct number_unit *units,
		 uint64_t *value)
{
	const char *unit = text + strspn(text, "0123456789.");
	uint64_t factor, whole;
	char *end;

	if (!option_u64(NULL, text, value))
		return 0;
	factor = factor_of(unit, units);
	if (!factor || !isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	whole = strtoull(text, &end, 10);
	if (errno || __builtin_mul_overflow(whole, factor, value))
		return -EINVAL;
	if (*end == '.')
		end = (char *)add_decimals(end + 1, factor, value);
	return end == unit && *value >= whole ? 0 : -EINVAL;
}

int option_percent(const struct option_row *, const char *arg, void *field)
{
	char *end;
	double value;

	if (!isdigit((unsigned char)*arg) && *arg != '.')
		return -EINVAL;
	value = strtod(arg, &end);
	if (end == arg || strspn(arg, "0123456789.") != (size_t)(end - arg) ||
	    strcmp(end + (*end == '%'), "") || value > 100)
		return -EINVAL;
	*(double *)field = value;
	return 0;
}

int option_count(const struct option_row *, const char *arg, void *field)
{
	return number_parse(arg, number_counts, field) || !*(uint64_t *)field
		       ? -EINVAL
		       : 0;
}

int option_unsigned(const struct option_row *row, const char *arg, void *field)
{
	uint64_t value;

	if (option_u64(row, arg, &value) || value > UINT32_MAX)
		return -EINVAL;
	*(unsigned int *)field = value;
	return 0;
}

int option_positive(const struct option_row *row, const char *arg, void *field)
{
	return option_unsigned(row, arg, field) || !*(unsigned int *)field
		       ? -EINVAL
		       : 0;
}

int option_positive_u64(const struct option_row *row, const char *arg,
			void *field)
{
	return option_u64(row, arg, field) || !*(uint64_t *)field ? -EINVAL : 0;
}
