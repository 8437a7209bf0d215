/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Allocations of programs that this process starts: shares memory with the
 * library that is preloaded into them, and reads what it notes.
 */
#pragma once

#include "base/std.h"
#include "error.h"

/**
 * struct heap_stats - what was noted
 * @blocks: allocations
 * @lost: those, or ends of some, for which a program had no room
 */
struct heap_stats {
	uint64_t blocks;
	uint64_t lost;
};

struct heap;

/*
 * Makes the memory. @least: bytes of the smallest allocation to note. -errno
 * with
 * @err, as when the library is not installed.
 */
int heap_open(struct heap **heap, uint64_t least, struct pmscope_error *err);

/* Whatever is started between these preloads the library. -ENOMEM */
int heap_preload(struct heap *heap);
void heap_preload_end(struct heap *heap);

/*
 * Hands what is new to @write: words as in base/heap_record.h, without the
 * first, and the time of the first of them, in ticks. Returns 0 or what @write
 * returns.
 */
int heap_drain(struct heap *heap,
	       int (*write)(void *context, const uint64_t *words, size_t nr,
			    uint64_t ticks),
	       void *context);

const struct heap_stats *heap_stats(const struct heap *heap);

/* Nothing more is noted. */
void heap_free(struct heap *heap);
