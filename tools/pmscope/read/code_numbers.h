/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number for each instruction, found by its address. The numbers of a piece
 * of code are side by side: those that most samples need fit in the CPU's
 * caches, which entries of a hash table would not.
 */
#pragma once

#include "base/std.h"

#define CODE_PIECE_SHIFT   10 /* log2 of its bytes */
#define CODE_PIECE_NUMBERS (1 << (CODE_PIECE_SHIFT - 2))
#define CODE_PIECES	   (1 << 14)

/**
 * struct code_piece - the code at addresses that start with the same bits
 * @space: as code_space(), or any other hash; 0: an empty piece
 * @piece: those bits
 */
struct code_piece {
	uint64_t space;
	uint64_t piece;
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

/* Where a piece is, unless another one is there. Adjacent ones do not collide.
 */
static inline size_t code_piece_at(uint64_t space, uint64_t piece)
{
	return (piece + (space * UINT64_C(0xe7037ed1a0b428db) >> 32)) &
	       (CODE_PIECES - 1);
}

/*
 * The number of the instruction at @pc, to be set if it is 0. It is valid until
 * the next call.
 */
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
