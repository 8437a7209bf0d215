// SPDX-License-Identifier: GPL-2.0-or-later
/* NUMA nodes of memory and CPUs in the header. */
#include "bytes.h"
#include "ktap.h"

#include <pmscope/perfdata.h>

#include <stdio.h>
#include <string.h>

#define BLOCK 0x8000000

/* A small recording with that feature. */
static struct pmscope_perfdata *open_with(struct bytes *file, unsigned int bit,
					  const struct bytes *feature)
{
	const struct where where = {.pid = 1, .tid = 1};
	struct pmscope_perfdata *reader;

	perfdata_begin(file);
	put_comm(file, 0, "task", &where);
	perfdata_end(file);
	perfdata_put_feature(file, bit, feature);
	EXPECT_EQ(pmscope_perfdata_open(file->data, file->size, &reader), 0);
	return reader;
}

static void put_words(struct bytes *b, const uint64_t *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		put(b, words[i], 8);
}

/* Version, block size, nodes; of each its number, bits twice, and the bitmap.
 */
static const uint64_t memory[] = {
	1, BLOCK, 3, 0, 3, 3, 0x5, 2, 70, 70, 0, UINT64_C(1) << 5, 16, 0, 0};

static void put_memory(struct bytes *b)
{
	put_words(b, memory, sizeof(memory) / sizeof(memory[0]));
}

static const struct {
	uint64_t block;
	int node;
} blocks[] = {{0, 0},  {1, -1},	 {2, 0},   {3, -1},
	      {69, 2}, {68, -1}, {70, -1}, {UINT64_MAX / BLOCK, -1}};

TEST(nodes_of_memory)
{
	struct bytes file = {}, feature = {};
	struct pmscope_perfdata *r;

	put_memory(&feature);
	r = open_with(&file, PMSCOPE_FEATURE_MEM_TOPOLOGY, &feature);
	EXPECT_STREQ(pmscope_perfdata_error(r), "");
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		uint64_t first = blocks[i].block * BLOCK;

		EXPECT_EQ(pmscope_perfdata_node_of_memory(r, first),
			  blocks[i].node);
		EXPECT_EQ(pmscope_perfdata_node_of_memory(r, first + BLOCK - 1),
			  blocks[i].node);
	}
	EXPECT_EQ(pmscope_perfdata_node_of_cpu(r, 0), -1);
	pmscope_perfdata_free(r);
	bytes_fini(&feature);
	bytes_fini(&file);
}

static void put_cpus(struct bytes *b, uint32_t node, const char *cpus)
{
	put(b, node, 4);
	put_zeros(b, 16);
	put(b, strlen(cpus) + 5, 4);
	bytes_add(b, cpus, strlen(cpus));
	put_zeros(b, 5);
}

TEST(nodes_of_cpus)
{
	static const int nodes[] = {0, 0, 0, 0, 7, 7, 0, -1, 7};
	struct bytes file = {}, feature = {};
	struct pmscope_perfdata *r;

	put(&feature, 3, 4);
	put_cpus(&feature, 0, "0-3,6");
	put_cpus(&feature, 1, "");
	put_cpus(&feature, 7, "4-5,8,4096-8191");
	r = open_with(&file, PMSCOPE_FEATURE_NUMA_TOPOLOGY, &feature);
	EXPECT_STREQ(pmscope_perfdata_error(r), "");
	for (uint32_t cpu = 0; cpu < 9; cpu++)
		EXPECT_EQ(pmscope_perfdata_node_of_cpu(r, cpu), nodes[cpu]);
	EXPECT_EQ(pmscope_perfdata_node_of_cpu(r, 8191), 7);
	EXPECT_EQ(pmscope_perfdata_node_of_cpu(r, 8192), -1);
	EXPECT_EQ(pmscope_perfdata_node_of_cpu(r, UINT32_MAX), -1);
	EXPECT_EQ(pmscope_perfdata_node_of_memory(r, 0), -1);
	pmscope_perfdata_free(r);
	bytes_fini(&feature);
	bytes_fini(&file);
}

/* Says so, and nothing of nodes; the bytes are at the end of the file. */
static void expect_damaged(unsigned int bit, const struct bytes *feature,
			   bool damaged)
{
	struct bytes file = {};
	struct pmscope_perfdata *r = open_with(&file, bit, feature);
	char wanted[40];

	snprintf(wanted, sizeof(wanted), "feature %u is damaged", bit);
	EXPECT_EQ(!!strstr(pmscope_perfdata_error(r), wanted), damaged);
	EXPECT_EQ(pmscope_perfdata_node_of_memory(r, 0), -1);
	EXPECT_EQ(pmscope_perfdata_node_of_cpu(r, 0), -1);
	pmscope_perfdata_free(r);
	bytes_fini(&file);
}

TEST(features_that_are_cut)
{
	struct bytes memory_nodes = {}, cpus = {};

	put_memory(&memory_nodes);
	put(&cpus, 2, 4);
	put_cpus(&cpus, 1, "0-3");
	put_cpus(&cpus, 2, "4-5");
	while (memory_nodes.size--)
		expect_damaged(PMSCOPE_FEATURE_MEM_TOPOLOGY, &memory_nodes,
			       true);
	while (cpus.size--)
		expect_damaged(PMSCOPE_FEATURE_NUMA_TOPOLOGY, &cpus, true);
	bytes_fini(&memory_nodes);
	bytes_fini(&cpus);
}

TEST(memory_that_makes_no_sense)
{
	static const struct {
		size_t at;
		uint64_t value;
		bool damaged;
	} changes[] = {
		{0, 2, false}, /* another version */
		{1, 0, true},  /* blocks of no bytes */
		{2, 4, true},	       {2, 1025, true},
		{2, UINT64_MAX, true}, {3, UINT64_C(1) << 32, true},
		{5, UINT64_MAX, true}, {5, UINT64_MAX - 63, true},
		{5, 1000, true},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		uint64_t words[sizeof(memory) / sizeof(memory[0])];
		struct bytes b = {};

		memcpy(words, memory, sizeof(words));
		words[changes[i].at] = changes[i].value;
		put_words(&b, words, sizeof(words) / sizeof(words[0]));
		expect_damaged(PMSCOPE_FEATURE_MEM_TOPOLOGY, &b,
			       changes[i].damaged);
		bytes_fini(&b);
	}
}

/* A list of CPUs is read as far as it is valid. */
TEST(lists_that_make_no_sense)
{
	static const char *const lists[] = {
		"x", "-", ",", "-3", "0x", "4-", "99999999999", "1-0", "3,,0",
	};
	static const int nodes[] = {-1, -1, -1, -1, 0, -1, -1, -1, 0};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct bytes file = {}, feature = {};
		struct pmscope_perfdata *r;

		put(&feature, 1, 4);
		put_cpus(&feature, 0, lists[i]);
		r = open_with(&file, PMSCOPE_FEATURE_NUMA_TOPOLOGY, &feature);
		EXPECT_EQ(pmscope_perfdata_node_of_cpu(r, 0), nodes[i]);
		pmscope_perfdata_free(r);
		bytes_fini(&feature);
		bytes_fini(&file);
	}
}

KTAP_MAIN
