// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "containers.h"

/* Small, because many arenas hold only a few names; later blocks are larger. */
#define FIRST_BLOCK ((size_t)1 << 12)
#define MAX_BLOCK   ((size_t)1 << 20)

struct arena_block {
	struct arena_block *next;
	size_t size;
	uint64_t data[];
};

/* Size of the next block, at least @size bytes. */
static size_t block_size(const struct arena *arena, size_t size)
{
	size_t wanted = arena->blocks ? 2 * arena->blocks->size : FIRST_BLOCK;

	wanted = MIN(wanted, MAX_BLOCK);
	return MAX(wanted, size);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block;
	size_t wanted;

	if (size > SIZE_MAX - 2 * MAX_BLOCK)
		return NULL;
	size = (size + 7) & ~(size_t)7;
	if (size > arena->left) {
		wanted = block_size(arena, size);
		block = malloc(sizeof(*block) + wanted);
		if (!block)
			return NULL;
		block->next = arena->blocks;
		block->size = wanted;
		arena->blocks = block;
		arena->left = wanted;
	}
	block = arena->blocks;
	arena->left -= size;
	return (char *)block->data + block->size - arena->left - size;
}

void *arena_copy(struct arena *arena, const void *data, size_t size)
{
	void *copy = arena_alloc(arena, size);

	if (copy)
		memcpy(copy, data, size);
	return copy;
}

void arena_fini(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	arena->left = 0;
}
