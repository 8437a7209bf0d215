// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Encodings: Arm ARM, C4.1 "A64 instruction set encoding". */
#include "block_flow.h"
#include "a64.h"

#define FP 29

struct block_flow block_flow_begin(uint64_t pc, int64_t frame)
{
	return (struct block_flow){.pc = pc, .frame = frame, .holds = 1};
}

static bool has(uint32_t set, unsigned int reg)
{
	return set >> reg & 1;
}

/* Is it from the stack pointer, at @offset? */
static bool is_of_stack(const struct block_flow *f, unsigned int base,
			int64_t *offset)
{
	if (base == FP)
		*offset += f->frame;
	return base == FP || base == A64_SP;
}

static void store(struct block_flow *f, unsigned int base, int64_t offset)
{
	f->offset = offset;
	f->base = base;
	f->place = FLOW_MEMBER;
	if (is_of_stack(f, base, &f->offset)) {
		f->place = FLOW_STACK;
	} else if (has(f->known, base)) {
		f->place = FLOW_GLOBAL;
		f->offset += f->values[base];
	} else if (has(f->loaded, base)) {
		f->place = FLOW_MEMBER_OF_STACK;
		f->slot = f->values[base];
	}
}

/* What @code makes of its register: an address, or what the stack has. */
static void load(struct block_flow *f, uint32_t code)
{
	unsigned int to = a64_rd(code), from = a64_rn(code);
	int64_t offset = a64_offset(code);
	bool known = has(f->known, from);

	f->known &= ~(UINT32_C(1) << to);
	f->loaded &= ~(UINT32_C(1) << to);
	if (a64_is_adrp(code)) {
		f->values[to] = a64_adrp(code, f->pc);
		f->known |= UINT32_C(1) << to;
	} else if (a64_is_add_immediate(code) && known) {
		f->values[to] = f->values[from] + a64_added(code);
		f->known |= UINT32_C(1) << to;
	} else if (a64_is_load_64(code) && is_of_stack(f, from, &offset)) {
		f->values[to] = offset;
		f->loaded |= UINT32_C(1) << to;
	}
}

bool block_flow_step(struct block_flow *f, uint32_t code)
{
	unsigned int to = a64_rd(code), from = a64_rm(code);
	bool copies = a64_is_move(code) && has(f->holds, from);

	f->place = FLOW_NOWHERE;
	if (a64_is_store_64(code) && has(f->holds, to))
		store(f, a64_rn(code), a64_offset(code));
	else if (a64_is_store_pair_64(code) &&
		 (has(f->holds, to) || has(f->holds, a64_rt2(code))))
		store(f, a64_rn(code),
		      a64_offset(code) + (has(f->holds, to) ? 0 : 8));
	for (unsigned int reg = 0; reg < A64_SP; reg++)
		if (a64_writes(code, reg)) {
			f->holds &= ~(UINT32_C(1) << reg);
			if (reg != to)
				f->known &= ~(UINT32_C(1) << reg);
		}
	if (copies)
		f->holds |= UINT32_C(1) << to;
	if (a64_writes(code, to))
		load(f, code);
	f->pc += 4;
	return f->holds && !a64_is_jump(code);
}
