// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * External captures at any instant, also between two snapshot registers that
 * the driver reads: a group is never torn, neither at its start nor at a read.
 * With sync=late a part of the snapshot registers may show such a capture later.
 * The sets of counters alternate, because a capture of other counters than the
 * last ones is proven in another way.
 */
#include "faults.h"
#include "snapshot/events.h"

#define STARTS 500
#define READS  4

static const uint64_t cycles_twice[] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES};
static const uint64_t insns_twice[] = {INST_RETIRED, CPU_CYCLES, INST_RETIRED,
				       CPU_CYCLES};

static long raced(void)
{
	return sysfs_number(SNAPSHOT_DIR "stats/raced");
}

/* How many reads had two counts of the first event that differ */
static unsigned int torn_reads(const uint64_t *configs, int count)
{
	struct group_value group;
	unsigned int torn = 0;
	int fds[MAX_GROUP];

	if (open_group(configs, count, -1, 0, fds))
		return READS;
	enable_group(fds[0]);
	for (int i = 0; i < READS; i++)
		torn += !read_group(fds[0], count, &group) ||
			group.value[0] != group.value[2];
	close_group(fds, count);
	return torn;
}

TEST(groups_start_whole)
{
	long before = raced();
	unsigned int torn = 0;

	if (!has_fault("external-captures"))
		SKIP("this machine has no external captures");
	NEED_SNAPSHOT();
	pin_to(0);
	for (int i = 0; i < STARTS; i++) {
		torn += torn_reads(cycles_twice, 3);
		torn += torn_reads(insns_twice, 4);
	}
	ktap_note("%ld captures were spoilt and taken again", raced() - before);
	EXPECT_EQ(torn, 0);
	EXPECT_GT(raced(), before);
}
