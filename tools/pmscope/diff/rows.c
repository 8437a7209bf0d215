// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows, in each format. Keys are stable. */
#include "diff/diff.h"
#include "print/table.h"

#include <math.h>

/* A row of both recordings. */
struct compared_view {
	struct row_view row; /* without one: all samples */
	const struct compared_row *compared;
};

static const struct compared_row *compared(const void *row)
{
	return ((const struct compared_view *)row)->compared;
}

/* A limit that the samples do not give is left out. */
static void put_limit(struct json *json, const char *key, int decimals,
		      double value)
{
	if (!isinf(value))
		json_real(json, key, decimals, value);
}

static void put_change(struct json *json, int decimals,
		       const struct compared *m)
{
	json_real(json, "change", decimals, m->change.value);
	put_limit(json, "low", decimals, m->change.range.low);
	put_limit(json, "high", decimals, m->change.range.high);
	json_bool(json, "changed", m->changed);
}

static void put_figure(struct json *json, int decimals, const char *key,
		       const char *low, const char *high,
		       const struct estimate *figure)
{
	json_real(json, key, decimals, figure->value);
	put_limit(json, low, decimals, figure->range.low);
	put_limit(json, high, decimals, figure->range.high);
}

void diff_measure_json(struct json *json, enum measure measure,
		       const struct compared *m)
{
	int decimals = measures[measure].is_share ? 6 : 3;

	json_begin_object(json, measures[measure].name);
	put_figure(json, decimals, "old", "old_low", "old_high",
		   &m->figures[0]);
	put_figure(json, decimals, "new", "new_low", "new_high",
		   &m->figures[1]);
	put_change(json, decimals, m);
	json_end_object(json);
}

static void put_source(struct json *json, const struct compared_source *source)
{
	json_begin_object(json, NULL);
	json_unsigned(json, "code", source->code);
	if (source->name)
		json_text(json, "name", source->name);
	json_unsigned(json, "old", source->samples[0]);
	json_unsigned(json, "new", source->samples[1]);
	if (source->share.known)
		put_change(json, 6, &source->share);
	json_end_object(json);
}

static void measures_json(struct json *json, const void *row, size_t)
{
	const struct compared_row *r = compared(row);

	json_begin_object(json, "measures");
	for (size_t i = 0; i < NR_MEASURES; i++)
		if (r->measures[i].known)
			diff_measure_json(json, i, &r->measures[i]);
	json_end_object(json);
}

static void sources_json(struct json *json, const void *row, size_t)
{
	const struct compared_row *r = compared(row);

	json_begin_array(json, "sources");
	for (size_t i = 0; i < r->nr_sources; i++)
		put_source(json, &r->sources[i]);
	json_end_array(json);
}

static void sources_csv(FILE *out, const void *row, size_t)
{
	const struct compared_row *r = compared(row);

	for (size_t i = 0; i < r->nr_sources; i++) {
		const struct compared_source *s = &r->sources[i];

		if (s->name)
			csv_put_listed(out, s->name, !i);
		else
			fprintf(out, "%s%u", i ? "|" : "", s->code);
		fprintf(out, "=%" PRIu64 "/%" PRIu64, s->samples[0],
			s->samples[1]);
	}
}

static CELL_OF(verdict_get, struct compared_view,
	       cell_text(verdict_names[compare_verdict(v->compared)]));
static CELL_OF(samples_get, struct compared_view,
	       cell_unsigned(v->compared->samples[arg]));

/* Cost and its interval, and the shares of both sides, for people. */

static void cost_text(FILE *out, const void *row, size_t arg)
{
	const struct estimate *cost =
		&compared(row)->measures[MEASURE_COST].change;

	if (arg)
		fprintf(out, "(%+.1f to %+.1f)", cost->range.low,
			cost->range.high);
	else
		fprintf(out, "%+.1f", cost->value);
}

static void share_text(FILE *out, const void *row, size_t side)
{
	const struct compared_row *r = compared(row);

	if (r->pair && r->samples[side])
		fprintf(out, "%.2f%%",
			100 * r->measures[MEASURE_SHARE].figures[side].value);
	else
		fputc('-', out);
}

/* Below a row of text: its measures, and what its sources are. */

static void put_signed(double value, int decimals)
{
	/* A limit that the samples do not give. */
	if (isinf(value))
		printf("%s", value > 0 ? "..." : "-...");
	else
		printf("%+.*f", decimals, value);
}

/* Percent for shares. */
static double scale_of(enum measure measure)
{
	return measures[measure].is_share ? 100 : 1;
}

static void put_measure_text(enum measure measure, const struct compared *m)
{
	const char *unit = measures[measure].is_share ? "%" : "";
	int decimals = measures[measure].decimals;
	double by = scale_of(measure), old = m->figures[0].value;

	printf("%18s  %.*f%s -> %.*f%s  ", measures[measure].name, decimals,
	       by * old, unit, decimals, by * m->figures[1].value, unit);
	put_signed(by * m->change.value, decimals);
	printf(" (");
	put_signed(by * m->change.range.low, decimals);
	printf(" to ");
	put_signed(by * m->change.range.high, decimals);
	putchar(')');
	if (old)
		printf("  %+.1f%%", 100 * m->change.value / old);
	puts(m->changed ? "" : "  within noise");
}

static void put_source_text(const struct compared_row *row,
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
			put_measure_text(i, m);
	}
	for (size_t i = 0; i < row->nr_sources; i++) {
		const struct compared *m = &row->sources[i].share;

		if (m->known && (m->changed || out->is_verbose))
			put_source_text(row, &row->sources[i]);
	}
}

/* Of a measure, CSV has these columns. */
static const char *const parts[] = {"old", "new",  "change",
				    "low", "high", "changed"};

static struct cell measure_get(const void *row, size_t arg, char *)
{
	const struct compared *m =
		&compared(row)->measures[arg / ARRAY_SIZE(parts)];
	const double values[] = {m->figures[0].value, m->figures[1].value,
				 m->change.value, m->change.range.low,
				 m->change.range.high};
	size_t part = arg % ARRAY_SIZE(parts);

	if (!m->known)
		return (struct cell){};
	if (part == ARRAY_SIZE(parts) - 1)
		return cell_unsigned(m->changed);
	/* A limit that the samples do not give is infinite. */
	return cell_if(!isinf(values[part]), cell_real(values[part]));
}

static void add_measures(struct table *table,
			 char names[NR_MEASURES * ARRAY_SIZE(parts)][32])
{
	for (size_t i = 0; i < NR_MEASURES * ARRAY_SIZE(parts); i++) {
		const struct measure_info *kind =
			&measures[i / ARRAY_SIZE(parts)];

		snprintf(names[i], sizeof(names[i]), "%s_%s", kind->name,
			 parts[i % ARRAY_SIZE(parts)]);
		table_add(table,
			  &(struct table_column){
				  .name = names[i],
				  .key = "",
				  .decimals = kind->is_share ? 6 : 3,
				  .arg = i,
				  .get = measure_get,
			  },
			  1);
	}
}

static int put_row(const struct diff_output *out, struct table *table,
		   const struct row_pair *pair)
{
	int side = pair && pair->rows[0] == NO_ROW;
	const struct row_table *rows = &out->all->sides[side].table;
	CLEANUP(compared_row_fini) struct compared_row row = {};
	const struct compared_view view = {
		.row = {rows, pair ? &rows->rows[pair->rows[side]] : NULL, NULL,
			NULL, NULL},
		.compared = &row,
	};
	int ret = compare_row(out->all, pair, &row);

	if (!ret && out->json) {
		out->begin(out->json);
		json_text(out->json, "type", pair ? "row" : "total");
		table_members(table, out->json, &view);
		out->end(out->json);
	} else if (!ret) {
		table_row(table, &view);
		if (table->format == PRINT_TEXT)
			put_measures(out, &row);
	}
	return ret;
}

/* CSV has no row of all samples. */
int diff_rows(const struct diff_output *out, enum print_format format)
{
	static const struct table_column first[] = {
		{.text = {.title = "#    Cost +-", .width = 12},
		 .put_text = cost_text},
		{.text = {" interval", 25, .left = true},
		 .arg = 1,
		 .put_text = cost_text},
		{.text = {.title = "old", .width = 8},
		 .arg = 0,
		 .put_text = share_text},
		{.text = {.title = "new", .width = 8},
		 .arg = 1,
		 .put_text = share_text},
		{.name = "verdict",
		 .text = {" verdict", 16, .left = true},
		 .get = verdict_get},
		{.name = "samples_old", .arg = 0, .get = samples_get},
		{.name = "samples_new", .arg = 1, .get = samples_get},
	};
	static const struct table_column last[] = {
		{.name = "measures", .no_csv = true, .put_json = measures_json},
		{.name = "sources",
		 .put_csv = sources_csv,
		 .put_json = sources_json},
	};
	char names[NR_MEASURES * ARRAY_SIZE(parts)][32];
	struct table table = {.format = format};
	int ret = 0;

	row_columns_keys(&table, &out->all->sides[0].table);
	table_add(&table, first, ARRAY_SIZE(first));
	add_measures(&table, names);
	table_add(&table, last, ARRAY_SIZE(last));
	if (format == PRINT_TEXT)
		puts("#");
	table_begin(&table, true);
	if (format == PRINT_TEXT)
		printf("#%38s %17s\n", "", "share of samples");
	if (format != PRINT_CSV)
		ret = put_row(out, &table, NULL);
	for (size_t i = 0; i < out->nr_rows && !ret; i++)
		ret = put_row(out, &table, &out->all->pairs[i]);
	return table_end(&table) ?: ret;
}

int diff_print_csv(const struct diff_output *out)
{
	losses_print(&out->all->sides[0].load, stderr, "pmscope: old: ");
	losses_print(&out->all->sides[1].load, stderr, "pmscope: new: ");
	return diff_rows(out, PRINT_CSV);
}

void diff_cost_text(const struct comparison *all, char text[COST_TEXT])
{
	static const char *const per[] = {
		[COMPARE_POPULATION] =
			" per 1000 operations of the sampled population",
		[COMPARE_INSTRUCTIONS] = " per 1000 instructions",
		[COMPARE_SAMPLES_ONLY] = " per 1000 samples",
		[COMPARE_NOTHING] = " of the whole recording",
	};
	bool scaled = all->unit != COMPARE_SAMPLES_ONLY && all->sides[0].each &&
		      all->sides[1].each;

	snprintf(text, COST_TEXT, "%s%s",
		 !all->by_samples ? "cycles of latency"
		 : scaled	  ? "operations"
				  : "samples",
		 per[all->unit]);
}
