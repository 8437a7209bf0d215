/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol of each record's code, remembered for some bytes around it: where
 * a program spends its time, and all that is mapped once, is looked up once.
 */
#ifndef PMSCOPE_CODE_H
#define PMSCOPE_CODE_H

#include "load.h"

#define CODE_BITS  15
#define CODE_BLOCK 6 /* addresses that share an entry: log2 */

/**
 * struct code - what is known of the code in one block
 * @hash: of the block, whose it is, and since when; 0: empty
 * @first: the first address, and
 * @last: the last one for which the rest holds
 * @start: of the symbol
 * @key: alike wherever both names are
 * @name: of the symbol, or NULL; and next of the file
 */
struct code {
	uint64_t hash;
	uint64_t first;
	uint64_t last;
	uint64_t start;
	uint64_t key;
	const char *name;
	const char *dso;
};

struct codes {
	struct code code[1 << CODE_BITS];
};

/* Forgets nothing: it is for one thread, and one recording. NULL: no memory. */
struct codes *codes_new(void);

/* What is not remembered, or of another block. */
void code_fill(struct code *code, uint64_t hash, const struct load *load,
	       const struct pmscope_sample *sample, uint64_t pc);

/* The hash of a sum of products, each of them with another odd number. */
static inline uint64_t hash_finish(uint64_t sum)
{
	__uint128_t product = (__uint128_t)sum * UINT64_C(0xe7037ed1a0b428db);

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static inline uint64_t code_hash(uint64_t pc, uint32_t pid, uint64_t epoch)
{
	/* All processes have the same kernel. */
	return hash_finish((pc >> CODE_BLOCK) * UINT64_C(0x9e3779b97f4a7c15) +
			   (pc >> 63 ? 0 : pid) * UINT64_C(0xc2b2ae3d27d4eb4f) +
			   (epoch + 1) * UINT64_C(0x165667b19e3779f9));
}

/* Of the PC of @sample, which has one and is of a run in @epoch. */
static inline const struct code *code_find(struct codes *codes,
					   const struct load *load,
					   const struct pmscope_sample *sample,
					   uint64_t epoch)
{
	uint64_t pc = pmscope_code_address(sample->batch->pc[sample->row]);
	uint64_t hash = code_hash(pc, sample->pid, epoch);
	struct code *code = &codes->code[hash >> (64 - CODE_BITS)];

	if (code->hash != hash || pc < code->first || pc > code->last)
		code_fill(code, hash, load, sample, pc);
	return code;
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
