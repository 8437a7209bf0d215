/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Records of known shapes, eight at a time, by processors that put the bytes of
 * a vector of 64 in any order at once (AVX-512 VBMI): each record becomes a row
 * of eight words, and eight rows, turned, are a piece of each column.
 */
#ifndef PMSCOPE_SPE_WIDE_H
#define PMSCOPE_SPE_WIDE_H

#include "shape.h"

#include <pmscope/record.h>

#define WIDE_ROWS 8

/*
 * Makes @row of what is known of @shape. False: it is not for such records, or
 * this processor.
 */
bool wide_learn(struct row_shape *row, const struct shape *shape);

/**
 * struct wide - where records are taken from
 * @shapes: some of them are wide
 * @buf: what is decoded, of @len bytes
 * @end: where no record is begun any more, SHAPE_ROOM bytes before @len
 * @offset: of @buf in its trace
 * @wanted: enum pmscope_has bits of the columns
 */
struct wide {
	const struct shapes *shapes;
	const uint8_t *buf;
	size_t len;
	size_t end;
	uint64_t offset;
	uint32_t wanted;
};

/**
 * wide_take() - put records whose shapes are guessed right
 * @batch: has @row rows. Those behind them may be written to, up to its
 *	   capacity
 * @at: where in the buffer the next record begins; and then
 * @brief: only the columns of PMSCOPE_DECODE_BRIEF
 *
 * Return: how many rows there are then. No more where the next record is none
 * of these, or where there is not room for eight.
 */
size_t wide_take(const struct wide *wide, const struct pmscope_batch *batch,
		 size_t row, size_t *at, bool brief);

#endif /* PMSCOPE_SPE_WIDE_H */
