// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/table.h"

#include <pmscope/events.h>

#define NR(list) ARRAY_SIZE(list)

/* Order of the text columns; keys come last. */
enum {
	AT_SHARE,
	AT_OPERATIONS,
	AT_LATENCY,
	AT_EVENTS,
	AT_SOURCE,
	AT_KEYS
};

/* Columns of a terminal that functions, and other names, get at least. */
#define FUNCTION_LEAST 20
#define NAME_LEAST     14

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

/* Keys */

static struct cell key_get(const void *row, size_t i, char *room)
{
	const struct row_view *v = row;
	const struct field *key = v->table->keys[i];
	uint64_t value;

	if (!v->row)
		return (struct cell){};
	value = v->row->values[i];
	if (field_has_row_text(key))
		return cell_text(
			row_value(v->table, v->row, i, room, CELL_ROOM));
	if (key->type != FIELD_ADDRESS)
		return (struct cell){.type = CELL_SIGNED, .number = value};
	return (struct cell){
		.type = (int64_t)value == FIELD_ROW_NONE ? CELL_NULL : CELL_HEX,
		.number = value,
	};
}

static void key_text(FILE *out, const void *row, size_t i)
{
	const struct row_view *v = row;
	char room[32];

	if (v->row)
		fputs(row_value(v->table, v->row, i, room, sizeof(room)), out);
	else
		fputs(i ? "" : "all samples", out);
}

static void key_csv(FILE *out, const void *row, size_t i)
{
	const struct row_view *v = row;
	char room[32];

	csv_string(out, row_value(v->table, v->row, i, room, sizeof(room)));
}

static bool is_path(const struct field *key)
{
	return !strcmp(key->name, "dso") || !strcmp(key->name, "file") ||
	       !strcmp(key->name, "line");
}

void row_columns_keys(struct table *to, const struct row_table *table)
{
	for (size_t i = 0; i < table->nr_keys; i++) {
		const struct field *key = table->keys[i];
		int least = key->deps & DEP_CODE && strcmp(key->name, "dso")
				    ? FUNCTION_LEAST
				    : NAME_LEAST;
		const struct table_column column = {
			.name = field_heading(key),
			.text = {field_heading(key), key->width,
				 .least = field_has_row_text(key) &&
							  key->width > least
						  ? least
						  : 0,
				 .left = true, .is_path = is_path(key)},
			.at = AT_KEYS,
			.arg = i,
			.get = key_get,
			.put_text = key_text,
			.put_csv = key_csv,
		};

		table_add(to, &column, 1);
	}
}

/* Samples */

CELL_OF(row_samples_get, struct row_view, cell_unsigned(v->row->samples));
static CELL_OF(row_ticks_get, struct row_view, cell_unsigned(v->row->ticks));
CELL_OF(row_share_get, struct row_view,
	cell_real(v->share ? *v->share : row_share(v->table, v->row)));
CELL_OF(row_share_of_operations_get, struct row_view,
	cell_real(row_share_of_operations(v->table, v->row)));
static CELL_OF(row_gaps_get, struct row_view,
	       cell_unsigned((arg ? v->row->gaps.between : v->row->gaps.ns) /
			     2));
static CELL_OF(row_gaps_share_get, struct row_view,
	       cell_real((double)v->row->gaps.between / v->table->gaps.ns));

void row_columns_share(struct table *to, const struct row_table *table)
{
	static const struct table_column of_operations = {
		.text = {"OfOps", 7, .drop = 6},
		.at = AT_SHARE + 1,
		.scale = 100,
		.digits = 2,
		.unit = "%",
		.get = row_share_of_operations_get,
	};
	static const struct table_column columns[] = {
		{.name = "samples",
		 .text = {"Samples", 8, .drop = 14},
		 .at = AT_SHARE + 1,
		 .get = row_samples_get},
		{.name = "share",
		 .decimals = 6,
		 .text = {"# Share", 7, .is_share = true},
		 .at = AT_SHARE,
		 .scale = 100,
		 .digits = 2,
		 .unit = "%",
		 .get = row_share_get},
	};

	static const struct table_column gaps = {
		.text = {"+-Time", 7, .drop = 13},
		.at = AT_SHARE,
		.scale = 100,
		.digits = 2,
		.unit = "%",
		.get = row_gaps_share_get,
	};

	table_add(to, columns, NR(columns));
	table_add(to, &gaps, table->by_gaps);
	table_add(to, &of_operations, table->by_cost || table->by_time);
}

static struct cell operations_get(const void *row, size_t is_error, char *)
{
	const struct row_view *v = row;
	struct row_operations of_row = row_operations(v->totals, v->row);

	return cell_real(is_error ? of_row.error : of_row.count);
}

static void error_text(FILE *out, const void *row, size_t)
{
	const struct row_view *v = row;
	struct row_operations of_row = row_operations(v->totals, v->row);

	fprintf(out, "%.1f%%", 100 * of_row.error / of_row.count);
}

static void add_operations(struct table *to)
{
	static const struct table_column columns[] = {
		{.name = "operations",
		 .csv_at = 1,
		 .text = {"Operations", 15, .drop = 12},
		 .at = AT_OPERATIONS,
		 .get = operations_get},
		{.name = "error95",
		 .csv_at = 1,
		 .text = {"+-95%", 7, .drop = 3},
		 .at = AT_OPERATIONS,
		 .arg = 1,
		 .get = operations_get,
		 .put_text = error_text},
	};

	table_add(to, columns, NR(columns));
}

struct cell row_latency_get(const void *row, size_t arg, char *)
{
	static const int percents[] = {[P50] = 50, [P90] = 90, [P99] = 99};
	const struct row *r = ((const struct row_view *)row)->row;
	const struct histogram *of[] = {&r->total, &r->issue, &r->translate};
	const struct histogram *h = of[arg & 3];
	enum row_figure figure = arg >> 2;

	if (figure == TIMED)
		return (struct cell){.type = CELL_COUNT, .number = h->count};
	if (!h->count)
		return (struct cell){};
	if (figure == MEAN)
		return cell_real(histogram_mean(h));
	return cell_unsigned(
		figure == MOST ? h->max
			       : histogram_percentile(h, percents[figure]));
}

static const char *const latency_objects[] = {"total", "issue", "xlat"};
static const char *const latency_names[][MOST + 1] = {
	{"lat_samples", "lat_mean", "lat_p50", "lat_p90", "lat_p99", "lat_max"},
	{"issue_samples", "issue_mean", "issue_p50", "issue_p90", "issue_p99",
	 "issue_max"},
	{"xlat_samples", "xlat_mean", "xlat_p50", "xlat_p90", "xlat_p99",
	 "xlat_max"},
};

/* Text has only the total latency. */
static const struct column latency_titles[] = {
	[TIMED] = {.title = "Timed", .width = 8, .drop = 2},
	[MEAN] = {.title = "Mean cyc", .width = 8, .drop = 15},
	[P50] = {.title = "p50", .width = 6, .drop = 9},
	[P90] = {.title = "p90", .width = 6, .drop = 13},
	[P99] = {.title = "p99", .width = 6, .drop = 8},
	[MOST] = {.title = "max", .width = 6, .drop = 4},
};

static void add_latency(struct table *to, enum row_latency latency,
			enum row_figure figure, bool all)
{
	const char *name = latency_names[latency][figure];
	const struct table_column column = {
		.name = name,
		.object = latency_objects[latency],
		.key = strchr(name, '_') + 1,
		.no_csv = !all && latency != TOTAL && figure > MEAN,
		.decimals = 3,
		.text = latency == TOTAL ? latency_titles[figure]
					 : (struct column){},
		.at = AT_LATENCY,
		.digits = 1,
		.arg = figure << 2 | latency,
		.get = row_latency_get,
	};

	table_add(to, &column, 1);
}

/* Events */

static void events_csv(FILE *out, const void *row, size_t)
{
	const struct row_view *v = row;
	const char *separator = "";

	for (unsigned int bit = 0; bit < 64; bit++) {
		char name[EVENT_NAME_MAX];

		if (!v->parts->events[bit])
			continue;
		fprintf(out, "%s%.*s=%" PRIu64, separator,
			(int)(event_put(name, bit, v->table->midr) - name),
			name, v->parts->events[bit]);
		separator = "|";
	}
}

static void events_json(struct json *json, const void *row, size_t)
{
	const struct row_view *v = row;

	json_begin_object(json, "events");
	for (unsigned int bit = 0; bit < 64; bit++) {
		char name[EVENT_NAME_MAX + 1];

		if (!v->parts->events[bit])
			continue;
		*event_put(name, bit, v->table->midr) = '\0';
		json_unsigned(json, name, v->parts->events[bit]);
	}
	json_end_object(json);
}

CELL_OF(row_event_get, struct row_view,
	cell_real(percent(v->parts->events[arg], v->row->samples)));

/* Events with a text column: the share of a row's samples that have it. */
#define EVENT_COLUMN(event, heading, order)                             \
	{                                                               \
		.text = {heading, 7, .drop = order}, .at = AT_EVENTS,   \
		.digits = 1, .unit = "%", .arg = PMSCOPE_EVENT_##event, \
		.get = row_event_get,                                   \
	}

/* Sources */

void row_json_source(struct json *json, uint16_t code, const char *name)
{
	json_unsigned(json, "code", code);
	if (name)
		json_text(json, "name", name);
}

static void sources_csv(FILE *out, const void *row, size_t)
{
	const struct row_parts *parts = ((const struct row_view *)row)->parts;

	for (size_t i = 0; i < parts->nr_sources; i++) {
		const struct row_source *s = &parts->sources[i];

		fputs(i ? "|" : "", out);
		if (s->name)
			fputs(s->name, out);
		else
			fprintf(out, "%u", s->code);
		fprintf(out, "=%" PRIu64, s->samples);
	}
}

static void sources_json(struct json *json, const void *row, size_t)
{
	const struct row_parts *parts = ((const struct row_view *)row)->parts;

	json_begin_array(json, "sources");
	for (size_t i = 0; i < parts->nr_sources; i++) {
		const struct row_source *s = &parts->sources[i];

		json_begin_object(json, NULL);
		row_json_source(json, s->code, s->name);
		json_unsigned(json, "samples", s->samples);
		json_end_object(json);
	}
	json_end_array(json);
}

static CELL_OF(sourced_get, struct row_view, cell_unsigned(v->parts->sourced));

/* The most frequent source, and its share of the samples with one. */
void row_source_text(FILE *out, const void *row, size_t)
{
	const struct row_parts *parts = ((const struct row_view *)row)->parts;
	const struct row_source *s = parts->sources;

	if (!parts->nr_sources) {
		fputc('-', out);
		return;
	}
	fprintf(out, "%.0f%% ", percent(s->samples, parts->sourced));
	if (s->name)
		fputs(s->name, out);
	else
		fprintf(out, "code %u", s->code);
}

void row_columns_measures(struct table *to, bool all)
{
	static const struct table_column columns[] = {
		{.name = "events",
		 .put_csv = events_csv,
		 .put_json = events_json},
		EVENT_COLUMN(L1D_REFILL, "L1miss", 11),
		EVENT_COLUMN(LLC_REFILL, "LLmiss", 7),
		EVENT_COLUMN(TLB_REFILL, "TLBmiss", 6),
		EVENT_COLUMN(MISPRED, "Mispred", 5),
		{.text = {"Sourced", 8, .drop = 1},
		 .at = AT_SOURCE,
		 .get = sourced_get},
		{.name = "sources",
		 .text = {" Data source", 23, 16, .drop = 10, .left = true},
		 .at = AT_SOURCE,
		 .put_text = row_source_text,
		 .put_csv = sources_csv,
		 .put_json = sources_json},
	};

	for (int latency = TOTAL; latency <= XLAT; latency++)
		for (int figure = TIMED; figure <= MOST; figure++)
			add_latency(to, latency, figure, all);
	table_add(to, columns, NR(columns));
}

/* Histograms of the total latency */

static void histogram_csv(FILE *out, const void *row, size_t)
{
	uint64_t counts[HISTOGRAM_POWERS];
	const char *separator = "";

	histogram_powers(&((const struct row_view *)row)->row->total, counts);
	for (int i = 0; i < HISTOGRAM_POWERS; i++) {
		if (!counts[i])
			continue;
		fprintf(out, "%s%u=%" PRIu64, separator, i ? 1U << (i - 1) : 0,
			counts[i]);
		separator = "|";
	}
}

static void histogram_json(struct json *json, const void *row, size_t)
{
	uint64_t counts[HISTOGRAM_POWERS];

	histogram_powers(&((const struct row_view *)row)->row->total, counts);
	json_begin_array(json, "histogram");
	for (int i = 0; i < HISTOGRAM_POWERS; i++) {
		if (!counts[i])
			continue;
		json_begin_array(json, NULL);
		json_unsigned(json, NULL, i ? 1U << (i - 1) : 0);
		json_unsigned(json, NULL, counts[i]);
		json_end_array(json);
	}
	json_end_array(json);
}

void row_columns(struct table *to, const struct row_table *table,
		 const struct row_totals *totals)
{
	/* The smallest value, and how many there are up to twice that. */
	static const struct table_column histogram = {
		.name = "histogram",
		.put_csv = histogram_csv,
		.put_json = histogram_json,
	};

	static const struct table_column clock = {
		.name = "clock_samples",
		.csv_at = 1,
		.get = row_ticks_get,
	};
	static const struct table_column time[] = {
		{.name = "time_ns", .csv_at = 1, .get = row_gaps_get},
		{.name = "time_error",
		 .csv_at = 1,
		 .arg = 1,
		 .get = row_gaps_get},
	};

	row_columns_keys(to, table);
	row_columns_share(to, table);
	if (totals)
		add_operations(to);
	table_add(to, &clock, table->by_time && !table->by_gaps);
	table_add(to, time, table->by_gaps ? NR(time) : 0);
	row_columns_measures(to, false);
	if (table->with_histogram)
		table_add(to, &histogram, 1);
}

int row_columns_print(struct table *to, const struct row_table *table,
		      const struct row_totals *totals, size_t nr, bool codes)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		struct row_parts parts = {};
		const struct row_view view = {table, &table->rows[i], &parts,
					      totals, NULL};

		ret = row_parts_of(table, &table->rows[i], &parts);
		row_parts_finish(&parts);
		if (!codes)
			row_parts_by_name(&parts);
		if (!ret)
			table_row(to, &view);
		row_parts_fini(&parts);
	}
	return ret;
}
