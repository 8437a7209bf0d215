/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings of CPUs with much going on: tasks that map files, take names,
 * fork, switch, and have their counters read between the SPE records.
 */
#ifndef PMSCOPE_TESTS_ACTIVITY_H
#define PMSCOPE_TESTS_ACTIVITY_H

#include "bytes.h"

#include <stdbool.h>

#define ACTIVITY_CPUS 3

/**
 * struct activity - what goes on
 * @seed: other than 0
 * @records: SPE records; that with timestamp 1 first, each has its own
 * @rare: something but a record comes after so many of them, on average
 * @wild: so do records of any packets in any order; 0: none
 * @bad_bytes: so many bytes of each trace are overwritten
 * @counted: counters are read
 */
struct activity {
	uint64_t seed;
	uint64_t records;
	unsigned int rare;
	unsigned int wild;
	unsigned int bad_bytes;
	bool counted;
};

/* A perf.data, whole. */
void put_activity(struct bytes *b, const struct activity *activity);

#endif /* PMSCOPE_TESTS_ACTIVITY_H */
