/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Text put together in a buffer the caller knows to be large enough: printf
 * costs more than all the decoding, so the printers do without it.
 */
#ifndef PMSCOPE_TEXT_H
#define PMSCOPE_TEXT_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Each writes at @p and returns the end of what it wrote; there is no NUL. */

static inline char *text_bytes(char *p, const char *s, size_t len)
{
	memcpy(p, s, len);
	return p + len;
}

static inline char *text_string(char *p, const char *s)
{
	return text_bytes(p, s, strlen(s));
}

/* The digits of 0 to 99, two each. */
static inline char *text_two(char *p, unsigned int value)
{
	static const char digits[] =
		"00010203040506070809101112131415161718192021222324252627282930"
		"31323334353637383940414243444546474849505152535455565758596061"
		"62636465666768697071727374757677787980818283848586878889909192"
		"93949596979899";

	return text_bytes(p, digits + 2 * value, 2);
}

/* How many decimal digits @value has: 1233 / 4096 is about log10(2). */
static inline unsigned int text_digits(uint64_t value)
{
	static const uint64_t powers[] = {
		UINT64_C(0),
		UINT64_C(10),
		UINT64_C(100),
		UINT64_C(1000),
		UINT64_C(10000),
		UINT64_C(100000),
		UINT64_C(1000000),
		UINT64_C(10000000),
		UINT64_C(100000000),
		UINT64_C(1000000000),
		UINT64_C(10000000000),
		UINT64_C(100000000000),
		UINT64_C(1000000000000),
		UINT64_C(10000000000000),
		UINT64_C(100000000000000),
		UINT64_C(1000000000000000),
		UINT64_C(10000000000000000),
		UINT64_C(100000000000000000),
		UINT64_C(1000000000000000000),
		UINT64_C(10000000000000000000),
	};
	unsigned int bits = 64 - __builtin_clzll(value | 1);
	unsigned int digits = bits * 1233 >> 12;

	return digits + (value >= powers[digits]);
}

static inline char *text_unsigned(char *p, uint64_t value)
{
	char *end = p + text_digits(value), *last = end;

	while (value >= 100) {
		last -= 2;
		text_two(last, value % 100);
		value /= 100;
	}
	if (value >= 10)
		text_two(last - 2, value);
	else
		last[-1] = '0' + value;
	return end;
}

static inline char *text_signed(char *p, int64_t value)
{
	if (value >= 0)
		return text_unsigned(p, value);
	*p++ = '-';
	return text_unsigned(p, 0 - (uint64_t)value);
}

/* The low halves of two vectors of 16 bytes, in turns. */
#ifdef __clang__
#define TEXT_IN_TURNS(a, b)                                                 \
	__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, \
				21, 6, 22, 7, 23)
#else
#define TEXT_IN_TURNS(a, b)                                                 \
	__builtin_shuffle(a, b,                                             \
			  (typeof(a)){0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, \
				      21, 6, 22, 7, 23})
#endif

/* Eight digits, lower case; that of bits [31:28] is in bits [7:0]. */
static inline uint64_t text_hex_digits(uint32_t value)
{
	typedef uint8_t bytes __attribute__((vector_size(16)));
	typedef int8_t signed_bytes __attribute__((vector_size(16)));
	typedef uint64_t words __attribute__((vector_size(16)));
	bytes x = (bytes)(words){htole64(__builtin_bswap32(value))}, digits;

	/* A nibble to each byte, then all become digits at once. */
	x = TEXT_IN_TURNS(x >> 4, x & 0xf);
	digits = x + '0';
	digits += (bytes)((signed_bytes)x > 9) & ('a' - '0' - 10);
	return le64toh(((words)digits)[0]);
}

static inline char *text_hex8(char *p, uint32_t value)
{
	uint64_t x = htole64(text_hex_digits(value));

	return text_bytes(p, (const char *)&x, sizeof(x));
}

/* At least @width digits, lower case, no prefix. */
static inline char *text_hex(char *p, uint64_t value, int width)
{
	int n = value ? (67 - __builtin_clzll(value)) / 4 : 1;
	char digits[16];

	if (n < width)
		n = width;
	text_hex8(digits, value >> 32);
	text_hex8(digits + 8, value);
	/* Pieces of a constant size, which may overlap. */
	if (n >= 8) {
		memcpy(p, digits + 16 - n, 8);
		memcpy(p + n - 8, digits + 8, 8);
	} else if (n >= 4) {
		memcpy(p, digits + 16 - n, 4);
		memcpy(p + n - 4, digits + 12, 4);
	} else {
		for (int i = 0; i < n; i++)
			p[i] = digits[16 - n + i];
	}
	return p + n;
}

/*
 * Is byte @at of @text, one of 0x80 to 0x9f, part of a longer sequence? Of
 * U+0080 to U+009F it is not, which have 0xc2 before, or more in forms that are
 * too long.
 */
static inline bool text_goes_on(const char *text, size_t at)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t behind = 1;

	if (!at)
		return false;
	while (behind < 3 && behind < at && (s[at - behind] & 0xc0) == 0x80)
		behind++;
	s += at - behind;
	if (s[0] < 0xe0)
		return s[0] > 0xc2 && behind == 1;
	if (s[0] < 0xf0)
		return (s[0] > 0xe0 || s[1] >= 0xa0) && behind <= 2;
	return (s[0] > 0xf0 || s[1] >= 0x90) && s[0] < 0xf5;
}

/*
 * Byte @at of @text as people may see it. Names come from files: nothing of
 * them may steer a terminal, U+0080 to U+009F neither, of which both bytes are
 * replaced.
 */
static inline char text_printable(const char *text, size_t at)
{
	unsigned char c = text[at], next;

	if (c >= 0x80 && c < 0xa0)
		return text_goes_on(text, at) ? c : '?';
	if (c == 0xc2) {
		next = text[at + 1];
		return next >= 0x80 && next < 0xa0 ? '?' : c;
	}
	return c < 0x20 || c == 0x7f ? '?' : c;
}

/* The first @length bytes of @text, so. */
static inline char *text_clean(char *p, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*p++ = text_printable(text, i);
	return p;
}

#endif /* PMSCOPE_TEXT_H */
