/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pass over a recording keeps of threads, code and data. */
#pragma once

#include "base/record.h"
#include "fields/fields.h"
#include "load.h"
#include "sample/caches.h"

/*
 * A number for each instruction, found by its address. The numbers of a piece
 * of code are side by side: those that most samples need fit in the CPU's
 * caches, which entries of a hash table would not.
 */

#define CODE_PIECE_SHIFT   10 /* log2 of its bytes */
#define CODE_PIECE_NUMBERS (1 << (CODE_PIECE_SHIFT - 2))
#define CODE_PIECES	   (1 << 14)

/* The code at addresses that start with the same bits */
struct code_piece {
	uint64_t space; /* code_space(), or a hash; 0: empty */
	uint64_t piece; /* those bits */
};

/* A cache with two ways: a piece may be dropped, with all of its numbers. */
struct code_numbers {
	struct code_piece pieces[CODE_PIECES];
	uint32_t numbers[CODE_PIECES][CODE_PIECE_NUMBERS]; /* 0: not known */
	size_t other_way; /* to replace next: 0 or CODE_PIECES / 2 */
	uint32_t unaligned;
};

/* NULL if out of memory. Only pieces that are in use take memory. */
struct code_numbers *code_numbers_new(void);
void code_numbers_free(struct code_numbers *numbers);

/* The slow path of code_number(): where a piece is that is not at @at. */
size_t code_piece_get(struct code_numbers *numbers, size_t at, uint64_t space,
		      uint64_t piece);

/* Where a piece is, unless another is there. Adjacent ones do not collide. */
static inline size_t code_piece_at(uint64_t space, uint64_t piece)
{
	return (piece + (space * UINT64_C(0xe7037ed1a0b428db) >> 32)) &
	       (CODE_PIECES - 1);
}

/* The number of the instruction at @pc; set it if 0, before the next call. */
static inline uint32_t *code_number(struct code_numbers *numbers,
				    uint64_t space, uint64_t pc)
{
	uint64_t piece = pc >> CODE_PIECE_SHIFT;
	size_t at = code_piece_at(space, piece);
	const struct code_piece *code = &numbers->pieces[at];

	if (code->space != space || code->piece != piece)
		at = code_piece_get(numbers, at, space, piece);
	if (pc & 3) {
		numbers->unaligned = 0;
		return &numbers->unaligned;
	}
	return &numbers->numbers[at][pc >> 2 & (CODE_PIECE_NUMBERS - 1)];
}

/*
 * A hash of the parts of a record that its values depend on. Because programs
 * loop, nearly every record equals an earlier one in these parts, so results
 * are cached by this hash. It is wide enough that records never collide in
 * practice.
 */

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

/*
 * Who called a function that SPE sampled, by the call chains of another event.
 *
 * SPE samples have no stack. A sample gets the callers of the chain that ends
 * in the same function, is of the same thread, and is nearest in time. That is
 * an estimate: for a function with n chains, a caller with the share p of its
 * samples has a standard error of sqrt(p * (1 - p) / n).
 */

/* No chain of the thread ends in the function. */
#define STACKS_NONE 0

struct stacks;

/*
 * Reads all call chains of a recording. @load: open; its symbols name the
 * functions. @stacks: set; to be freed. NULL if there are no chains. Returns 0,
 * or -ENOMEM.
 */
int stacks_read(const struct load *load, struct stacks **stacks);
void stacks_free(struct stacks *stacks);

/*
 * The callers of a function at some time. @stacks: or NULL. @name: of the
 * function, from the same symbols; NULL: it has none. Returns a number for
 * stacks_text(), or STACKS_NONE. May be called from many threads at once.
 */
uint32_t stacks_find(const struct stacks *stacks, uint32_t tid, uint64_t time,
		     const char *name);

/* The same for a sample, whose time is set; @code is NULL without a PC. */
static inline uint32_t stacks_number(const struct stacks *stacks,
				     const struct thread_cache *current,
				     const struct cached_symbol *code)
{
	return stacks_find(stacks, current->sample.tid, current->sample.time,
			   code ? code->name : NULL);
}

/* "main;work", the outermost first; NULL for STACKS_NONE. */
const char *stacks_text(const struct stacks *stacks, uint32_t number);

/* How many chains there are; 0 of NULL. */
size_t stacks_count(const struct stacks *stacks);

/* How many of them end in a function of that name, in any thread. */
size_t stacks_chains(const struct stacks *stacks, const char *name);

/* Does the recording have samples with call chains? */
bool stacks_are_in(const struct pmscope_perfdata *perfdata);

/* A cache for the results of the filter. */

/*
 * Does the sample of @current pass the filter of @load? @view was filled by
 * view_begin(). Counts samples that do not pass.
 */
bool filter_passes(struct load *load, struct view *view,
		   const struct thread_cache *current);

/* The same of @current alone: its time must be set. */
bool filter_passes_sample(struct load *load,
			  const struct thread_cache *current);

/* Does the time of the group pass? Other terms are of samples only. */
bool filter_passes_group(const struct load *load,
			 const struct pmscope_sample *group);

/* Stores a result of filter_passes() in @load. */
void filter_memo_free(struct filter_memo *memo);
