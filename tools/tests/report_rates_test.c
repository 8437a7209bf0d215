// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions a cycle, from what the counters of a recording say. */
#include "ktap.h"

#include "report.h"

static const struct report_rate cycles = {.count = 200, .cycles = true},
				instructions = {.count = 300,
						.instructions = true},
				other = {.count = 7};

static double ipc_of(struct report_rate first, struct report_rate second)
{
	const struct report_rate rates[] = {other, first, other, second};

	return report_ipc(rates, 4);
}

TEST(instructions_a_cycle_in_any_order)
{
	EXPECT_TRUE(ipc_of(cycles, instructions) == 1.5);
	EXPECT_TRUE(ipc_of(instructions, cycles) == 1.5);
}

TEST(no_instructions_are_a_ratio_too)
{
	const struct report_rate none = {.instructions = true};

	EXPECT_TRUE(ipc_of(cycles, none) == 0);
}

TEST(without_both_there_is_no_ratio)
{
	const struct report_rate halted = {.cycles = true};

	EXPECT_TRUE(ipc_of(cycles, other) < 0);
	EXPECT_TRUE(ipc_of(other, instructions) < 0);
	EXPECT_TRUE(ipc_of(halted, instructions) < 0);
}

KTAP_MAIN
