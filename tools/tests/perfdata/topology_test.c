// SPDX-License-Identifier: GPL-2.0-or-later
/* NUMA nodes of memory and CPUs in the header. */
#include "scenario.h"

#define BLOCK 0x8000000

/* A small recording with that feature. */
#define WITH(bit, bytes) \
	BARE, COMM(0, 1, 1, "task"), FEATURE(bit, bytes), READER
#define WITH_MEMORY(bytes) WITH(PMSCOPE_FEATURE_MEM_TOPOLOGY, bytes)
#define WITH_CPUS(bytes)   WITH(PMSCOPE_FEATURE_NUMA_TOPOLOGY, bytes)

STEP_IS(expect_memory,
	EXPECT_EQ(pmscope_perfdata_node_of_memory(sc->reader, step->v[0]),
		  (int)step->v[1]));
#define MEMORY(address, node) CALL(expect_memory, address, node)
#define IN_BLOCK(nr, node) \
	MEMORY((nr)*BLOCK, node), MEMORY((nr)*BLOCK + BLOCK - 1, node)

STEP_IS(expect_cpu,
	EXPECT_EQ(pmscope_perfdata_node_of_cpu(sc->reader, step->v[0]),
		  (int)step->v[1]));
#define CPU(cpu, node) CALL(expect_cpu, cpu, node)

/* Version, block size, nodes; of each: number, bits twice, bitmap. */
static uint64_t memory[] = {
	1, BLOCK, 3, 0, 3, 3, 0x5, 2, 70, 70, 0, UINT64_C(1) << 5, 16, 0, 0};
static const struct bytes memory_nodes = {
	.data = (uint8_t *)memory,
	.size = sizeof(memory),
};

SCENARIO(nodes_of_memory, WITH_MEMORY(&memory_nodes), READER_ERROR(""),
	 IN_BLOCK(0UL, 0), IN_BLOCK(1UL, -1), IN_BLOCK(2UL, 0),
	 IN_BLOCK(3UL, -1), IN_BLOCK(69UL, 2), IN_BLOCK(68UL, -1),
	 IN_BLOCK(70UL, -1), IN_BLOCK(UINT64_MAX / BLOCK, -1), CPU(0, -1));

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
	BYTES feature = {};

	put(&feature, 3, 4);
	put_cpus(&feature, 0, "0-3,6");
	put_cpus(&feature, 1, "");
	put_cpus(&feature, 7, "4-5,8,4096-8191");
	PLAY(WITH_CPUS(&feature), READER_ERROR(""), CPU(0, 0), CPU(1, 0),
	     CPU(2, 0), CPU(3, 0), CPU(4, 7), CPU(5, 7), CPU(6, 0), CPU(7, -1),
	     CPU(8, 7), CPU(8191, 7), CPU(8192, -1), CPU(UINT32_MAX, -1),
	     MEMORY(0, -1));
}

STEP_OF(expect_fault)
{
	char wanted[40];

	snprintf(wanted, sizeof(wanted), "feature %u is damaged",
		 (unsigned int)step->v[0]);
	EXPECT_EQ(!!strstr(pmscope_perfdata_error(sc->reader), wanted),
		  step->v[1]);
}

/* Says so, and nothing of nodes; the bytes are at the end of the file. */
static void expect_damaged(unsigned int bit, const struct bytes *feature,
			   bool damaged)
{
	PLAY(WITH(bit, feature), CALL(expect_fault, bit, damaged),
	     MEMORY(0, -1), CPU(0, -1));
}

TEST(features_that_are_cut)
{
	struct bytes nodes = memory_nodes, cpus = {};

	put(&cpus, 2, 4);
	put_cpus(&cpus, 1, "0-3");
	put_cpus(&cpus, 2, "4-5");
	while (nodes.size--)
		expect_damaged(PMSCOPE_FEATURE_MEM_TOPOLOGY, &nodes, true);
	while (cpus.size--)
		expect_damaged(PMSCOPE_FEATURE_NUMA_TOPOLOGY, &cpus, true);
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

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		uint64_t kept = memory[changes[i].at];

		memory[changes[i].at] = changes[i].value;
		expect_damaged(PMSCOPE_FEATURE_MEM_TOPOLOGY, &memory_nodes,
			       changes[i].damaged);
		memory[changes[i].at] = kept;
	}
}

TEST(lists_that_make_no_sense)
{
	static const struct {
		const char *list;
		int node;
	} cases[] = {{"x", -1},		  {"-", -1},   {",", -1},
		     {"-3", -1},	  {"0x", 0},   {"4-", -1},
		     {"99999999999", -1}, {"1-0", -1}, {"3,,0", 0}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		BYTES feature = {};

		put(&feature, 1, 4);
		put_cpus(&feature, 0, cases[i].list);
		PLAY(WITH_CPUS(&feature), CPU(0, cases[i].node));
	}
}
