// SPDX-License-Identifier: GPL-2.0-or-later
/* The work and the time of two whole recordings, not relative to anything. */
#include "compare/compare.h"

/* Of numbers from 0 to 255, which SPE may add to its interval. */
#define JITTER 73.9

static struct estimate around(double value, double error)
{
	return (struct estimate){value,
				 {fmax(value - error, 0), value + error}};
}

static bool is_selection(const struct compare_side *side)
{
	return side->load.filter->nr_terms;
}

/* Did SPE or the tool leave out samples, which no count tells of? */
static bool is_partial(const struct compare_side *side)
{
	const struct pmscope_losses *losses = side->provenance.losses;

	return losses->truncated || losses->collisions || losses->partial ||
	       losses->lost_records || losses->missing_trace ||
	       losses->decode.damaged || losses->decode.cut_bytes;
}

/* Sampled at random, or one in each interval. */
static struct estimate ops_of(const struct compare_side *side,
			      const struct row *all)
{
	double nr = side->table.samples, each = side->each;
	bool at_random = is_selection(side) || side->is_filtered;
	struct row_operations counted;

	if (side->totals.all.each) {
		counted = row_operations(&side->totals, all);
		return is_selection(side) || !side->totals.population
			       ? around(counted.count, counted.error)
			       : around(side->totals.population, 0);
	}
	if (!each || is_partial(side))
		return around(0, 0);
	return around(nr * each,
		      DEVIATIONS * (at_random ? each : JITTER) * sqrt(nr) +
			      each);
}

static double relative_error(const struct estimate *e)
{
	return (e->range.high - e->value) / e->value;
}

/* Samples tell the mean, and @ops how many there were. */
static struct estimate cycles_of(const struct row_own *own,
				 const struct estimate *ops)
{
	double mean = (double)own->sum / own->count, error;

	if (!own->sum)
		return around(0, 0);
	error = DEVIATIONS *
		sqrt(fmax((double)own->squares / own->count - mean * mean, 0) /
		     own->count) /
		mean;
	mean *= ops->value;
	return around(mean, mean * hypot(error, relative_error(ops)));
}

static struct estimate figure_of(const struct compare_side *side,
				 const struct row *all, enum measure measure)
{
	const struct provenance *p = &side->provenance;
	struct estimate ops;

	switch (measure) {
	case MEASURE_INSTRUCTIONS:
		return around(is_selection(side) ? 0 : side->instructions, 0);
	case MEASURE_TIME:
		/*
		 * It began before the first sample, and ended after the last;
		 * but records without samples may all be of its begin.
		 */
		return is_selection(side) || side->table.samples < 2 ||
				       p->end - p->begin < side->table.samples
			       ? around(0, 0)
			       : around((p->end - p->begin) / 1e9,
					(p->end - p->begin) / 1e9 /
						side->table.samples);
	default:
		ops = ops_of(side, all);
		return measure == MEASURE_OPS || !ops.value
			       ? ops
			       : cycles_of(&side->table.own, &ops);
	}
}

void compare_work(struct comparison *all)
{
	for (size_t i = 0; i < NR_WORKS; i++) {
		struct compared *m = &all->work[i];

		for (int k = 0; k < 2; k++)
			m->figures[k] = figure_of(&all->sides[k], &all->all[k],
						  NR_MEASURES + i);
		if (!m->figures[0].value || !m->figures[1].value)
			continue;
		m->known = true;
		m->change = interval_difference(&m->figures[0], &m->figures[1]);
		m->changed = interval_is_change(&m->change.range) &&
			     fabs(m->change.value) >
				     all->basis.noise * m->figures[0].value;
	}
}

static void put_figure(FILE *out, double value, const char *unit)
{
	static const char *const large[] = {"", "k", "M", "G", "T", "P", "E"};
	size_t power = 0;

	for (; value >= 999.5 && power < 6 && !*unit; power++)
		value /= 1000;
	fprintf(out, "%.*f%s%s",
		value < 10    ? 2
		: value < 100 ? 1
			      : 0,
		value, power || *unit ? " " : "", *unit ? unit : large[power]);
}

static void put_change(FILE *out, const struct compared *m, double noise)
{
	double ratio = m->figures[1].value / m->figures[0].value;
	double error = ratio * hypot(relative_error(&m->figures[0]),
				     relative_error(&m->figures[1]));

	fprintf(out, " (%+.1f %%", 100 * (ratio - 1));
	if (error >= 0.0005)
		fprintf(out, " +- %.1f", 100 * error);
	fprintf(out, "%s)",
		m->changed		   ? ""
		: fabs(ratio - 1) <= noise ? ", within noise"
					   : ", within error");
}

char *compare_work_text(const struct comparison *all)
{
	static const char *const names[] = {"operations", "instructions",
					    "time", "own cycles"};
	char *text = NULL;
	size_t size, nr = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < NR_WORKS; i++) {
		const struct compared *m = &all->work[i];
		bool is_time = NR_MEASURES + i == MEASURE_TIME;
		bool is_short = is_time && m->figures[0].value < 1 &&
				m->figures[1].value < 1;
		double by = is_short ? 1000 : 1;

		if (!m->known)
			continue;
		fprintf(out, "%s%s ", nr++ ? ", " : "Work: ", names[i]);
		for (int k = 0; k < 2; k++) {
			fputs(k ? " -> " : "", out);
			put_figure(out, by * m->figures[k].value,
				   is_short  ? "ms"
				   : is_time ? "s"
					     : "");
		}
		put_change(out, m, all->basis.noise);
	}
	if (!nr)
		fputs("Work: not known; record both with --totals", out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
