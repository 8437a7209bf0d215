/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol of each record's code, remembered for some bytes around it: where
 * a program spends its time, and all that is mapped once, is looked up once.
 */
#ifndef PMSCOPE_CODE_H
#define PMSCOPE_CODE_H

#include "current.h"

#include <stdalign.h>

#define CODE_BITS 14 /* of pairs */
/* Addresses that share an entry, log2: if possible the more of them. */
#define CODE_PAGE  12
#define CODE_BLOCK 6

/**
 * struct code - what is known of the code in one page or block
 * @hash: of which, whose it is, and what was mapped then; 0: empty
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

/* Each is one of a pair, so that two that meet there need not give way. */
struct codes {
	struct code code[2 << CODE_BITS];
	bool has_blocks; /* not only pages */
	bool second;	 /* gives way next, of any pair */
};

/* Forgets nothing: it is for one thread, and one recording. NULL: no memory. */
struct codes *codes_new(void);

/* What is not remembered. */
const struct code *code_fill(struct codes *codes, const struct load *load,
			     const struct current *current);

/* @part: CODE_PAGE or CODE_BLOCK */
static inline uint64_t code_hash(uint64_t pc, unsigned int part,
				 const struct current *current)
{
	/* All processes have the same kernel. */
	return hash_finish((pc >> part) * UINT64_C(0x9e3779b97f4a7c15) + part +
			   (pc >> 63 ? current->kernel : current->user));
}

/* The first of the two that may have it. */
static inline struct code *code_of(struct codes *codes, uint64_t hash)
{
	return &codes->code[hash >> (64 - CODE_BITS) << 1];
}

static inline uint64_t code_pc(const struct pmscope_sample *sample, size_t row)
{
	return pmscope_code_address(sample->batch->pc[row]);
}

/*
 * For a row some rows behind that of @current, of the same process; pages are
 * few. GCC 12 drops calls of a function that does nothing but fetch.
 */
static inline __attribute__((always_inline)) void
code_prefetch(struct codes *codes, const struct current *current, size_t row)
{
	uint64_t hash;

	if (!codes->has_blocks)
		return;
	hash = code_hash(code_pc(&current->sample, row), CODE_BLOCK, current);
	__builtin_prefetch(code_of(codes, hash));
}

static inline bool code_has(const struct code *code, uint64_t hash, uint64_t pc)
{
	return code->hash == hash && pc >= code->first && pc <= code->last;
}

/* Of the PC of @current, which has one. */
static inline const struct code *code_find(struct codes *codes,
					   const struct load *load,
					   const struct current *current)
{
	uint64_t pc = code_pc(&current->sample, current->sample.row);
	uint64_t hash = code_hash(pc, CODE_PAGE, current);
	const struct code *code = code_of(codes, hash);

	if (code[0].hash == hash)
		return &code[0];
	if (code[1].hash == hash)
		return &code[1];
	hash = code_hash(pc, CODE_BLOCK, current);
	code = code_of(codes, hash);
	if (code_has(&code[0], hash, pc))
		return &code[0];
	if (code_has(&code[1], hash, pc))
		return &code[1];
	return code_fill(codes, load, current);
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
