/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash of the parts of a record that its values depend on. Because programs
 * loop, nearly every record equals an earlier one in these parts, so results
 * are cached by this hash. It is wide enough that records never collide in
 * practice.
 */
#pragma once

#include "sample/fields.h"
#include "read/data_symbol.h"
#include "read/symbol_cache.h"

/* The pmscope_has bits for the parts in @deps. */
static inline uint32_t deps_has(unsigned int deps)
{
	return (deps & (DEP_CODE | DEP_LEVEL | DEP_PC) ? PMSCOPE_HAS_PC : 0) |
	       (deps & DEP_TARGET ? PMSCOPE_HAS_TARGET : 0) |
	       (deps & DEP_OPERATION ? PMSCOPE_HAS_OPERATION : 0) |
	       (deps & DEP_SOURCE ? PMSCOPE_HAS_SOURCE : 0) |
	       (deps & DEP_EVENTS ? PMSCOPE_HAS_EVENTS : 0) |
	       (deps & DEP_TOTAL ? PMSCOPE_HAS_TOTAL : 0) |
	       (deps & (DEP_DATA | DEP_CACHELINE) ? PMSCOPE_HAS_VA : 0);
}

/*
 * Hash for the row of @current; valid for one recording. @code is the entry of
 * the PC if @deps has DEP_CODE, NULL without a PC. The multiplications are
 * independent of each other.
 */
static inline uint64_t deps_hash(unsigned int deps,
				 const struct thread_cache *current,
				 const struct cached_symbol *code)
{
	const struct pmscope_sample *s = &current->sample;
	const struct pmscope_batch *b = s->batch;
	uint64_t hash = UINT64_C(0x2545f4914f6cdd1d);
	size_t row = s->row;

	if (deps_has(deps))
		hash += (b->has[row] & deps_has(deps)) *
			UINT64_C(0x9fb21c651e98df25);
	if (deps & DEP_CODE)
		hash += code_key(code);
	if (deps & DEP_LINE)
		hash += b->pc[row] * UINT64_C(0x9e3779b97f4a7c15) +
			current->user + current->kernel;
	if (deps & DEP_PC)
		hash += pmscope_code_address(b->pc[row]) *
			UINT64_C(0xd1b54a32d192ed03);
	/* The start tells apart symbols of one name. */
	if (deps & DEP_OFFSET && code && code->name)
		hash += pmscope_code_address(b->pc[row]) *
				UINT64_C(0x8bb84b93962eacc9) +
			code->start * UINT64_C(0xaef17502108ef2d9);
	if (deps & DEP_TARGET)
		hash += pmscope_code_address(b->target[row]) *
			UINT64_C(0xf1357aea2e62a9c5);
	if (deps & DEP_CACHELINE)
		hash += (b->va[row] >> 6) * UINT64_C(0xbf58476d1ce4e5b9);
	if (deps & DEP_LEVEL)
		hash += (b->pc[row] >> 56) * UINT64_C(0x8cb92ba72f3d8dd7);
	if (deps & DEP_THREAD)
		hash += current->thread;
	if (deps & DEP_CPU)
		hash += s->cpu * UINT64_C(0x27d4eb2f165667c5);
	if (deps & DEP_INTERVAL)
		hash += s->interval * UINT64_C(0xda942042e4dd58b5);
	if (deps & (DEP_OPERATION | DEP_SOURCE | DEP_EVENTS))
		hash += s->midr * UINT64_C(0xff51afd7ed558ccd);
	if (deps & DEP_OPERATION)
		hash += (b->op[row] | b->op_class[row] << 8) *
			UINT64_C(0xc4ceb9fe1a85ec53);
	if (deps & DEP_SOURCE)
		hash += b->source[row] * UINT64_C(0xd6e8feb86659fd93);
	if (deps & DEP_EVENTS)
		hash += b->events[row] * UINT64_C(0xa0761d6478bd642f);
	if (deps & DEP_TOTAL)
		hash += b->total[row] * UINT64_C(0xe7037ed1a0b428db);
	return hash_finish(hash);
}

/* Adds DEP_DATA and DEP_MEMBER to a hash. */
static inline uint64_t deps_data(uint64_t hash, const struct data_names *names)
{
	return hash_finish(
		hash +
		code_key(names->variable) * UINT64_C(0x8ebc6af09c88c6e3) +
		(uintptr_t)names->member * UINT64_C(0xc2b2ae3d27d4eb4f) +
		names->memory);
}
