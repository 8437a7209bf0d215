// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts of the SPE driver: of two PMUs, before and after, or not there. */
#include "fake_sysfs.h"
#include "session/pmu.h"

TEST(counts_of_all_pmus_are_added)
{
	struct spe_losses losses;
	char devices[FAKE_SYSFS_PATH];

	fake_sysfs_make(devices);
	fake_sysfs_text(devices, "arm_spe_0/stats/windows",
			"total 12\ncpu0 7\ncpu1 5\n");
	fake_sysfs_text(devices, "arm_spe_1/stats/windows", "total 3\n");
	fake_sysfs_text(devices, "arm_spe_1/stats/fault_stage1", "total 1\n");
	spe_losses_read(&losses, devices);
	EXPECT_TRUE(losses.valid);
	EXPECT_EQ(losses.count[PMSCOPE_SPE_WINDOWS], 15UL);
	EXPECT_EQ(losses.count[PMSCOPE_SPE_FAULT_STAGE1], 1UL);
	EXPECT_EQ(losses.count[PMSCOPE_SPE_SPURIOUS], 0UL);
	fake_sysfs_remove(devices);
}

TEST(only_what_came_after)
{
	struct spe_losses before = {}, after = {};

	before.count[PMSCOPE_SPE_NO_ROOM] = 4;
	after.count[PMSCOPE_SPE_NO_ROOM] = 6;
	spe_losses_since(&after, &before);
	EXPECT_EQ(after.count[PMSCOPE_SPE_NO_ROOM], 2UL);
}

TEST(other_drivers_count_nothing)
{
	struct spe_losses losses;
	char devices[FAKE_SYSFS_PATH];

	fake_sysfs_make(devices);
	fake_sysfs_text(devices, "arm_spe_0/type", "9\n");
	spe_losses_read(&losses, devices);
	EXPECT_FALSE(losses.valid);
	fake_sysfs_remove(devices);
}

TEST(every_count_has_words)
{
	for (int i = 0; i < PMSCOPE_SPE_COUNTS; i++)
		EXPECT_TRUE(strlen(spe_count_words(i)) > 0);
}
