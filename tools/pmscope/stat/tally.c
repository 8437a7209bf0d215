// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/tally.h"
#include "cli/message.h"
#include "session/scale.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sums behind a row. */
struct stat_sums {
	unsigned int cpus;
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* The sums of a row over repeated runs. */
struct stat_runs {
	double value;
	double squares;
	uint64_t enabled;
	uint64_t running;
};

static int tally_alloc(struct stat_tally *tally,
		       const struct pmscope_reading *reading, size_t nr)
{
	size_t rows = 0;

	for (size_t i = 0; i < nr; i++)
		rows += reading[i].nr;
	tally->table.row = calloc(rows, sizeof(*tally->table.row));
	tally->now = calloc(rows, sizeof(*tally->now));
	tally->before = calloc(rows, sizeof(*tally->before));
	tally->runs = calloc(rows, sizeof(*tally->runs));
	if (tally->table.row && tally->now && tally->before && tally->runs)
		return 0;
	error("out of memory");
	return -ENOMEM;
}

/* The row of an event at a place; the first reading makes them. */
static size_t tally_row(struct stat_tally *tally,
			const struct pmscope_event *event, int place)
{
	struct stat_table *table = &tally->table;
	size_t index = event - tally->events->event, i;

	for (i = 0; i < table->nr; i++)
		if (table->row[i].event == event && table->row[i].cpu == place)
			return i;
	table->row[i] = (struct stat_row){
		.event = event,
		.cpu = place,
		.hidden = tally->hide && index % tally->hide == tally->hide - 1,
		.spread = -1,
	};
	table->nr++;
	return i;
}

static int place_of(const struct stat_tally *tally, int cpu)
{
	if (tally->by == STAT_BY_NOTHING)
		return -1;
	return tally->by == STAT_BY_CORE ? stat_first_of_core(cpu) : cpu;
}

static void tally_add(struct stat_tally *tally,
		      const struct pmscope_reading *reading)
{
	int place = place_of(tally, reading->cpu);

	for (size_t i = 0; i < reading->nr; i++) {
		size_t at = tally_row(tally,
				      &tally->events->event[reading->first + i],
				      place);
		struct stat_sums *sums = &tally->now[at];

		tally->table.row[at].spread = -1;
		sums->cpus++;
		sums->value += reading->value[i];
		sums->enabled += reading->enabled;
		sums->running += reading->running;
	}
}

int stat_tally_take(struct stat_tally *tally,
		    const struct pmscope_reading *reading, size_t nr)
{
	if (!tally->table.row) {
		int ret = tally_alloc(tally, reading, nr);

		if (ret)
			return ret;
	}
	memset(tally->now, 0, tally->table.nr * sizeof(*tally->now));
	for (size_t i = 0; i < nr; i++)
		tally_add(tally, &reading[i]);
	tally->reading = reading;
	tally->nr_readings = nr;
	return 0;
}

int stat_tally_read(struct stat_tally *tally, struct pmscope_counters *counters)
{
	const struct pmscope_reading *reading;
	struct pmscope_error err = {};
	int nr = pmscope_counters_read(counters, &reading, &err);

	if (nr < 0) {
		error("%s", err.text);
		return nr;
	}
	return stat_tally_take(tally, reading, nr);
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

		row->value =
			scaled_count(delta.value, delta.enabled, delta.running);
		row->cpus = now->cpus;
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
		const struct stat_row *row = &tally->table.row[i];
		struct stat_runs *runs = &tally->runs[i];
		double value = row->value;

		runs->value += value;
		runs->squares += value * value;
		runs->enabled += row->enabled;
		runs->running += row->running;
	}
}

static uint64_t mean_of(uint64_t sum, unsigned int runs)
{
	return (sum + runs / 2) / runs;
}

void stat_tally_average(struct stat_tally *tally, unsigned int runs)
{
	for (size_t i = 0; i < tally->table.nr && runs > 1; i++) {
		struct stat_row *row = &tally->table.row[i];
		const struct stat_runs *sums = &tally->runs[i];
		double mean = sums->value / runs;
		double variance =
			(sums->squares - runs * mean * mean) / (runs - 1);

		/* The standard error of the mean, in percent. */
		row->value = mean + 0.5;
		row->spread = mean && variance > 0
				      ? 100 * sqrt(variance / runs) / mean
				      : 0;
		row->enabled = mean_of(sums->enabled, runs);
		row->running = mean_of(sums->running, runs);
	}
}

void stat_tally_free(struct stat_tally *tally)
{
	free(tally->table.row);
	free(tally->now);
	free(tally->before);
	free(tally->runs);
}
