/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts of one or more columns, remembered for as long as there is room: those
 * of the records that come are nearly always among them.
 */
#ifndef PMSCOPE_SCRIPT_PIECES_H
#define PMSCOPE_SCRIPT_PIECES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PIECE_BITS 13
#define PIECE_STEP 32 /* pieces are copied in steps, and beyond their end */
#define PIECE_MAX  240

/* A text; with a hole, a number belongs between two parts of it. */
struct piece {
	uint64_t hash; /* 0: none */
	uint32_t at;   /* in the pool */
	uint16_t length;
	uint16_t hole; /* where, or NO_HOLE */
};

#define NO_HOLE UINT16_MAX

/* Texts close to each other, so that those in use stay in the caches. */
struct pieces {
	struct piece piece[1 << PIECE_BITS];
	size_t used;
	char pool[1 << 19];
};

static inline struct piece *piece_of(struct pieces *pieces, uint64_t hash)
{
	return &pieces->piece[hash >> (64 - PIECE_BITS)];
}

/* When the pool is full all others are lost. */
static inline void piece_keep(struct pieces *pieces, const struct piece *piece,
			      const char *text)
{
	if ((size_t)piece->length + PIECE_STEP >
	    sizeof(pieces->pool) - pieces->used) {
		memset(pieces->piece, 0, sizeof(pieces->piece));
		pieces->used = 0;
	}
	*piece_of(pieces, piece->hash) = *piece;
	piece_of(pieces, piece->hash)->at = pieces->used;
	memcpy(pieces->pool + pieces->used, text, piece->length);
	pieces->used += piece->length;
}

/* A call of memcpy() costs more than the few bytes of a piece. */
static inline char *piece_put(char *p, const char *text, size_t length)
{
	memcpy(p, text, PIECE_STEP);
	if (length > PIECE_STEP)
		for (size_t i = PIECE_STEP; i < length; i += PIECE_STEP)
			memcpy(p + i, text + i, PIECE_STEP);
	return p + length;
}

#endif /* PMSCOPE_SCRIPT_PIECES_H */
