/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parquet's encodings of integers. Each function appends to @out. */
#pragma once

#include "cli/output.h"

/* How many bits @value needs; 0 for 0. */
static inline unsigned int encode_width(uint64_t value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

/*
 * RLE: runs of one value, and other values packed into @width bits each. For
 * levels and for indices of a dictionary.
 */
void encode_runs(struct output *out, const uint32_t *values, size_t nr,
		 unsigned int width);

/* The same, for @nr times @value. */
void encode_same(struct output *out, uint32_t value, size_t nr,
		 unsigned int width);

/*
 * DELTA_BINARY_PACKED: differences, packed in blocks. @bits: of the column's
 * type, 32 or 64. @values: @nr of them, as numbers of 64 bits.
 */
void encode_deltas(struct output *out, const uint64_t *values, size_t nr,
		   unsigned int bits);

/* PLAIN: numbers of @bits, 32 or 64. */
void encode_plain(struct output *out, const uint64_t *values, size_t nr,
		  unsigned int bits);
