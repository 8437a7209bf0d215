// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is written to the controls of EL2.
 */
#include "ktap.h"
#include "access.h"

#define PMCR_6	   (6UL << 11)
#define MDCR_HPME  BIT(7)
#define MDCR_OTHER (3UL << 12 | 3UL << 30)

/* MDCR_EL2 before and after */
static const u64 claims[][2] = {
	{ 0, 6 },
	{ MDCR_OTHER, MDCR_OTHER | 6 },
	{ 6, 6 },
	{ 2, 2 },
	{ MDCR_HPME, MDCR_HPME },
	{ MDCR_HPME | 2, MDCR_HPME | 2 },
};

TEST(counters_are_claimed_only_if_none_counts)
{
	for (size_t i = 0; i < ARRAY_SIZE(claims); i++)
		EXPECT_EQ(pmscope_claim_counters(claims[i][0], PMCR_6),
			  claims[i][1]);
}
