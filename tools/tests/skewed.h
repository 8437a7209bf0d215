/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SPE data skewed as recordings of programs are, and the same for a seed: few
 * functions have most samples, an instruction is of one kind and has habits,
 * data comes from the stack, from arrays that are walked and from objects of
 * which few are hot, most loads hit, latencies have long tails, tasks take
 * turns.
 */
#ifndef PMSCOPE_TESTS_SKEWED_H
#define PMSCOPE_TESTS_SKEWED_H

#include "bytes.h"

#include <stdbool.h>

#define SKEWED_TASK  1000 /* the first; a task is a process */
#define SKEWED_TASKS 3
#define SKEWED_TEXT  UINT64_C(0x400000) /* functions from 0x10000 on */

enum skewed_layout {
	SKEWED_N1,     /* 64 bytes each, nothing moves */
	SKEWED_KUNPENG /* 36 to 52 bytes, no data source */
};

/* One for each CPU; random and ticks any but 0, the rest zero. */
struct skewed {
	uint64_t random;
	uint64_t ticks;
	enum skewed_layout layout;
	uint32_t task;
	uint64_t function;
	bool kernel;
	uint32_t walked[16];
};

/* One record. */
void put_skewed(struct bytes *b, struct skewed *s);

/* Up to @size bytes or a few more, of either layout. */
void put_skewed_stream(struct bytes *b, uint64_t *random, size_t size);

#endif /* PMSCOPE_TESTS_SKEWED_H */
