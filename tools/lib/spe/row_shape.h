/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* How records of a shape become the rows of wide.h, which are eight words. */
#ifndef PMSCOPE_SPE_ROW_SHAPE_H
#define PMSCOPE_SPE_ROW_SHAPE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

struct shape;

/* The words; shorter payloads share one. */
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

/* Further bits beside enum pmscope_has, in their own word. */
#define CLASS_BIT 32
#define OP_BIT	  40

#define ROW_BYTES    64 /* of a record at most */
#define ROW_QUARTERS 4
#define NOT_KEPT     0x80 /* what makes a shuffled byte 0 */

/**
 * struct row_shape - what wide.h knows of a shape
 * @fixed: as in struct shape; no record has those of a shape that is not for it
 * @bytes: as there
 * @from: where in the record each byte of its row is, or NOT_KEPT
 * @quarter: the same within each of the record
 * @settled: enum pmscope_has bits in [31:0], the class in [39:32]
 * @op_at: place of the payload of the Operation Type packet
 * @op_mask: of it
 * @length: of the record
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
