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

/*
 * A64 instructions that compilers place where it suits them: those that set a
 * register to an address or another constant, copy it, or extend it. One may
 * serve several lines of source, of which it keeps one: it does not tell how
 * often that line is executed.
 */

/* ADR, ADRP, MOVN, MOVZ, MOVK, ORR of XZR, FMOV (Arm ARM C4.1) */
static inline bool a64_is_constant(uint32_t insn)
{
	return (insn & 0x1f000000) == 0x10000000 ||
	       (insn & 0x1f800000) == 0x12800000 ||
	       (insn & 0x7f8003e0) == 0x320003e0 ||
	       (insn & 0xff201fe0) == 0x1e201000;
}

/* MOV from a register; SXTB to SXTW, UXTB, UXTH, and AND with 0xff, 0xffff */
static inline bool a64_is_copy(uint32_t insn)
{
	uint32_t last = insn >> 10 & 0x3f;
	bool whole = last == 7 || last == 15 || last == 31;

	return (insn & 0x7fe0ffe0) == 0x2a0003e0 ||
	       ((insn & 0x7fbf0000) == 0x13000000 && whole) ||
	       ((insn & 0xffff0000) == 0x53000000 && whole) ||
	       ((insn & 0x7fbf0000) == 0x12000000 && whole);
}

/* Does @insn add the lower bits to the page of an address, which @adrp set? */
static inline bool a64_completes(uint32_t adrp, uint32_t insn)
{
	return a64_is_adrp(adrp) && (insn & 0xffc00000) == 0x91000000 &&
	       a64_rn(insn) == a64_rd(adrp);
}

/* Is @insn one of these, behind the instruction @before? */
static inline bool a64_is_cheap(uint32_t before, uint32_t insn)
{
	return a64_is_constant(insn) || a64_is_copy(insn) ||
	       a64_completes(before, insn);
}
