/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * What programs allocated, by address and time. The file keeps it; what is in
 * memory are the blocks that live in a window of time, and those that are born
 * in it. Windows follow one another as samples do, so that memory depends on
 * how many blocks live, not on how many there were.
 */
#pragma once

#include <pmscope/recording.h>

#include "base/arena.h"
#include "base/map.h"
#include "clock.h"

/* Where a record is, and when its first entry was. */
struct heap_chunk {
	uint64_t time;
	const uint8_t *record;
};

/* A call chain */
struct heap_site {
	const uint64_t *frames;
	size_t nr;
};

/**
 * struct heap_block - a piece of memory, at @start, and when it was one, in ns
 * @size: bytes; 0: only its end is known, at @begin
 * @up: the block nearest before this that ends behind its end; NO_BLOCK: none
 */
struct heap_block {
	uint64_t start;
	uint64_t begin;
	uint64_t end;
	uint64_t size;
	uint32_t site;
	uint32_t up;
};

/*
 * @blocks, by start and begin. @fresh are those of the next window, not in
 * order.
 * @parent: that a child was forked from, whose blocks it still has; 0: none
 */
struct heap_process {
	uint32_t pid;
	uint32_t parent;
	struct heap_block *blocks;
	size_t nr;
	struct heap_block *fresh;
	size_t nr_fresh;
	size_t max_fresh;
};

/*
 * Starts as zeros. Without @reads, chunks are not read.
 */
struct heap {
	bool reads;
	struct heap_chunk *chunks;
	size_t nr_chunks;
	size_t max_chunks;
	size_t chunk; /* the next to read */
	KEYED(struct heap_process, processes, nr_processes, process_of_pid);
	KEYED(struct heap_site, sites, nr_sites, site_of_number);
	struct arena frames;
	size_t nr_blocks;
	uint64_t held; /* the first of the entries that were read too early */
	uint64_t lost;
};

/*
 * A window has so many entries, or half as many as there are blocks. Tests have
 * others.
 */
extern size_t heap_window;

/* When the next window begins; UINT64_MAX: never */
static inline uint64_t heap_next(const struct heap *heap)
{
	uint64_t held = heap->held ?: UINT64_MAX;

	return heap->reads && heap->chunk < heap->nr_chunks &&
			       heap->chunks[heap->chunk].time < held
		       ? heap->chunks[heap->chunk].time
		       : held;
}

bool heap_is(const struct pmscope_perf_event *event);

/* Keeps the place of a record for later; 0 or -ENOMEM. @record stays. */
int heap_keep(struct heap *heap, const struct clock *clock,
	      const uint8_t *record);

/* Forgets those that were read; unless they are to be, all. */
void heap_drop(struct heap *heap);

/* After that, before they are used. */
void heap_sort(struct heap *heap);

void heap_fini(struct heap *heap);
