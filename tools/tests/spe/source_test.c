// SPDX-License-Identifier: GPL-2.0-or-later
/* Data sources: the meaning of codes per CPU, as in perf. */
#include "ktap.h"
#include "spe/spe.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>

#include <linux/perf_event.h>

#define NR_CODES 32

/* MIDR_EL1 of r1p2, as a CPU has it. */
#define MIDR(implementer, part) \
	((implementer) << 24 | 0x1f0000U | (part) << 4 | 2U)

static void expect_codes(uint32_t midr, const char *const *names)
{
	for (unsigned int code = 0; code < NR_CODES; code++) {
		const char *name = pmscope_source_name(midr, code);

		EXPECT_STREQ(name ? name : "", names[code] ? names[code] : "");
	}
	EXPECT_TRUE(!pmscope_source_name(midr, 0x100));
}

TEST(codes_of_arm)
{
	static const char *const names[NR_CODES] = {
		[0x0] = "L1",		[0x8] = "L2",
		[0x9] = "peer core",	[0xa] = "local cluster",
		[0xb] = "system cache", [0xc] = "peer cluster",
		[0xd] = "remote",	[0xe] = "DRAM",
	};
	static const uint32_t midrs[] = {
		MIDR(0x41U, 0xd0cU), /* Neoverse N1 */
		MIDR(0x41U, 0xd40U), /* Neoverse V1 */
		MIDR(0x41U, 0xd44U), /* Cortex-X1 */
		MIDR(0x41U, 0xd49U), /* Neoverse N2 */
		MIDR(0x41U, 0xd4bU), /* Cortex-A78C */
		MIDR(0x41U, 0xd4cU), /* Cortex-X1C */
		MIDR(0x41U, 0xd4dU), /* Cortex-A715 */
		MIDR(0x41U, 0xd4eU), /* Cortex-X3 */
		MIDR(0x41U, 0xd4fU), /* Neoverse V2 */
		MIDR(0x41U, 0xd81U), /* Cortex-A720 */
		MIDR(0x41U, 0xd82U), /* Cortex-X4 */
		MIDR(0x41U, 0xd84U), /* Neoverse V3 */
		MIDR(0x41U, 0xd85U), /* Cortex-X925 */
		MIDR(0x41U, 0xd87U), /* Cortex-A725 */
		MIDR(0x41U, 0xd89U), /* Cortex-A720AE */
		MIDR(0x4eU, 0x010U), /* NVIDIA Olympus */
		MIDR(0x6dU, 0xd49U), /* Azure Cobalt 100 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(midrs); i++)
		expect_codes(midrs[i], names);
}

TEST(codes_of_ampere)
{
	static const char *const names[NR_CODES] = {
		[0x0] = "local chip or device",
		[0x3] = "system cache",
		[0x5] = "remote",
		[0x7] = "DRAM",
		[0x8] = "L1",
		[0x9] = "L2",
	};

	expect_codes(MIDR(0xc0U, 0xac4U), names);
}

TEST(codes_of_hisilicon)
{
	static const char *const names[NR_CODES] = {
		[0] = "peer core",
		[1] = "peer core HITM",
		[2] = "L3",
		[3] = "L3 HITM",
		[4] = "peer cluster",
		[5] = "peer cluster HITM",
		[6] = "remote socket",
		[7] = "remote socket HITM",
		[8] = "local memory",
		[9] = "remote memory",
		[13] = "non-cacheable or device",
		[16] = "L2",
		[17] = "L2 HITM",
		[18] = "L1",
	};

	expect_codes(MIDR(0x48U, 0xd06U), names);
}

/* Without a level perf script's data_src would silently follow the events. */
TEST(each_code_has_all_columns)
{
	for (unsigned int f = SOURCES_UNKNOWN + 1; f < NR_SOURCE_FAMILIES;
	     f++) {
		unsigned int codes = 0;

		for (unsigned int code = 0; code < NR_SOURCE_CODES; code++) {
			const struct source *s = source_find(f, code);

			if (!s)
				continue;
			codes++;
			EXPECT_TRUE(s->flags);
			EXPECT_TRUE(s->level.lvl && s->level.lvl_num);
		}
		EXPECT_TRUE(codes);
	}
}

TEST(codes_of_a_cpu_that_is_not_known)
{
	static const char *const names[NR_CODES] = {};

	expect_codes(0, names);
	expect_codes(MIDR(0x41U, 0xd41U), names); /* Cortex-A78 */
	expect_codes(MIDR(0x41U, 0xd8eU), names); /* Neoverse N3 */
	expect_codes(MIDR(0x41U, 0xd8cU), names); /* C1-Ultra */
	expect_codes(MIDR(0x4eU, 0xd0cU), names); /* another's part number */
}

#define HIP12  MIDR(0x48U, 0xd06U)
#define N2     MIDR(0x41U, 0xd49U)
#define AMPERE MIDR(0xc0U, 0xac4U)
#define TSV110 MIDR(0x48U, 0xd01U) /* its sources are not known */

#define LOAD (PMSCOPE_OPERATION_LOAD_STORE << 8)
#define E(e) PMSCOPE_EVENT_BIT(e)
#define NONE -1 /* no Data Source packet */
#define DRAM (E(LLC_ACCESS) | E(LLC_REFILL))

static void set_load(struct pmscope_batch *b, int source, uint64_t events)
{
	b->has[0] = PMSCOPE_HAS_OPERATION | PMSCOPE_HAS_EVENTS |
		    (source < 0 ? 0 : PMSCOPE_HAS_SOURCE);
	b->op_class[0] = PMSCOPE_OPERATION_LOAD_STORE;
	b->op[0] = 0;
	b->source[0] = source < 0 ? 0 : source;
	b->events[0] = events;
}

/* A source counts as a peer's if, and only if, perf counts it. */
TEST(peers_of_each_family)
{
	static const uint32_t midrs[] = {HIP12, N2, AMPERE};
	struct pmscope_batch *b = pmscope_batch_new(1);
	unsigned int peers = 0;

	ASSERT_TRUE(b);
	for (size_t i = 0; i < ARRAY_SIZE(midrs); i++)
		for (int code = 0; code < NR_CODES; code++) {
			union perf_mem_data_src d;
			bool peer;

			set_load(b, code, 0);
			d.val = pmscope_data_src(b, 0, midrs[i], 0);
			peer = pmscope_source_is_peer(b, 0, midrs[i]);
			peers += peer;
			EXPECT_EQ(peer,
				  !!(d.mem_snoopx & PERF_MEM_SNOOPX_PEER));
			if (d.mem_lvl & PERF_MEM_LVL_REM_RAM1)
				EXPECT_TRUE(
					pmscope_source_is_far(b, 0, midrs[i]));
		}
	EXPECT_EQ(peers, 6U + 4U + 2U);
	pmscope_batch_free(b);
}

static const struct {
	uint32_t midr;
	int source;
	uint64_t events;
	bool peer;
	bool far;
} loads[] = {
	{HIP12, 8, DRAM, false, false},
	{HIP12, 8, DRAM | E(REMOTE_ACCESS), false, true},
	{HIP12, 9, DRAM, false, true},
	{HIP12, 9, DRAM | E(REMOTE_ACCESS), false, true},
	{HIP12, 9, DRAM | E(SNOOPED) | E(HITM), false, true},
	{HIP12, 6, E(REMOTE_ACCESS), true, false},
	{HIP12, 3, E(HITM), false, false},
	{HIP12, 3, E(HITM) | E(SNOOPED), true, false},
	{HIP12, 13, E(SNOOPED), false, false},
	{HIP12, 13, DRAM | E(REMOTE_ACCESS), false, false},
	{HIP12, 10, DRAM | E(REMOTE_ACCESS), false, true}, /* no such code */
	{HIP12, NONE, DRAM | E(REMOTE_ACCESS), false, true},
	{N2, 0xe, DRAM, false, false},
	{N2, 0xe, DRAM | E(REMOTE_ACCESS), false, true},
	{N2, 0xd, E(REMOTE_ACCESS), true, false},
	{N2, 0x0, E(HITM), false, false},
	{N2, 0xb, E(SNOOPED), true, false},
	{AMPERE, 0x7, E(REMOTE_ACCESS), false, true},
	{TSV110, NONE, DRAM | E(REMOTE_ACCESS), false, true},
	{TSV110, NONE, E(REMOTE_ACCESS), false, false},
	{TSV110, NONE, DRAM, false, false},
	{TSV110, 9, DRAM | E(SNOOPED) | E(REMOTE_ACCESS), true, false},
	{0, NONE, E(SNOOPED), true, false},
	{0, 9, 0, false, false},
};

TEST(caches_of_others_and_remote_memory)
{
	struct pmscope_batch *b = pmscope_batch_new(1);

	ASSERT_TRUE(b);
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		set_load(b, loads[i].source, loads[i].events);
		if (pmscope_source_is_peer(b, 0, loads[i].midr) !=
			    loads[i].peer ||
		    pmscope_source_is_far(b, 0, loads[i].midr) != loads[i].far)
			printf("# load %zu\n", i);
		EXPECT_EQ(pmscope_source_is_peer(b, 0, loads[i].midr),
			  loads[i].peer);
		EXPECT_EQ(pmscope_source_is_far(b, 0, loads[i].midr),
			  loads[i].far);
	}
	pmscope_batch_free(b);
}

TEST(flags_of_sources)
{
	EXPECT_EQ(pmscope_source_flags(HIP12, 9),
		  (PMSCOPE_SOURCE_MEMORY | PMSCOPE_SOURCE_REMOTE) + 0U);
	EXPECT_EQ(pmscope_source_flags(HIP12, 8),
		  (PMSCOPE_SOURCE_MEMORY | PMSCOPE_SOURCE_LOCAL) + 0U);
	EXPECT_EQ(pmscope_source_flags(N2, 0xe), PMSCOPE_SOURCE_MEMORY + 0U);
	EXPECT_EQ(pmscope_source_flags(N2, 0xf), 0U);
	EXPECT_EQ(pmscope_source_flags(N2, 0x100), 0U);
	EXPECT_EQ(pmscope_source_flags(TSV110, 9), 0U);
}
