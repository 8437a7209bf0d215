// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/estimate.h"
#include "stat/formula.h"

#include <math.h>

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

static const struct stat_row *row_of(const struct spot *spot, uint64_t number)
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
	row = event ? row_of(spot, event->number) : NULL;
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

	if (freedom <= ARRAY_SIZE(t))
		return t[freedom - 1];
	return 1.96 + 2.4 / freedom;
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
	const struct stat_row *row = row_of(&spot, UINT64_MAX);
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
