// SPDX-License-Identifier: GPL-2.0-or-later
#include "diff/diff.h"

#include <ctype.h>
#include <math.h>

#define OPTION "diff: --fail-if"

/* Enough for the names of all measures. */
#define NAMES_MAX 256

static int refuse(const struct fail_condition *c, const char *why)
{
	error(OPTION "='%.*s': %s", (int)c->length, c->text, why);
	return -EINVAL;
}

/* lat.p90 and L1D-REFILL are lat_p90 and l1d_refill. */
static bool is_named(const char *name, const char *text, size_t length)
{
	if (strlen(name) != length)
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = text[i] == '.' || text[i] == '-'
				 ? '_'
				 : tolower((unsigned char)text[i]);

		if (c != name[i])
			return false;
	}
	return true;
}

static int unknown_measure(const struct fail_condition *c)
{
	char names[NAMES_MAX] = "unknown measure; valid measures:";
	size_t at = strlen(names);

	for (size_t i = 0; i < NR_ALL_MEASURES; i++)
		at += snprintf(names + at, sizeof(names) - at, "%s%s",
			       i ? ", " : " ", measures[i].name);
	return refuse(c, names);
}

static int measure_parse(struct fail_condition *c, const char *text,
			 size_t length)
{
	for (size_t i = 0; i < NR_ALL_MEASURES; i++) {
		if (!is_named(measures[i].name, text, length))
			continue;
		c->measure = i;
		return 0;
	}
	return unknown_measure(c);
}

/* "total:" or "rows:" in front; returns what is behind it. */
static const char *scope_parse(struct fail_condition *c)
{
	c->on_rows = c->on_total = true;
	if (c->length >= 6 && !strncmp(c->text, "total:", 6)) {
		c->on_rows = false;
		return c->text + 6;
	}
	if (c->length >= 5 && !strncmp(c->text, "rows:", 5)) {
		c->on_total = false;
		return c->text + 5;
	}
	return c->text;
}

/* A number without exponent, hexadecimals, infinities. */
static bool decimal_parse(const char *text, size_t length, double *number)
{
	size_t digits = 0, points = 0;

	for (size_t i = 0; i < length; i++) {
		digits += isdigit((unsigned char)text[i]) != 0;
		points += text[i] == '.';
	}
	if (!digits || points > 1 || digits + points != length)
		return false;
	*number = strtod(text, NULL);
	return true;
}

static int limit_parse(struct fail_condition *c, const char *text,
		       size_t length)
{
	bool is_negative = length && *text == '-';

	if (is_negative || (length && *text == '+')) {
		text++;
		length--;
	}
	if (length && text[length - 1] == '%') {
		c->is_relative = true;
		length--;
	}
	if (!decimal_parse(text, length, &c->limit))
		return refuse(c, "expected a number behind < or >, for example "
				 "lat.p90>+10%");
	if (is_negative != c->is_less)
		return refuse(
			c, c->is_less ? "holds for rows that did not change; "
					"a decrease is written <-LIMIT"
				      : "holds for rows that did not change; "
					"an increase is written >+LIMIT");
	if (c->is_relative || measures[c->measure].is_share)
		c->limit /= 100;
	if (c->is_relative && c->is_less && c->limit >= 1)
		return refuse(c, "nothing decreases by 100 % or more");
	return 0;
}

static int condition_parse(struct fail_condition *c)
{
	const char *text = scope_parse(c), *end = c->text + c->length;
	size_t length = strcspn(text, "<>,");
	int ret;

	if (text + length >= end)
		return refuse(c, "missing < or >, for example lat.p90>+10%");
	ret = measure_parse(c, text, length);
	if (ret)
		return ret;
	c->is_less = text[length] == '<';
	text += length + 1;
	if (c->measure == MEASURE_SHARE && !c->on_rows)
		return refuse(c, "the share of all samples is always 100 %");
	if (c->measure >= NR_MEASURES && !c->on_total)
		return refuse(c, "is known of whole recordings only");
	return limit_parse(c, text, end - text);
}

int fail_if_parse(struct fail_if *fail_if, const char *text)
{
	int ret = 0;

	for (; text && !ret; text++) {
		struct fail_condition *c = &fail_if->conditions[fail_if->nr];

		if (fail_if->nr == FAIL_IF_MAX) {
			error(OPTION ": more than %d conditions", FAIL_IF_MAX);
			return -EINVAL;
		}
		*c = (struct fail_condition){
			.text = text,
			.length = strcspn(text, ","),
		};
		fail_if->nr++;
		ret = condition_parse(c);
		text += c->length;
		if (!*text)
			break;
	}
	return ret;
}

static bool measure_fails(const struct fail_condition *condition,
			  const struct compared_row *row, enum measure measure)
{
	const struct compared *m = &row->measures[measure];
	double limit = condition->limit;

	if (!m->changed ||
	    (row->pair ? !condition->on_rows : !condition->on_total))
		return false;
	if (condition->is_relative)
		limit *= m->figures[0].value;
	return condition->is_less ? m->change.value < -limit
				  : m->change.value > limit;
}

/* Relative to the work, more work costs nothing: the cycles of all tell. */
bool fail_condition_holds(const struct fail_condition *condition,
			  const struct compared_row *row)
{
	return measure_fails(condition, row, condition->measure) ||
	       (row->is_absolute && condition->measure == MEASURE_COST &&
		condition->is_relative &&
		measure_fails(condition, row, MEASURE_CYCLES));
}

void fail_if_see(struct fail_if *fail_if, const struct compared_row *row)
{
	for (size_t i = 0; i < fail_if->nr; i++) {
		struct fail_condition *c = &fail_if->conditions[i];

		if (!fail_condition_holds(c, row))
			continue;
		if (!row->pair)
			c->holds_for_total = true;
		else if (!c->failures++)
			c->first = row->pair;
	}
}
