// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The columns records are decoded into. */
#include <pmscope/record.h>

#include <errno.h>
#include <stdlib.h>

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
#undef COLUMN
};

#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void **column(struct pmscope_batch *batch, size_t i)
{
	return (void **)((char *)batch + columns[i].field);
}

struct pmscope_batch *pmscope_batch_new(size_t capacity)
{
	struct pmscope_batch *batch;

	if (!capacity || capacity > CAPACITY_MAX) {
		errno = EINVAL;
		return NULL;
	}
	batch = calloc(1, sizeof(*batch));
	if (!batch)
		return NULL;
	batch->capacity = capacity;
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		*column(batch, i) = calloc(capacity, columns[i].width);
		if (!*column(batch, i)) {
			pmscope_batch_free(batch);
			errno = ENOMEM;
			return NULL;
		}
	}
	return batch;
}

void pmscope_batch_free(struct pmscope_batch *batch)
{
	if (!batch)
		return;
	for (size_t i = 0; i < NR_COLUMNS; i++)
		free(*column(batch, i));
	free(batch);
}
