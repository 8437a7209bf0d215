/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts per event and data source for the samples of one row. This is far
 * larger than a row, which counts by kinds (report_kinds.h), so it is built for
 * one row at a time, for printing.
 */
#ifndef PMSCOPE_REPORT_PARTS_H
#define PMSCOPE_REPORT_PARTS_H

#include "report/kinds.h"

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

/* Samples with the same Data Source. */
struct report_source {
	const char *name; /* NULL: the code has none */
	uint16_t code;
	uint64_t samples;
};

/* Zeros mean no samples. */
struct report_parts {
	uint64_t samples;
	uint64_t sourced; /* that have a Data Source */
	uint64_t events[64];
	struct report_source *sources;
	size_t nr_sources;
	size_t max_sources;
	struct map source_of_name; /* where there are many */
};

/* Adds @samples of one kind. Returns 0 or -ENOMEM. */
int report_parts_add(struct report_parts *parts, const struct report_kind *kind,
		     uint64_t samples);

/* Adds all of @from, whose sources are not in order yet. 0 or -ENOMEM. */
int report_parts_join(struct report_parts *parts,
		      const struct report_parts *from);

/*
 * Call after the last sample: sorts sources by frequency and merges the rare
 * ones.
 */
void report_parts_finish(struct report_parts *parts);

/* After that: codes of one name, on CPUs of different families, are one. */
void report_parts_by_name(struct report_parts *parts);

/* Forgets all, and keeps no memory. */
void report_parts_fini(struct report_parts *parts);

#endif /* PMSCOPE_REPORT_PARTS_H */
