// SPDX-License-Identifier: GPL-2.0-or-later
#include "recent.h"

char *recent_renew(struct recent *recent, char *p, uint64_t value)
{
	char *end = quick_unsigned(p, value);

	recent->base = value - value % RECENT_LOW;
	/* Without leading digits it is no help; nor is what 2^64 cuts short. */
	recent->range = recent->base && recent->base <= UINT64_MAX - RECENT_LOW
				? RECENT_LOW
				: 0;
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
