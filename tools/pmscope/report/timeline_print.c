// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/table.h"
#include "report/report.h"

static uint64_t begin_of(const struct timeline *t, size_t i)
{
	return t->begin + i * t->width;
}

/* The last one ends with the last sample. */
static uint64_t duration_of(const struct timeline *t, size_t i)
{
	return i + 1 < t->nr ? t->width : t->end - begin_of(t, i);
}

/* Instructions per cycle; negative if unknown. */
static double ipc_of(const struct slice *s)
{
	if (s->counts[PAIR_CYCLES] < 1)
		return -1;
	return s->counts[PAIR_INSTRUCTIONS] / s->counts[PAIR_CYCLES];
}

struct slice_view {
	const struct timeline *timeline;
	size_t i;
	const struct slice *slice;
};

#define VALUE(name, value) static CELL_OF(get_##name, struct slice_view, value)

VALUE(phase, cell_unsigned(v->slice->phase));
VALUE(time, cell_unsigned(begin_of(v->timeline, v->i)));
VALUE(duration, cell_unsigned(duration_of(v->timeline, v->i)));
VALUE(samples, cell_unsigned(v->slice->samples));
VALUE(timed, cell_unsigned(v->slice->timed));
VALUE(mean, cell_if(v->slice->timed, cell_real(slice_mean(v->slice))));
VALUE(ipc, cell_if(ipc_of(v->slice) >= 0, cell_real(ipc_of(v->slice))));
VALUE(count, cell_real(v->slice->counts[arg]));

/* From the begin, in ms. */
static void time_text(FILE *out, const void *row, size_t)
{
	const struct slice_view *v = row;

	fprintf(out, "%.3f", v->i * v->timeline->width / 1e6);
}

/* Text columns of events have numbers; their names are above the table. */
static void add_events(struct table *to, const struct timeline *t,
		       char titles[TIMELINE_EVENTS][24])
{
	for (size_t i = 0; i < t->nr_events; i++) {
		snprintf(titles[i], sizeof(titles[i]), "%zu", i + 1);
		table_add(to,
			  &(struct table_column){
				  .name = t->events[i].name,
				  .object = "counts",
				  .decimals = 6,
				  .text = {titles[i], 14,
					   .drop = TIMELINE_EVENTS + 1 - i},
				  .arg = i,
				  .get = get_count,
			  },
			  1);
	}
}

static int print_slices(const struct timeline *t, enum print_format format)
{
	static const char *const names[] = TIMELINE_COLUMNS;
	static const struct table_column first[ARRAY_SIZE(names)] = {
		{.get = get_phase, .text = {.title = "# Phase", .width = 7}},
		{.get = get_time,
		 .text = {.title = "Time ms", .width = 12},
		 .put_text = time_text},
		{.get = get_duration},
		{.get = get_samples,
		 .text = {"Samples", 8, .drop = TIMELINE_EVENTS + 2}},
		{.key = "timed",
		 .get = get_timed,
		 .text = {"Timed", 8, .drop = 1}},
		{.key = "mean",
		 .get = get_mean,
		 .decimals = 3,
		 .digits = 1,
		 .text = {.title = "Mean cyc", .width = 8}},
		{.get = get_ipc,
		 .decimals = 6,
		 .digits = 2,
		 .text = {.title = "IPC", .width = 6}},
	};
	static const struct table_column counts = {.object = "counts"};
	struct table table = {.format = format, .type = "slice"};
	char titles[TIMELINE_EVENTS][24];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct table_column column = first[i];

		column.name = names[i];
		table_add(&table, &column, 1);
	}
	table_add(&table, &counts, 1);
	add_events(&table, t, titles);
	table_begin(&table, true);
	for (size_t i = 0; i < t->nr; i++)
		table_row(&table, &(struct slice_view){t, i, &t->slices[i]});
	return table_end(&table);
}

/* Names come from files. */
static void print_name(size_t number, const struct timeline_event *event)
{
	printf("# %zu: ", number);
	name_put(stdout, event->name, 0);
	report_put_share(stdout, &event->since);
	putchar('\n');
}

static int print_text(const struct timeline *t)
{
	printf("# ");
	name_put(stdout, t->load->name, 0);
	printf(": %" PRIu64 " SPE samples, %" PRIu64
	       " groups of counters, in slices of %.3f ms\n",
	       t->samples, t->groups, t->width / 1e6);
	if (t->untimed)
		printf("# %" PRIu64 " of them without a time, not shown\n",
		       t->untimed);
	losses_print(t->load, stdout, "# ");
	for (size_t event = 0; event < t->nr_events; event++)
		print_name(event + 1, &t->events[event]);
	puts("# Mean: average total latency of the Timed samples\n#");
	return print_slices(t, PRINT_TEXT);
}

static int print_csv(const struct timeline *t)
{
	losses_print(t->load, stderr, "pmscope: ");
	if (t->untimed)
		fprintf(stderr,
			"pmscope: %" PRIu64
			" samples without a time, not shown\n",
			t->untimed);
	return print_slices(t, PRINT_CSV);
}

static int print_jsonl(const struct timeline *t)
{
	struct json json = {.out = stdout};

	json_begin_line(&json);
	json_text(&json, "type", "summary");
	json_text(&json, "file", t->load->name);
	json_unsigned(&json, "samples", t->samples);
	json_unsigned(&json, "snapshots", t->snapshots);
	json_unsigned(&json, "groups", t->groups);
	json_unsigned(&json, "slices", t->nr);
	json_unsigned(&json, "duration", t->width);
	json_unsigned(&json, "untimed", t->untimed);
	losses_json(&json, t->load);
	json_end_line(&json);
	return print_slices(t, PRINT_JSONL);
}

int timeline_print(const struct timeline *t, int format)
{
	static int (*const printers[])(const struct timeline *t) = {
		[PRINT_TEXT] = print_text,
		[PRINT_JSONL] = print_jsonl,
		[PRINT_CSV] = print_csv,
	};

	pager_begin();
	return printers[format](t);
}
