/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Memory that is freed all at once. */
#pragma once

#include "base/std.h"

struct arena_block;

/* Initialize to zeros. */
struct arena {
	struct arena_block *blocks;
	size_t left; /* bytes free in the newest block */
};

/* Returns uninitialized memory, aligned to 8 bytes; NULL if out of memory. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *data, size_t size);
void arena_fini(struct arena *arena);
