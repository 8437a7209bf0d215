// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads lists of CPUs, and uevents that say which CPU went offline. */
#include "ktap.h"
#include "session/cpu_watch.h"

TEST(ranges_and_numbers_come_out_in_order)
{
	struct cpulist list = {};

	ASSERT_EQ(cpulist_parse("7, 0-2,1\n", &list), 0);
	ASSERT_EQ(list.nr, (size_t)4);
	EXPECT_MEMEQ(list.cpu, ((int[]){0, 1, 2, 7}), 4 * sizeof(int));
	EXPECT_TRUE(cpulist_has(&list, 7));
	EXPECT_FALSE(cpulist_has(&list, 3));
	cpulist_free(&list);
}

TEST(no_cpu_is_a_list_too)
{
	struct cpulist list = {};

	ASSERT_EQ(cpulist_parse("\n", &list), 0);
	EXPECT_EQ(list.nr, (size_t)0);
	cpulist_free(&list);
}

TEST(what_is_no_list_is_refused)
{
	static const char *const bad[] = {"a",	  "1-", "-1",  "3-1",
					  "1,,2", "1,", "1 2", "1-2-3"};
	struct cpulist list = {};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ktap_note("'%s'", bad[i]);
		EXPECT_EQ(cpulist_parse(bad[i], &list), -EINVAL);
	}
	EXPECT_EQ(cpulist_parse("8192", &list), -ERANGE);
	EXPECT_EQ(cpulist_parse("0-99999999999999999999", &list), -ERANGE);
	EXPECT_TRUE(!list.cpu);
}

TEST(intersection_keeps_what_both_have)
{
	struct cpulist list = {}, keep = {};

	ASSERT_EQ(cpulist_parse("0-7", &list), 0);
	ASSERT_EQ(cpulist_parse("6-9,2", &keep), 0);
	cpulist_intersect(&list, &keep);
	ASSERT_EQ(list.nr, (size_t)3);
	EXPECT_MEMEQ(list.cpu, ((int[]){2, 6, 7}), 3 * sizeof(int));
	cpulist_free(&list);
	cpulist_free(&keep);
}

TEST(only_cpus_that_go_are_heard_of)
{
	EXPECT_EQ(cpu_watch_parse("offline@/devices/system/cpu/cpu0"), 0);
	EXPECT_EQ(cpu_watch_parse("offline@/devices/system/cpu/cpu131"), 131);
	EXPECT_EQ(cpu_watch_parse("online@/devices/system/cpu/cpu1"), -1);
	EXPECT_EQ(cpu_watch_parse("offline@/devices/system/cpu/cpu"), -1);
	EXPECT_EQ(cpu_watch_parse("offline@/devices/system/cpu/cpu1/x"), -1);
	EXPECT_EQ(cpu_watch_parse("offline@/devices/system/cpu/cpu8192"), -1);
	EXPECT_EQ(cpu_watch_parse("offline@/devices/system/memory/memory1"),
		  -1);
	EXPECT_EQ(cpu_watch_parse(""), -1);
}

TEST(nothing_is_heard_when_nothing_goes)
{
	static bool gone[PMSCOPE_CPU_MAX];
	int fd = cpu_watch_open();

	if (fd < 0)
		SKIP("no uevents here");
	cpu_watch_read(fd, gone);
	for (int i = 0; i < PMSCOPE_CPU_MAX; i++)
		EXPECT_FALSE(gone[i]);
	close(fd);
}
