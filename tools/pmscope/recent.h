/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers that are close to the one before, or small: most of their digits are
 * there already. All need room as quick.h tells.
 */
#ifndef PMSCOPE_RECENT_H
#define PMSCOPE_RECENT_H

#include "quick.h"

/*
 * The leading digits of the number before. They are those of all numbers from
 * @base to before @base + @range, too; zeros are those of no number.
 */
struct recent {
	uint64_t base;
	uint64_t range;
	unsigned int length;
	char text[16];
};

#define RECENT_LOW 10000

static inline char *recent_put(const struct recent *r, char *p)
{
	memcpy(p, r->text, sizeof(r->text));
	return p + r->length;
}

/* What recent_unsigned() does for a number that has other digits. */
char *recent_renew(struct recent *recent, char *p, uint64_t value);

static inline char *recent_unsigned(struct recent *r, char *p, uint64_t value)
{
	uint32_t low = value - r->base;

	if (value - r->base >= r->range)
		return recent_renew(r, p, value);
	p = recent_put(r, p);
	text_two(p, low / 100);
	return text_two(p + 2, low % 100);
}

static inline __attribute__((always_inline)) char *
recent_hex(struct recent *r, char *p, uint64_t value)
{
	if (!(value >> 32))
		return quick_hex(p, value);
	if ((value ^ r->base) >> 32) {
		r->base = value;
		r->length = quick_hex(p, value >> 32) - p;
		memcpy(r->text, p, sizeof(r->text));
	}
	return quick_eight(recent_put(r, p), text_hex_digits(value));
}

/* A number that seldom changes at all. */
static inline char *recent_same(struct recent *r, char *p, uint32_t value)
{
	if (value - r->base >= r->range) {
		r->base = value;
		r->range = 1;
		r->length = quick_unsigned(p, value) - p;
		memcpy(r->text, p, sizeof(r->text));
	}
	return recent_put(r, p);
}

#define SMALL_NUMBERS 1024

/* The text of a number below that, and in the last byte its length. */
struct small {
	char text[SMALL_NUMBERS][8];
};

void small_init(struct small *small);

static inline char *small_unsigned(const struct small *small, char *p,
				   uint32_t value)
{
	if (value >= SMALL_NUMBERS)
		return quick_unsigned(p, value);
	memcpy(p, small->text[value], 8);
	return p + small->text[value][7];
}

#endif /* PMSCOPE_RECENT_H */
