/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol of each record's code, remembered for some bytes around it: where
 * a program spends its time, and all that is mapped once, is looked up once.
 */
#ifndef PMSCOPE_CODE_H
#define PMSCOPE_CODE_H

#include "load.h"

#include <stdalign.h>

#define CODE_BITS 15
/* Addresses that share an entry, log2: if possible the more of them. */
#define CODE_PAGE  12
#define CODE_BLOCK 6

/**
 * struct code - what is known of the code in one page or block
 * @hash: of which, whose it is, and since when; 0: empty
 * @first: the first address, and
 * @last: the last one for which the rest holds
 * @start: of the symbol
 * @key: alike wherever both names are
 * @name: of the symbol, or NULL; and next of the file
 */
struct code {
	alignas(64) uint64_t hash;
	uint64_t first;
	uint64_t last;
	uint64_t start;
	uint64_t key;
	const char *name;
	const char *dso;
};

struct codes {
	struct code code[1 << CODE_BITS];
	bool has_blocks; /* not only pages */
};

/* Forgets nothing: it is for one thread, and one recording. NULL: no memory. */
struct codes *codes_new(void);

/* What is not remembered. */
const struct code *code_fill(struct codes *codes, const struct load *load,
			     const struct pmscope_sample *sample,
			     uint64_t epoch);

/* The hash of a sum of products, each of them with another odd number. */
static inline uint64_t hash_finish(uint64_t sum)
{
	__uint128_t product = (__uint128_t)sum * UINT64_C(0xe7037ed1a0b428db);

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* @part: CODE_PAGE or CODE_BLOCK */
static inline uint64_t code_hash(uint64_t pc, unsigned int part, uint32_t pid,
				 uint64_t epoch)
{
	/* All processes have the same kernel. */
	return hash_finish((pc >> part) * UINT64_C(0x9e3779b97f4a7c15) +
			   (pc >> 63 ? 0 : pid) * UINT64_C(0xc2b2ae3d27d4eb4f) +
			   (epoch + 1) * (UINT64_C(0x165667b19e3779f9) + part));
}

static inline struct code *code_of(struct codes *codes, uint64_t hash)
{
	return &codes->code[hash >> (64 - CODE_BITS)];
}

static inline uint64_t code_pc(const struct pmscope_sample *sample, size_t row)
{
	return pmscope_code_address(sample->batch->pc[row]);
}

/*
 * For a sample of the same process as @sample, some rows behind it; pages are
 * few. GCC 12 drops calls of a function that does nothing but fetch.
 */
static inline __attribute__((always_inline)) void
code_prefetch(struct codes *codes, const struct pmscope_sample *sample,
	      size_t row, uint64_t epoch)
{
	uint64_t hash;

	if (!codes->has_blocks)
		return;
	hash = code_hash(code_pc(sample, row), CODE_BLOCK, sample->pid, epoch);
	__builtin_prefetch(code_of(codes, hash));
}

/* Of the PC of @sample, which has one and is of a run in @epoch. */
static inline const struct code *code_find(struct codes *codes,
					   const struct load *load,
					   const struct pmscope_sample *sample,
					   uint64_t epoch)
{
	uint64_t pc = code_pc(sample, sample->row);
	uint64_t hash = code_hash(pc, CODE_PAGE, sample->pid, epoch);
	const struct code *code = code_of(codes, hash);

	if (code->hash == hash)
		return code;
	hash = code_hash(pc, CODE_BLOCK, sample->pid, epoch);
	code = code_of(codes, hash);
	if (code->hash == hash && pc >= code->first && pc <= code->last)
		return code;
	return code_fill(codes, load, sample, epoch);
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

#endif /* PMSCOPE_CODE_H */
