/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Counts records, and collects names of mapped files, while recording. */
#pragma once

#include "recorder.h"

#include <linux/perf_event.h>

/*
 * The sample_type bits that all events of a recording share, so that the time
 * of a record is found without looking up its event: in samples after
 * IDENTIFIER, IP and TID; in other records before CPU and IDENTIFIER.
 * Recordings without times have neither TIME nor CPU.
 */
#define PMSCOPE_TALLY_UNTIMED \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_IDENTIFIER)
#define PMSCOPE_TALLY_TIMED \
	(PMSCOPE_TALLY_UNTIMED | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/* Bytes at the end of a record that is not a sample. */
#define PMSCOPE_TALLY_TRAILER_UNTIMED 16
#define PMSCOPE_TALLY_TRAILER_TIMED   32

/* From this size on, names are to be taken away: memory must not grow */
#define PMSCOPE_TALLY_NAMES_MAX ((size_t)1 << 20)

/**
 * struct tally - counts, and the names of mapped files
 * @untimed: records have no times
 * @aux_end: end of the last piece of trace that an AUX record announced
 * @names: a tree of tsearch(3), with @nr_names of @names_size bytes
 *
 * Starts as zeros.
 */
struct tally {
	struct recorder_stats stats;
	bool untimed;
	uint64_t aux_end;
	void *names;
	size_t nr_names;
	size_t names_size;
};

/* Accepts whole records of @size bytes; -EBADMSG for anything else, -ENOMEM. */
int tally_records(struct tally *tally, const void *records, size_t size);

/* Calls @visit for each name. */
void tally_names(const struct tally *tally,
		 void (*visit)(void *context, const char *name), void *context);

/* Moves the names to @to, which has none. */
void tally_move_names(struct tally *tally, struct tally *to);

void tally_free(struct tally *tally);
