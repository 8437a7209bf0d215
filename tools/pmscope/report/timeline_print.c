// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/terminal.h"
#include "print/columns.h"
#include "print/csv.h"
#include "print/json.h"
#include "print/losses.h"
#include "print/name.h"
#include "report/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static const struct column first_columns[] = {
	{.title = "# Phase", .width = 7},
	{.title = "Time ms", .width = 12},
	{.title = "Samples", .width = 8, .drop = TIMELINE_EVENTS + 2},
	{.title = "Timed", .width = 8, .drop = 1},
	{.title = "Mean cyc", .width = 8},
	{.title = "IPC", .width = 6},
};

#define NR_FIRST (sizeof(first_columns) / sizeof(first_columns[0]))

/* A table with its titles: those of events are their numbers. */
struct slice_text {
	struct columns columns;
	struct column column[NR_FIRST + TIMELINE_EVENTS];
	char titles[TIMELINE_EVENTS][24];
};

static void slice_text_begin(struct slice_text *text, size_t nr_events)
{
	memcpy(text->column, first_columns, sizeof(first_columns));
	for (size_t i = 0; i < nr_events; i++) {
		snprintf(text->titles[i], sizeof(text->titles[i]), "%zu",
			 i + 1);
		text->column[NR_FIRST + i] = (struct column){
			.title = text->titles[i],
			.width = 14,
			.drop = TIMELINE_EVENTS + 1 - i,
		};
	}
	columns_begin(&text->columns, text->column, NR_FIRST + nr_events);
	columns_titles(&text->columns);
}

static void print_text_row(struct columns *columns, const struct timeline *t,
			   size_t i)
{
	const struct slice *s = &t->slices[i];
	double ipc = ipc_of(s);

	cell_put(columns, "%u", s->phase);
	cell_put(columns, "%.3f", i * t->width / 1e6);
	cell_put(columns, "%" PRIu64, s->samples);
	cell_put(columns, "%" PRIu64, s->timed);
	if (s->timed)
		cell_put(columns, "%.1f", slice_mean(s));
	else
		cell_put(columns, "-");
	if (ipc >= 0)
		cell_put(columns, "%.2f", ipc);
	else
		cell_put(columns, "-");
	for (size_t event = 0; event < t->nr_events; event++)
		cell_put(columns, "%.0f", s->counts[event]);
	columns_row(columns);
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
	struct slice_text text;

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
	slice_text_begin(&text, t->nr_events);
	for (size_t i = 0; i < t->nr; i++)
		print_text_row(&text.columns, t, i);
	return columns_end(&text.columns);
}

static void print_csv_row(const struct timeline *t, size_t i)
{
	const struct slice *s = &t->slices[i];
	double ipc = ipc_of(s);

	printf("%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", s->phase,
	       begin_of(t, i), duration_of(t, i), s->samples, s->timed);
	if (s->timed)
		printf("%.3f", slice_mean(s));
	putchar(',');
	if (ipc >= 0)
		printf("%.6f", ipc);
	for (size_t event = 0; event < t->nr_events; event++)
		printf(",%.6f", s->counts[event]);
	putchar('\n');
}

static int print_csv(const struct timeline *t)
{
	static const char *const columns[] = TIMELINE_COLUMNS;

	losses_print(t->load, stderr, "pmscope: ");
	if (t->untimed)
		fprintf(stderr,
			"pmscope: %" PRIu64
			" samples without a time, not shown\n",
			t->untimed);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		printf("%s%s", i ? "," : "", columns[i]);
	for (size_t event = 0; event < t->nr_events; event++) {
		putchar(',');
		csv_string(stdout, t->events[event].name);
	}
	putchar('\n');
	for (size_t i = 0; i < t->nr; i++)
		print_csv_row(t, i);
	return 0;
}

static void print_object(struct json *json, const struct timeline *t, size_t i)
{
	const struct slice *s = &t->slices[i];
	double ipc = ipc_of(s);

	json_begin_line(json);
	json_text(json, "type", "slice");
	json_unsigned(json, "phase", s->phase);
	json_unsigned(json, "time", begin_of(t, i));
	json_unsigned(json, "duration", duration_of(t, i));
	json_unsigned(json, "samples", s->samples);
	json_unsigned(json, "timed", s->timed);
	if (s->timed)
		json_real(json, "mean", 3, slice_mean(s));
	if (ipc >= 0)
		json_real(json, "ipc", 6, ipc);
	json_begin_object(json, "counts");
	for (size_t event = 0; event < t->nr_events; event++)
		json_real(json, t->events[event].name, 6, s->counts[event]);
	json_end_object(json);
	json_end_line(json);
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
	for (size_t i = 0; i < t->nr; i++)
		print_object(&json, t, i);
	return 0;
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
