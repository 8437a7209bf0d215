/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Records of known shapes, eight at a time, by processors that put the bytes of
 * a vector in any order at once: each record becomes a row of eight words, and
 * rows, turned, are a piece of each column.
 */
#ifndef PMSCOPE_SPE_WIDE_H
#define PMSCOPE_SPE_WIDE_H

#include "shaped.h"

#define WIDE_ROWS 8

/* Vectors of 32 bytes, ordered by halves, or of 64 ordered as a whole. */
enum wide {
	WIDE_NONE,
	WIDE_AVX2,
	WIDE_AVX512
};

/* What this processor can; and for tests: as if it could no more than @most. */
enum wide wide_kind(void);
void wide_at_most(enum wide most);

/**
 * wide_take() - put records whose shapes are guessed right
 * @d: stands at a record, and then behind those taken. Rows behind the last of
 *     its batch may be written to, up to the capacity
 * @shapes: some of them are wide
 * @end: where no record is begun any more, SHAPE_ROOM bytes before the end of
 *	 the buffer
 *
 * All that follow, but for where there is not room for eight more.
 */
void wide_take(struct decoder *d, const struct shapes *shapes, size_t end);

void wide_take_avx2(struct decoder *d, const struct shapes *shapes, size_t end);
void wide_take_avx512(struct decoder *d, const struct shapes *shapes,
		      size_t end);

#endif /* PMSCOPE_SPE_WIDE_H */
