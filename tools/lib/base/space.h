/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include <pmscope/recording.h>

#include "containers.h"

/* Bounds around an address within which a result stays valid. */

/* The result is valid for at most @bytes before the address. */
static inline void around_begins(struct pmscope_around *around, uint64_t bytes)
{
	if (around && bytes < around->before)
		around->before = bytes;
}

/* The result is valid for at most @bytes after the address. */
static inline void around_ends(struct pmscope_around *around, uint64_t bytes)
{
	if (around && bytes < around->behind)
		around->behind = bytes;
}

/*
 * Address spaces: the mappings at one moment. A fork shares all mappings with
 * its parent (copy on write), so the cost is linear in forks and in mappings.
 */
struct mapping {
	uint64_t start;
	uint64_t end; /* exclusive */
	uint64_t file_offset;
	uint32_t dso;
	uint32_t program; /* that mapped it; forks inherit this */
};

struct space_node;

/* Allocates the nodes, which several spaces may share. */
struct space_pool {
	struct arena arena;
	struct space_node *unused;
	uint64_t random;
	uint32_t owners;
};

/* Initialize to zeros. */
struct space {
	struct space_node *root;
	uint32_t
		owner; /* nodes with another owner are shared: copy to change */
};

/* Adds @mapping in place of all that it overlaps. Returns 0 or -ENOMEM. */
int space_map(struct space_pool *pool, struct space *space,
	      const struct mapping *mapping);

/* @child gets the mappings of @parent. */
void space_fork(struct space_pool *pool, struct space *parent,
		struct space *child);

/*
 * Returns the mapping that contains @address, or NULL. Narrows @around, unless
 * it is NULL, to the addresses that give the same result.
 */
const struct mapping *space_find(const struct space *space, uint64_t address,
				 struct pmscope_around *around);

void space_pool_fini(struct space_pool *pool);
