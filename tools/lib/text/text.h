/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Text put together in a buffer the caller knows to be large enough: printf
 * costs more than all the decoding, so the printers do without it.
 */
#ifndef PMSCOPE_TEXT_H
#define PMSCOPE_TEXT_H

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

static inline char *text_unsigned(char *p, uint64_t value)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = '0' + value % 10;
		value /= 10;
	} while (value);
	while (n)
		*p++ = digits[--n];
	return p;
}

static inline char *text_signed(char *p, int64_t value)
{
	if (value >= 0)
		return text_unsigned(p, value);
	*p++ = '-';
	return text_unsigned(p, 0 - (uint64_t)value);
}

/* At least @width digits, lower case, no prefix. */
static inline char *text_hex(char *p, uint64_t value, int width)
{
	static const char digits[] = "0123456789abcdef";
	int n = value ? (67 - __builtin_clzll(value)) / 4 : 1;

	if (n < width)
		n = width;
	for (int i = n - 1; i >= 0; i--) {
		p[i] = digits[value & 0xf];
		value >>= 4;
	}
	return p + n;
}

/* Names come from files: nothing of them may steer a terminal. */
static inline char text_printable(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f ? '?' : c;
}

#endif /* PMSCOPE_TEXT_H */
