/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Hashes of data from files, for use as keys of a map. */
#pragma once

#include "base/std.h"

#include <sys/auxv.h>

/*
 * A secret seed for hashes and trees, so that nobody can construct a file that
 * is slow to read. Random per process, never 0.
 */
static inline uint64_t table_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t seed = 0;

	if (random)
		memcpy(&seed, random, sizeof(seed));
	return seed ? seed : UINT64_C(0x2545f4914f6cdd1d);
}

/*
 * XORs both halves of a 128-bit product, so that each bit of @word affects the
 * whole hash, in a way that depends on the whole seed.
 */
static inline uint64_t hash_word(uint64_t seed, uint64_t hash, uint64_t word)
{
	uint64_t factor = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	unsigned __int128 product = (unsigned __int128)(hash ^ word) * factor;

	return product ^ product >> 64;
}

/* The seed is secret, so the author of a file cannot construct collisions. */
static inline uint64_t hash_bytes(uint64_t more, const void *data, size_t size)
{
	uint64_t seed = table_seed();
	uint64_t hash = hash_word(seed, seed ^ size, more);
	const uint8_t *bytes = data;

	for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
		size_t left = size - at;
		uint64_t word = 0;

		memcpy(&word, bytes + at,
		       left < sizeof(word) ? left : sizeof(word));
		hash = hash_word(seed, hash, word);
	}
	return hash;
}
