/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two recordings, or two selections of one, row by row: rows of the same name
 * are compared by the measures of measures.h. For diff and other views.
 */
#pragma once

#include "compare/measures.h"
#include "read/provenance.h"
#include "rows/rows.h"

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

/**
 * struct compare_side - one of the recordings
 * @load, @table: open, with all samples read
 * @instructions: that were counted, scaled; 0: none
 * @is_filtered: other operations have no samples, see population_read()
 * @each: operations that a sample stands for, from its totals or by the period;
 *	  0: not known
 */
struct compare_side {
	struct load load;
	struct row_table table;
	struct row_totals totals;
	struct provenance provenance;
	double instructions;
	double each;
	bool is_filtered;
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

/**
 * struct comparison - of two recordings
 * @unit: not COMPARE_AUTO
 * @by_samples: cost is in samples, not in cycles of latency
 * @unlike_cpus: the recordings are of other kinds of CPU: a data source is the
 *		 same if its name is, and a code without a name is not compared
 * @comparisons: of a measure of a row; the confidence is that of all together
 * @basis: of their intervals
 * @nr_compared, @nr_changed: pairs that are
 * @all: all samples of each recording as one row
 * @is_asked: for @unit, so that cost is relative to it only
 * @work: of the whole recordings, see compare_work()
 */
struct comparison {
	struct compare_side sides[2];
	enum compare_unit unit;
	bool by_samples;
	bool unlike_cpus;
	size_t comparisons;
	struct basis basis;
	struct row_pair *pairs;
	size_t nr_pairs;
	size_t max_pairs;
	size_t nr_compared;
	size_t nr_changed;
	struct row all[2];
	bool is_asked;
	struct compared work[NR_WORKS];
};

/* The samples of a data source, and their share among those with one. */
struct compared_source {
	const char *name; /* NULL: the code has none */
	uint16_t code;
	uint64_t samples[2];
	struct compared share;
};

/**
 * struct compared_row - all there is to print of a pair
 * @is_absolute: cost is not only relative to something: nothing was asked for
 * @samples: 0 where it has no row
 * @sourced: samples with a data source
 */
struct compared_row {
	const struct row_pair *pair; /* NULL: all samples */
	bool is_compared;
	bool changed;
	bool is_absolute;
	uint64_t samples[2];
	uint64_t sourced[2];
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

/**
 * compare_read() - open and read a recording
 * @comparison: starts as zeros
 * @side: 0 (old) or 1 (new)
 * @keys: names rows, @nr of them
 *
 * Return: 0, or a negative errno after error().
 */
int compare_read(struct comparison *comparison, int side,
		 const struct load_config *config,
		 const struct field *const *keys, size_t nr);

/**
 * compare_finish() - align the rows of both recordings, and compare them
 * @command: for messages
 * @unit: what cost is relative to
 * @by_samples: cost is of samples, not of cycles
 * @noise: see struct basis
 *
 * Return: 0, or a negative errno after error().
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
