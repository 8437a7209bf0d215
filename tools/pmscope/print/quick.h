/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes numbers without a branch on their length, into a buffer with at least
 * QUICK_ROOM bytes, all of which may be overwritten.
 */
#pragma once

#include "base/text.h"

#define QUICK_ROOM 32

/* Writes the eight characters in @x; the first is in bits [7:0]. */
static inline char *quick_eight(char *p, uint64_t x)
{
	x = htole64(x);
	return text_bytes(p, (const char *)&x, sizeof(x));
}

/*
 * The digits of a value below 10^8: splits it into halves, quarters and digits,
 * in all lanes at once. Divides by multiplying with the inverse of 100 or 10,
 * rounded up, which is exact for so few digits.
 */
static inline uint64_t quick_digits(uint32_t value)
{
	uint64_t x = value / 10000 | (uint64_t)(value % 10000) << 32, high;

	high = x * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
	x = high | (x - high * 100) << 16;
	high = x * 103 >> 10 & UINT64_C(0x000f000f000f000f);
	x = high | (x - high * 10) << 8;
	return x | UINT64_C(0x3030303030303030);
}

static inline char *quick_short(char *p, uint32_t value)
{
	unsigned int n = text_digits(value);

	quick_eight(p, quick_digits(value) >> 8 * (8 - n));
	return p + n;
}

static inline char *quick_unsigned(char *p, uint64_t value)
{
	const uint32_t e8 = 100000000;

	if (value < e8)
		return quick_short(p, value);
	if (value < (uint64_t)e8 * e8)
		p = quick_short(p, value / e8);
	else
		p = quick_eight(quick_short(p, value / e8 / e8),
				quick_digits(value / e8 % e8));
	return quick_eight(p, quick_digits(value % e8));
}

/* Lower case, no prefix. */
static inline char *quick_hex(char *p, uint64_t value)
{
	unsigned int n = (67 - __builtin_clzll(value | 1)) / 4;
	uint64_t low = text_hex_digits(value);

	if (n <= 8) {
		quick_eight(p, low >> 8 * (8 - n));
		return p + n;
	}
	quick_eight(p, text_hex_digits(value >> 32) >> 8 * (16 - n));
	return quick_eight(p + n - 8, low);
}
