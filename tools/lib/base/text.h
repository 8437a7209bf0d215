/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Appends text to a buffer that the caller knows to be large enough: printf
 * costs more than all the decoding.
 */
#pragma once

#include "base/std.h"

/* Each function writes at @p and returns the end; it writes no NUL. */

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
	size_t at = sizeof(digits);

	do
		digits[--at] = '0' + value % 10;
	while (value /= 10);
	return text_bytes(p, digits + at, sizeof(digits) - at);
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
	int n = value ? (67 - __builtin_clzll(value)) / 4 : 1;

	if (n < width)
		n = width;
	for (int i = n; i--; value >>= 4)
		p[i] = "0123456789abcdef"[value & 0xf];
	return p + n;
}

/* The length of the UTF-8 sequence at @s, 0 if it is not valid (RFC 3629). */
static inline int text_utf8(const unsigned char *s)
{
	int len = s[0] < 0x80	? 1
		  : s[0] < 0xc2 ? 0
		  : s[0] < 0xe0 ? 2
		  : s[0] < 0xf0 ? 3
		  : s[0] < 0xf5 ? 4
				: 0;

	for (int i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* The code point of a valid UTF-8 sequence of @len bytes. */
static inline uint32_t text_code(const unsigned char *s, int len)
{
	uint32_t code = len == 1 ? s[0] : s[0] & (0x7f >> len);

	for (int i = 1; i < len; i++)
		code = code << 6 | (s[i] & 0x3f);
	return code;
}

/*
 * Names come from files. They must not control a terminal, end a line, or
 * change the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E and
 * U+2066 to U+2069; U+2028 and U+2029 end lines).
 */
static inline bool text_steers(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
	       code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/*
 * Copies @length bytes of @text for display: each byte of a control character
 * or of invalid UTF-8 becomes a question mark.
 */
static inline char *text_clean(char *p, const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text;

	for (size_t i = 0; i < length;) {
		int len = text_utf8(s + i), nr = len;
		bool whole = len && i + len <= length;

		if (!whole)
			nr = 1;
		whole = whole && !text_steers(text_code(s + i, len));
		for (; nr; nr--, i++)
			*p++ = whole ? s[i] : '?';
	}
	return p;
}

/* The most bytes text_valid() writes for each one. */
#define TEXT_VALID 3

/* Copies @text as valid UTF-8: a byte that is none becomes U+FFFD. */
static inline char *text_valid(char *p, const char *text)
{
	while (*text) {
		int len = text_utf8((const unsigned char *)text);

		p = len ? text_bytes(p, text, len)
			: text_string(p, "\xef\xbf\xbd");
		text += len ? len : 1;
	}
	return p;
}

/* The most bytes text_escape() writes for each one. */
#define TEXT_ESCAPED 6

/* Copies a character, advances: controls become \uXXXX, not UTF-8 \ufffd. */
static inline char *text_escape(char *p, const unsigned char **s)
{
	int len = text_utf8(*s);
	uint32_t code = len ? text_code(*s, len) : 0xfffd;

	p = !len || text_steers(code) ? text_hex(text_string(p, "\\u"), code, 4)
				      : text_bytes(p, (const char *)*s, len);
	*s += len ? len : 1;
	return p;
}
