/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last lines of `pmscope record`: what was recorded, and what was lost. */
#pragma once

#include "record/rate.h"
#include "session/recorder.h"
#include "session/spe_device.h"

/**
 * struct record_summary - a complete recording
 * @path: path of the file, of the last one with --switch-output
 * @nr_files: of --switch-output
 * @is_packed: records were compressed, but not the file
 * @quiet: print only losses
 * @limit: the limit that ended the recording; "" if none did
 * @uncounted: why there are no counters beside SPE; "" if there are, or the
 *	       machine has none
 * @heap: with --heap, else NULL
 * @flight: the file has only snapshots, and next how many
 * @before: counters of the SPE driver at the start of the recording
 */
struct record_summary {
	const char *path;
	uint64_t nr_files;
	bool is_packed;
	bool quiet;
	const char *limit;
	const char *uncounted;
	const struct recorder *recorder;
	const struct heap_stats *heap;
	const struct record_adapt *adapt;
	const struct record_rate *rate;
	bool flight;
	unsigned int snapshots;
	const struct spe_losses *before;
};

void record_summary(const struct record_summary *s);

/*
 * What there is after @seconds, in one line; the number of samples is that of
 * the trace in records of 64 bytes.
 */
void record_progress_text(char *text, size_t size, const char *path,
			  uint64_t bytes, double seconds,
			  const struct recorder_stats *stats);
