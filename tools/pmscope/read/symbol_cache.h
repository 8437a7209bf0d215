/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache for the symbol of each record's code: hot code is looked up once. */
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
 * struct cached_symbol - what is known of a function, or of what is mapped as
 * one
 * @space: whose addresses, and what was mapped then
 * @first: the first address, and
 * @extent: how far behind it is the last for which the rest holds
 * @start: of the symbol
 * @key: alike wherever both names are
 * @name: of the symbol, or NULL; and next of the file
 * @row: of a report, and one; 0: not known yet
 */
struct cached_symbol {
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
struct symbol_cache {
	struct cached_symbol code[2 << CODE_BITS];
	uint16_t of_grain[1 << PAGE_BITS][PAGE_GRAINS];
	bool second; /* gives way next, of any pair */
};

/* Forgets nothing: it is for one thread, and one recording. NULL: no memory. */
struct symbol_cache *symbol_cache_new(void);
void symbol_cache_free(struct symbol_cache *codes);

/* Slow path of symbol_cache_find(): nothing is remembered. */
struct cached_symbol *symbol_cache_fill(struct symbol_cache *codes,
					const struct load *load,
					const struct thread_cache *current);

/* What is known about the symbol that contains @address. */
struct cached_symbol cached_symbol_of(const struct pmscope_symbol *symbol,
				      uint64_t address, uint64_t space);

/* All processes have the same kernel. */
static inline uint64_t code_space(uint64_t pc,
				  const struct thread_cache *current)
{
	return pc >> 63 ? current->kernel : current->user;
}

/* Pages next to each other do not meet. */
static inline uint16_t *code_page(struct symbol_cache *codes, uint64_t pc,
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
static inline struct cached_symbol *code_guess(struct symbol_cache *codes,
					       uint64_t space, uint64_t at)
{
	const uint16_t *page = code_page(codes, at, space);

	return &codes->code[page[at >> GRAIN_SHIFT & (PAGE_GRAINS - 1)]];
}

/* Does it hold for @pc? */
static inline bool code_has(const struct cached_symbol *code, uint64_t space,
			    uint64_t pc)
{
	return code->space == space && pc - code->first <= code->extent;
}

/* Reads the entry of @at if it belongs to @pc, otherwise NULL. */
static inline struct cached_symbol *
code_at(struct symbol_cache *codes, uint64_t space, uint64_t at, uint64_t pc)
{
	struct cached_symbol *code = code_guess(codes, space, at);

	return code_has(code, space, pc) ? code : NULL;
}

/* For the PC of @current, which must have one. */
static inline struct cached_symbol *
symbol_cache_find(struct symbol_cache *codes, const struct load *load,
		  const struct thread_cache *current)
{
	uint64_t pc = code_pc(&current->sample, current->sample.row);
	struct cached_symbol *code =
		code_at(codes, code_space(pc, current), pc, pc);

	return code ? code : symbol_cache_fill(codes, load, current);
}

/* A hash of both names; @code is NULL without a PC. */
static inline uint64_t code_key(const struct cached_symbol *code)
{
	return code ? code->key : 1;
}

static inline struct pmscope_symbol
code_symbol(const struct cached_symbol *code, uint64_t pc)
{
	return (struct pmscope_symbol){
		.name = code->name,
		.offset = code->name ? pc - code->start : 0,
		.dso = code->dso,
	};
}

#endif /* PMSCOPE_READ_SYMBOL_CACHE_H */
