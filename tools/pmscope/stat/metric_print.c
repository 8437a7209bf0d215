// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/metric_print.h"
#include "print/csv.h"
#include "print/json.h"
#include "stat/lines.h"

#include <string.h>

/* One metric at one place. */
struct line {
	const struct plan_item *item;
	const struct stat_row *row; /* a row of that place */
	struct stat_estimate estimate;
	double seconds;
};

#define NAME_WIDTH 34

static void print_human(const struct stat_printer *p, const struct line *line,
			struct stat_lines *lines)
{
	const struct stat_estimate *e = &line->estimate;
	struct stat_line put;

	stat_line_begin(&put, p, line->row, line->seconds);
	put.name = line->item->name;
	if (e->counted) {
		put.name_width = NAME_WIDTH;
		snprintf(put.number, sizeof(put.number), "%.4f", e->value);
		snprintf(put.text[0], sizeof(put.text[0]), "%s",
			 line->item->unit);
		if (e->error > 0)
			snprintf(put.text[1], sizeof(put.text[1]), " +- %.4f",
				 e->error);
		else if (e->error < 0)
			strcpy(put.text[1], " +- ?");
		if (e->share < 1)
			snprintf(put.text[2], sizeof(put.text[2]), " (%.2f%%)",
				 100 * e->share);
	} else {
		strcpy(put.number, "<not counted>");
	}
	stat_line_put(p, lines, &put);
}

static void print_csv(const struct stat_printer *p, const struct line *line)
{
	const struct stat_estimate *e = &line->estimate;
	const char *sep = p->separator;
	char place[48];

	if (p->intervals)
		fprintf(p->out, "%.9f%s", line->seconds, sep);
	if (p->by) {
		csv_separated(p->out,
			      stat_place_name(p, line->row, place,
					      sizeof(place)),
			      sep);
		fputs(sep, p->out);
	}
	fprintf(p->out, "metric%s%s%s%s%s", sep, line->item->name, sep,
		line->item->group ? line->item->group : "", sep);
	if (e->counted)
		fprintf(p->out, "%.6f", e->value);
	else
		fputs("<not counted>", p->out);
	fprintf(p->out, "%s%s%s", sep, line->item->unit, sep);
	if (e->counted && e->error >= 0)
		fprintf(p->out, "%.6f", e->error);
	fprintf(p->out, "%s%.2f\n", sep, 100 * e->share);
}

static void print_json(const struct stat_printer *p, const struct line *line)
{
	const struct stat_estimate *e = &line->estimate;
	struct json json = {.out = p->out};

	json_begin_line(&json);
	if (p->intervals)
		json_real(&json, "time", 9, line->seconds);
	stat_json_place(p, &json, line->row);
	json_text(&json, "metric_name", line->item->name);
	if (line->item->group)
		json_text(&json, "metric_group", line->item->group);
	if (e->counted)
		json_real(&json, "value", 6, e->value);
	else
		json_null(&json, "value");
	json_text(&json, "unit", line->item->unit);
	if (e->counted && e->error >= 0)
		json_real(&json, "error", 6, e->error);
	else
		json_null(&json, "error");
	json_real(&json, "running_percent", 2, 100 * e->share);
	json_end_line(&json);
}

static bool is_first_of_place(const struct stat_table *table, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (table->row[i].cpu == table->row[index].cpu)
			return false;
	return true;
}

/* Intervals and formats for machines have no headings of groups. */
static void print_heading(const struct stat_printer *p,
			  const struct metric_plan *plan, size_t index,
			  struct stat_lines *lines)
{
	const char *group = plan->item[index].group;
	const char *before = index ? plan->item[index - 1].group : NULL;

	if (p->format != STAT_HUMAN || p->intervals)
		return;
	if (index && group == before)
		return;
	stat_lines_end(p, lines);
	fprintf(p->out, "\n %s (%s):\n\n", group ? group : "Metrics",
		plan->cpu_name);
}

/* Names the largest share of level 1, and the groups that explain it. */
static void print_next(const struct stat_printer *p,
		       const struct stat_tally *tally,
		       const struct metric_plan *plan)
{
	const struct plan_item *largest = NULL;
	double value = 0;

	if (p->format != STAT_HUMAN || p->intervals || p->by)
		return;
	for (size_t i = 0; i < plan->nr; i++) {
		const struct plan_item *item = &plan->item[i];
		struct stat_estimate e;

		if (!metric_plan_next(plan, item->name))
			continue;
		e = stat_estimate(tally, plan, item, -1);
		if (!e.counted || e.value <= value)
			continue;
		value = e.value;
		largest = item;
	}
	if (largest)
		fprintf(p->out, "\n Largest: %s. Its groups: %s\n",
			largest->name, metric_plan_next(plan, largest->name));
}

void stat_print_metrics(const struct stat_printer *p,
			const struct stat_tally *tally,
			const struct metric_plan *plan, double seconds)
{
	const struct stat_table *table = &tally->table;
	struct stat_lines lines = {.has_units = true};

	for (size_t i = 0; i < plan->nr; i++) {
		print_heading(p, plan, i, &lines);
		for (size_t k = 0; k < table->nr; k++) {
			struct line line = {.item = &plan->item[i],
					    .row = &table->row[k],
					    .seconds = seconds};

			if (!is_first_of_place(table, k))
				continue;
			line.estimate = stat_estimate(tally, plan, line.item,
						      line.row->cpu);
			if (p->format == STAT_HUMAN)
				print_human(p, &line, &lines);
			else
				(p->format == STAT_CSV ? print_csv
						       : print_json)(p, &line);
		}
	}
	stat_lines_end(p, &lines);
	print_next(p, tally, plan);
	if (p->intervals)
		fflush(p->out);
}
