// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Encodings: Arm ARM, C4.1 "A64 instruction set encoding". */
#include "block_flow.h"
#include "base/a64.h"

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

/* @reg, which holds it, goes to @offset behind @base. */
static void store(struct block_flow *f, unsigned int reg, unsigned int base,
		  int64_t offset)
{
	bool is_stack = is_of_stack(f, base, &offset);

	if (is_stack) {
		f->is_saved = true;
		f->saved = offset;
		f->ahead[A64_SP] = f->ahead[reg];
	}
	if (f->ahead[reg])
		return;
	f->offset = offset;
	f->base = base;
	f->place = FLOW_MEMBER;
	if (is_stack) {
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
		if (f->is_saved && offset == f->saved) {
			f->holds |= UINT32_C(1) << to;
			f->ahead[to] = f->ahead[A64_SP];
		}
	}
}

/* An index that is written back, before or after the access */
static bool is_indexed(uint32_t code, unsigned int reg)
{
	return a64_is_memory(code) && a64_rn(code) == reg &&
	       (code & 0x3b200400) == 0x38000400;
}

static void move(struct block_flow *f, uint32_t code)
{
	unsigned int to = a64_rd(code), from = a64_rn(code);
	bool adds = a64_is_add_immediate(code);
	int64_t ahead = adds ? (int64_t)a64_added(code) : 0;

	if (a64_is_move(code))
		from = a64_rm(code);
	adds = (adds || a64_is_move(code)) && has(f->holds, from);
	ahead += f->ahead[from];
	for (unsigned int reg = 0; reg < A64_SP; reg++) {
		if (!a64_writes(code, reg))
			continue;
		if (is_indexed(code, reg) && has(f->holds, reg)) {
			f->ahead[reg] += a64_immediate(code, 12, 9);
			continue;
		}
		f->holds &= ~(UINT32_C(1) << reg);
		if (reg != to)
			f->known &= ~(UINT32_C(1) << reg);
	}
	if (adds) {
		f->holds |= UINT32_C(1) << to;
		f->ahead[to] = ahead;
	}
}

/* Where it goes on if the allocation did not fail; 0: not here */
static uint64_t next_of(const struct block_flow *f, uint32_t code)
{
	if ((code & 0xfc000000) == 0x14000000)
		return f->pc + 4 * a64_immediate(code, 0, 26);
	/* CBNZ */
	if ((code & 0x7f000000) == 0x35000000 && has(f->holds, a64_rd(code)))
		return f->pc + 4 * a64_immediate(code, 5, 19);
	return a64_is_jump(code) ? 0 : f->pc + 4;
}

bool block_flow_step(struct block_flow *f, uint32_t code)
{
	unsigned int to = a64_rd(code);
	uint64_t next = next_of(f, code);

	f->place = FLOW_NOWHERE;
	if ((a64_is_store_64(code) || a64_is_store_pair_64(code)) &&
	    has(f->holds, to))
		store(f, to, a64_rn(code), a64_offset(code));
	else if (a64_is_store_pair_64(code) && has(f->holds, a64_rt2(code)))
		store(f, a64_rt2(code), a64_rn(code), a64_offset(code) + 8);
	move(f, code);
	if (a64_writes(code, to))
		load(f, code);
	f->pc = next;
	return next && (f->holds || f->is_saved);
}
