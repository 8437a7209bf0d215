/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Records of known shapes, eight at a time, by processors that put the bytes of
 * a vector of 64 in any order at once (AVX-512 VBMI): each record becomes a row
 * of eight words, and eight rows, turned, are a piece of each column.
 */
#ifndef PMSCOPE_SPE_WIDE_H
#define PMSCOPE_SPE_WIDE_H

#include "shaped.h"

#define WIDE_ROWS 8

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

#endif /* PMSCOPE_SPE_WIDE_H */
