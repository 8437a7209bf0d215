/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values after a reset, seen before any test has changed them: what the
 * architecture defines, and what it leaves UNKNOWN (the CPU property
 * unknown-at-reset). The library has already cleared the counters, their
 * enables and their flags.
 */
#include "lib/pmu.h"

ROW_OF(PMSSCR_EL1_resets_to_NC, false, EXPECT_REG(PMSSCR_EL1, PMSSCR_NC))

/* 0 where EL1 is the highest Exception level, else UNKNOWN. */
TEST(PMECR_EL1_SSE_resets_to_0_where_EL1_is_highest)
{
	u64 pmecr = read_sysreg(PMECR_EL1);

	EXPECT_EQ(pmecr & ~PMECR_SSE(3), 0);
	if (highest_el() == 1)
		EXPECT_EQ(pmecr, 0);
}

TEST(UNKNOWN_reset_values_are_not_all_0)
{
	u64 seen = 0, saved = 0;
	unsigned counters = event_counters();

	for (unsigned n = 0; n < counters; n++) {
		seen |= read_event_type(n);
		saved |= read_saved(n);
	}
	EXPECT_NE(seen, 0);
	EXPECT_NE(saved, 0);
	EXPECT_NE(read_saved(CYCLE_COUNTER), 0);
	EXPECT_NE(read_saved(INSN_COUNTER), 0);
	EXPECT_NE(read_sysreg(PMUACR_EL1), 0);
}

/* Whatever they were, a capture replaces the saved values. */
TEST(UNKNOWN_saved_values_are_replaced)
{
	set_sse(SSE_ALLOWED);
	write_counter(0, 0x1234);
	write_counter(CYCLE_COUNTER, 0x2345);
	write_counter(INSN_COUNTER, 0x3456);
	EXPECT_EQ(capture(), STATUS_CAPTURED);
	EXPECT_EQ(read_saved(0), 0x1234);
	EXPECT_EQ(read_saved(CYCLE_COUNTER), 0x2345);
	EXPECT_EQ(read_saved(INSN_COUNTER), 0x3456);
}
