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
	uint64_t lost;	 /* allocations and frees that found no room */
	uint32_t pid;	 /* its process; 0: a thread still prepares it */
	uint32_t parent; /* it was forked from, since its exec; 0: none */
	uint64_t since;	 /* ticks, when it got the ring */
	alignas(64) uint64_t tail; /* words read so far, by the recorder */
	alignas(64) uint64_t words[HEAP_WORDS];
};

struct heap_rings {
	uint64_t least; /* bytes of the smallest allocation to note */
	uint32_t ended; /* nothing is to be noted any more */
	uint32_t hint;	/* where to look for a ring */
	uint64_t lost;	/* allocations of threads without a ring */
	uint32_t owner[HEAP_RINGS]; /* the thread of each ring; 0: unused */
	struct heap_ring ring[HEAP_RINGS];
};
