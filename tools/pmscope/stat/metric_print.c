// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/stat.h"

struct metric_line {
	const struct plan_item *item;
	const struct stat_row *row; /* a row of that place */
	struct stat_estimate estimate;
	double seconds;
};

#define NAME_WIDTH 34

static void print_human(const struct stat_printer *p,
			const struct metric_line *line,
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

/* The same for machines: the columns have these names. */
struct metric_view {
	struct stat_place place;
	bool counted;
	const char *kind, *metric_name, *metric_group, *unit;
	double value, error, running_percent;
};

static struct cell value_get(const void *row, size_t offset, char *room)
{
	const struct metric_view *view = row;
	bool is_known = view->counted &&
			(offset == offsetof(struct metric_view, value) ||
			 view->error >= 0);

	return is_known ? table_real(row, offset, room)
			: (struct cell){.type = CELL_NULL};
}

static void value_csv(FILE *out, const void *row, size_t)
{
	const struct metric_view *view = row;

	if (view->counted)
		fprintf(out, "%.6f", view->value);
	else
		fputs("<not counted>", out);
}

#define AT(member)   .name = #member, .arg = offsetof(struct metric_view, member)
#define TEXT(member) COLUMN_STRING(struct metric_view, member)

static const struct table_column columns[] = {
	{TEXT(kind), .key = ""},
	{TEXT(metric_name)},
	{TEXT(metric_group)},
	{AT(value), .decimals = 6, .get = value_get, .put_csv = value_csv},
	{TEXT(unit)},
	{AT(error), .decimals = 6, .get = value_get},
	{COLUMN_REAL(struct metric_view, running_percent), .decimals = 2},
};

static void metric_row(struct table *table, const struct stat_printer *p,
		       const struct metric_line *line)
{
	struct metric_view view = {
		.counted = line->estimate.counted,
		.kind = "metric",
		.metric_name = line->item->name,
		.metric_group = line->item->group,
		.unit = line->item->unit,
		.value = line->estimate.value,
		.error = line->estimate.error,
		.running_percent = 100 * line->estimate.share,
	};

	stat_place_fill(&view.place, p, line->row, line->seconds);
	table_row(table, &view);
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

	if (p->format != PRINT_TEXT || p->intervals)
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

	if (p->format != PRINT_TEXT || p->intervals || p->by)
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
	struct table metrics = {};

	if (p->format != PRINT_TEXT) {
		stat_table_begin(&metrics, p, false);
		table_add(&metrics, columns, ARRAY_SIZE(columns));
		table_begin(&metrics, false);
	}
	for (size_t i = 0; i < plan->nr; i++) {
		print_heading(p, plan, i, &lines);
		for (size_t k = 0; k < table->nr; k++) {
			struct metric_line line = {.item = &plan->item[i],
						   .row = &table->row[k],
						   .seconds = seconds};

			if (!is_first_of_place(table, k))
				continue;
			line.estimate = stat_estimate(tally, plan, line.item,
						      line.row->cpu);
			if (p->format == PRINT_TEXT)
				print_human(p, &line, &lines);
			else
				metric_row(&metrics, p, &line);
		}
	}
	stat_lines_end(p, &lines);
	print_next(p, tally, plan);
	if (p->intervals)
		fflush(p->out);
}

#define NONE UINT32_MAX

/* A place at which a formula is evaluated, and what is left out there. */
struct spot {
	const struct stat_tally *tally;
	const struct metric_plan *plan;
	unsigned int group;
	int place;
	unsigned int blocks;
	unsigned int without; /* the block to leave out, or NONE */
};

static const struct stat_row *stat_row_of(const struct spot *spot,
					  uint64_t number)
{
	const struct stat_table *table = &spot->tally->table;

	for (size_t i = 0; i < table->nr; i++) {
		const struct stat_row *row = &table->row[i];

		if (row->cpu == spot->place && row->running &&
		    row->event->group == spot->group &&
		    (number == UINT64_MAX ||
		     stat_arm_event(row->event) == number))
			return row;
	}
	return NULL;
}

static double count_of(const struct spot *spot, const struct stat_row *row)
{
	const uint64_t *block =
		spot->tally->block[row - spot->tally->table.row];
	double count = 0;

	if (!spot->blocks)
		return row->counted;
	for (unsigned int i = 0; i < spot->blocks; i++)
		if (i != spot->without)
			count += block[i];
	return count;
}

static bool value_of(void *arg, const char *name, size_t length, double *value)
{
	const struct spot *spot = arg;
	const struct pmscope_event_name *event;
	const struct stat_row *row;

	if (length == 5 && !memcmp(name, "SLOTS", 5)) {
		*value = spot->plan->slots;
		return spot->plan->slots;
	}
	event = stat_event_of(name, length);
	row = event ? stat_row_of(spot, event->number) : NULL;
	if (!row)
		return false;
	*value = count_of(spot, row);
	return true;
}

/* Student's t, two-sided, 95 %. */
static double student(unsigned int freedom)
{
	static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571,
				   2.447,  2.365, 2.306, 2.262, 2.228,
				   2.201,  2.179, 2.160, 2.145, 2.131,
				   2.120,  2.110, 2.101, 2.093, 2.086};

	return freedom <= ARRAY_SIZE(t) ? t[freedom - 1] : 1.96 + 2.4 / freedom;
}

static double error_of(struct spot *spot, const char *formula)
{
	double value, sum = 0, squares = 0, nr = spot->blocks, variance;
	double near = 0;

	if (!spot->blocks)
		return 0;
	if (spot->blocks < 2)
		return -1;
	for (spot->without = 0; spot->without < spot->blocks; spot->without++) {
		if (!formula_value(formula, value_of, spot, &value))
			return -1;
		/* Sums of small numbers lose no digits. */
		if (!spot->without)
			near = value;
		value -= near;
		sum += value;
		squares += value * value;
	}
	variance = (nr - 1) / nr * (squares - sum * sum / nr);
	return student(spot->blocks - 1) * sqrt(variance > 0 ? variance : 0);
}

struct stat_estimate stat_estimate(const struct stat_tally *tally,
				   const struct metric_plan *plan,
				   const struct plan_item *item, int place)
{
	struct spot spot = {
		.tally = tally,
		.plan = plan,
		.group = item->turn,
		.place = place,
		.blocks = stat_tally_blocks(tally, item->turn),
		.without = NONE,
	};
	const struct stat_row *row = stat_row_of(&spot, UINT64_MAX);
	struct stat_estimate estimate = {};

	if (!row)
		return estimate;
	estimate.share = row->enabled && row->running < row->enabled
				 ? (double)row->running / row->enabled
				 : 1;
	estimate.counted =
		formula_value(item->formula, value_of, &spot, &estimate.value);
	estimate.error = error_of(&spot, item->formula);
	return estimate;
}
