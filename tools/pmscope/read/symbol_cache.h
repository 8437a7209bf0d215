/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol of each record's code, remembered: where a program spends its time
 * is looked up once.
 */
#ifndef PMSCOPE_READ_SYMBOL_CACHE_H
#define PMSCOPE_READ_SYMBOL_CACHE_H

#include "read/thread_cache.h"

#include <stdalign.h>

#define CODE_BITS  12 /* of pairs */
#define PAGE_BITS  11
#define PAGE_SHIFT 12
/* Addresses that share an entry of a page: a function begins with another. */
#define GRAIN_SHIFT 4
#define PAGE_GRAINS (1 << (PAGE_SHIFT - GRAIN_SHIFT))

/**
 * struct code - what is known of a function, or of what is mapped as one
 * @space: whose addresses, and what was mapped then
 * @first: the first address, and
 * @extent: how far behind it is the last for which the rest holds
 * @start: of the symbol
 * @key: alike wherever both names are
 * @name: of the symbol, or NULL; and next of the file
 * @row: of a report, and one; 0: not known yet
 */
struct code {
	alignas(64) uint64_t space;
	uint64_t first;
	uint64_t extent;
	uint64_t start;
	uint64_t key;
	const char *name;
	const char *dso;
	uint32_t row;
};

/*
 * Each code is one of a pair, so that two that meet there need not give way.
 * Which of them an address is in the pages tell, which may be wrong: two pages
 * that meet have the same entries.
 */
struct codes {
	struct code code[2 << CODE_BITS];
	uint16_t of_grain[1 << PAGE_BITS][PAGE_GRAINS];
	bool second; /* gives way next, of any pair */
};

/* Forgets nothing: it is for one thread, and one recording. NULL: no memory. */
struct codes *codes_new(void);
void codes_free(struct codes *codes);

/* Slow path of code_find(): nothing is remembered. */
struct code *code_fill(struct codes *codes, const struct load *load,
		       const struct current *current);

/* What is known about the symbol that contains @address. */
struct code code_of_symbol(const struct pmscope_symbol *symbol,
			   uint64_t address, uint64_t space);

/* All processes have the same kernel. */
static inline uint64_t code_space(uint64_t pc, const struct current *current)
{
	return pc >> 63 ? current->kernel : current->user;
}

/* Pages next to each other do not meet. */
static inline uint16_t *code_page(struct codes *codes, uint64_t pc,
				  uint64_t space)
{
	uint64_t page = (pc >> PAGE_SHIFT) +
			(space * UINT64_C(0xe7037ed1a0b428db) >> 32);

	return codes->of_grain[page & ((1 << PAGE_BITS) - 1)];
}

static inline uint64_t code_pc(const struct pmscope_sample *sample, size_t row)
{
	return pmscope_code_address(sample->batch->pc[row]);
}

/* Reads the entry of @at; it may belong to another address (collision). */
static inline struct code *code_guess(struct codes *codes, uint64_t space,
				      uint64_t at)
{
	const uint16_t *page = code_page(codes, at, space);

	return &codes->code[page[at >> GRAIN_SHIFT & (PAGE_GRAINS - 1)]];
}

/* Does it hold for @pc? */
static inline bool code_has(const struct code *code, uint64_t space,
			    uint64_t pc)
{
	return code->space == space && pc - code->first <= code->extent;
}

/* Reads the entry of @at if it belongs to @pc, otherwise NULL. */
static inline struct code *code_at(struct codes *codes, uint64_t space,
				   uint64_t at, uint64_t pc)
{
	struct code *code = code_guess(codes, space, at);

	return code_has(code, space, pc) ? code : NULL;
}

/* For the PC of @current, which must have one. */
static inline struct code *code_find(struct codes *codes,
				     const struct load *load,
				     const struct current *current)
{
	uint64_t pc = code_pc(&current->sample, current->sample.row);
	struct code *code = code_at(codes, code_space(pc, current), pc, pc);

	return code ? code : code_fill(codes, load, current);
}

/* A hash of both names; @code is NULL without a PC. */
static inline uint64_t code_key(const struct code *code)
{
	return code ? code->key : 1;
}

static inline struct pmscope_symbol code_symbol(const struct code *code,
						uint64_t pc)
{
	return (struct pmscope_symbol){
		.name = code->name,
		.offset = code->name ? pc - code->start : 0,
		.dso = code->dso,
	};
}

#endif /* PMSCOPE_READ_SYMBOL_CACHE_H */
