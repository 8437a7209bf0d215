// SPDX-License-Identifier: GPL-2.0-or-later
/* Options that stand for a filter, as perf has them. */
#include "base/text.h"
#include "fields/filter.h"
#include "read/load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 32 /* letters of a time */

/* Appends "time>=NS" to the filter, for seconds; nothing for an empty text. */
static int add_time(const struct option_row *row, const char *op,
		    const char *text, size_t length, void *field)
{
	char seconds[SECONDS_MAX + 2], term[64];
	uint64_t ns;

	if (!length)
		return 0;
	if (length > SECONDS_MAX)
		return -EINVAL;
	*text_string(text_bytes(seconds, text, length), "s") = '\0';
	if (number_parse(seconds, number_times, &ns))
		return -EINVAL;
	snprintf(term, sizeof(term), "time%s%" PRIu64, op, ns);
	return option_join(row, term, field);
}

int load_option_time(const struct option_row *row, const char *arg, void *field)
{
	size_t first = strcspn(arg, ",");
	const char *last = arg + first + (arg[first] == ',');
	int ret;

	if (!first && !*last)
		return -EINVAL;
	ret = add_time(row, ">=", arg, first, field);
	return ret ?: add_time(row, "<=", last, strlen(last), field);
}

/* A name without a slash is that of a file in any directory. */
int load_option_dsos(const struct option_row *row, const char *arg, void *field)
{
	/* Each name twice, with "|" and a wildcard. */
	char *term = malloc(2 * strlen(arg) + 5 * FILTER_VALUES + 8), *p;
	size_t length, nr = 0;
	int ret = -EINVAL;

	if (!term)
		return -ENOMEM;
	p = text_string(term, "dso=");
	for (;; arg += length + 1) {
		bool any;

		length = strcspn(arg, ",");
		any = !memchr(arg, '/', length) && *arg != '[';
		nr += 1 + any;
		if (!length || nr > FILTER_VALUES)
			break;
		if (p[-1] != '=')
			*p++ = '|';
		p = text_bytes(p, arg, length);
		if (any)
			p = text_bytes(text_string(p, "|*/"), arg, length);
		if (arg[length])
			continue;
		*p = '\0';
		ret = option_join(row, term, field);
		break;
	}
	free(term);
	return ret;
}
