/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The least of many keys that change one by one, with as many comparisons as
 * there are doublings of them. None of them is a branch, since nobody can guess
 * which CPU's record is the next.
 */
#ifndef PMSCOPE_TABLE_TOURNAMENT_H
#define PMSCOPE_TABLE_TOURNAMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Of those with one key the order is that of their numbers. */
struct entrant {
	uint64_t key;
	uint64_t number;
};

#define NO_ENTRANT ((struct entrant){UINT64_MAX, UINT64_MAX})

/*
 * The better of nodes 2 and 3 is in node 1, that of 4 and 5 in 2, and so on;
 * entrant i is in node @nr + i.
 */
struct tournament {
	struct entrant *node;
	size_t nr; /* a power of 2 */
};

static inline bool entrant_is_before(const struct entrant *a,
				     const struct entrant *b)
{
	return ((unsigned __int128)a->key << 64 | a->number) <
	       ((unsigned __int128)b->key << 64 | b->number);
}

/* For numbers below @nr, none of which is there. False: memory is short. */
static inline bool tournament_init(struct tournament *t, size_t nr)
{
	for (t->nr = 1; t->nr < nr;)
		t->nr *= 2;
	t->node = malloc(2 * t->nr * sizeof(*t->node));
	for (size_t i = 0; t->node && i < 2 * t->nr; i++)
		t->node[i] = NO_ENTRANT;
	return t->node;
}

static inline void tournament_fini(struct tournament *t)
{
	free(t->node);
}

/* NO_ENTRANT when nobody is there. */
static inline const struct entrant *tournament_first(const struct tournament *t)
{
	return &t->node[1];
}

static inline bool tournament_is_over(const struct tournament *t)
{
	return t->node[1].number == UINT64_MAX;
}

static inline void tournament_put(struct tournament *t, size_t number,
				  struct entrant entrant)
{
	struct entrant *node = t->node;
	size_t i = t->nr + number;

	node[i] = entrant;
	while (i > 1) {
		i &= ~(size_t)1;
		node[i / 2] =
			node[i + entrant_is_before(&node[i + 1], &node[i])];
		i /= 2;
	}
}

/* Comes, or has another key. */
static inline void tournament_enter(struct tournament *t, size_t number,
				    uint64_t key)
{
	tournament_put(t, number, (struct entrant){key, number});
}

static inline void tournament_leave(struct tournament *t, size_t number)
{
	tournament_put(t, number, NO_ENTRANT);
}

/* The one behind the first, or NO_ENTRANT. */
static inline struct entrant tournament_second(const struct tournament *t)
{
	struct entrant second = NO_ENTRANT;

	for (size_t i = t->nr + t->node[1].number; i > 1; i /= 2)
		if (entrant_is_before(&t->node[i ^ 1], &second))
			second = t->node[i ^ 1];
	return second;
}

#endif /* PMSCOPE_TABLE_TOURNAMENT_H */
