// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heap PHASES [PAIRS] - loads of blocks of the heap, so many of each a round.
 *
 * It prints each as "OBJECT LOADS", as pmscope names it, and those of a struct
 * as "MEMBER LOADS". Buffers of two functions are in turn at the same address.
 * Before that it allocates a small block PAIRS times, and frees it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ENTRIES 4096
#define POOL	65536
#define BUFFER	80000
#define ROUNDS	200

struct entry {
	struct entry *next;
	struct {
		uint64_t low, high;
	} range;
	uint64_t hits[3];
};

/* A function NAME that allocates, in the line after that. */
#define ALLOCATES(name, size)                          \
	enum {                                         \
		LINE_OF_##name = __LINE__              \
	};                                             \
	__attribute__((noipa)) static void *name(void) \
	{                                              \
		void *volatile block = malloc(size);   \
                                                       \
		return block;                          \
	}
ALLOCATES(make_pool, POOL)
ALLOCATES(make_other_pool, POOL)
ALLOCATES(make_buffer, BUFFER)
ALLOCATES(make_other_buffer, BUFFER)

ALLOCATES(small, 64)

enum {
	LINE_OF_make_table = __LINE__ + 4
};
__attribute__((noipa)) static struct entry *make_table(void)
{
	struct entry *table = calloc(ENTRIES, sizeof(*table));

	for (unsigned int i = 0; table && i < ENTRIES; i++)
		table[i].next = table + (i + 1) % ENTRIES;
	return table;
}

#define TWICE(what) ((void)(what), (void)(what))

__attribute__((noipa)) static void load_all(const volatile struct entry *table,
					    const volatile uint64_t *pool,
					    const volatile uint64_t *other,
					    const volatile uint64_t *buffer,
					    unsigned int first)
{
	for (unsigned int round = 0; round < ROUNDS; round++) {
		const volatile struct entry *e =
			&table[(round + first) % ENTRIES];
		unsigned int i = (round + first) % (POOL / 8);

		TWICE(e->next), TWICE(e->next), TWICE(e->next);
		(void)e->next;
		TWICE(e->range.high), (void)e->range.high;
		(void)e->hits[round % 3];
		TWICE(pool[i]), (void)pool[i];
		TWICE(other[i]), TWICE(other[i]), (void)other[i];
		TWICE(buffer[i]);
		if (first % 2)
			TWICE(buffer[i]);
	}
}

#define SAY(name, loads) \
	printf("[heap] %s heap.c:%d %d\n", #name, LINE_OF_##name, loads)

int main(int argc, char **argv)
{
	unsigned int phases = argc > 1 ? strtoul(argv[1], NULL, 0) : 10;
	unsigned int pairs = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	void *pool = make_pool(), *other = make_other_pool(), *at = NULL;
	struct entry *table = make_table();

	SAY(make_table, 22);
	SAY(make_pool, 6);
	SAY(make_other_pool, 10);
	SAY(make_buffer, 2);
	SAY(make_other_buffer, 4);
	puts("entry[].next 7\nentry[].range.high 3\nentry[].hits[] 1");
	while (pairs--)
		free(small());
	for (unsigned int i = 0; i < phases; i++) {
		void *buffer = i % 2 ? make_other_buffer() : make_buffer();

		if (at && buffer != at)
			fprintf(stderr, "a buffer is elsewhere\n");
		at = buffer;
		load_all(table, pool, other, buffer, i);
		free(buffer);
	}
	return 0;
}
