/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* How wide.h converts records of a shape to rows of eight words. */
#ifndef PMSCOPE_SPE_ROW_SHAPE_H
#define PMSCOPE_SPE_ROW_SHAPE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

struct shape;

/* The words of a row; short payloads share one. */
enum {
	WORD_PC,
	WORD_TARGET,
	WORD_VA,
	WORD_PA,
	WORD_TIMESTAMP,
	WORD_EVENTS,
	WORD_CONTEXTS,
	WORD_HALVES,
};

/* Bits above enum pmscope_has in row_shape.settled. */
#define CLASS_BIT 32
#define OP_BIT	  40

#define ROW_BYTES    64 /* of a record at most */
#define ROW_QUARTERS 4
#define NOT_KEPT     0x80 /* what makes a shuffled byte 0 */

/**
 * struct row_shape - a shape as wide.h uses it
 * @fixed: as in struct shape; matches no record if wide.h cannot use the shape
 * @bytes: as in struct shape
 * @from: record offset of each byte of the row, or NOT_KEPT
 * @quarter: the same per 16-byte quarter of the record, relative to it
 * @settled: enum pmscope_has bits in [31:0], the class in [39:32]
 * @op_at: offset of the payload of the Operation Type packet
 * @op_mask: mask of this payload
 * @length: length of the record
 */
struct row_shape {
	alignas(16) uint8_t fixed[ROW_BYTES];
	uint8_t bytes[ROW_BYTES];
	uint8_t from[ROW_BYTES];
	uint8_t quarter[ROW_QUARTERS][ROW_BYTES];
	uint64_t settled;
	uint8_t op_at;
	uint8_t op_mask;
	uint8_t length;
	uint8_t pad[53];
};

_Static_assert(sizeof(struct row_shape) == 512, "found by a shift");

#endif /* PMSCOPE_SPE_ROW_SHAPE_H */
