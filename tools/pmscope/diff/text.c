// SPDX-License-Identifier: GPL-2.0-or-later
/* The comparison for people; free to change. */
#include "diff/diff.h"
#include "print/losses.h"
#include "print/name.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const sides[] = {"old", "new"};

static void put_recording(const struct diff_output *out, int side)
{
	const struct compare_side *of = &out->all->sides[side];
	char prefix[16];

	printf("# %s: ", sides[side]);
	name_put(stdout, of->load.name, 0);
	printf(": %" PRIu64 " SPE samples", of->table.samples);
	if (out->filters[side]) {
		printf(" of ");
		name_put(stdout, out->filters[side], 0);
	}
	putchar('\n');
	snprintf(prefix, sizeof(prefix), "# %s: ", sides[side]);
	losses_print(&of->load, stdout, prefix);
}

static void put_origins(const struct diff_output *out)
{
	for (int i = 0; i < NR_ORIGINS; i++) {
		const char *old = out->origins[0][i], *new = out->origins[1][i];

		if (!origin_differs(old, new))
			continue;
		printf("# recorded with other %s: ", origin_names[i]);
		name_put(stdout, old, 0);
		printf(" -> ");
		name_put(stdout, new, 0);
		putchar('\n');
	}
	if (out->all->unlike_cpus)
		printf("# The CPUs are of other kinds: cycles are those of "
		       "each, data sources are compared by name,\n"
		       "# and codes of sources without a name are not "
		       "compared\n");
}

static int put_head(const struct diff_output *out)
{
	const struct comparison *all = out->all;
	char cost[COST_TEXT], *work = compare_work_text(all);

	if (!work)
		return -ENOMEM;
	name_put_lines(stdout, "# ", work);
	free(work);

	put_recording(out, 0);
	put_recording(out, 1);
	put_origins(out);
	diff_cost_text(all, cost);
	printf("# Cost is in %s\n", cost);
	printf("# %zu of %zu rows changed beyond noise: together, the %zu "
	       "intervals\n# have a confidence of %.0f %%, if at most %g %% of "
	       "the "
	       "samples of a row differ from run to run\n",
	       all->nr_changed, all->nr_pairs, all->comparisons,
	       100 * COMPARE_CONFIDENCE, 100 * all->basis.noise);
	return 0;
}

static void put_number(double value, int decimals, bool sign)
{
	/* A limit that the samples do not give. */
	if (isinf(value))
		printf("%s", value > 0 ? "..." : "-...");
	else
		printf(sign ? "%+.*f" : "%.*f", decimals, value);
}

/* Percent for shares. */
static double scale_of(enum measure measure)
{
	return measures[measure].is_share ? 100 : 1;
}

static void put_measure(enum measure measure, const struct compared *m)
{
	const char *unit = measures[measure].is_share ? "%" : "";
	int decimals = measures[measure].decimals;
	double by = scale_of(measure), old = m->figures[0].value;

	printf("%18s  %.*f%s -> %.*f%s  ", measures[measure].name, decimals,
	       by * old, unit, decimals, by * m->figures[1].value, unit);
	put_number(by * m->change.value, decimals, true);
	printf(" (");
	put_number(by * m->change.range.low, decimals, true);
	printf(" to ");
	put_number(by * m->change.range.high, decimals, true);
	putchar(')');
	if (old)
		printf("  %+.1f%%", 100 * m->change.value / old);
	puts(m->changed ? "" : "  within noise");
}

static void put_source(const struct compared_row *row,
		       const struct compared_source *source)
{
	const struct estimate *change = &source->share.change;

	printf("%18s  ", "source");
	if (source->name)
		name_put(stdout, source->name, 0);
	else
		printf("code %u", source->code);
	printf(" %.1f%% -> %.1f%%  %+.1f (%+.1f to %+.1f)%s\n",
	       100.0 * source->samples[0] / row->sourced[0],
	       100.0 * source->samples[1] / row->sourced[1],
	       100 * change->value, 100 * change->range.low,
	       100 * change->range.high,
	       source->share.changed ? "" : "  within noise");
}

static void put_measures(const struct diff_output *out,
			 const struct compared_row *row)
{
	for (size_t i = MEASURE_SHARE; i < NR_MEASURES; i++) {
		const struct compared *m = &row->measures[i];

		if (m->known && (m->changed || out->is_verbose))
			put_measure(i, m);
	}
	for (size_t i = 0; i < row->nr_sources; i++) {
		const struct compared *m = &row->sources[i].share;

		if (m->known && (m->changed || out->is_verbose))
			put_source(row, &row->sources[i]);
	}
}

static void put_titles(const struct diff_output *out)
{
	const struct row_table *table = &out->all->sides[0].table;

	printf("#\n#%11s  %-24s %8s %8s  %-15s", "Cost +-", "interval", "old",
	       "new", "verdict");
	for (size_t i = 0; i < table->nr_keys; i++)
		printf(" %-*s",
		       i + 1 < table->nr_keys ? table->keys[i]->width : 0,
		       field_heading(table->keys[i]));
	printf("\n#%38s %17s\n", "", "share of samples");
}

static void put_interval(const struct interval *range)
{
	char text[64];

	snprintf(text, sizeof(text), "(%+.1f to %+.1f)", range->low,
		 range->high);
	printf("%-24s", text);
}

static void put_share(const struct compared_row *row, int side)
{
	if (row->pair && row->samples[side])
		printf(" %7.2f%%",
		       100 * row->measures[MEASURE_SHARE].figures[side].value);
	else
		printf(" %8s", "-");
}

static void put_keys(const struct comparison *all, const struct row_pair *pair)
{
	const struct row_table *table = &all->sides[0].table;
	char buf[32];

	for (size_t i = 0; i < table->nr_keys; i++) {
		putchar(' ');
		name_put(stdout, compare_value(all, pair, i, buf, sizeof(buf)),
			 i + 1 < table->nr_keys ? table->keys[i]->width : 0);
	}
}

static void put_row(const struct diff_output *out,
		    const struct compared_row *row)
{
	const struct estimate *cost = &row->measures[MEASURE_COST].change;

	printf("%+12.1f  ", cost->value);
	put_interval(&cost->range);
	put_share(row, 0);
	put_share(row, 1);
	printf("  %-15s", verdict_names[compare_verdict(row)]);
	if (row->pair)
		put_keys(out->all, row->pair);
	else
		printf(" all samples");
	putchar('\n');
	put_measures(out, row);
}

/* All samples, then the rows. */
static int put_rows(const struct diff_output *out)
{
	int ret = 0;

	for (size_t i = 0; i <= out->nr_rows && !ret; i++) {
		struct compared_row row = {};

		ret = compare_row(out->all, i ? &out->all->pairs[i - 1] : NULL,
				  &row);
		if (!ret)
			put_row(out, &row);
		compared_row_fini(&row);
	}
	return ret;
}

int diff_print_text(const struct diff_output *out)
{
	const struct comparison *all = out->all;
	size_t nr = all->nr_pairs;
	int ret = put_head(out);

	if (ret)
		return ret;
	if (!all->sides[0].table.samples || !all->sides[1].table.samples) {
		printf("# One of them has no samples: nothing to compare\n");
		return 0;
	}
	put_titles(out);
	ret = put_rows(out);
	if (out->nr_rows < nr)
		printf("# %zu more rows (--limit)\n", nr - out->nr_rows);
	return ret;
}
