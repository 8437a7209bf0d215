// SPDX-License-Identifier: GPL-2.0-or-later
/* What was found, in rows. */
#include "verify/verify.h"

#include <stdarg.h>
#include <time.h>

double verify_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void put_words(struct verify_row *row, const struct judged *j)
{
	const char *words = verdict_words[j->verdict];

	if (j->verdict == VERDICT_WITHIN)
		snprintf(row->text, sizeof(row->text), "%s %.2g %%", words,
			 100 * j->error);
	else if (j->verdict == VERDICT_SOMETHING && j->ratio > 0)
		snprintf(row->text, sizeof(row->text), "%s (%.3g times)", words,
			 j->ratio);
	else if (j->verdict == VERDICT_OTHER_CODE)
		snprintf(row->text, sizeof(row->text), "%s (%s)", words,
			 j->speculative ? "speculative" : "exception levels");
	else
		snprintf(row->text, sizeof(row->text), "%s", words);
}

struct verify_row *verify_add(struct verify_kind *kind, const char *name,
			      int number, struct judged judged,
			      const struct loop *loop, const struct measured *m)
{
	const char *erratum, *note;
	struct verify_row *row;

	if (array_one_more(kind->row, kind->nr))
		return NULL;
	row = &kind->row[kind->nr++];
	memset(row, 0, sizeof(*row));
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->number = number;
	row->verdict = judged.verdict;
	row->ratio = judged.ratio;
	put_words(row, &judged);
	erratum = verify_erratum(kind->midr, name, &note);
	if (erratum)
		verify_note(row, "%s: %s", erratum, note);
	if (judged.verdict == VERDICT_UNDECIDED ||
	    judged.verdict == VERDICT_NOT_ALLOWED)
		return row;
	row->loop = loop->name;
	row->counted = m->counted;
	row->expected = m->expected;
	return row;
}

void verify_note(struct verify_row *row, const char *fmt, ...)
{
	size_t length = strlen(row->note);
	va_list args;

	if (length && length + 3 < sizeof(row->note))
		length += sprintf(row->note + length, "; ");
	va_start(args, fmt);
	vsnprintf(row->note + length, sizeof(row->note) - length, fmt, args);
	va_end(args);
}
