/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Decodes whole records by their shapes. */
#ifndef PMSCOPE_SPE_SHAPED_H
#define PMSCOPE_SPE_SHAPED_H

#include "shape.h"

#include <pmscope/record.h>

#include <endian.h>

struct pace;

/* The fields that PMSCOPE_DECODE_BRIEF keeps. */
#define BRIEF                                                          \
	(PMSCOPE_HAS_PC | PMSCOPE_HAS_TIMESTAMP | PMSCOPE_HAS_EVENTS | \
	 PMSCOPE_HAS_CONTEXT_EL1 | PMSCOPE_HAS_CONTEXT_EL2 |           \
	 PMSCOPE_HAS_TOTAL | PMSCOPE_HAS_SOURCE)

/*
 * Input and output of decoding. With @pace, @len grows step by step to @whole.
 */
struct decoder {
	const uint8_t *buf;
	size_t len;
	size_t whole;
	uint64_t offset;
	unsigned int flags;
	struct pmscope_batch *batch;
	struct pmscope_decode_stats *stats;
	size_t start; /* of the current record */
	uint32_t has; /* enum pmscope_has bits to keep */
	const struct pace *pace;
};

static inline bool is_brief(const struct decoder *d)
{
	return d->has == BRIEF;
}

static inline uint64_t load_payload(const uint8_t *p)
{
	return le64toh(shape_word(p));
}

/* Are enough bytes readable to compare the current record with shapes? */
static inline bool has_shape_room(const struct decoder *d)
{
	return d->len - d->start >= SHAPE_ROOM;
}

/*
 * Decodes consecutive records that have known shapes and begin before @limit.
 * Returns false at a record without a known shape.
 */
bool take_shaped(struct decoder *d, struct shapes *shapes, size_t limit);

#endif /* PMSCOPE_SPE_SHAPED_H */
