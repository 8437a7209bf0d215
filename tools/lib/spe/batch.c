// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* A batch: the columns that records are decoded into. */
#include "base/std.h"

#include <pmscope/record.h>

#define CAPACITY_MAX (1U << 24)

static const struct {
	size_t field;
	size_t width;
} columns[] = {
#define COLUMN(name)                                               \
	{                                                          \
		offsetof(struct pmscope_batch, name),              \
			sizeof(*((struct pmscope_batch *)0)->name) \
	}
	COLUMN(has),	     COLUMN(offset),	  COLUMN(pc),
	COLUMN(target),	     COLUMN(va),	  COLUMN(pa),
	COLUMN(previous),    COLUMN(timestamp),	  COLUMN(events),
	COLUMN(context_el1), COLUMN(context_el2), COLUMN(total),
	COLUMN(issue),	     COLUMN(translate),	  COLUMN(alt_issue),
	COLUMN(source),	     COLUMN(op_class),	  COLUMN(op),
	COLUMN(counter),
#undef COLUMN
};

/* All in one block, at 8 bytes each time. */
static size_t column_bytes(size_t i, size_t capacity)
{
	size_t word = sizeof(uint64_t);

	return (capacity * columns[i].width + word - 1) / word * word;
}

static size_t block_bytes(size_t capacity)
{
	size_t bytes = 0;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		bytes += column_bytes(i, capacity);
	return bytes;
}

struct pmscope_batch *pmscope_batch_new(size_t capacity)
{
	struct pmscope_batch *batch;
	char *block;

	if (!capacity || capacity > CAPACITY_MAX) {
		errno = EINVAL;
		return NULL;
	}
	batch = calloc(1, sizeof(*batch));
	block = calloc(1, block_bytes(capacity));
	if (!batch || !block) {
		free(block);
		free(batch);
		errno = ENOMEM;
		return NULL;
	}
	batch->capacity = capacity;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		*(void **)((char *)batch + columns[i].field) = block;
		block += column_bytes(i, capacity);
	}
	return batch;
}

void pmscope_batch_free(struct pmscope_batch *batch)
{
	if (!batch)
		return;
	free(batch->has); /* the first: the whole block */
	free(batch);
}
