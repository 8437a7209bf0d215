/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * A secret seed for hashes and trees, so that nobody can construct a file that
 * is slow to read.
 */
#pragma once

#include "base/std.h"

#include <sys/auxv.h>

/* Random per process, never 0. */
static inline uint64_t table_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t seed = 0;

	if (random)
		memcpy(&seed, random, sizeof(seed));
	return seed ? seed : UINT64_C(0x2545f4914f6cdd1d);
}
