/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers that repeat: a failing test prints the seed it used. */
#ifndef PMSCOPE_TESTS_RANDOM_H
#define PMSCOPE_TESTS_RANDOM_H

#include <stdint.h>

/* xorshift64*; any state but 0. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (random_next(state) >> 32) % limit;
}

#endif /* PMSCOPE_TESTS_RANDOM_H */
