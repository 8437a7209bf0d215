// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * objects ROUNDS - loads of things with names, so many of each a round.
 *
 * It prints each as "MEMBER LOADS", as pmscope names it, and stores nothing in
 * the rounds. Some of them are in a library, libobjects.so, which is this source
 * with -DLIBRARY.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct entry {
	uint64_t key;
	struct {
		uint64_t low, high;
	} range;
};

extern volatile struct entry library_table[16];

#ifdef LIBRARY
volatile struct entry library_table[16];
#else
static volatile struct {
	uint64_t hits, misses, evictions;
} stats;
static volatile struct node {
	struct node *next;
	uint64_t key[2];
} nodes[512];
static _Thread_local volatile uint64_t counts[4];

#define TWICE(what) ((void)(what), (void)(what))

__attribute__((noinline)) static void load_all(uint64_t rounds)
{
	volatile uint64_t buffer[8] = {};

	while (rounds--) {
		uint64_t i = rounds % 512;

		TWICE(stats.hits), TWICE(stats.hits), TWICE(stats.hits);
		(void)stats.hits;
		TWICE(stats.misses), (void)stats.misses;
		(void)stats.evictions;
		TWICE(nodes[i].next), TWICE(nodes[i].key[1]);
		TWICE(nodes[i].next);
		TWICE(library_table[i % 16].range.high);
		TWICE(counts[i % 4]), (void)counts[1];
		TWICE(buffer[i % 8]), TWICE(buffer[3]);
	}
}

int main(int argc, char **argv)
{
	puts("stats.hits 7\nstats.misses 3\nstats.evictions 1\n"
	     "nodes[].next 4\nnodes[].key[] 2\n"
	     "library_table[].range.high 2\n"
	     "counts[] 3\n[stack] load_all 4");
	load_all(argc > 1 ? strtoull(argv[1], NULL, 0) : 1000);
	return 0;
}
#endif
