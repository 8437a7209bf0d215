/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The least of many keys that change one by one, with log2(n) comparisons. They
 * compile to no branches, because the CPU of the next record is unpredictable.
 */
#pragma once

#include "base/std.h"

/* Entrants with the same key keep the order of their numbers. */
struct entrant {
	uint64_t key;
	uint64_t number;
};

#define NO_ENTRANT ((struct entrant){UINT64_MAX, UINT64_MAX})

/*
 * Node 1 holds the better of nodes 2 and 3, node 2 that of 4 and 5, and so on;
 * entrant i is in node @nr + i. Key and number are kept apart, because
 * compilers make a branch if both are one value.
 */
struct tournament {
	uint64_t *key;
	uint64_t *number;
	size_t nr; /* a power of 2 */
};

static inline bool entrant_is_before(struct entrant a, struct entrant b)
{
	return ((unsigned __int128)a.key << 64 | a.number) <
	       ((unsigned __int128)b.key << 64 | b.number);
}

/* Allocates an empty one for numbers below @nr; false if out of memory. */
static inline bool tournament_init(struct tournament *t, size_t nr)
{
	for (t->nr = 1; t->nr < nr;)
		t->nr *= 2;
	t->key = malloc(4 * t->nr * sizeof(*t->key));
	if (!t->key)
		return false;
	t->number = t->key + 2 * t->nr;
	for (size_t i = 0; i < 2 * t->nr; i++)
		t->key[i] = t->number[i] = UINT64_MAX;
	return true;
}

static inline void tournament_fini(struct tournament *t)
{
	free(t->key);
}

static inline struct entrant tournament_at(const struct tournament *t, size_t i)
{
	return (struct entrant){t->key[i], t->number[i]};
}

/* The entrant with the least key; NO_ENTRANT if there is none. */
static inline struct entrant tournament_first(const struct tournament *t)
{
	return tournament_at(t, 1);
}

static inline bool tournament_is_over(const struct tournament *t)
{
	return t->number[1] == UINT64_MAX;
}

/* The loads of the other nodes on the way up do not depend on the winner. */
static inline void tournament_put(const struct tournament *t, size_t number,
				  struct entrant entrant)
{
	const struct tournament all = *t;
	size_t i = all.nr + number;

	all.key[i] = entrant.key;
	all.number[i] = entrant.number;
	for (; i > 1; i /= 2) {
		struct entrant other = tournament_at(&all, i ^ 1);
		bool loses = entrant_is_before(other, entrant);

		entrant.key = loses ? other.key : entrant.key;
		entrant.number = loses ? other.number : entrant.number;
		all.key[i / 2] = entrant.key;
		all.number[i / 2] = entrant.number;
	}
}

/* Adds entrant @number or changes its key. */
static inline void tournament_enter(struct tournament *t, size_t number,
				    uint64_t key)
{
	tournament_put(t, number, (struct entrant){key, number});
}

static inline void tournament_leave(struct tournament *t, size_t number)
{
	tournament_put(t, number, NO_ENTRANT);
}

/* The entrant with the second least key, or NO_ENTRANT. */
static inline struct entrant tournament_second(const struct tournament *t)
{
	struct entrant second = NO_ENTRANT;

	for (size_t i = t->nr + t->number[1]; i > 1; i /= 2)
		if (entrant_is_before(tournament_at(t, i ^ 1), second))
			second = tournament_at(t, i ^ 1);
	return second;
}
