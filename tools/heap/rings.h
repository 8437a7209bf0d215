/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The memory that recorded programs share with the recorder: a ring for each
 * thread. A program writes allocations into it, the recorder reads them.
 *
 * An allocation is its time (ticks of the timer that SPE stamps with), its
 * address, its size, and the addresses that its callers return to, HEAP_FRAMES
 * at most, the newest first. The upper byte of the address is how many these
 * are. When it is freed, that is a time and the address.
 */
#pragma once

#include <stdalign.h>
#include <stdint.h>

#define HEAP_FILE   "PMSCOPE_HEAP" /* names the memory, in the environment */
#define HEAP_FRAMES 16
#define HEAP_RINGS  1024
#define HEAP_WORDS  32768 /* a power of two */

#define HEAP_FRAMES_SHIFT 56
#define HEAP_ADDRESS	  ((UINT64_C(1) << HEAP_FRAMES_SHIFT) - 1)

/* The longest entry */
#define HEAP_ENTRY (3 + HEAP_FRAMES)

/**
 * struct heap_ring - allocations of a thread
 * @head: words written so far, by the thread
 * @lost: allocations, and ends of some, for which it had no room
 * @pid: its process; 0: the thread is still preparing the ring
 * @parent: the process that this was forked from, since its last exec; 0: none
 * @since: ticks, when it got the ring
 * @tail: words read so far, by the recorder
 */
struct heap_ring {
	alignas(64) uint64_t head;
	uint64_t lost;
	uint32_t pid;
	uint32_t parent;
	uint64_t since;
	alignas(64) uint64_t tail;
	alignas(64) uint64_t words[HEAP_WORDS];
};

/**
 * struct heap_rings - all of the memory
 * @least: bytes of the smallest allocation to note
 * @ended: nothing is to be noted any more
 * @hint: where to look for a ring
 * @lost: allocations of threads for which there was no ring
 * @owner: the thread of each ring; 0: unused
 */
struct heap_rings {
	uint64_t least;
	uint32_t ended;
	uint32_t hint;
	uint64_t lost;
	uint32_t owner[HEAP_RINGS];
	struct heap_ring ring[HEAP_RINGS];
};
