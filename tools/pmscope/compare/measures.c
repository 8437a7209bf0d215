// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/compare.h"

#include <pmscope/events.h>

#define BIT(measure) (1U << (measure))

#define OF_ALL (BIT(MEASURE_COST) | BIT(MEASURE_SHARE))
#define OF_TOTAL                                                               \
	(BIT(MEASURE_LAT_MEAN) | BIT(MEASURE_LAT_P50) | BIT(MEASURE_LAT_P90) | \
	 BIT(MEASURE_LAT_P99))
#define OF_EVENTS                                            \
	(BIT(MEASURE_L1D_REFILL) | BIT(MEASURE_LLC_REFILL) | \
	 BIT(MEASURE_TLB_REFILL) | BIT(MEASURE_MISPRED))

const struct measure_info measures[NR_ALL_MEASURES] = {
	[MEASURE_COST] = {"cost", 1, false},
	[MEASURE_SHARE] = {"share", 2, true},
	[MEASURE_LAT_MEAN] = {"lat_mean", 1, false},
	[MEASURE_LAT_P50] = {"lat_p50", 0, false},
	[MEASURE_LAT_P90] = {"lat_p90", 0, false},
	[MEASURE_LAT_P99] = {"lat_p99", 0, false},
	[MEASURE_ISSUE_MEAN] = {"issue_mean", 1, false},
	[MEASURE_XLAT_MEAN] = {"xlat_mean", 1, false},
	[MEASURE_L1D_REFILL] = {"l1d_refill", 2, true},
	[MEASURE_LLC_REFILL] = {"llc_refill", 2, true},
	[MEASURE_TLB_REFILL] = {"tlb_refill", 2, true},
	[MEASURE_MISPRED] = {"mispred", 2, true},
	[MEASURE_OPS] = {"ops", 0, false},
	[MEASURE_INSTRUCTIONS] = {"instructions", 0, false},
	[MEASURE_TIME] = {"time", 6, false},
	[MEASURE_CYCLES] = {"cycles", 0, false},
};

/* The two recordings are two of these. */
typedef const struct histogram *histograms[2];

static bool both_have(const histograms of)
{
	return of[0] && of[0]->count && of[1] && of[1]->count;
}

static void total_of(const struct measured_row *old,
		     const struct measured_row *new, histograms of)
{
	of[0] = old->row ? &old->row->total : NULL;
	of[1] = new->row ? &new->row->total : NULL;
}

static void issue_of(const struct measured_row *old,
		     const struct measured_row *new, histograms of)
{
	of[0] = old->row ? &old->row->issue : NULL;
	of[1] = new->row ? &new->row->issue : NULL;
}

static void translate_of(const struct measured_row *old,
			 const struct measured_row *new, histograms of)
{
	of[0] = old->row ? &old->row->translate : NULL;
	of[1] = new->row ? &new->row->translate : NULL;
}

unsigned int measures_known(const struct measured_row *old,
			    const struct measured_row *new)
{
	unsigned int known = old->samples && new->samples ? OF_ALL : 0;
	histograms of;

	if (!old->row || !new->row)
		return known;
	known |= OF_EVENTS;
	total_of(old, new, of);
	known |= both_have(of) ? OF_TOTAL : 0;
	issue_of(old, new, of);
	known |= both_have(of) ? BIT(MEASURE_ISSUE_MEAN) : 0;
	translate_of(old, new, of);
	known |= both_have(of) ? BIT(MEASURE_XLAT_MEAN) : 0;
	return known;
}

static void finish(struct compared *compared)
{
	compared->known = true;
	compared->change = interval_difference(&compared->figures[0],
					       &compared->figures[1]);
	compared->changed = interval_is_change(&compared->change.range);
}

/* One of them may be noise; both are as far apart as that allows. */
static struct interval widened(struct interval range, double noise)
{
	return (struct interval){fmax(range.low - noise, 0),
				 fmin(range.high + noise, 1)};
}

void shares_compare(const uint64_t part[2], const uint64_t whole[2],
		    const struct basis *basis, struct compared *compared)
{
	for (int i = 0; i < 2; i++)
		compared->figures[i] = (struct estimate){
			.value = whole[i] ? (double)part[i] / whole[i] : 0,
			.range = widened(interval_of_share(part[i], whole[i],
							   basis->deviations),
					 basis->noise),
		};
	finish(compared);
}

/* The share of a row among all samples: noise is in the row. */
static void share_compare(const struct measured_row *const rows[2],
			  const struct basis *basis, struct compared *compared)
{
	for (int i = 0; i < 2; i++) {
		uint64_t part = rows[i]->row ? rows[i]->row->samples : 0;
		struct interval range = interval_of_share(
			part, rows[i]->samples, basis->deviations);

		compared->figures[i] = (struct estimate){
			.value = (double)part / rows[i]->samples,
			.range = {range.low * (1 - basis->noise),
				  fmin(range.high * (1 + basis->noise), 1)},
		};
	}
	finish(compared);
}

/* Of both, so that a rare long latency that one side missed is considered. */
static double longest(const histograms of)
{
	return fmax(of[0] ? of[0]->max : 0, of[1] ? of[1]->max : 0);
}

/*
 * A histogram without its @fastest and @slowest samples: how many of a bin are
 * left when @seen are before it.
 */
struct trimmed {
	const struct histogram *h;
	double fastest;
	double slowest;
};

static double count_of(const struct trimmed *t, size_t bin, double seen)
{
	double first = fmax(seen, t->fastest);
	double end =
		fmin(seen + t->h->bins[bin].count, t->h->count - t->slowest);

	return fmax(end - first, 0);
}

static struct weighted cycles_of(const struct trimmed *t, double most)
{
	struct weighted sum = {.most = most};
	double seen = 0;

	for (size_t i = 0; i < t->h->used; i++) {
		double value = t->h->bins[i].value, nr = count_of(t, i, seen);

		sum.sum += nr * value;
		sum.squares += nr * value * value;
		seen += t->h->bins[i].count;
	}
	return sum;
}

/* At least: the slowest are noise. At most: so many more are missing. */
static struct estimate cycles_estimate(const struct histogram *h, double most,
				       const struct basis *basis)
{
	struct trimmed fewer = {h, 0, basis->noise * h->count};
	struct trimmed whole = {h, 0, 0};
	struct weighted low = cycles_of(&fewer, most);
	struct weighted all = cycles_of(&whole, most);

	return (struct estimate){
		.value = all.sum,
		.range = {interval_of_sum(&low, basis->deviations).low,
			  interval_of_sum(&all, basis->deviations).high *
				  (1 + basis->noise)},
	};
}

static struct estimate samples_estimate(uint64_t samples,
					const struct basis *basis)
{
	struct interval range = interval_of_count(samples, basis->deviations);

	return (struct estimate){
		.value = samples,
		.range = {range.low * (1 - basis->noise),
			  range.high * (1 + basis->noise)},
	};
}

static void cost_compare(const struct measured_row *const rows[2],
			 const struct basis *basis, struct compared *compared)
{
	static const struct histogram none;
	histograms of;

	total_of(rows[0], rows[1], of);
	for (int i = 0; i < 2; i++) {
		uint64_t samples = rows[i]->row ? rows[i]->row->samples : 0;
		struct estimate e =
			rows[i]->by_samples
				? samples_estimate(samples, basis)
				: cycles_estimate(of[i] ?: &none, longest(of),
						  basis);
		double cost = rows[i]->cost;

		compared->figures[i] = (struct estimate){
			.value = e.value * cost,
			.range = {e.range.low * cost, e.range.high * cost},
		};
	}
	finish(compared);
}

/* Values above and below a centre, by their distance from it. */
struct spread {
	struct weighted above;
	struct weighted below;
	double count;
};

static struct spread spread_of(const struct trimmed *t, double centre,
			       const histograms of)
{
	struct spread spread = {.above.most = longest(of) - centre,
				.below.most =
					centre - fmin(of[0]->bins[0].value,
						      of[1]->bins[0].value)};
	double seen = 0;

	for (size_t i = 0; i < t->h->used; i++) {
		double distance = t->h->bins[i].value - centre;
		double nr = count_of(t, i, seen);
		struct weighted *side =
			distance > 0 ? &spread.above : &spread.below;

		side->sum += nr * fabs(distance);
		side->squares += nr * distance * distance;
		spread.count += nr;
		seen += t->h->bins[i].count;
	}
	return spread;
}

static struct estimate divided(const struct weighted *sum, double by,
			       double deviations)
{
	struct interval range = interval_of_sum(sum, deviations);

	return (struct estimate){
		.value = sum->sum / by,
		.range = {range.low / by, range.high / by},
	};
}

/*
 * The mean is a centre that both recordings share, and what is above it less
 * what is below it: both are sums of weights.
 */
static struct interval mean_range(const struct trimmed *t, double centre,
				  const histograms of, double deviations)
{
	struct spread spread = spread_of(t, centre, of);
	struct estimate above =
		divided(&spread.above, spread.count, deviations);
	struct estimate below =
		divided(&spread.below, spread.count, deviations);
	struct interval range = interval_difference(&below, &above).range;

	return (struct interval){centre + range.low, centre + range.high};
}

static struct estimate mean_of(const struct histogram *h, double centre,
			       const histograms of, const struct basis *basis)
{
	double noise = basis->noise * h->count;
	const struct trimmed fast = {h, 0, noise}, slow = {h, noise, 0};

	return (struct estimate){
		.value = histogram_mean(h),
		.range =
			{mean_range(&fast, centre, of, basis->deviations).low,
			 mean_range(&slow, centre, of, basis->deviations).high},
	};
}

static void means_compare(const histograms of, const struct basis *basis,
			  struct compared *compared)
{
	double centre = (double)(of[0]->sum + of[1]->sum) /
			(of[0]->count + of[1]->count);

	for (int i = 0; i < 2; i++)
		compared->figures[i] = mean_of(of[i], centre, of, basis);
	finish(compared);
}

/* The value that has this rank, from 1 on. */
static double value_at(const struct histogram *h, uint64_t rank)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < h->used; i++) {
		seen += h->bins[i].count;
		if (seen >= rank)
			return h->bins[i].value;
	}
	return INFINITY;
}

static struct estimate percentile_of(const struct histogram *h, double percent,
				     const struct basis *basis)
{
	double low = fmax(percent / 100 - basis->noise, 0);
	double high = fmin(percent / 100 + basis->noise, 1);
	uint64_t first = interval_ranks(h->count, low, basis->deviations).low;
	uint64_t last = interval_ranks(h->count, high, basis->deviations).high;

	return (struct estimate){
		.value = histogram_percentile(h, percent),
		.range = {first ? value_at(h, first) : 0, value_at(h, last)},
	};
}

static void percentiles_compare(const histograms of, double percent,
				const struct basis *basis,
				struct compared *compared)
{
	for (int i = 0; i < 2; i++)
		compared->figures[i] = percentile_of(of[i], percent, basis);
	finish(compared);
}

static void latencies_compare(const struct measured_row *old,
			      const struct measured_row *new,
			      unsigned int known, const struct basis *basis,
			      struct compared *compared)
{
	histograms of;

	total_of(old, new, of);
	if (known & OF_TOTAL) {
		means_compare(of, basis, &compared[MEASURE_LAT_MEAN]);
		percentiles_compare(of, 50, basis, &compared[MEASURE_LAT_P50]);
		percentiles_compare(of, 90, basis, &compared[MEASURE_LAT_P90]);
		percentiles_compare(of, 99, basis, &compared[MEASURE_LAT_P99]);
	}
	issue_of(old, new, of);
	if (known & BIT(MEASURE_ISSUE_MEAN))
		means_compare(of, basis, &compared[MEASURE_ISSUE_MEAN]);
	translate_of(old, new, of);
	if (known & BIT(MEASURE_XLAT_MEAN))
		means_compare(of, basis, &compared[MEASURE_XLAT_MEAN]);
}

static void events_compare(const struct measured_row *const rows[2],
			   const struct basis *basis, struct compared *compared)
{
	static const struct {
		enum measure measure;
		enum pmscope_event event;
	} of[] = {
		{MEASURE_L1D_REFILL, PMSCOPE_EVENT_L1D_REFILL},
		{MEASURE_LLC_REFILL, PMSCOPE_EVENT_LLC_REFILL},
		{MEASURE_TLB_REFILL, PMSCOPE_EVENT_TLB_REFILL},
		{MEASURE_MISPRED, PMSCOPE_EVENT_MISPRED},
	};
	const uint64_t samples[2] = {rows[0]->row->samples,
				     rows[1]->row->samples};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		const uint64_t with[2] = {
			rows[0]->parts->events[of[i].event],
			rows[1]->parts->events[of[i].event],
		};

		shares_compare(with, samples, basis, &compared[of[i].measure]);
	}
}

void measures_compare(const struct measured_row *old,
		      const struct measured_row *new, unsigned int known,
		      const struct basis *basis, struct compared *compared)
{
	const struct measured_row *const rows[2] = {old, new};

	for (size_t i = 0; i < NR_MEASURES; i++)
		compared[i] = (struct compared){};
	if (known & BIT(MEASURE_COST))
		cost_compare(rows, basis, &compared[MEASURE_COST]);
	if (known & BIT(MEASURE_SHARE))
		share_compare(rows, basis, &compared[MEASURE_SHARE]);
	latencies_compare(old, new, known, basis, compared);
	if (known & OF_EVENTS)
		events_compare(rows, basis, compared);
}
