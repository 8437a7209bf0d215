// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * A treap, ordered by start address. Nodes that another space owns are copied
 * on write. Priorities are random per process, so no order of mappings in a
 * file can make the tree deep.
 */
#include "space.h"
#include "hash.h"

struct space_node {
	struct mapping mapping;
	struct space_node *left;
	struct space_node *right;
	uint32_t priority;
	uint32_t owner;
};

/* One change of one space; @failed after an allocation failed. */
struct change {
	struct space_pool *pool;
	uint32_t owner;
	bool failed;
};

static uint32_t next_random(struct space_pool *pool)
{
	/* xorshift64*: the state must not be 0. */
	uint64_t x = pool->random ? pool->random : table_seed();

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	pool->random = x;
	return x * UINT64_C(0x2545f4914f6cdd1d) >> 32;
}

static struct space_node *node_new(struct change *c)
{
	struct space_node *node = c->pool->unused;

	if (node)
		c->pool->unused = node->left;
	else
		node = arena_alloc(&c->pool->arena, sizeof(*node));
	if (!node)
		c->failed = true;
	else
		node->owner = c->owner;
	return node;
}

/* Returns @node if this space owns it, else a copy that it owns. */
static struct space_node *node_own(struct change *c, struct space_node *node)
{
	struct space_node *copy;

	if (node->owner == c->owner)
		return node;
	copy = node_new(c);
	if (!copy)
		return NULL;
	*copy = *node;
	copy->owner = c->owner;
	return copy;
}

/* Splits @node into the mappings that start below @key and the others. */
static void split(struct change *c, struct space_node *node, uint64_t key,
		  struct space_node **low, struct space_node **high)
{
	*low = *high = NULL;
	if (!node)
		return;
	node = node_own(c, node);
	if (!node)
		return;
	if (node->mapping.start < key) {
		split(c, node->right, key, &node->right, high);
		*low = node;
	} else {
		split(c, node->left, key, low, &node->left);
		*high = node;
	}
}

/* All mappings of @low must start below those of @high. */
static struct space_node *merge(struct change *c, struct space_node *low,
				struct space_node *high)
{
	struct space_node *top;

	if (!low || !high)
		return low ? low : high;
	top = node_own(c, low->priority > high->priority ? low : high);
	if (!top)
		return NULL;
	if (low->priority > high->priority)
		top->right = merge(c, top->right, high);
	else
		top->left = merge(c, low, top->left);
	return top;
}

/* Stops at shared nodes: everything below is shared, too, and may be large. */
static void drop_all(struct change *c, struct space_node *node)
{
	if (!node || node->owner != c->owner)
		return;
	drop_all(c, node->left);
	drop_all(c, node->right);
	node->left = c->pool->unused;
	c->pool->unused = node;
}

static struct space_node *last_of(struct space_node *node)
{
	while (node && node->right)
		node = node->right;
	return node;
}

static struct space_node *node_of(struct change *c, const struct mapping *m)
{
	struct space_node *node = node_new(c);

	if (!node)
		return NULL;
	node->mapping = *m;
	node->left = node->right = NULL;
	node->priority = next_random(c->pool);
	return node;
}

/* The part of @m at or above @start. */
static struct mapping tail_of(const struct mapping *m, uint64_t start)
{
	struct mapping tail = *m;

	tail.start = start;
	tail.file_offset += start - m->start;
	return tail;
}

/* Cuts @m out of mappings that start below. Returns the rest above, or NULL. */
static struct space_node *cut_low(struct change *c, struct space_node **low,
				  const struct mapping *m)
{
	struct space_node *last = last_of(*low), *rest, *top;
	struct mapping tail;

	if (!last || last->mapping.end <= m->start)
		return NULL;
	tail = tail_of(&last->mapping, m->end);
	/* Owns the path to the last node, and that node. */
	split(c, *low, last->mapping.start, &top, &rest);
	if (c->failed)
		return NULL;
	rest->mapping.end = m->start;
	*low = merge(c, top, rest);
	return tail.start < tail.end ? node_of(c, &tail) : NULL;
}

/* The same for mappings that start inside it. */
static struct space_node *
cut_middle(struct change *c, struct space_node *middle, const struct mapping *m)
{
	struct space_node *last = last_of(middle), *tail = NULL;

	if (last && last->mapping.end > m->end) {
		struct mapping rest = tail_of(&last->mapping, m->end);

		tail = node_of(c, &rest);
	}
	drop_all(c, middle);
	return tail;
}

int space_map(struct space_pool *pool, struct space *space,
	      const struct mapping *m)
{
	struct space_node *low, *middle, *high, *node, *tail;
	struct change c = {.pool = pool};

	if (m->start >= m->end)
		return 0;
	if (!space->owner)
		space->owner = ++pool->owners;
	c.owner = space->owner;
	split(&c, space->root, m->start, &low, &high);
	split(&c, high, m->end, &middle, &high);
	tail = c.failed ? NULL : cut_low(&c, &low, m);
	if (!tail && !c.failed)
		tail = cut_middle(&c, middle, m);
	node = node_of(&c, m);
	if (!c.failed)
		low = merge(&c, merge(&c, low, node), merge(&c, tail, high));
	if (c.failed)
		return -ENOMEM;
	space->root = low;
	return 0;
}

void space_fork(struct space_pool *pool, struct space *parent,
		struct space *child)
{
	child->root = parent->root;
	parent->owner = ++pool->owners;
	child->owner = ++pool->owners;
}

const struct mapping *space_find(const struct space *space, uint64_t address,
				 struct pmscope_around *around)
{
	const struct space_node *node = space->root, *found = NULL;

	while (node) {
		if (node->mapping.start <= address) {
			found = node;
			node = node->right;
		} else {
			around_ends(around, node->mapping.start - address - 1);
			node = node->left;
		}
	}
	if (!found)
		return NULL;
	if (address >= found->mapping.end) {
		around_begins(around, address - found->mapping.end);
		return NULL;
	}
	around_begins(around, address - found->mapping.start);
	around_ends(around, found->mapping.end - address - 1);
	return &found->mapping;
}

void space_pool_fini(struct space_pool *pool)
{
	arena_fini(&pool->arena);
}
