/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SPE_RECORD_H
#define PMSCOPE_SPE_RECORD_H

#include "shape.h"

#include <pmscope/record.h>

/* What PMSIDR_EL1.MaxSize can say at most; longer ones are not records. */
#define RECORD_MAX 2048

/**
 * decode_until() - pmscope_decode() that ends with a record
 * @shapes: of the records before these in the stream, or without any
 * @limit: no record is begun at or behind this place in @buf; the one before
 *	   it is decoded as far as it goes
 */
size_t decode_until(const uint8_t *buf, size_t len, uint64_t offset,
		    unsigned int flags, size_t limit, struct shapes *shapes,
		    struct pmscope_batch *batch,
		    struct pmscope_decode_stats *stats);

#endif /* PMSCOPE_SPE_RECORD_H */
