/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts per event and data source for the samples of one row. This is far
 * larger than a row, which counts by kinds (kinds.h), so it is built for
 * one row at a time, for printing.
 */
#ifndef PMSCOPE_ROWS_PARTS_H
#define PMSCOPE_ROWS_PARTS_H

#include "rows/kinds.h"

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

/* Samples with the same Data Source. */
struct row_source {
	const char *name; /* NULL: the code has none */
	uint16_t code;
	uint64_t samples;
};

/* Zeros mean no samples. */
struct row_parts {
	uint64_t samples;
	uint64_t sourced; /* that have a Data Source */
	uint64_t events[64];
	struct row_source *sources;
	size_t nr_sources;
	size_t max_sources;
	struct map source_of_name; /* where there are many */
};

/* Adds @samples of one kind. Returns 0 or -ENOMEM. */
int row_parts_add(struct row_parts *parts, const struct row_kind *kind,
		  uint64_t samples);

/* Adds all of @from, whose sources are not in order yet. 0 or -ENOMEM. */
int row_parts_join(struct row_parts *parts, const struct row_parts *from);

/*
 * Call after the last sample: sorts sources by frequency and merges the rare
 * ones.
 */
void row_parts_finish(struct row_parts *parts);

/* After that: codes of one name, on CPUs of different families, are one. */
void row_parts_by_name(struct row_parts *parts);

/* Forgets all, and keeps no memory. */
void row_parts_fini(struct row_parts *parts);

#endif /* PMSCOPE_ROWS_PARTS_H */
