// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/recent.h"

/*
 * How many numbers from @base on have its leading digits. Without such it is no
 * help; nor is what 2^64 cuts short.
 */
static uint64_t range_of(uint64_t base, uint64_t low)
{
	return base && base <= UINT64_MAX - low ? low : 0;
}

char *recent_renew(struct recent *recent, char *p, uint64_t value)
{
	char *end = quick_unsigned(p, value);

	recent->base = value - value % RECENT_LOW;
	recent->range = range_of(recent->base, RECENT_LOW);
	recent->near = value - value % NEAR_LOW;
	recent->near_range = range_of(recent->near, NEAR_LOW);
	recent->length = end - p - RECENT_DIGITS;
	memcpy(recent->text, p, sizeof(recent->text));
	return end;
}

char *recent_hex_renew(struct recent_high *high, char *p, uint64_t value)
{
	high->high = value >> 32;
	high->length = quick_hex(p, high->high) - p;
	memcpy(high->text, p, sizeof(high->text));
	return recent_hex(high, p, value);
}

char *recent_other(struct recent *recent, char *p, uint32_t value)
{
	char *end = quick_unsigned(p, value);

	recent->base = value;
	recent->range = 1;
	recent->length = end - p;
	memcpy(recent->text, p, sizeof(recent->text));
	return end;
}

void small_init(struct small *small)
{
	char text[QUICK_ROOM];

	for (unsigned int i = 0; i < SMALL_NUMBERS; i++) {
		unsigned int length = quick_short(text, i) - text;

		memcpy(small->text[i], text, 8);
		small->text[i][7] = length;
	}
}
