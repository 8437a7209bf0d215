// SPDX-License-Identifier: GPL-2.0-or-later
/* Where A64 instructions lead; the encodings are those of an assembler. */
#include "export/flows.h"
#include "ktap.h"

static const struct {
	const char *text;
	uint32_t insn;
	bool ends_block;
	bool is_call;
	bool direct;
	int64_t target;
} rows[] = {
	{"b .-4", 0x17ffffff, true, false, true, -4},
	{"b.ne .-8", 0x54ffffc1, true, false, true, -8},
	{"cbz x0, .+16", 0xb4000080, true, false, true, 16},
	{"cbnz w1, .-16", 0x35ffff81, true, false, true, -16},
	{"tbz w0, #0, .+8", 0x36000040, true, false, true, 8},
	{"tbnz x3, #40, .-4", 0xb747ffe3, true, false, true, -4},
	{"br x16", 0xd61f0200, true, false, false, 0},
	{"ret", 0xd65f03c0, true, false, false, 0},
	{"bl .-4", 0x97ffffff, false, true, false, 0},
	{"blr x8", 0xd63f0100, false, true, false, 0},
	{"blraa x8, x9", 0xd73f0909, false, true, false, 0},
	{"svc #0", 0xd4000001, false, false, false, 0},
	{"nop", 0xd503201f, false, false, false, 0},
	{"add x0, x0, #1", 0x91000400, false, false, false, 0},
};

TEST(branches_of_all_kinds)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct a64_branch branch = a64_branch_of(rows[i].insn);

		EXPECT_EQ(branch.ends_block, rows[i].ends_block);
		EXPECT_EQ(branch.is_call, rows[i].is_call);
		EXPECT_EQ(branch.direct, rows[i].direct);
		if (branch.direct)
			EXPECT_EQ(branch.target, rows[i].target);
		ktap_note("%s", rows[i].text);
	}
}
