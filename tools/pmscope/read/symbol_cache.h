/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache for the symbol of each record's code: hot code is looked up once. */
#pragma once

#include "read/thread_cache.h"

#include <stdalign.h>

#define CODE_BITS  12 /* log2 of the number of pairs */
#define PAGE_BITS  11
#define PAGE_SHIFT 12
/* Functions are aligned to 16 bytes, so these addresses share an entry. */
#define GRAIN_SHIFT 4
#define PAGE_GRAINS (1 << (PAGE_SHIFT - GRAIN_SHIFT))

/**
 * struct cached_symbol - a symbol, or a mapping without symbols
 * @space: identifies the process or kernel and the state of its mappings
 * @first: the first address for which this is valid
 * @extent: the last such address, relative to @first
 * @start: start of the symbol
 * @key: hash of @name and @dso
 * @name: name of the symbol, or NULL
 * @dso: name of the file, or NULL
 * @stride: of a variable, as in struct pmscope_member, once a member was found
 * @row: row of a report + 1; 0: not known yet
 */
struct cached_symbol {
	alignas(64) uint64_t space;
	uint64_t first;
	uint64_t extent;
	uint64_t start;
	uint64_t key;
	const char *name;
	const char *dso;
	uint32_t stride;
	uint32_t row;
};

/*
 * A two-way cache: two symbols with the same hash share a pair. of_grain says
 * which entry an address uses. This is a hint: pages with the same hash share
 * it.
 */
struct symbol_cache {
	struct cached_symbol code[2 << CODE_BITS];
	uint16_t of_grain[1 << PAGE_BITS][PAGE_GRAINS];
	bool second; /* way to replace next, in any pair */
};

/* For one thread and one recording. NULL if out of memory. */
struct symbol_cache *symbol_cache_new(void);
void symbol_cache_free(struct symbol_cache *codes);

/* Slow path of symbol_cache_find(): looks up and caches the symbol. */
struct cached_symbol *symbol_cache_fill(struct symbol_cache *codes,
					const struct load *load,
					const struct thread_cache *current);

/* Makes an entry for the symbol that contains @address. */
struct cached_symbol cached_symbol_of(const struct pmscope_symbol *symbol,
				      uint64_t address, uint64_t space);

/* All processes have the same kernel. */
static inline uint64_t code_space(uint64_t pc,
				  const struct thread_cache *current)
{
	return pc >> 63 ? current->kernel : current->user;
}

/* Adjacent pages do not collide. */
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

/* Is the entry valid for @pc? */
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

/* Finds the symbol for the PC of @current, which must have one. */
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
