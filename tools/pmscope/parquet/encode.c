// SPDX-License-Identifier: GPL-2.0-or-later
/* See "Encodings" of the Parquet format. */
#include "parquet/column.h"

#include <endian.h>

#define VARINT_MAX 10
#define GROUP	   8 /* values that are packed together */
#define BLOCK	   128
#define MINIS	   4
#define MINI	   (BLOCK / MINIS)

static char *put64(char *p, uint64_t value)
{
	value = htole64(value);
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

/* The lowest @width bits of each value. @nr is a multiple of 8. */
static char *pack(char *p, const uint64_t *values, size_t nr,
		  unsigned int width)
{
	uint64_t bits = 0;
	unsigned int used = 0;

	for (size_t i = 0; i < nr; i++) {
		bits |= values[i] << used;
		if (used + width < 64) {
			used += width;
			continue;
		}
		p = put64(p, bits);
		bits = used ? values[i] >> (64 - used) : 0;
		used = used + width - 64;
	}
	for (; used; used -= 8, bits >>= 8)
		*p++ = (char)bits;
	return p;
}

/* Zeros fill the last group. */
static void put_packed(struct output *out, const uint32_t *values, size_t nr,
		       unsigned int width)
{
	size_t groups = (nr + GROUP - 1) / GROUP;
	char *p = output_reserve(out, VARINT_MAX + groups * width + 8);

	if (!p)
		return;
	p = thrift_varint(p, groups << 1 | 1);
	for (size_t i = 0; i < groups; i++) {
		uint64_t group[GROUP] = {};

		for (size_t j = 0; j < GROUP && i * GROUP + j < nr; j++)
			group[j] = values[i * GROUP + j];
		p = pack(p, group, GROUP, width);
	}
	output_commit(out, p);
}

static void put_run(struct output *out, uint32_t value, size_t nr,
		    unsigned int width)
{
	char *p = output_reserve(out, VARINT_MAX + sizeof(value));

	if (!p)
		return;
	p = thrift_varint(p, (uint64_t)nr << 1);
	for (unsigned int i = 0; i < width; i += 8)
		*p++ = (char)(value >> i);
	output_commit(out, p);
}

static size_t run_length(const uint32_t *values, size_t nr)
{
	size_t same = 1;

	while (same < nr && values[same] == values[0])
		same++;
	return same;
}

void encode_runs(struct output *out, const uint32_t *values, size_t nr,
		 unsigned int width)
{
	size_t packed = 0; /* the first that is not written yet */

	for (size_t i = 0; i < nr;) {
		size_t same = run_length(values + i, nr - i);
		size_t fill = -(i - packed) % GROUP;

		/* Packed values come in whole groups, but for the last. */
		if (same < fill + GROUP) {
			i += same;
			continue;
		}
		if (i > packed)
			put_packed(out, values + packed, i + fill - packed,
				   width);
		put_run(out, values[i], same - fill, width);
		i += same;
		packed = i;
	}
	if (packed < nr)
		put_packed(out, values + packed, nr - packed, width);
}

void encode_same(struct output *out, uint32_t value, size_t nr,
		 unsigned int width)
{
	uint32_t values[GROUP];

	if (nr >= GROUP) {
		put_run(out, value, nr, width);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		values[i] = value;
	if (nr)
		put_packed(out, values, nr, width);
}

/* Differences wrap as numbers of the column's type do. */
static int64_t difference(uint64_t from, uint64_t to, unsigned int bits)
{
	return bits == 32 ? (int32_t)(uint32_t)(to - from)
			  : (int64_t)(to - from);
}

static char *put_block(char *p, const int64_t *deltas, size_t nr,
		       unsigned int bits)
{
	uint64_t mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
	uint64_t packed[BLOCK] = {};
	int64_t least = deltas[0];
	char *widths;

	for (size_t i = 1; i < nr; i++)
		least = MIN(deltas[i], least);
	for (size_t i = 0; i < nr; i++)
		packed[i] = ((uint64_t)deltas[i] - (uint64_t)least) & mask;
	p = thrift_varint(p, thrift_zigzag(least));
	widths = p;
	p += MINIS;
	for (int i = 0; i < MINIS; i++) {
		uint64_t all = 0;

		for (int j = 0; j < MINI; j++)
			all |= packed[i * MINI + j];
		widths[i] = (char)encode_width(all);
		/* The last block ends with the last miniblock in use. */
		if ((size_t)i * MINI < nr)
			p = pack(p, packed + i * MINI, MINI, widths[i]);
	}
	return p;
}

void encode_deltas(struct output *out, const uint64_t *values, size_t nr,
		   unsigned int bits)
{
	int64_t first = nr ? difference(0, values[0], bits) : 0;
	char *p = output_reserve(out, 4 * VARINT_MAX);

	if (!p)
		return;
	p = thrift_varint(p, BLOCK);
	p = thrift_varint(p, MINIS);
	p = thrift_varint(p, nr);
	output_commit(out, thrift_varint(p, thrift_zigzag(first)));
	for (size_t i = 1; i < nr; i += BLOCK) {
		size_t some = MIN(nr - i, BLOCK);
		int64_t deltas[BLOCK];

		for (size_t j = 0; j < some; j++)
			deltas[j] = difference(values[i + j - 1], values[i + j],
					       bits);
		p = output_reserve(out, VARINT_MAX + MINIS + 8 * BLOCK + 8);
		if (!p)
			return;
		output_commit(out, put_block(p, deltas, some, bits));
	}
}

void encode_plain(struct output *out, const uint64_t *values, size_t nr,
		  unsigned int bits)
{
	char *p = output_reserve(out, nr * (bits / 8) + 8);

	if (!p)
		return;
	for (size_t i = 0; i < nr; i++) {
		put64(p, values[i]);
		p += bits / 8;
	}
	output_commit(out, p);
}
