/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A64 instructions that compilers place where it suits them: those that set a
 * register to an address or another constant, copy it, or extend it. One may
 * serve several lines of source, of which it keeps one: it does not tell how
 * often that line is executed.
 */
#pragma once

#include "base/a64.h"

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
