/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spe.h - an SPE recording and its reader. */
#pragma once

#include "bench.h"
#include "../snapshot/stream.h"

#define SPE_PERIOD 1024
#define SPE_RECORD 64

struct spe {
	struct stream s;
	uint64_t windows;
	uint64_t truncated; /* windows whose later records are lost */
	uint64_t records;
};

/* Opens a disabled event: of the task @pid on any CPU, or of all on @cpu. */
static inline struct spe spe_open_with(pid_t pid, int cpu, int period,
				       int pages)
{
	struct perf_event_attr attr =
		event_attr(bench_pmu_type("arm_spe_0"), 0);
	struct spe spe = {};
	int err;

	attr.sample_period = period;
	attr.exclude_kernel = 1;
	attr.disabled = 1;
	err = stream_open_one(&spe.s, &attr, pid, cpu, pages);
	if (err)
		bench_die("arm_spe_0", -err);
	return spe;
}

static inline struct spe spe_open(pid_t pid, int cpu)
{
	return spe_open_with(pid, cpu, SPE_PERIOD, STREAM_AUX_PAGES);
}

/*
 * A record starts with a packet; zeros are padding, which may end between two
 * places of records.
 */
static inline void spe_count_records(struct spe *spe, uint64_t from,
				     uint64_t to)
{
	from = (from + SPE_RECORD - 1) / SPE_RECORD * SPE_RECORD;
	for (; from < to; from += SPE_RECORD)
		spe->records += spe->s.aux[from % spe->s.aux_size] != 0;
}

/* Reads everything at once, so that the buffer is empty again. */
static inline void spe_drain(struct spe *spe)
{
	struct aux_record aux;

	while (next_aux(spe->s.ring, &aux)) {
		spe->windows++;
		spe->truncated += aux.flags & PERF_AUX_FLAG_TRUNCATED;
	}
	spe_count_records(spe, spe->s.tail, stream_head(&spe->s));
	stream_skip(&spe->s);
}
