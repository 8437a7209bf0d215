/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs of numbers with their counts, of which there may be more than memory
 * holds: sorted runs of them go to a temporary file, and are merged at the end.
 */
#pragma once

#include "base/std.h"

struct edge {
	uint32_t from;
	uint32_t to;
	uint64_t samples;
	uint64_t mispredicted;
};

/* Edges in the file, sorted, each only once. */
struct edge_run {
	uint64_t first;
	size_t nr;
};

/**
 * struct edges - edges in any order; initialize to zeros, but for @most
 * @most: so many at most are in memory
 * @items: @nr of them, with room for @room
 * @spare: of the same size, for sorting
 * @file: a descriptor, if there are any runs
 * @in_file: how many edges are there
 */
struct edges {
	size_t most;
	struct edge *items;
	struct edge *spare;
	size_t nr;
	size_t room;
	int file;
	uint64_t in_file;
	struct edge_run *runs;
	size_t nr_runs;
	size_t max_runs;
};

/* Makes room for another edge. Returns 0, or a negative errno after error(). */
int edges_make_room(struct edges *edges);

/* As edges_make_room(). */
static inline int edges_add(struct edges *edges, const struct edge *edge)
{
	int ret = edges->nr < edges->room ? 0 : edges_make_room(edges);

	if (!ret)
		edges->items[edges->nr++] = *edge;
	return ret;
}

/*
 * Replaces each number by that in @numbers, and sorts the edges by these. As
 * edges_make_room().
 */
int edges_order(struct edges *edges, const uint32_t *numbers);

/*
 * Calls @take with each edge of @nr sets that were ordered, each edge once and
 * in order, until it returns another number than 0. Returns that, or a negative
 * errno after error().
 */
int edges_merge(const struct edges *const *sets, size_t nr,
		int (*take)(void *context, const struct edge *edge),
		void *context);

void edges_fini(struct edges *edges);
