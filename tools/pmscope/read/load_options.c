// SPDX-License-Identifier: GPL-2.0-or-later
/* Options that stand for a filter, as perf has them. */
#include "base/text.h"
#include "fields/fields.h"
#include "read/load.h"

#define SECONDS_MAX 32 /* letters of a time */

/* Stands in a filter for the field time until the recording is known. */
#define TOD "tod"

#define DAY	 86400
#define NS_PER_S UINT64_C(1000000000)

/*
 * "[2026-11-29 ]14:03:05[.5]", in the reader's time zone, as ns since 1970;
 * without a date, the first such time from half a day before @at on.
 */
static int tod_parse(const char *text, uint64_t at, uint64_t *ns)
{
	time_t day = at / NS_PER_S;
	unsigned int hour, minute;
	char separator, rest;
	double second = 0;
	struct tm tm;
	int date[3], n = 0;

	if (!localtime_r(&day, &tm))
		return -EINVAL;
	if (sscanf(text, "%4d-%2d-%2d%c%n", &date[0], &date[1], &date[2],
		   &separator, &n) == 4 &&
	    (separator == ' ' || separator == 'T')) {
		tm.tm_year = date[0] - 1900;
		tm.tm_mon = date[1] - 1;
		tm.tm_mday = date[2];
		text += n;
	} else {
		n = 0;
	}
	if (strspn(text, "0123456789:.") != strlen(text) ||
	    sscanf(text, "%2u:%2u:%lf%c", &hour, &minute, &second, &rest) ==
		    4 ||
	    sscanf(text, "%2u:%2u", &hour, &minute) != 2 || hour > 23 ||
	    minute > 59 || second >= 60)
		return -EINVAL;
	tm.tm_hour = hour;
	tm.tm_min = minute;
	tm.tm_sec = 0;
	tm.tm_isdst = -1;
	day = mktime(&tm);
	if (!n && day + DAY / 2 < (time_t)(at / NS_PER_S))
		day += DAY;
	*ns = day * NS_PER_S + (uint64_t)(second * NS_PER_S + 0.5);
	return 0;
}

char *load_filter_times(const struct load *load, const char *filter)
{
	char *text = NULL;
	size_t size, length;
	FILE *out = strstr(filter, TOD) ? open_memstream(&text, &size) : NULL;
	uint64_t ns = 0;

	if (!out)
		text = strdup(filter);
	for (; out && *filter; filter += length + (filter[length] == ',')) {
		char term[SECONDS_MAX + 8];

		length = strcspn(filter, ",");
		fputs(ftell(out) ? "," : "", out);
		if (strncmp(filter, TOD, strlen(TOD)) || length < 5 ||
		    length >= sizeof(term)) {
			fwrite(filter, 1, length, out);
			continue;
		}
		*text_bytes(term, filter, length) = '\0';
		if (!load->has_wall ||
		    tod_parse(term + 5, load->wall_at, &ns)) {
			error("%s: --time: %s", load->name,
			      load->has_wall
				      ? "not a time of day"
				      : "the recording does not tell the time "
					"of day, as those of perf record -k "
					"do");
			fclose(out);
			free(text);
			return NULL;
		}
		ns = (int64_t)ns > load->wall ? ns - load->wall : 0;
		fprintf(out, "time%.2s%" PRIu64, term + 3, ns);
	}
	if ((!out && text) || (out && !fclose(out)))
		return text;
	error("out of memory");
	free(text);
	return NULL;
}

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
	if (memchr(text, ':', length)) {
		snprintf(term, sizeof(term), TOD "%s%.*s", op, (int)length,
			 text);
		return tod_parse(term + strlen(TOD) + strlen(op), 0, &ns)
			       ? -EINVAL
			       : option_join(row, term, field);
	}
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

	if (!first && !*last)
		return -EINVAL;
	return add_time(row, ">=", arg, first, field)
		       ?: add_time(row, "<=", last, strlen(last), field);
}

/* A name without a slash is that of a file in any directory. */
int load_option_dsos(const struct option_row *row, const char *arg, void *field)
{
	/* Each name twice, with "|" and a wildcard. */
	FREED char *term = malloc(2 * strlen(arg) + 5 * FILTER_VALUES + 8);
	char *p;
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
	return ret;
}
