// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "elf.h"
#include "base/a64.h"

#define MRS_TPIDR_EL0 0xd53bd040

/* Is another way to here more likely than the instruction before? */
static bool ends_flow(uint32_t code, size_t behind)
{
	/* A loop that is entered at its condition, behind. */
	if ((code & 0xfc000000) == 0x14000000)
		return a64_immediate(code, 0, 26) <= (int64_t)behind;
	/* BR, RET and what authenticates before that, but not BLR */
	return (code & 0xfe000000) == 0xd6000000 && (code >> 21 & 3) != 1;
}

/* Follows @reg back from before code[@at]. @added_to: the last step did that */
static enum address_base follow(const uint32_t *code, size_t at,
				unsigned int reg, bool added_to,
				uint64_t *offset)
{
	enum address_base base;
	uint64_t before;

	for (size_t i = at; i-- > 0 && reg != A64_SP;) {
		uint32_t c = code[i];

		if (ends_flow(c, at - i))
			return BASE_UNKNOWN;
		if (!a64_writes(c, reg))
			continue;
		if ((c & ~31U) == MRS_TPIDR_EL0)
			return added_to ? BASE_THREAD_OFFSET : BASE_THREAD;
		if (a64_is_add_immediate(c)) {
			*offset += a64_added(c);
			reg = a64_rn(c);
			added_to = true;
			continue;
		}
		if (a64_is_move(c)) {
			reg = a64_rm(c);
			if (reg == A64_SP)
				return BASE_UNKNOWN;
			continue;
		}
		/*
		 * ADD of registers: the index may be either, if not shifted.
		 * Only the extended form has the stack pointer.
		 */
		if ((c & 0xff000000) != 0x8b000000)
			return BASE_UNKNOWN;
		if (a64_rn(c) == A64_SP)
			return c >> 21 & 1 ? BASE_STACK : BASE_UNKNOWN;
		before = *offset;
		base = follow(code, i, a64_rn(c), false, offset);
		if (base != BASE_UNKNOWN || c & 0xfc00)
			return base;
		*offset = before;
		return a64_rm(c) == A64_SP
			       ? BASE_UNKNOWN
			       : follow(code, i, a64_rm(c), false, offset);
	}
	return reg == A64_SP ? BASE_STACK : BASE_UNKNOWN;
}

enum address_base address_base(const uint32_t *code, size_t nr,
			       uint64_t *offset)
{
	uint32_t access = nr ? code[nr - 1] : 0;

	if (!a64_is_memory(access))
		return BASE_UNKNOWN;
	*offset = a64_offset(access);
	return follow(code, nr - 1, a64_rn(access), false, offset);
}
