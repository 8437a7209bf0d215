// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Encodings: Arm ARM, C4.1 "A64 instruction set encoding". */
#include "address_base.h"

#define SP	       31 /* where an address is meant; else XZR */
#define LINK	       30
#define LAST_OF_CALLER 18 /* a call may change x0 to x18 */

#define MRS_TPIDR_EL0 0xd53bd040

static unsigned int rd(uint32_t code)
{
	return code & 31;
}

static unsigned int rn(uint32_t code)
{
	return code >> 5 & 31;
}

static unsigned int rm(uint32_t code)
{
	return code >> 16 & 31;
}

static bool is_memory(uint32_t code)
{
	bool is_literal = (code & 0x3b000000) == 0x18000000;

	return (code & 0x0a000000) == 0x08000000 && !is_literal;
}

/* Log2 of the bytes of one register. */
static unsigned int scale_of(uint32_t code)
{
	bool is_vector = code >> 26 & 1;
	unsigned int size = code >> 30;

	return is_vector && code >> 23 & 1 ? 4 : size;
}

static int64_t immediate(uint32_t code, unsigned int at, unsigned int bits)
{
	return (int64_t)((uint64_t)code << (64 - at - bits)) >> (64 - bits);
}

static uint64_t pair_offset(uint32_t code)
{
	bool is_vector = code >> 26 & 1;
	unsigned int size = is_vector ? 2 + (code >> 30) : 2 + (code >> 31);
	bool is_after = (code >> 23 & 3) == 1;

	return is_after ? 0 : (uint64_t)immediate(code, 15, 7) << size;
}

/* What the instruction itself adds; an index is none. */
static uint64_t own_offset(uint32_t code)
{
	if ((code & 0x3b000000) == 0x39000000)
		return (uint64_t)(code >> 10 & 0xfff) << scale_of(code);
	if ((code & 0x3a000000) == 0x28000000)
		return pair_offset(code);
	/* Unscaled or written back before; after that is 1. */
	if ((code & 0x3b200000) == 0x38000000 && (code >> 10 & 3) != 1)
		return immediate(code, 12, 9);
	return 0;
}

static bool is_add_immediate(uint32_t code)
{
	return (code & 0xff800000) == 0x91000000 ||
	       (code & 0xff800000) == 0xd1000000;
}

static uint64_t added(uint32_t code)
{
	uint64_t value = (uint64_t)(code >> 10 & 0xfff)
			 << (code >> 22 & 1 ? 12 : 0);

	return code >> 30 & 1 ? -value : value;
}

/* Is another way to here more likely than the instruction before? */
static bool ends_flow(uint32_t code, size_t behind)
{
	bool is_jump = (code & 0xfc000000) == 0x14000000;

	/* A loop that is entered at its condition, behind. */
	if (is_jump)
		return immediate(code, 0, 26) <= (int64_t)behind;
	/* BR, RET and what authenticates before that, but not BLR */
	return (code & 0xfe000000) == 0xd6000000 && (code >> 21 & 3) != 1;
}

static bool is_call(uint32_t code)
{
	return (code & 0xfc000000) == 0x94000000 ||
	       ((code & 0xfe000000) == 0xd6000000 && (code >> 21 & 3) == 1);
}

static bool is_branch(uint32_t code)
{
	return (code & 0x1c000000) == 0x14000000 &&
	       (code & 0xffc00000) != 0xd5000000;
}

/* May it write the register? */
static bool writes(uint32_t code, unsigned int reg)
{
	bool is_pair = (code & 0x3a000000) == 0x28000000;
	bool is_exclusive = (code & 0x3f000000) == 0x08000000;
	bool is_atomic = (code & 0x3b200c00) == 0x38200000;
	bool is_store = is_memory(code) && !(code >> 22 & 3) && !is_atomic;

	if (is_call(code))
		return reg <= LAST_OF_CALLER || reg == LINK;
	if (is_branch(code))
		return false;
	if (is_memory(code) && rn(code) == reg &&
	    (is_pair ? code >> 23 & 1 : (code & 0x3b200400) == 0x38000400))
		return true;
	if (is_exclusive && rm(code) == reg)
		return true;
	if (is_store)
		return false;
	return rd(code) == reg || (is_pair && (code >> 10 & 31) == reg);
}

/* Follows @reg back from before code[@at]. @added_to: the last step did that */
static enum address_base follow(const uint32_t *code, size_t at,
				unsigned int reg, bool added_to,
				uint64_t *offset)
{
	enum address_base base;
	uint64_t before;

	for (size_t i = at; i-- > 0 && reg != SP;) {
		uint32_t c = code[i];

		if (ends_flow(c, at - i))
			return BASE_UNKNOWN;
		if (!writes(c, reg))
			continue;
		if ((c & ~31U) == MRS_TPIDR_EL0)
			return added_to ? BASE_THREAD_OFFSET : BASE_THREAD;
		if (is_add_immediate(c)) {
			*offset += added(c);
			reg = rn(c);
			added_to = true;
			continue;
		}
		/* MOV, which is ORR with XZR */
		if ((c & 0xffe0ffe0) == 0xaa0003e0) {
			reg = rm(c);
			if (reg == SP)
				return BASE_UNKNOWN;
			continue;
		}
		/*
		 * ADD of registers: the index may be either, if not shifted.
		 * Only the extended form has the stack pointer.
		 */
		if ((c & 0xff000000) != 0x8b000000)
			return BASE_UNKNOWN;
		if (rn(c) == SP)
			return c >> 21 & 1 ? BASE_STACK : BASE_UNKNOWN;
		before = *offset;
		base = follow(code, i, rn(c), false, offset);
		if (base != BASE_UNKNOWN || c & 0xfc00)
			return base;
		*offset = before;
		return rm(c) == SP ? BASE_UNKNOWN
				   : follow(code, i, rm(c), false, offset);
	}
	return reg == SP ? BASE_STACK : BASE_UNKNOWN;
}

enum address_base address_base(const uint32_t *code, size_t nr,
			       uint64_t *offset)
{
	uint32_t access = nr ? code[nr - 1] : 0;

	if (!is_memory(access))
		return BASE_UNKNOWN;
	*offset = own_offset(access);
	return follow(code, nr - 1, rn(access), false, offset);
}
