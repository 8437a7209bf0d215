// SPDX-License-Identifier: GPL-2.0-or-later
/* Uevents of CPUs that go offline. */
#include "ktap.h"
#include "session/cpu_watch.h"

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
