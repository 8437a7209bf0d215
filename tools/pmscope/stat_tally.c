// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat_tally.h"
#include "message.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sums behind a row. */
struct stat_sums {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

static int tally_alloc(struct stat_tally *tally,
		       const struct pmscope_reading *reading, int nr)
{
	size_t rows = 0;

	for (int i = 0; i < nr; i++)
		rows += reading[i].nr;
	if (!tally->per_cpu)
		rows = tally->events->nr;
	tally->table.nr = rows;
	tally->table.row = calloc(rows, sizeof(*tally->table.row));
	tally->now = calloc(rows, sizeof(*tally->now));
	tally->before = calloc(rows, sizeof(*tally->before));
	tally->mean = calloc(rows, sizeof(*tally->mean));
	tally->squares = calloc(rows, sizeof(*tally->squares));
	if (tally->table.row && tally->now && tally->before && tally->mean &&
	    tally->squares)
		return 0;
	error("out of memory");
	return -ENOMEM;
}

static void tally_add(struct stat_tally *tally,
		      const struct pmscope_reading *reading, size_t first_row)
{
	for (size_t i = 0; i < reading->nr; i++) {
		struct stat_row *row = &tally->table.row[first_row + i];
		struct stat_sums *sums = &tally->now[first_row + i];

		row->event = &tally->events->event[reading->first + i];
		row->cpu = tally->per_cpu ? reading->cpu : -1;
		row->spread = -1;
		sums->value += reading->value[i];
		sums->enabled += reading->enabled;
		sums->running += reading->running;
	}
}

int stat_tally_read(struct stat_tally *tally, struct pmscope_counters *counters)
{
	const struct pmscope_reading *reading;
	struct pmscope_error err = {};
	size_t next = 0;
	int nr, ret;

	nr = pmscope_counters_read(counters, &reading, &err);
	if (nr < 0) {
		error("%s", err.text);
		return nr;
	}
	if (!tally->table.row) {
		ret = tally_alloc(tally, reading, nr);
		if (ret)
			return ret;
	}
	memset(tally->now, 0, tally->table.nr * sizeof(*tally->now));
	for (int i = 0; i < nr; i++) {
		tally_add(tally, &reading[i],
			  tally->per_cpu ? next : reading[i].first);
		next += reading[i].nr;
	}
	return 0;
}

/* A group that shared counters with others counted a part of the time. */
static uint64_t scaled(const struct stat_sums *sums)
{
	if (!sums->running || sums->running >= sums->enabled)
		return sums->value;
	return (double)sums->value * sums->enabled / sums->running + 0.5;
}

void stat_tally_delta(struct stat_tally *tally)
{
	for (size_t i = 0; i < tally->table.nr; i++) {
		const struct stat_sums *now = &tally->now[i];
		const struct stat_sums *before = &tally->before[i];
		struct stat_row *row = &tally->table.row[i];
		struct stat_sums delta = {
			.value = now->value - before->value,
			.enabled = now->enabled - before->enabled,
			.running = now->running - before->running,
		};

		row->value = scaled(&delta);
		row->enabled = delta.enabled;
		row->running = delta.running;
	}
}

void stat_tally_next_interval(struct stat_tally *tally)
{
	memcpy(tally->before, tally->now,
	       tally->table.nr * sizeof(*tally->now));
}

void stat_tally_add_run(struct stat_tally *tally)
{
	for (size_t i = 0; i < tally->table.nr; i++) {
		double value = tally->table.row[i].value;

		tally->mean[i] += value;
		tally->squares[i] += value * value;
	}
}

void stat_tally_average(struct stat_tally *tally, unsigned int runs)
{
	for (size_t i = 0; i < tally->table.nr && runs > 1; i++) {
		struct stat_row *row = &tally->table.row[i];
		double mean = tally->mean[i] / runs;
		double variance =
			(tally->squares[i] - runs * mean * mean) / (runs - 1);

		/* The standard error of the mean, in percent. */
		row->value = mean + 0.5;
		row->spread = mean && variance > 0
				      ? 100 * sqrt(variance / runs) / mean
				      : 0;
	}
}

void stat_tally_free(struct stat_tally *tally)
{
	free(tally->table.row);
	free(tally->now);
	free(tally->before);
	free(tally->mean);
	free(tally->squares);
}
