/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A64 instructions that compute an address or another constant. They may stand
 * anywhere, so compilers move them, and let one serve several lines of source,
 * of which it keeps one: it does not tell how often that line is executed.
 */
#ifndef PMSCOPE_EXPORT_A64_CONSTANT_H
#define PMSCOPE_EXPORT_A64_CONSTANT_H

#include <stdbool.h>
#include <stdint.h>

/* Does @insn set a register to a constant (Arm ARM C4.1)? */
static inline bool a64_is_constant(uint32_t insn)
{
	return (insn & 0x1f000000) == 0x10000000 || /* ADR, ADRP */
	       (insn & 0x1f800000) == 0x12800000 || /* MOVN, MOVZ, MOVK */
	       (insn & 0x7f8003e0) == 0x320003e0 || /* ORR of XZR */
	       (insn & 0xff201fe0) == 0x1e201000;   /* FMOV */
}

/* Does @insn add the lower bits to the page of an address, which @adrp set? */
static inline bool a64_completes(uint32_t adrp, uint32_t insn)
{
	unsigned int page = adrp & 0x1f;

	return (adrp & 0x9f000000) == 0x90000000 &&
	       (insn & 0xffc00000) == 0x91000000 && (insn >> 5 & 0x1f) == page;
}

#endif /* PMSCOPE_EXPORT_A64_CONSTANT_H */
