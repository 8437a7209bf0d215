/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Decodes eight records of known shapes at a time, with a vector instruction
 * that permutes bytes: each record becomes a row of eight words, and transposed
 * rows are parts of the columns.
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

/* The extension to use; tests limit it to @most. */
enum wide wide_kind(void);
void wide_at_most(enum wide most);

/**
 * wide_take() - decode consecutive records whose shapes are guessed right
 * @d: at a record; moved past the decoded ones. May overwrite unused rows of
 *     its batch
 * @shapes: @shapes->wide must be set
 * @end: decode only records that begin before this, at least SHAPE_ROOM bytes
 *	 before the end of the buffer
 *
 * Stops at the first other record, or if the batch has room for fewer than
 * eight.
 */
typedef void wide_take_fn(struct decoder *d, const struct shapes *shapes,
			  size_t end);
wide_take_fn wide_take;

/* The same for one vector extension. */
wide_take_fn wide_take_avx2, wide_take_neon;

#endif /* PMSCOPE_SPE_WIDE_H */
