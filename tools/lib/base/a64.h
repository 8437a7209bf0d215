/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A64 instructions: Arm ARM, C4.1 "A64 instruction set encoding". */
#pragma once

#include "base/std.h"

#define A64_SP		   31 /* where an address is meant; else XZR */
#define A64_LINK	   30
#define A64_LAST_OF_CALLER 18 /* a call may change x0 to x18 */

static inline unsigned int a64_rd(uint32_t code)
{
	return code & 31;
}

static inline unsigned int a64_rn(uint32_t code)
{
	return code >> 5 & 31;
}

static inline unsigned int a64_rm(uint32_t code)
{
	return code >> 16 & 31;
}

static inline bool a64_is_memory(uint32_t code)
{
	bool is_literal = (code & 0x3b000000) == 0x18000000;

	return (code & 0x0a000000) == 0x08000000 && !is_literal;
}

/* Log2 of the bytes of one register. */
static inline unsigned int a64_scale(uint32_t code)
{
	bool is_vector = code >> 26 & 1;
	unsigned int size = code >> 30;

	return is_vector && code >> 23 & 1 ? 4 : size;
}

static inline int64_t a64_immediate(uint32_t code, unsigned int at,
				    unsigned int bits)
{
	return (int64_t)((uint64_t)code << (64 - at - bits)) >> (64 - bits);
}

static inline uint64_t a64_pair_offset(uint32_t code)
{
	bool is_vector = code >> 26 & 1;
	unsigned int size = is_vector ? 2 + (code >> 30) : 2 + (code >> 31);
	bool is_after = (code >> 23 & 3) == 1;

	return is_after ? 0 : (uint64_t)a64_immediate(code, 15, 7) << size;
}

/* What the instruction itself adds; an index is none. */
static inline uint64_t a64_offset(uint32_t code)
{
	if ((code & 0x3b000000) == 0x39000000)
		return (uint64_t)(code >> 10 & 0xfff) << a64_scale(code);
	if ((code & 0x3a000000) == 0x28000000)
		return a64_pair_offset(code);
	/* Unscaled or written back before; after that is 1. */
	if ((code & 0x3b200000) == 0x38000000 && (code >> 10 & 3) != 1)
		return a64_immediate(code, 12, 9);
	return 0;
}

static inline bool a64_is_add_immediate(uint32_t code)
{
	return (code & 0xff800000) == 0x91000000 ||
	       (code & 0xff800000) == 0xd1000000;
}

static inline uint64_t a64_added(uint32_t code)
{
	uint64_t value = (uint64_t)(code >> 10 & 0xfff)
			 << (code >> 22 & 1 ? 12 : 0);

	return code >> 30 & 1 ? -value : value;
}

static inline bool a64_is_call(uint32_t code)
{
	return (code & 0xfc000000) == 0x94000000 ||
	       ((code & 0xfe000000) == 0xd6000000 && (code >> 21 & 7) == 1);
}

static inline bool a64_is_branch(uint32_t code)
{
	return (code & 0x1c000000) == 0x14000000 &&
	       (code & 0xffc00000) != 0xd5000000;
}

static inline bool a64_writes(uint32_t code, unsigned int reg)
{
	bool is_pair = (code & 0x3a000000) == 0x28000000;
	bool is_exclusive = (code & 0x3f000000) == 0x08000000;
	bool is_atomic = (code & 0x3b200c00) == 0x38200000;
	bool is_store = a64_is_memory(code) && !(code >> 22 & 3) && !is_atomic;

	if (a64_is_call(code))
		return reg <= A64_LAST_OF_CALLER || reg == A64_LINK;
	if (a64_is_branch(code))
		return false;
	if (a64_is_memory(code) && a64_rn(code) == reg &&
	    (is_pair ? code >> 23 & 1 : (code & 0x3b200400) == 0x38000400))
		return true;
	if (is_exclusive && a64_rm(code) == reg)
		return true;
	if (is_store)
		return false;
	return a64_rd(code) == reg || (is_pair && (code >> 10 & 31) == reg);
}

/* B, BR and RET, behind which something else is. */
static inline bool a64_is_jump(uint32_t code)
{
	return (code & 0xfc000000) == 0x14000000 ||
	       ((code & 0xfe000000) == 0xd6000000 && !a64_is_call(code));
}

static inline unsigned int a64_rt2(uint32_t code)
{
	return code >> 10 & 31;
}

/* MOV of registers of 64 bits, which is ORR with XZR */
static inline bool a64_is_move(uint32_t code)
{
	return (code & 0xffe0ffe0) == 0xaa0003e0;
}

static inline bool a64_is_adrp(uint32_t code)
{
	return (code & 0x9f000000) == 0x90000000;
}

static inline int64_t a64_adrp(uint32_t code, uint64_t pc)
{
	uint64_t pages =
		(uint64_t)a64_immediate(code, 5, 19) << 2 | (code >> 29 & 3);

	return (pc & ~UINT64_C(0xfff)) + (pages << 12);
}

/* STR and LDR of 64 bits with an offset, scaled or not; STP */
static inline bool a64_is_store_64(uint32_t code)
{
	return (code & 0xffc00000) == 0xf9000000 ||
	       (code & 0xffe00c00) == 0xf8000000;
}

static inline bool a64_is_load_64(uint32_t code)
{
	return a64_is_store_64(code & ~UINT32_C(0x00400000)) &&
	       code & 0x00400000;
}

static inline bool a64_is_store_pair_64(uint32_t code)
{
	return (code & 0xffc00000) == 0xa9000000;
}
