/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an A64 instruction does to the flow of control (Arm ARM C4.1). */
#pragma once

#include "base/std.h"

/**
 * struct a64_branch - the effect of an instruction
 * @ends_block: control may go elsewhere behind it and not come back
 * @is_call: BL, BLR and their kin
 * @direct: @target is set: the distance of a branch's target in bytes
 */
struct a64_branch {
	bool ends_block;
	bool is_call;
	bool direct;
	int64_t target;
};

/* Bits [at + width - 1 : at], a signed number of instructions, in bytes. */
static inline int64_t a64_distance(uint32_t insn, unsigned int at,
				   unsigned int width)
{
	uint64_t top = (uint64_t)insn << (64 - at - width);

	return ((int64_t)top >> (64 - width)) * 4;
}

static inline struct a64_branch a64_branch_of(uint32_t insn)
{
	struct a64_branch branch = {.ends_block = true, .direct = true};

	if (insn >> 26 == 0x05) { /* B */
		branch.target = a64_distance(insn, 0, 26);
	} else if (insn >> 24 == 0x54 || (insn & 0x7e000000) == 0x34000000) {
		/* B.cond, BC.cond, CBZ, CBNZ */
		branch.target = a64_distance(insn, 5, 19);
	} else if ((insn & 0x7e000000) == 0x36000000) { /* TBZ, TBNZ */
		branch.target = a64_distance(insn, 5, 14);
	} else if ((insn & 0x7e000000) == 0x74000000) { /* CB<cc> */
		branch.target = a64_distance(insn, 5, 9);
	} else {
		branch.direct = false;
		branch.is_call = insn >> 26 == 0x25 || /* BL */
				 ((insn & 0xfe000000) == 0xd6000000 &&
				  (insn >> 21 & 0x7) == 0x1); /* BLR, BLRA* */
		branch.ends_block =
			(insn & 0xfe000000) == 0xd6000000 && !branch.is_call;
	}
	return branch;
}
