// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/stat.h"
#include "session/scale.h"

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

/* If groups take turns, each place gets the rows of all groups at once. */
static size_t rows_needed(const struct stat_tally *tally,
			  const struct pmscope_reading *reading, size_t nr)
{
	size_t rows = 0;

	for (size_t i = 0; i < nr; i++)
		rows += tally->turns ? tally->events->nr : reading[i].nr;
	return rows + 1;
}

static int tally_alloc(struct stat_tally *tally, size_t rows)
{
	tally->table.row = calloc(rows, sizeof(*tally->table.row));
	tally->now = calloc(rows, sizeof(*tally->now));
	tally->before = calloc(rows, sizeof(*tally->before));
	tally->runs = calloc(rows, sizeof(*tally->runs));
	tally->base = calloc(rows, sizeof(*tally->base));
	tally->block = calloc(rows, sizeof(*tally->block));
	tally->blocks =
		calloc(tally->events->nr_groups + 1, sizeof(*tally->blocks));
	if (tally->table.row && tally->now && tally->before && tally->runs &&
	    tally->base && tally->block && tally->blocks)
		return 0;
	return no_memory();
}

/* Returns the row of an event at a place. The first reading makes the rows. */
static size_t tally_row(struct stat_tally *tally,
			const struct listed_event *event, int place)
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

static int place_of(const struct stat_tally *tally,
		    const struct pmscope_reading *reading)
{
	switch (tally->by) {
	case STAT_BY_THREAD:
		return reading->task;
	case STAT_BY_CORE:
		return stat_first_of_core(reading->cpu);
	case STAT_BY_CPU:
		return reading->cpu;
	default:
		return -1;
	}
}

/* The rows of all events, before the first turn: by group, then by place. */
static void tally_rows(struct stat_tally *tally,
		       const struct pmscope_reading *reading, size_t nr)
{
	const struct event_list *events = tally->events;

	for (unsigned int group = 0; group < events->nr_groups; group++)
		for (size_t k = 0; k < nr; k++)
			for (size_t i = 0; i < events->nr; i++)
				if (events->event[i].group == group)
					tally_row(tally, &events->event[i],
						  place_of(tally, &reading[k]));
}

/* Adds the time of this turn to the groups that wait for theirs. */
static void tally_wait(struct stat_tally *tally, unsigned int group, int place,
		       uint64_t enabled)
{
	for (size_t i = 0; i < tally->table.nr; i++) {
		const struct stat_row *row = &tally->table.row[i];

		if (row->cpu == place && row->event->group != group)
			tally->now[i].enabled += enabled;
	}
}

static void tally_add(struct stat_tally *tally,
		      const struct pmscope_reading *reading)
{
	const struct listed_event *event =
		&tally->events->event[tally->first + reading->first];
	int place = place_of(tally, reading);

	if (tally->turns)
		tally_wait(tally, event->group, place, reading->enabled);
	for (size_t i = 0; i < reading->nr; i++) {
		size_t at = tally_row(tally, &event[i], place);
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
		int ret = tally_alloc(tally, rows_needed(tally, reading, nr));

		if (ret)
			return ret;
		if (tally->turns)
			tally_rows(tally, reading, nr);
	}
	memcpy(tally->now, tally->base, tally->table.nr * sizeof(*tally->now));
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
		row->counted = delta.value;
		row->cpus = now->cpus;
		row->enabled = delta.enabled;
		row->running = delta.running;
	}
}

void stat_tally_next_interval(struct stat_tally *tally)
{
	memcpy(tally->before, tally->now,
	       tally->table.nr * sizeof(*tally->now));
	memset(tally->blocks, 0,
	       tally->events->nr_groups * sizeof(*tally->blocks));
	memset(tally->block, 0, tally->table.nr * sizeof(*tally->block));
}

/* Two blocks become one, so that there is room for more. */
static void blocks_halve(struct stat_tally *tally, unsigned int group)
{
	for (size_t i = 0; i < tally->table.nr; i++) {
		uint64_t *block = tally->block[i];

		if (tally->table.row[i].event->group != group)
			continue;
		for (size_t k = 0; k < STAT_BLOCKS / 2; k++)
			block[k] = block[2 * k] + block[2 * k + 1];
		memset(&block[STAT_BLOCKS / 2], 0,
		       sizeof(*block) * STAT_BLOCKS / 2);
	}
	tally->blocks[group].each *= 2;
}

static void group_end_turn(struct stat_tally *tally, unsigned int group)
{
	struct stat_blocks *blocks = &tally->blocks[group];

	if (!blocks->each)
		blocks->each = 1;
	if (blocks->turns == blocks->each * STAT_BLOCKS)
		blocks_halve(tally, group);
	for (size_t i = 0; i < tally->table.nr; i++)
		if (tally->table.row[i].event->group == group)
			tally->block[i][blocks->turns / blocks->each] +=
				tally->now[i].value - tally->base[i].value;
	blocks->turns++;
}

void stat_tally_end_turn(struct stat_tally *tally)
{
	if (!tally->table.row)
		return;
	if (tally->turns)
		group_end_turn(tally, tally->events->event[tally->first].group);
	else
		for (unsigned int i = 0; i < tally->events->nr_groups; i++)
			group_end_turn(tally, i);
	memcpy(tally->base, tally->now, tally->table.nr * sizeof(*tally->now));
	for (size_t i = 0; i < tally->table.nr; i++)
		tally->base[i].cpus = 0;
}

void stat_tally_next_run(struct stat_tally *tally)
{
	if (tally->base)
		memset(tally->base, 0, tally->table.nr * sizeof(*tally->base));
}

unsigned int stat_tally_blocks(const struct stat_tally *tally,
			       unsigned int group)
{
	const struct stat_blocks *blocks =
		tally->blocks ? &tally->blocks[group] : NULL;

	return blocks && blocks->turns
		       ? (blocks->turns + blocks->each - 1) / blocks->each
		       : 0;
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
	free(tally->base);
	free(tally->block);
	free(tally->blocks);
}
