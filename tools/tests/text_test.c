// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers as text, beside what printf() makes of them. */
#include "ktap.h"
#include "random.h"

#include "text/quick.h"

#include <inttypes.h>
#include <stdio.h>

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

KTAP_MAIN
