/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What two recordings are compared by: the figures of a row, with intervals. */
#pragma once

#include "compare/confidence.h"
#include "rows/rows.h"

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

/**
 * struct measure_info - how a measure is named and printed
 * @name: column of CSV, key in JSON, and in --fail-if, where also a dot is
 *	  accepted for each underscore
 * @decimals: in text; of shares, after they are multiplied by 100
 * @is_share: 0 to 1, in text in percent
 */
struct measure_info {
	const char *name;
	int decimals;
	bool is_share;
};

extern const struct measure_info measures[NR_ALL_MEASURES];

/**
 * struct compared - one measure of a row in two recordings
 * @known: both recordings have it; else the rest is zero
 * @changed: the interval of the change does not contain 0
 * @figures: of the old and the new recording
 * @change: the second less the first
 */
struct compared {
	bool known;
	bool changed;
	struct estimate figures[2];
	struct estimate change;
};

/**
 * struct measured_row - a row of one recording
 * @row, @parts: its samples, see row_parts_of(); @row may be NULL: no samples
 * @samples: all of the recording that the filter lets pass
 * @cost: cycles, or samples, are multiplied by this
 * @by_samples: cost is of samples, not of cycles of latency
 */
struct measured_row {
	const struct row *row;
	const struct row_parts *parts;
	uint64_t samples;
	double cost;
	bool by_samples;
};

/**
 * struct basis - of what intervals consist
 * @deviations: for the confidence that all intervals have together
 * @noise: the part of a row's samples, 0 to 1, that may be others in the next
 *	   run of the same program: which pages it gets, what runs beside it.
 *	   One recording does not tell.
 */
struct basis {
	double deviations;
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
