// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * NUMA nodes of memory and CPUs, from the features MEM_TOPOLOGY and
 * NUMA_TOPOLOGY. Both are read in place.
 */
#include "reader.h"

/* The kernel's maximum (NODES_SHIFT 10). */
#define MAX_NODES 1024

#define MEMORY_VERSION 1
#define MEMORY_HEAD    24 /* version, bytes of a block, number of nodes */
#define MEMORY_NODE    24 /* node, bits twice; the bitmap of its blocks */
#define NUMA_HEAD      4  /* number of nodes */
#define NUMA_NODE      24 /* node, memory, free memory, length of the text */

/* The unread part of a feature. */
struct rest {
	const uint8_t *at;
	size_t size;
};

struct memory_node {
	uint64_t node;
	uint64_t bits;
	const uint8_t *bitmap;
};

struct numa_node {
	uint32_t node;
	const char *cpus; /* may have no NUL at the end */
	size_t length;
};

static void skip(struct rest *rest, size_t bytes)
{
	rest->at += bytes;
	rest->size -= bytes;
}

static bool memory_next(struct rest *rest, struct memory_node *node)
{
	uint64_t words;

	if (rest->size < MEMORY_NODE)
		return false;
	*node = (struct memory_node){
		.node = get64(rest->at),
		.bits = get64(rest->at + 16),
		.bitmap = rest->at + MEMORY_NODE,
	};
	skip(rest, MEMORY_NODE);
	words = node->bits / 64 + !!(node->bits % 64);
	if (node->node > INT32_MAX || words > rest->size / 8)
		return false;
	skip(rest, 8 * words);
	return true;
}

static bool numa_next(struct rest *rest, struct numa_node *node)
{
	uint32_t length;

	if (rest->size < NUMA_NODE)
		return false;
	node->node = get32(rest->at);
	length = get32(rest->at + 20);
	node->cpus = (const char *)rest->at + NUMA_NODE;
	skip(rest, NUMA_NODE);
	if (node->node > INT32_MAX || length > rest->size)
		return false;
	node->length = strnlen(node->cpus, length);
	skip(rest, length);
	return true;
}

/* Checks the version and reads the header. */
static bool memory_begin(struct span s, struct rest *rest, uint64_t *nr)
{
	*rest = (struct rest){s.data, s.size};
	if (s.size < MEMORY_HEAD || get64(s.data) != MEMORY_VERSION)
		return false;
	*nr = get64(s.data + 16);
	skip(rest, MEMORY_HEAD);
	return true;
}

int topology_check_memory(struct span s)
{
	struct memory_node node;
	struct rest rest;
	uint64_t nr;

	if (s.size >= 8 && get64(s.data) != MEMORY_VERSION)
		return 0;
	if (!memory_begin(s, &rest, &nr) || !get64(s.data + 8) ||
	    nr > MAX_NODES)
		return -EBADMSG;
	while (nr--)
		if (!memory_next(&rest, &node))
			return -EBADMSG;
	return 0;
}

int topology_check_numa(struct span s)
{
	struct rest rest = {s.data, s.size};
	struct numa_node node;
	uint32_t nr;

	if (s.size < NUMA_HEAD)
		return -EBADMSG;
	nr = get32(s.data);
	if (nr > MAX_NODES)
		return -EBADMSG;
	skip(&rest, NUMA_HEAD);
	while (nr--)
		if (!numa_next(&rest, &node))
			return -EBADMSG;
	return 0;
}

int pmscope_perfdata_node_of_memory(const struct pmscope_perfdata *reader,
				    uint64_t physical)
{
	struct span s = reader->feature_data[PMSCOPE_FEATURE_MEM_TOPOLOGY];
	struct memory_node node;
	struct rest rest;
	uint64_t nr, block;

	if (topology_check_memory(s) || !memory_begin(s, &rest, &nr))
		return -1;
	block = physical / get64(s.data + 8);
	while (nr-- && memory_next(&rest, &node))
		if (block < node.bits &&
		    node.bitmap[block / 8] >> block % 8 & 1)
			return node.node;
	return -1;
}

/* Parses a number at *@at and advances; -1: no number, or too large. */
static int64_t take_number(const char **at, const char *end)
{
	int64_t number = -1;

	for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		number = (number < 0 ? 0 : 10 * number) + (**at - '0');
		if (number > INT32_MAX)
			return -1;
	}
	return number;
}

/* Is @cpu in a list as "0-3,7"? */
static bool has_cpu(const struct numa_node *node, uint32_t cpu)
{
	const char *at = node->cpus, *end = at + node->length;

	while (at < end) {
		int64_t first = take_number(&at, end), last = first;

		if (at < end && *at == '-') {
			at++;
			last = take_number(&at, end);
		}
		if (first >= 0 && first <= cpu && cpu <= last)
			return true;
		if (at == end || *at++ != ',')
			return false;
	}
	return false;
}

int pmscope_perfdata_node_of_cpu(const struct pmscope_perfdata *reader,
				 uint32_t cpu)
{
	struct span s = reader->feature_data[PMSCOPE_FEATURE_NUMA_TOPOLOGY];
	struct rest rest = {s.data, s.size};
	struct numa_node node;
	uint32_t nr;

	if (topology_check_numa(s))
		return -1;
	nr = get32(s.data);
	skip(&rest, NUMA_HEAD);
	while (nr-- && numa_next(&rest, &node))
		if (has_cpu(&node, cpu))
			return node.node;
	return -1;
}
