/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Where code of arm64 leaves what a call returned, an allocation. */
#pragma once

#include "base/std.h"

enum flow_place {
	FLOW_NOWHERE,
	FLOW_STACK,	     /* the offset is from SP */
	FLOW_GLOBAL,	     /* the offset is the address */
	FLOW_MEMBER,	     /* behind the address in a register */
	FLOW_MEMBER_OF_STACK /* the same; that is from @slot behind SP */
};

/**
 * struct block_flow - the state before an instruction behind the call
 * @pc: its address
 * @frame: how far X29 is above SP
 * @holds: registers that hold the allocation, a bit each
 * @ahead: how far behind its start they are, and the last what is @saved
 * @place: where the last instruction stored it, at @offset
 * @base: register of FLOW_MEMBER
 * @saved: where it @is_saved on the stack, from SP
 * @known: registers with constant addresses, and @loaded ones from the stack:
 *	   their @values are that, or from where
 */
struct block_flow {
	uint64_t pc;
	int64_t frame;
	uint32_t holds;
	int64_t ahead[32];
	enum flow_place place;
	unsigned int base;
	int64_t offset;
	int64_t slot;
	bool is_saved;
	int64_t saved;
	uint32_t known;
	uint32_t loaded;
	int64_t values[32];
};

/* The state behind a call that returns to @pc. */
struct block_flow block_flow_begin(uint64_t pc, int64_t frame);

/* Does a register hold its start? */
static inline bool block_flow_has(const struct block_flow *flow,
				  unsigned int reg)
{
	return flow->holds >> reg & 1 && !flow->ahead[reg];
}

/*
 * Past the instruction @code, as if the allocation did not fail; false where it
 * is no longer followed.
 */
bool block_flow_step(struct block_flow *flow, uint32_t code);
