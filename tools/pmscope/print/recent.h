/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers that are close to the one before, or small: most of their digits are
 * there already. All need room as quick.h tells.
 */
#ifndef PMSCOPE_PRINT_RECENT_H
#define PMSCOPE_PRINT_RECENT_H

#include "print/quick.h"

#include <stdbool.h>

/*
 * The leading digits of the number before. They are those of all numbers from
 * @base to before @base + @range, too; zeros are those of no number. All but
 * eight of its digits are those of more numbers: from @near.
 */
struct recent {
	uint64_t base;
	uint64_t range;
	uint64_t near;
	uint64_t near_range;
	unsigned int length;
	char text[16];
};

#define RECENT_LOW    10000
#define RECENT_DIGITS 4 /* of those below it */
#define NEAR_LOW      100000000
#define NEAR_DIGITS   8

static inline char *recent_put(const struct recent *r, char *p)
{
	memcpy(p, r->text, sizeof(r->text));
	return p + r->length;
}

static inline bool recent_has(const struct recent *r, uint64_t value)
{
	return value - r->base < r->range;
}

/* The last digits of a number the others of which are there. */
static inline char *recent_low(const struct recent *r, char *p, uint64_t value)
{
	uint32_t low = value - r->base;

	text_two(p, low / 100);
	return text_two(p + 2, low % 100);
}

/* A number the digits of which are there; else recent_renew() puts it. */
static inline char *recent_unsigned(const struct recent *r, char *p,
				    uint64_t value)
{
	return recent_low(r, recent_put(r, p), value);
}

static inline bool recent_is_near(const struct recent *r, uint64_t value)
{
	return value - r->near < r->near_range;
}

/*
 * Of a number that is put where the one before was, more digits than
 * recent_low() puts: @p is as there. Then @r holds for it, but for its text.
 */
static inline void recent_near(struct recent *r, char *p, uint64_t value)
{
	uint32_t low = value - r->near;

	r->base = value - low % RECENT_LOW;
	quick_eight(p - (NEAR_DIGITS - RECENT_DIGITS), quick_digits(low));
}

/* Any other. */
char *recent_renew(struct recent *recent, char *p, uint64_t value);

/*
 * The leading digits of addresses: those of a few parts of memory, between
 * which programs go back and forth.
 */
struct recent_high {
	uint32_t high; /* bits [63:32] */
	uint32_t length;
	char text[8];
};

#define RECENT_HIGH_BITS 3

struct recent_hex {
	struct recent_high highs[1 << RECENT_HIGH_BITS];
};

/* Where those of @high are, if they are there. */
static inline struct recent_high *recent_high(struct recent_hex *r,
					      uint32_t high)
{
	return &r->highs[high * UINT32_C(0x9e3779b1) >>
			 (32 - RECENT_HIGH_BITS)];
}

/* A number of more than eight digits, whose leading ones are there. */
static inline char *recent_hex(const struct recent_high *high, char *p,
			       uint64_t value)
{
	memcpy(p, high->text, sizeof(high->text));
	return quick_eight(p + high->length, text_hex_digits(value));
}

/* Any other. */
char *recent_hex_renew(struct recent_high *high, char *p, uint64_t value);

/* For a number that seldom changes at all: recent_put() is enough. */
char *recent_other(struct recent *recent, char *p, uint32_t value);

#define SMALL_NUMBERS 1024

/* The text of a number below that, and in the last byte its length. */
struct small {
	char text[SMALL_NUMBERS][8];
};

void small_init(struct small *small);

/* @value: below SMALL_NUMBERS */
static inline char *small_unsigned(const struct small *small, char *p,
				   uint32_t value)
{
	memcpy(p, small->text[value], 8);
	return p + small->text[value][7];
}

/* Any number, but mostly such a one. */
static inline char *small_or_large(const struct small *small, char *p,
				   uint64_t value)
{
	return value < SMALL_NUMBERS ? small_unsigned(small, p, value)
				     : quick_unsigned(p, value);
}

#endif /* PMSCOPE_PRINT_RECENT_H */
