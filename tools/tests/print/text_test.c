// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers as text, compared with printf(). */
#include "ktap.h"
#include "bytes.h"

#include "base/text.h"

static void expect_text(uint64_t value)
{
	char expected[32], got[32];

	snprintf(expected, sizeof(expected), "%" PRIu64, value);
	*text_unsigned(got, value) = '\0';
	EXPECT_STREQ(got, expected);
	snprintf(expected, sizeof(expected), "%" PRIx64, value);
	*text_hex(got, value, 1) = '\0';
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
	/* The same after invalid bytes, and in overlong forms. */
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

/* A name is never cut inside a character. */
TEST(names_that_are_cut)
{
	char got[8];

	*text_clean(got, "a\u20ac", 3) = '\0';
	EXPECT_STREQ(got, "a??");
}
