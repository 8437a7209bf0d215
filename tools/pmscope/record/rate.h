/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --rate: changes the sampling interval of each CPU so that it takes about so
 * many samples per second.
 */
#pragma once

#include "session/recorder.h"

/* Default sizes of SPE's buffers. */

#define AUX_SIZE_MIN (64ULL << 10)

/**
 * record_aux_size() - buffer size per CPU in bytes, a power of two
 * @period: sampling interval, operations
 * @cpus: number of buffers
 * @memory: memory of the machine, bytes
 */
uint64_t record_aux_size(uint64_t period, uint64_t cpus, uint64_t memory);

/*
 * --max-loss: doubles the sampling interval while more than the given share of
 * SPE's buffers lose samples.
 */

/**
 * struct record_adapt - the limit and the current interval
 * @percent: share of buffers that may lose samples; negative: no limit
 * @period: current interval
 * @raised: how often it was doubled
 */
struct record_adapt {
	int percent;
	uint64_t period;
	unsigned int raised;
	uint64_t buffers; /* when it was doubled, or the rule last held */
	uint64_t lossy;
};

/* The next interval, given what was recorded so far. */
uint64_t record_adapt(struct record_adapt *adapt,
		      const struct recorder_stats *stats);

/**
 * struct record_rate - the wanted rate, and what happened so far
 * @wanted: samples per second of each CPU; 0: the interval stays
 * @least: shortest interval to choose, operations
 * @changes: how often the interval of a CPU was changed
 * @low: the shortest interval that was chosen, and next the longest
 * @seen: of each area: since when samples are counted, and how many there were
 */
struct record_rate {
	uint64_t wanted;
	uint64_t least;
	uint64_t changes;
	uint64_t low;
	uint64_t high;
	struct record_rate_seen {
		uint64_t ns;
		uint64_t samples;
	} * seen;
};

/**
 * record_rate_next() - the next interval of a CPU
 * @interval: the current one, with which it took
 * @samples: in
 * @ns: nanoseconds
 *
 * Return: @interval if the rate is near enough.
 */
uint64_t record_rate_next(const struct record_rate *rate, uint64_t interval,
			  uint64_t samples, uint64_t ns);

/* Do @samples of @ns tell the rate? */
bool record_rate_is_due(const struct record_rate *rate, uint64_t samples,
			uint64_t ns);

/* Trace, bytes, after which a CPU's samples are looked at. */
uint32_t record_rate_watermark(uint64_t wanted, uint64_t aux_size);

/* Call after each drain; @now: ns. Returns 0, or -errno with @err set. */
int record_rate_follow(struct record_rate *rate, struct recorder *recorder,
		       uint64_t now, struct pmscope_error *err);

void record_rate_fini(struct record_rate *rate);
