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

/* Allocations of a thread */
struct heap_ring {
	alignas(64) uint64_t head; /* words written so far, by the thread */
	/* allocations, and ends of some, for which it had no room */
	uint64_t lost;
	/* its process; 0: the thread is still preparing the ring */
	uint32_t pid;
	/*
	 * the process that this was forked from, since its last exec; 0: none
	 */
	uint32_t parent;
	uint64_t since;		   /* ticks, when it got the ring */
	alignas(64) uint64_t tail; /* words read so far, by the recorder */
	alignas(64) uint64_t words[HEAP_WORDS];
};

struct heap_rings {
	uint64_t least; /* bytes of the smallest allocation to note */
	uint32_t ended; /* nothing is to be noted any more */
	uint32_t hint;	/* where to look for a ring */
	/* allocations of threads for which there was no ring */
	uint64_t lost;
	uint32_t owner[HEAP_RINGS]; /* the thread of each ring; 0: unused */
	struct heap_ring ring[HEAP_RINGS];
};
