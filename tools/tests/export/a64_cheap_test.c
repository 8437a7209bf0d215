// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A64 instructions that compilers place anywhere; the encodings are an
 * assembler's.
 */
#include "export/flows.h"
#include "ktap.h"

#define ADRP_X8 0x90000008
#define MOV_X8	0xd2800148

enum kind {
	CONSTANT,
	COPY,
	COMPLETES /* adrp x8 */,
	OTHER
};

static const struct {
	const char *text;
	uint32_t insn;
	enum kind kind;
} rows[] = {
	{"adr x0, .", 0x10000000, CONSTANT},
	{"adrp x8, .", ADRP_X8, CONSTANT},
	{"mov x8, #10", 0xd2800148, CONSTANT},
	{"mov w8, #-4", 0x12800068, CONSTANT},
	{"movk x9, #7, lsl #16", 0xf2a000e9, CONSTANT},
	{"mov w1, #0x55555555", 0x3200f3e1, CONSTANT},
	{"fmov s0, #1.0", 0x1e2e1000, CONSTANT},
	{"fmov d3, #0.5", 0x1e6c1003, CONSTANT},
	{"mov x0, x19", 0xaa1303e0, COPY},
	{"mov w0, w19", 0x2a1303e0, COPY},
	{"sxtb w1, w2", 0x13001c41, COPY},
	{"sxtb x1, w2", 0x93401c41, COPY},
	{"sxth x1, w2", 0x93403c41, COPY},
	{"sxtw x22, w20", 0x93407e96, COPY},
	{"uxtb w1, w2", 0x53001c41, COPY},
	{"uxth w1, w2", 0x53003c41, COPY},
	{"and w8, w20, #0xff", 0x12001e88, COPY},
	{"and x8, x20, #0xffff", 0x92403e88, COPY},
	{"and x8, x20, #0xffffffff", 0x92407e88, COPY},
	{"add x8, x8, #0x918", 0x91246108, COMPLETES},
	{"add x8, x8, #1, lsl #12", 0x91400508, OTHER},
	{"add w8, w8, #1", 0x11000508, OTHER},
	{"add x19, x0, x19", 0x8b130013, OTHER},
	{"add x0, x19, #1", 0x91000660, OTHER},
	{"and w8, w20, #0x7", 0x12000a88, OTHER},
	{"tst w8, #0xff", 0x72001d1f, OTHER},
	{"lsr x1, x2, #3", 0xd343fc41, OTHER},
	{"asr w1, w2, #31", 0x131f7c41, OTHER},
	{"lsl w1, w2, #24", 0x53081c41, OTHER},
	{"ubfx x1, x2, #4, #4", 0xd3441c41, OTHER},
	{"sbfx x1, x2, #4, #4", 0x93441c41, OTHER},
	{"orr x0, x1, x2", 0xaa020020, OTHER},
	{"orr x0, xzr, x2, lsl #3", 0xaa020fe0, OTHER},
	{"mvn x0, x1", 0xaa2103e0, OTHER},
	{"orr x0, x1, #0xff", 0xb2401c20, OTHER},
	{"ldr w8, [x8, #8]", 0xb9400908, OTHER},
	{"cmp w8, #1", 0x7100051f, OTHER},
	{"fmov d0, x1", 0x9e670020, OTHER},
	{"fadd s0, s1, s2", 0x1e222820, OTHER},
	{"b .-4", 0x17ffffff, OTHER},
	{"cbz x0, .+16", 0xb4000080, OTHER},
};

TEST(instructions_of_all_kinds)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t insn = rows[i].insn;
		enum kind kind = rows[i].kind;

		ktap_note("%s", rows[i].text);
		EXPECT_EQ(a64_is_constant(insn), kind == CONSTANT);
		EXPECT_EQ(a64_is_copy(insn), kind == COPY);
		EXPECT_EQ(a64_completes(ADRP_X8, insn), kind == COMPLETES);
		EXPECT_EQ(a64_is_cheap(ADRP_X8, insn), kind != OTHER);
		EXPECT_EQ(a64_is_cheap(MOV_X8, insn),
			  kind == CONSTANT || kind == COPY);
	}
}
