/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an A64 instruction does to the flow of control (Arm ARM C4.1). */
#pragma once

#include "base/a64.h"

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

static inline struct a64_branch a64_branch_of(uint32_t insn)
{
	struct a64_branch branch = {.ends_block = true, .direct = true};

	if (insn >> 26 == 0x05) { /* B */
		branch.target = 4 * a64_immediate(insn, 0, 26);
	} else if (insn >> 24 == 0x54 || (insn & 0x7e000000) == 0x34000000) {
		/* B.cond, BC.cond, CBZ, CBNZ */
		branch.target = 4 * a64_immediate(insn, 5, 19);
	} else if ((insn & 0x7e000000) == 0x36000000) { /* TBZ, TBNZ */
		branch.target = 4 * a64_immediate(insn, 5, 14);
	} else if ((insn & 0x7e000000) == 0x74000000) { /* CB<cc> */
		branch.target = 4 * a64_immediate(insn, 5, 9);
	} else {
		branch.direct = false;
		branch.is_call = a64_is_call(insn); /* BL, BLR, BLRA* */
		branch.ends_block =
			(insn & 0xfe000000) == 0xd6000000 && !branch.is_call;
	}
	return branch;
}
