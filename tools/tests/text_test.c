// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers as text, beside what printf() makes of them. */
#include "ktap.h"
#include "random.h"

#include "print/recent.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void expect_text(uint64_t value)
{
	char expected[32], got[QUICK_ROOM];

	snprintf(expected, sizeof(expected), "%" PRIu64, value);
	*text_unsigned(got, value) = '\0';
	EXPECT_STREQ(got, expected);
	*quick_unsigned(got, value) = '\0';
	EXPECT_STREQ(got, expected);
	snprintf(expected, sizeof(expected), "%" PRIx64, value);
	*text_hex(got, value, 1) = '\0';
	EXPECT_STREQ(got, expected);
	*quick_hex(got, value) = '\0';
	EXPECT_STREQ(got, expected);
}

TEST(around_each_number_of_digits)
{
	uint64_t power = 1;

	for (unsigned int i = 0; i < 20; i++, power *= 10)
		for (unsigned int j = 1; j < 10; j++) {
			expect_text(j * power - 1);
			expect_text(j * power);
		}
	for (unsigned int bit = 0; bit < 64; bit++) {
		expect_text((UINT64_C(1) << bit) - 1);
		expect_text(UINT64_C(1) << bit);
	}
	expect_text(UINT64_MAX);
}

TEST(random_numbers)
{
	uint64_t state = 1;

	for (unsigned int i = 0; i < 100000; i++) {
		unsigned int shift = random_below(&state, 64);

		expect_text(random_next(&state) >> shift);
	}
}

static void expect_seen(const char *name, const char *seen)
{
	char got[64];

	*text_clean(got, name, strlen(name)) = '\0';
	EXPECT_STREQ(got, seen);
}

TEST(names_that_would_steer_a_terminal)
{
	expect_seen("a\033[1m\n\t\177z", "a?[1m???z");
	/* U+009B and U+0080, and U+00A0; 9b alone, as in Latin-1. */
	expect_seen("\302\2331m\302\200", "??1m??");
	expect_seen("\302\240", "\302\240");
	expect_seen("\2331m", "?1m");
	/* The same behind bytes that begin nothing, and in too long forms. */
	expect_seen("\200\233\240\233", "????");
	expect_seen("\303\200\233", "\303\200?");
	expect_seen("\340\202\233 \360\200\202\233", "??? ????");
	/* U+00DB, U+20AC, U+6C1B, U+1F600 */
	expect_seen("\303\233 \342\202\254 \346\260\233",
		    "\303\233 \342\202\254 \346\260\233");
	expect_seen("\360\237\230\200", "\360\237\230\200");
}

/* Text that runs from the right, ends of lines, and those around them. */
TEST(names_that_would_turn_text_around)
{
	expect_seen("\u061b\u061c\u061d", "\u061b??\u061d");
	expect_seen("\u200d\u200e\u200f\u2010", "\u200d??????\u2010");
	expect_seen("\u2027\u2028\u202a\u202e\u202f", "\u2027?????????\u202f");
	expect_seen("\u2065\u2066\u2069\u206a", "\u2065??????\u206a");
}

/* Where a name is cut, half a character is none. */
TEST(names_that_are_cut)
{
	char got[8];

	*text_clean(got, "a\u20ac", 3) = '\0';
	EXPECT_STREQ(got, "a??");
}

static char *put_recent(struct recent *r, char *p, uint64_t value)
{
	return recent_has(r, value) ? recent_unsigned(r, p, value)
				    : recent_renew(r, p, value);
}

static char *put_same(struct recent *r, char *p, uint32_t value)
{
	return recent_has(r, value) ? recent_put(r, p)
				    : recent_other(r, p, value);
}

static char *put_hex(struct recent_hex *r, char *p, uint64_t value)
{
	struct recent_high *high = recent_high(r, value >> 32);

	if (!(value >> 32))
		return quick_hex(p, value);
	return high->high == value >> 32 ? recent_hex(high, p, value)
					 : recent_hex_renew(high, p, value);
}

/* Close to the one before, @value, and now and then far away. */
static uint64_t number_after(uint64_t *state, uint64_t value)
{
	value += random_next(state) >> (36 + random_below(state, 28));
	if (!random_below(state, 1000))
		value = random_next(state) >> random_below(state, 64);
	return value;
}

TEST(recent_numbers)
{
	struct recent decimal = {}, same = {};
	char expected[32], got[QUICK_ROOM];
	uint64_t state = 2, value = 0;
	struct recent_hex hex = {};

	for (unsigned int i = 0; i < 100000; i++) {
		value = number_after(&state, value);
		snprintf(expected, sizeof(expected), "%" PRIu64, value);
		*put_recent(&decimal, got, value) = '\0';
		EXPECT_STREQ(got, expected);
		snprintf(expected, sizeof(expected), "%" PRIx64, value);
		*put_hex(&hex, got, value) = '\0';
		EXPECT_STREQ(got, expected);
		snprintf(expected, sizeof(expected), "%u", (uint32_t)value);
		*put_same(&same, got, value) = '\0';
		EXPECT_STREQ(got, expected);
	}
}

/* One that is put where the one before was, as the groups of a row do. */
static char *put_again(struct recent *r, char *text, char *end, uint64_t value)
{
	if (recent_has(r, value))
		return recent_low(r, end - RECENT_DIGITS, value);
	if (!recent_is_near(r, value))
		return recent_renew(r, text, value);
	recent_near(r, end - RECENT_DIGITS, value);
	return end;
}

TEST(recent_numbers_in_the_same_place)
{
	char expected[32], text[QUICK_ROOM], *end = text;
	uint64_t state = 4, value = 0;
	struct recent r = {};

	for (unsigned int i = 0; i < 100000; i++) {
		value = number_after(&state, value);
		end = put_again(&r, text, end, value);
		*end = '\0';
		snprintf(expected, sizeof(expected), "%" PRIu64, value);
		EXPECT_STREQ(text, expected);
	}
}

/* The last numbers of all have leading digits that 0 has not; so 10^8. */
TEST(recent_numbers_of_more_digits)
{
	static const uint64_t values[] = {
		UINT64_MAX, 0,	       UINT64_MAX - 2000,
		5,	    123,       UINT64_MAX - 1,
		9999,	    10000,     99999999,
		100000000,  199999999, 200000000,
		200005000,  100000000, 99995000};
	char expected[32], got[QUICK_ROOM], text[QUICK_ROOM], *end = text;
	struct recent decimal = {}, again = {};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(expected, sizeof(expected), "%" PRIu64, values[i]);
		*put_recent(&decimal, got, values[i]) = '\0';
		EXPECT_STREQ(got, expected);
		end = put_again(&again, text, end, values[i]);
		*end = '\0';
		EXPECT_STREQ(text, expected);
	}
}

/* Addresses of more parts of memory than there is room for. */
TEST(addresses_of_many_parts)
{
	char expected[32], got[QUICK_ROOM];
	struct recent_hex hex = {};
	uint64_t state = 3, value;

	for (unsigned int i = 0; i < 10000; i++) {
		value = (uint64_t)random_below(&state, 40) << 32 |
			(uint32_t)random_next(&state);
		snprintf(expected, sizeof(expected), "%" PRIx64, value);
		*put_hex(&hex, got, value) = '\0';
		EXPECT_STREQ(got, expected);
	}
}

TEST(small_numbers)
{
	char expected[32], got[QUICK_ROOM];
	static struct small small;

	small_init(&small);
	for (uint32_t i = 0; i < 2 * SMALL_NUMBERS; i++) {
		snprintf(expected, sizeof(expected), "%u", i);
		*small_or_large(&small, got, i) = '\0';
		EXPECT_STREQ(got, expected);
	}
}

KTAP_MAIN
