/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Hashes of what files have: keys of a map, which spreads them no further. */
#ifndef PMSCOPE_TABLE_HASH_H
#define PMSCOPE_TABLE_HASH_H

#include "seed.h"

#include <stddef.h>

/*
 * FNV-1a, which begins anywhere: whoever writes a file cannot choose what has
 * one hash. @more goes in first.
 */
static inline uint64_t hash_bytes(uint64_t more, const void *data, size_t size)
{
	uint64_t hash = table_seed() ^ more;
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

#endif /* PMSCOPE_TABLE_HASH_H */
