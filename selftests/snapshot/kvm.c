// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KVM runs a guest on the counted CPU: groups stay consistent, and guest and
 * host are separated as perf's exclude_guest and exclude_host say.
 */
#include "fresh.h"
#include "faults/faults.h"
#include "kvm_guest.h"

#define TURNS 100000
#define RUNS  50
#define GROUP 3

#define NEED_KVM(guest)                                            \
	do {                                                       \
		NEED_SNAPSHOT();                                   \
		if (!guest_possible())                             \
			SKIP("no /dev/kvm that may be used here"); \
		ASSERT_TRUE(guest_open(guest));                    \
	} while (0)

TEST(groups_stay_whole)
{
	static const uint64_t twice[] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES};
	struct group_value group;
	uint64_t before = 0;
	struct guest guest;
	int fds[GROUP];

	NEED_KVM(&guest);
	ASSERT_EQ(start_group(twice, GROUP, 0, -1, fds), 0);
	for (int i = 0; i < RUNS; i++) {
		ASSERT_TRUE(guest_run(&guest, 1000));
		ASSERT_TRUE(read_group(fds[0], GROUP, &group));
		ASSERT_EQ(group.value[0], group.value[2]);
		ASSERT_GT(group.value[0], before);
		before = group.value[0];
	}
}

/* Instructions while the guest runs, as an event that excludes these counts */
static uint64_t count(struct guest *guest, bool exclude_host,
		      bool exclude_guest)
{
	struct perf_event_attr attr = snapshot_attr(INST_RETIRED);
	struct group_value value = {};
	int fd;

	attr.disabled = 1;
	attr.exclude_host = exclude_host;
	attr.exclude_guest = exclude_guest;
	fd = open_event(&attr, 0, -1, -1);
	EXPECT_GE(fd, 0);
	enable_group(fd);
	EXPECT_TRUE(guest_run(guest, TURNS));
	disable_group(fd);
	EXPECT_TRUE(read_group(fd, 1, &value));
	close(fd);
	return value.value[0];
}

/* Entering the guest and leaving it is the host's, and much less. */
TEST(guest_and_host_are_distinguished)
{
	uint64_t guests, hosts, all;
	struct guest guest;

	NEED_KVM(&guest);
	ASSERT_TRUE(guest_run(&guest, TURNS));
	guests = count(&guest, true, false);
	hosts = count(&guest, false, true);
	all = count(&guest, false, false);
	ktap_note("guest %llu, host %llu, both %llu",
		  (unsigned long long)guests, (unsigned long long)hosts,
		  (unsigned long long)all);
	EXPECT_GE(guests, 2 * TURNS);
	EXPECT_GT(hosts, 0);
	EXPECT_GT(all, guests);
}

#define RECORDS 500

/*
 * The timer fires while the guest runs, or in KVM's own code: MDCR_EL2 is that
 * of the guest then (VHE), where captures are disabled. They work all the same.
 */
TEST(captures_beside_a_guest_are_fresh)
{
	long before = snapshot_stat("disabled") + snapshot_stat("prohibited");
	static struct fresh fresh;
	struct guest guest;
	struct stream s;

	NEED_KVM(&guest);
	pin_to(0);
	ASSERT_EQ(stream_start(&s, CPU_CYCLES, 100000, -1, 0), 0);
	while (fresh.records < RECORDS) {
		ASSERT_TRUE(guest_run(&guest, TURNS));
		fresh_drain(&fresh, &s);
	}
	ktap_note("%u records, %u captured", fresh.records, fresh.captured);
	/* Without --icount the clock runs on while the host does other work. */
	if (has_fault("external-captures"))
		EXPECT_EQ(fresh_stale(&fresh), 0);
	EXPECT_EQ(fresh.captured, fresh.records);
	EXPECT_EQ(snapshot_stat("disabled") + snapshot_stat("prohibited"),
		  before);
}
