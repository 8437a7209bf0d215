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

/* Vector extensions of the processor, in order of width. */
#if defined(__x86_64__)
enum wide {
	WIDE_NONE,
	WIDE_AVX2,
	NR_WIDE
};
#elif defined(__aarch64__) && defined(__AARCH64EL__)
enum wide {
	WIDE_NONE,
	WIDE_NEON,
	NR_WIDE
};
#else
enum wide {
	WIDE_NONE,
	NR_WIDE
};
#endif

/* The extension of this processor; for tests, at most @most. */
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
typedef void wide_take_fn(struct decoder *d, const struct shapes *shapes,
			  size_t end);
wide_take_fn wide_take;

/* The same by one kind. */
wide_take_fn wide_take_avx2, wide_take_neon;

#endif /* PMSCOPE_SPE_WIDE_H */
