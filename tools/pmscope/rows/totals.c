// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Estimates operations from samples with what SPE counted (Arm ARM D17.3): the
 * operations that it could have sampled, those that it sampled, and the records
 * that passed its filters. If the interval changed while recording, each sample
 * stands for as many operations as the interval that it was taken with.
 */
#include "rows/rows.h"

/* Common PMU event numbers. */
#define EVENT_SAMPLE_POP      0x4000
#define EVENT_SAMPLE_FEED     0x4001
#define EVENT_SAMPLE_FILTRATE 0x4002

/* A row counts its CPUs in a histogram, which has no greater numbers. */
#define NR_CPUS (UINT16_MAX + 1)

/* Counted until the last snapshot of each CPU, or in all threads. */
struct sums {
	uint64_t population;
	uint64_t sampled;
	uint64_t kept;
};

bool row_table_has_totals(const struct pmscope_perfdata *reader)
{
	const struct pmscope_perf_attr *attr;

	if (!reader)
		return false;
	for (int i = 0; (attr = pmscope_perfdata_attr(reader, i)); i++)
		if ((attr->attr.config & 0xffff) == EVENT_SAMPLE_POP)
			return true;
	return false;
}

/* Says whether it is one of them. */
static bool sums_add(struct sums *sums, unsigned int event, uint64_t count)
{
	switch (event) {
	case EVENT_SAMPLE_POP:
		sums->population += count;
		return true;
	case EVENT_SAMPLE_FEED:
		sums->sampled += count;
		return true;
	case EVENT_SAMPLE_FILTRATE:
		sums->kept += count;
		return true;
	default:
		return false;
	}
}

/* Says whether @of_cpu has all of them, too: each is of one CPU. */
static bool sum_up(const struct row_table *table, struct sums *all,
		   struct sums *of_cpu)
{
	const struct counters *counters = &table->counters;
	bool apart = true;

	for (size_t i = 0; i < counters->nr; i++) {
		const struct counter *c = &counters->counters[i];
		unsigned int event = counted_event_number(
			counters, &counters->events[c->event]);

		if (c->partial ||
		    !sums_add(all, event, c->last.value - c->base))
			continue;
		if (c->cpu < NR_CPUS)
			sums_add(&of_cpu[c->cpu], event,
				 c->last.value - c->base);
		else
			apart = false;
	}
	return apart;
}

static struct row_scale scale_of(const struct sums *sums, uint64_t samples)
{
	struct row_scale scale = {};

	if (!sums->population || !sums->sampled ||
	    sums->sampled > sums->population || !samples)
		return scale;
	/* After the last snapshot there may be samples without counts. */
	scale.lost = sums->kept > samples ? sums->kept - samples : 0;
	scale.sampled = (double)sums->sampled / sums->population;
	scale.each = (samples + scale.lost) / scale.sampled / samples;
	return scale;
}

/* Include lost records of CPUs without samples. */
static int scale_cpus(const struct row_table *table, const struct sums *of_cpu,
		      struct row_totals *totals)
{
	uint64_t lost = 0;

	totals->of_cpu = calloc(NR_CPUS, sizeof(*totals->of_cpu));
	if (!totals->of_cpu)
		return -ENOMEM;
	for (size_t i = 0; i < NR_CPUS; i++)
		lost += of_cpu[i].kept;
	for (size_t i = 0; i < table->cpus.used; i++) {
		const struct histogram_bin *bin = &table->cpus.bins[i];
		uint64_t kept = of_cpu[bin->value].kept;

		totals->of_cpu[bin->value] =
			scale_of(&of_cpu[bin->value], bin->count);
		lost -= MIN(kept, bin->count);
	}
	totals->all.lost = lost;
	return 0;
}

static void totals_by_interval(const struct row_table *table,
			       struct row_totals *totals)
{
	double operations = table->weight.operations;

	totals->by_interval = true;
	if (!table->samples || !operations)
		return;
	totals->all.each = operations / table->samples;
	totals->all.sampled = table->samples / operations;
}

int row_table_totals(const struct row_table *table, uint64_t samples,
		     struct row_totals *totals)
{
	struct sums *of_cpu = calloc(NR_CPUS, sizeof(*of_cpu));
	struct sums all = {};
	int ret = 0;
	bool apart;

	*totals = (struct row_totals){};
	if (table->varies) {
		free(of_cpu);
		totals_by_interval(table, totals);
		return 0;
	}
	if (!of_cpu)
		return -ENOMEM;
	apart = sum_up(table, &all, of_cpu);
	totals->population = all.population;
	totals->all = scale_of(&all, samples);
	if (apart && totals->all.each)
		ret = scale_cpus(table, of_cpu, totals);
	free(of_cpu);
	return ret;
}

void row_totals_fini(struct row_totals *totals)
{
	free(totals->of_cpu);
	totals->of_cpu = NULL;
}

/* The variance for random sampling is known. */
static void operations_add(struct row_operations *operations, double *variance,
			   const struct row_scale *scale, uint64_t samples)
{
	operations->count += samples * scale->each;
	*variance += scale->each * scale->each * samples * (1 - scale->sampled);
}

struct row_operations row_operations(const struct row_totals *totals,
				     const struct row *row)
{
	struct row_operations operations = {};
	uint64_t left = row->samples;
	double variance = 0;

	if (totals->by_interval)
		return (struct row_operations){
			.count = row->weight.operations,
			.error = DEVIATIONS * sqrt(row->weight.variance),
		};
	for (size_t i = 0; totals->of_cpu && i < row->cpus.used; i++) {
		const struct histogram_bin *bin = &row->cpus.bins[i];
		const struct row_scale *scale = &totals->of_cpu[bin->value];

		if (!scale->each)
			continue;
		operations_add(&operations, &variance, scale, bin->count);
		left -= bin->count;
	}
	operations_add(&operations, &variance, &totals->all, left);
	operations.error = DEVIATIONS * sqrt(variance);
	return operations;
}
