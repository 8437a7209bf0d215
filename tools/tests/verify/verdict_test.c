// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts of what loops may count, by the numbers. */
#include "verify/verify.h"
#include "ktap.h"

#define TOLD(wanted, got, in_kernel, nr, ...)                              \
	{                                                                  \
		.known = true, .expected = (wanted), .counted = (got),     \
		.kernel = (in_kernel), .instructions = (nr), ##__VA_ARGS__ \
	}

/* Three loops: one has 8 of 10 instructions, one none, one mispredicts. */
static struct judged judge(double margin, double happens, double absent,
			   double guessed)
{
	const struct measured m[] = {
		TOLD(8000, happens, 3, 10000),
		TOLD(0, absent, 2, 10000),
		TOLD(1000, guessed, 0, 8000, .speculates = true),
		{.expected = 1, .counted = 1e9, .instructions = 1},
	};

	return verdict_of(m, 4, margin);
}

TEST(verdicts)
{
	static const struct {
		double margin, happens, absent, guessed;
		enum verdict verdict;
		size_t loop;
		double error, ratio;
	} rows[] = {
		{0.01, 8000, 0, 1000, VERDICT_EXACT, 0, 0, 1},
		{0.01, 8008, 0, 1000, VERDICT_EXACT, 0, 0.001, 1.001},
		{0.01, 8009, 0, 1000, VERDICT_WITHIN, 0, 9 / 8e3, 8009 / 8e3},
		{0.01, 7920, 0, 1000, VERDICT_WITHIN, 0, 0.01, 0.99},
		{0.01, 7900, 0, 1000, VERDICT_SOMETHING, 0, 0.0125, 0.9875},
		{0.3, 10000, 0, 1000, VERDICT_WITHIN, 0, 0.25, 1.25},
		{0.01, 16000, 0, 2000, VERDICT_SOMETHING, 0, 1, 2},
		{0.01, 0, 0, 0, VERDICT_DEAD, 0, 1, 0},
		{0.01, 7, 3, 1000, VERDICT_DEAD, 0, 7993 / 8e3, 7 / 8e3},
		/* What is there is right, and so are others. */
		{0.01, 8000, 8000, 1000, VERDICT_SOMETHING, 1, 0.8, 0},
		{0.01, 8000, 10, 1000, VERDICT_EXACT, 0, 0, 1},
		/* All instructions: the ratio is worth more. */
		{0.01, 10000, 10000, 8000, VERDICT_SOMETHING, 0, 0.25, 1.25},
		{0.01, 8000, 0, 1500, VERDICT_OTHER_CODE, 2, 0.5, 1.5},
		{0.01, 8000, 0, 500, VERDICT_EXACT, 0, 0, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct judged j = judge(rows[i].margin, rows[i].happens,
					rows[i].absent, rows[i].guessed);

		ktap_note("row %zu", i);
		EXPECT_EQ(j.verdict, rows[i].verdict);
		EXPECT_EQ(j.loop, rows[i].loop);
		EXPECT_TRUE(fabs(j.error - rows[i].error) < 1e-9);
		EXPECT_TRUE(fabs(j.ratio - rows[i].ratio) < 1e-9);
		EXPECT_EQ(j.speculative, rows[i].loop == 2);
	}
}

/* User code with the filter k, and a kernel's with the filter u */
TEST(other_levels)
{
	struct measured m[] = {
		TOLD(8000, 8000, 3000, 10000),
		TOLD(300, 300, 0, 300, .traps = true),
	};

	EXPECT_EQ(verdict_of(m, 2, 0.01).verdict, VERDICT_EXACT);
	m[1].counted = 280; /* instructions that trap may not be counted */
	EXPECT_EQ(verdict_of(m, 2, 0.01).verdict, VERDICT_EXACT);
	m[1].counted = 30000;
	EXPECT_EQ(verdict_of(m, 2, 0.01).verdict, VERDICT_OTHER_CODE);
	EXPECT_EQ(verdict_of(m, 2, 0.01).loop, 1);
	m[1].counted = 300;
	m[0].kernel = 8000;
	EXPECT_EQ(verdict_of(m, 2, 0.01).verdict, VERDICT_OTHER_CODE);
	EXPECT_TRUE(!verdict_of(m, 2, 0.01).speculative);
	m[0].kernel = -1;
	EXPECT_EQ(verdict_of(m, 2, 0.01).verdict, VERDICT_EXACT);
}

TEST(no_loop_decides)
{
	const struct measured none[] = {
		{.counted = 5, .expected = 5, .instructions = 10},
		{.known = true, .counted = 5, .instructions = 10},
		{.known = true, .traps = true, .expected = 5, .counted = 5},
	};

	EXPECT_EQ(verdict_of(none, 3, 0.01).verdict, VERDICT_UNDECIDED);
	EXPECT_EQ(verdict_of(none, 0, 0.01).verdict, VERDICT_UNDECIDED);
}

CASE(bad_ones,
     for (int v = 0; v < NR_VERDICTS; v++)
	     EXPECT_EQ(verdict_is_bad(v),
		       v >= VERDICT_SOMETHING && v <= VERDICT_OTHER_CODE));
