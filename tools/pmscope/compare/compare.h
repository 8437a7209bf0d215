/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rows/rows.h"

/*
 * Confidence intervals of what a recording measured, and of the difference of
 * two recordings. Each function takes the number of standard deviations that
 * the wanted confidence stands for. All limits are closed formulas: there may
 * be millions of them.
 *
 * Counts are Poisson and shares binomial. The difference of two figures comes
 * from the intervals of both (MOVER: Zou and Donner, Statistics in Medicine 27,
 * 2008), so that neither has to be normally distributed.
 */

/* A limit that the samples do not give is infinite. */
struct interval {
	double low;
	double high;
};

/* A figure with its interval. */
struct estimate {
	double value;
	struct interval range;
};

/*
 * A sum of weights of samples: how often each weight occurs is a Poisson count.
 * @squares: the sum of the squared weights
 * @most: the largest weight that a sample can have
 */
struct weighted {
	double sum;
	double squares;
	double most;
};

/* For intervals with a @confidence together (Bonferroni, Dunn 1961). */
double interval_deviations(double confidence, size_t comparisons);

/* Of the sum (Fay and Feuer 1997); of a plain count, each weight is 1. */
struct interval interval_of_sum(const struct weighted *sum, double deviations);
struct interval interval_of_count(uint64_t count, double deviations);

/* Of the probability that a sample is one of the @part, 0 to 1. */
struct interval interval_of_share(uint64_t part, uint64_t whole,
				  double deviations);

/*
 * The ranks, 0 to @whole, of the order statistics between which the quantile of
 * probability @p lies: of @whole values in ascending order, the value of rank
 * @low is the lower limit; @high may be above @whole: there is no upper limit.
 */
struct ranks {
	uint64_t low;
	uint64_t high;
};
struct ranks interval_ranks(uint64_t whole, double p, double deviations);
struct estimate interval_difference(const struct estimate *x,
				    const struct estimate *y);

/* Is 0, no difference, outside of the interval? */
static inline bool interval_is_change(const struct interval *range)
{
	return range->low > 0 || range->high < 0;
}

/* What two recordings are compared by: the figures of a row, with intervals. */
enum measure {
	MEASURE_COST,
	MEASURE_SHARE,
	MEASURE_LAT_MEAN,
	MEASURE_LAT_P50,
	MEASURE_LAT_P90,
	MEASURE_LAT_P99,
	MEASURE_ISSUE_MEAN,
	MEASURE_XLAT_MEAN,
	MEASURE_L1D_REFILL,
	MEASURE_LLC_REFILL,
	MEASURE_TLB_REFILL,
	MEASURE_MISPRED,
	NR_MEASURES,
	/* Of whole recordings, see compare_work(). */
	MEASURE_OPS = NR_MEASURES,
	MEASURE_INSTRUCTIONS,
	MEASURE_TIME,
	MEASURE_CYCLES,
	NR_ALL_MEASURES
};

#define NR_WORKS (NR_ALL_MEASURES - NR_MEASURES)

/* How a measure is named and printed */
struct measure_info {
	/*
	 * column of CSV, key in JSON, and in --fail-if, where also a dot is
	 * accepted for each underscore
	 */
	const char *name;
	int decimals;  /* in text; of shares, those of per cent */
	bool is_share; /* 0 to 1, in text in percent */
};

extern const struct measure_info measures[NR_ALL_MEASURES];

/* One measure of a row in two recordings */
struct compared {
	bool known;		    /* both recordings have it; else zeros */
	bool changed;		    /* the change's interval has no 0 */
	struct estimate figures[2]; /* of the old and the new recording */
	struct estimate change;	    /* the second less the first */
};

/* @row, @parts: its samples, see row_parts_of(); NULL: no samples. */
struct measured_row {
	const struct row *row;
	const struct row_parts *parts;
	uint64_t samples; /* all of the recording that the filter lets pass */
	double cost;	  /* cycles, or samples, are multiplied by this */
	bool by_samples;  /* cost is of samples, not of cycles of latency */
};

/* Of what intervals consist */
struct basis {
	double deviations; /* for the confidence of all intervals */
	/*
	 * the part of a row's samples, 0 to 1, that may be others in the next
	 * run of the same program: which pages it gets, what runs beside it.
	 * One recording does not tell.
	 */
	double noise;
};

/* Which measures both have: the bits of enum measure. */
unsigned int measures_known(const struct measured_row *old,
			    const struct measured_row *new);

/* Compares by those of @known. */
void measures_compare(const struct measured_row *old,
		      const struct measured_row *new, unsigned int known,
		      const struct basis *basis, struct compared *compared);

/* The share of samples, @part of @whole each. */
void shares_compare(const uint64_t part[2], const uint64_t whole[2],
		    const struct basis *basis, struct compared *compared);

/* What differs in how two recordings were made, so that figures may, too. */
enum origin {
	ORIGIN_HOST,
	ORIGIN_KERNEL,
	ORIGIN_ARCH,
	ORIGIN_CPUS,
	ORIGIN_MEMORY,
	ORIGIN_EVENTS,
	NR_ORIGINS
};

/* Each in words, as it is printed and as key in JSON. */
extern const char *const origin_names[NR_ORIGINS];

/*
 * Texts for both recordings, of names from files, which have to be escaped; ""
 * where the recording does not tell. Each is freed with free(). Returns 0 or
 * -ENOMEM.
 */
int origin_text(enum origin origin, const struct provenance *provenance,
		char **text);

/* Do both tell, and different things? */
bool origin_differs(const char *old, const char *new);

/*
 * Two recordings, or two selections of one, row by row: rows of the same name
 * are compared by the measures above. For diff and other views.
 */

#define COMPARE_CONFIDENCE 0.95

/* Rows with fewer samples, old and new together, are not compared. */
#define COMPARE_SAMPLES 20

/* What cost is relative to. */
enum compare_unit {
	COMPARE_AUTO,	      /* the first of these that both recordings have */
	COMPARE_POPULATION,   /* operations that SPE could have sampled */
	COMPARE_INSTRUCTIONS, /* INST_RETIRED */
	COMPARE_SAMPLES_ONLY, /* samples that the filter lets pass */
	COMPARE_NOTHING,      /* the whole recording */
};

/* Names of the units as option choices; ends with NULL. */
extern const char *const compare_units[];

/* One of the recordings. @load, @table: open, with all samples read. */
struct compare_side {
	struct load load;
	struct row_table table;
	struct row_totals totals;
	struct provenance provenance;
	double instructions; /* that were counted, scaled; 0: none */
	/* operations for a sample, by totals or the period; 0: not known */
	double each;
	bool is_filtered; /* others have no samples: population_read() */
	bool is_open;
};

/* Rows of the same name: indices in the tables, or NO_ROW. */
#define NO_ROW UINT32_MAX
struct row_pair {
	uint32_t rows[2];
	bool is_compared; /* it has enough samples */
	bool changed;	  /* by some measure */
	double cost;	  /* change; rows are in the order of its size */
};

/* Of two recordings. @nr_compared, @nr_changed: pairs that are. */
struct comparison {
	struct compare_side sides[2];
	enum compare_unit unit; /* not COMPARE_AUTO */
	bool by_samples;	/* cost is in samples, not in cycles */
	/*
	 * the recordings are of other kinds of CPU: a data source is the same
	 * if its name is, and a code without a name is not compared
	 */
	bool unlike_cpus;
	size_t comparisons; /* of a measure of a row, for the confidence */
	struct basis basis; /* of their intervals */
	struct row_pair *pairs;
	size_t nr_pairs;
	size_t max_pairs;
	size_t nr_compared;
	size_t nr_changed;
	struct row all[2]; /* all samples of each recording as one row */
	bool is_asked;	   /* for @unit, so that cost is relative to it only */
	struct compared work[NR_WORKS]; /* of the recordings: compare_work() */
};

/* The samples of a data source, and their share among those with one. */
struct compared_source {
	const char *name; /* NULL: the code has none */
	uint16_t code;
	uint64_t samples[2];
	struct compared share;
};

struct compared_row {
	const struct row_pair *pair; /* NULL: all samples */
	bool is_compared;
	bool changed;
	bool is_absolute;    /* cost is not relative: nothing was asked for */
	uint64_t samples[2]; /* 0 where it has no row */
	uint64_t sourced[2]; /* samples with a data source */
	struct compared measures[NR_ALL_MEASURES]; /* work: of all samples */
	struct compared_source *sources;
	size_t nr_sources;
	size_t max_sources;
};

/* What comes out for a row, and its name in all outputs. */
enum verdict {
	VERDICT_MORE,	 /* costs more */
	VERDICT_LESS,	 /* costs less */
	VERDICT_CHANGED, /* not its cost, but other measures */
	VERDICT_NEW,	 /* only in the new recording */
	VERDICT_GONE,	 /* only in the old one */
	VERDICT_NOISE,	 /* no measure changed beyond noise */
	VERDICT_FEW,	 /* too few samples */
	NR_VERDICTS
};
extern const char *const verdict_names[NR_VERDICTS];
enum verdict compare_verdict(const struct compared_row *row);

/*
 * Opens and reads a recording. @comparison: starts as zeros. @side: 0 (old) or
 * 1 (new). @keys: names rows, @nr of them. Returns 0, or a negative errno after
 * error().
 */
int compare_read(struct comparison *comparison, int side,
		 const struct load_config *config,
		 const struct field *const *keys, size_t nr);

/*
 * Aligns the rows of both recordings, and compares them. @command: for
 * messages.
 * @unit: what cost is relative to. @by_samples: cost is of samples, not of
 * cycles. @noise: see struct basis. Returns 0, or a negative errno after
 * error().
 */
int compare_finish(struct comparison *comparison, const char *command,
		   enum compare_unit unit, bool by_samples, double noise);

/*
 * Fills in @row, which starts as zeros, with a pair, or with NULL all samples.
 * To be freed with compared_row_fini(). Returns 0 or -ENOMEM.
 */
int compare_row(const struct comparison *comparison,
		const struct row_pair *pair, struct compared_row *row);
void compared_row_fini(struct compared_row *row);

/* The value of key @i, as row_value() has it. */
const char *compare_value(const struct comparison *comparison,
			  const struct row_pair *pair, size_t i, char *buf,
			  size_t size);

/*
 * work.c: fills @work. Each interval has a confidence of 95 % alone; what
 * differs by less than the noise is not changed.
 */
void compare_work(struct comparison *comparison);

/* The same as a sentence, to be freed; NULL: no memory. */
char *compare_work_text(const struct comparison *comparison);

void compare_fini(struct comparison *comparison);
