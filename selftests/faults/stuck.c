// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures of a CPU stop completing while they are used: after three tries the
 * module gives the CPU up and stops its counters for each reading, until the CPU
 * comes online again.
 */
#include "faults.h"
#include "snapshot/fresh.h"

#define CPU   1
#define READS 200
/* MAX_TIMEOUTS in kernel/capture.c */
#define TRIES 3

static bool cpu_says(const char *file, const char *line)
{
	char path[128];

	snprintf(path, sizeof(path), SNAPSHOT_DIR "caps/%s", file);
	return strstr(file_text(path), line);
}

/* Until captures get stuck, and long after */
static void read_much(void)
{
	static const uint64_t events[] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES};
	struct group_value group;
	uint64_t last = 0;
	int fds[3];

	ASSERT_EQ(start_group(events, 3, -1, CPU, fds), 0);
	for (int i = 0; i < READS; i++) {
		ASSERT_TRUE(read_group(fds[0], 3, &group));
		EXPECT_EQ(group.value[0], group.value[2]);
		EXPECT_GT(group.value[0], last);
		last = group.value[0];
	}
	close_group(fds, 3);
}

static void check_round(void)
{
	long timed_out = snapshot_stat("timed_out");
	long given_up = snapshot_stat("given_up");
	long captured = snapshot_stat("captured");
	long frozen = snapshot_stat("frozen");

	EXPECT_TRUE(cpu_says("gate", "cpu1 allowed: ") ||
		    cpu_says("gate", "allowed: "));
	read_much();
	ktap_note("%ld captured, %ld timed out, %ld frozen",
		  snapshot_stat("captured") - captured,
		  snapshot_stat("timed_out") - timed_out,
		  snapshot_stat("frozen") - frozen);
	EXPECT_GT(snapshot_stat("captured"), captured);
	EXPECT_EQ(snapshot_stat("timed_out") - timed_out, TRIES);
	EXPECT_EQ(snapshot_stat("given_up") - given_up, 1);
	EXPECT_GT(snapshot_stat("frozen") - frozen, READS / 2);
	EXPECT_TRUE(cpu_says("gate", "cpu1 stuck: PMSSCR_EL1.SS stayed 1"));
	EXPECT_TRUE(cpu_says("backend", "cpu1 frozen"));
}

TEST(a_stuck_cpu_is_given_up_until_it_comes_online)
{
	if (!has_fault("stuck"))
		SKIP("captures complete here");
	NEED_SNAPSHOT();
	ASSERT_TRUE(set_online(CPU, '0'));
	ASSERT_TRUE(set_online(CPU, '1'));
	check_round();
	ASSERT_TRUE(set_online(CPU, '0'));
	ASSERT_TRUE(set_online(CPU, '1'));
	check_round();
}
