// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows as comma-separated values under a header line (RFC 4180). */
#include "diff/diff.h"
#include "print/csv.h"
#include "print/losses.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void put_header(const struct comparison *all)
{
	const struct row_table *table = &all->sides[0].table;

	for (size_t i = 0; i < table->nr_keys; i++)
		printf("%s,", field_heading(table->keys[i]));
	printf("verdict,samples_old,samples_new,");
	for (size_t i = 0; i < NR_MEASURES; i++) {
		const char *name = measures[i].name;

		printf("%s_old,%s_new,%s_change,%s_low,%s_high,%s_changed,",
		       name, name, name, name, name, name);
	}
	printf("sources\n");
}

/* Nothing for a limit that the samples do not give. */
static void put_number(double value, int decimals)
{
	if (!isinf(value))
		printf("%.*f", decimals, value);
	putchar(',');
}

static void put_measure(enum measure measure, const struct compared *m)
{
	int decimals = measures[measure].is_share ? 6 : 3;

	if (!m->known) {
		printf(",,,,,,");
		return;
	}
	put_number(m->figures[0].value, decimals);
	put_number(m->figures[1].value, decimals);
	put_number(m->change.value, decimals);
	put_number(m->change.range.low, decimals);
	put_number(m->change.range.high, decimals);
	printf("%d,", m->changed);
}

static void put_sources(const struct compared_row *row)
{
	for (size_t i = 0; i < row->nr_sources; i++) {
		const struct compared_source *s = &row->sources[i];

		if (s->name)
			csv_put_listed(stdout, s->name, !i);
		else
			printf("%s%u", i ? "|" : "", s->code);
		printf("=%" PRIu64 "/%" PRIu64, s->samples[0], s->samples[1]);
	}
}

static void put_row(const struct diff_output *out,
		    const struct compared_row *row)
{
	const struct row_table *table = &out->all->sides[0].table;
	char buf[32];

	for (size_t i = 0; i < table->nr_keys; i++) {
		csv_string(stdout, compare_value(out->all, row->pair, i, buf,
						 sizeof(buf)));
		putchar(',');
	}
	printf("%s,%" PRIu64 ",%" PRIu64 ",",
	       verdict_names[compare_verdict(row)], row->samples[0],
	       row->samples[1]);
	for (size_t i = 0; i < NR_MEASURES; i++)
		put_measure(i, &row->measures[i]);
	put_sources(row);
	putchar('\n');
}

int diff_print_csv(const struct diff_output *out)
{
	losses_print(&out->all->sides[0].load, stderr, "pmscope: old: ");
	losses_print(&out->all->sides[1].load, stderr, "pmscope: new: ");
	put_header(out->all);
	return diff_print_rows(out, false, put_row);
}
