// SPDX-License-Identifier: GPL-2.0-or-later
/* A64 instructions that compute constants; the encodings are an assembler's. */
#include "export/a64_constant.h"
#include "ktap.h"

#define ADRP_X8 0x90000008

static const struct {
	const char *text;
	uint32_t insn;
	bool constant;
	bool completes; /* adrp x8 */
} rows[] = {
	{"adr x0, .", 0x10000000, true, false},
	{"adrp x8, .", ADRP_X8, true, false},
	{"mov x8, #10", 0xd2800148, true, false},
	{"mov w8, #-4", 0x12800068, true, false},
	{"movk x9, #7, lsl #16", 0xf2a000e9, true, false},
	{"mov w1, #0x55555555", 0x3200f3e1, true, false},
	{"fmov s0, #1.0", 0x1e2e1000, true, false},
	{"fmov d3, #0.5", 0x1e6c1003, true, false},
	{"add x8, x8, #0x918", 0x91246108, false, true},
	{"add x8, x8, #1, lsl #12", 0x91400508, false, false},
	{"add w8, w8, #1", 0x11000508, false, false},
	{"add x19, x0, x19", 0x8b130013, false, false},
	{"add x0, x19, #1", 0x91000660, false, false},
	{"orr x0, x1, #0xff", 0xb2401c20, false, false},
	{"ldr w8, [x8, #8]", 0xb9400908, false, false},
	{"cmp w8, #1", 0x7100051f, false, false},
	{"mov x0, x19", 0xaa1303e0, false, false},
	{"fmov d0, x1", 0x9e670020, false, false},
	{"fadd s0, s1, s2", 0x1e222820, false, false},
	{"b .-4", 0x17ffffff, false, false},
	{"cbz x0, .+16", 0xb4000080, false, false},
};

TEST(instructions_of_all_kinds)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t insn = rows[i].insn;

		ktap_note("%s", rows[i].text);
		EXPECT_EQ(a64_is_constant(insn), rows[i].constant);
		EXPECT_EQ(a64_completes(ADRP_X8, insn), rows[i].completes);
		EXPECT_TRUE(!a64_completes(0xd2800148, insn));
	}
}

KTAP_MAIN
