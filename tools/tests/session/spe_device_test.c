// SPDX-License-Identifier: GPL-2.0-or-later
/* Devices of SPE, and what their drivers count. */
#include "fake_sysfs.h"
#include "session/pmu.h"

#define COMPATIBLE "arm,statistical-profiling-extension-v1"

static void make_bus(char bus[FAKE_SYSFS_PATH])
{
	static const char two[] = "vendor,spe\0" COMPATIBLE;

	fake_sysfs_make(bus);
	fake_sysfs_file(bus, "devices/spe-pmu/of_node/compatible", COMPATIBLE,
			sizeof(COMPATIBLE));
	fake_sysfs_link(bus, "devices/spe-pmu/driver",
			"../../drivers/arm_spe_pmu");
	fake_sysfs_text(bus, "devices/spe-pmu/driver_override", "(null)\n");
	fake_sysfs_file(bus, "devices/b.spe/of_node/compatible", two,
			sizeof(two));
	fake_sysfs_text(bus, "devices/b.spe/driver_override", "pmscope\n");
	fake_sysfs_text(bus, "devices/arm,spe-v1.0/uevent", "");
	fake_sysfs_file(bus, "devices/pmu/of_node/compatible",
			"arm,armv8-pmuv3", sizeof("arm,armv8-pmuv3"));
}

TEST(devices_of_device_tree_and_acpi_are_found)
{
	struct spe_device device[4];
	char bus[FAKE_SYSFS_PATH];

	make_bus(bus);
	ASSERT_EQ(spe_devices(bus, device, 4), (size_t)3);
	EXPECT_STREQ(device[0].name, "arm,spe-v1.0");
	EXPECT_STREQ(device[0].driver, "");
	EXPECT_STREQ(device[1].name, "b.spe");
	EXPECT_STREQ(device[1].override, "pmscope");
	EXPECT_STREQ(device[2].name, "spe-pmu");
	EXPECT_STREQ(device[2].driver, "arm_spe_pmu");
	EXPECT_STREQ(device[2].override, "");
	fake_sysfs_remove(bus);
}

TEST(no_more_than_asked_for)
{
	struct spe_device device[1];
	char bus[FAKE_SYSFS_PATH];

	make_bus(bus);
	EXPECT_EQ(spe_devices(bus, device, 1), (size_t)1);
	fake_sysfs_remove(bus);
}

TEST(no_bus_no_device)
{
	struct spe_device device[1];

	EXPECT_EQ(spe_devices("/nonexistent", device, 1), (size_t)0);
}

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
