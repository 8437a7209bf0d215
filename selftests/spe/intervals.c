// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The register values for a period: the interval in PMSIRR_EL1, and the first
 * one in the 32 bits of PMSICR_EL1.
 */
#include "ktap.h"
#include "spe.h"

#define REGS  "/sys/kernel/debug/pmscope/regs"
#define PAGES 16
#define PCT_ENABLE (1ULL << 2)
#define LEAST 0x100ULL
#define MOST  0xffffff00ULL

static struct stream s;

/* A register of CPU 0, or all bits */
static uint64_t read_register(const char *name)
{
	char line[128], found[32];
	FILE *file = fopen(REGS, "r");
	unsigned long long value, wanted = ~0ULL;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "cpu0 %31s %llx", found, &value) == 2 &&
		    !strcmp(found, name))
			wanted = value;
	if (file)
		fclose(file);
	return wanted;
}

/* An event of CPU 0, opened without privilege but permitted */
static int open_as_nobody(struct perf_event_attr *attr)
{
	long before = sysfs_number(PARANOID);
	int err;

	set_paranoid(0);
	if (seteuid(NOBODY))
		return -errno;
	err = stream_open_alone(&s, attr, 0, PAGES);
	if (seteuid(0))
		abort();
	set_paranoid(before);
	return err;
}

/* It samples nothing, so the first interval is as it was written. */
static struct perf_event_attr idle_attr(uint64_t period)
{
	struct perf_event_attr attr = spe_attr(0, period);

	attr.exclude_user = 1;
	return attr;
}

static void check_opened(int err, uint64_t interval)
{
	ASSERT_EQ(err, 0);
	ASSERT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_ENABLE, 0), 0);
	EXPECT_EQ(read_register("PMSIRR_EL1"), interval);
	EXPECT_EQ(read_register("PMSICR_EL1"), interval);
	stream_close(&s);
}

static void check_period(uint64_t period, uint64_t interval)
{
	struct perf_event_attr attr = idle_attr(period);

	pin_to(0);
	check_opened(stream_open_alone(&s, &attr, 0, PAGES), interval);
}

static void check_period_of_nobody(uint64_t period, uint64_t interval)
{
	struct perf_event_attr attr = idle_attr(period);

	pin_to(0);
	check_opened(open_as_nobody(&attr), interval);
}

#define NEED_REGS()                                         \
	do {                                                \
		if (access(SPE_DIR "stats", F_OK))          \
			SKIP("arm_spe_0 is not pmscope's"); \
		if (access(REGS, R_OK))                     \
			SKIP("needs root, and debugfs");    \
	} while (0)

BEFORE_EACH(NEED_REGS());

TEST(periods_that_there_are)
{
	check_period(LEAST, LEAST);
	check_period(0x10000, 0x10000);
	check_period(0x7fffff00, 0x7fffff00);
	check_period(MOST, MOST);
}

TEST(a_period_too_short_is_the_least)
{
	check_period(1, LEAST);
	check_period(LEAST - 1, LEAST);
}

TEST(a_period_too_long_is_the_most)
{
	check_period((1ULL << 32) + 0x10000000, MOST);
	check_period((1ULL << 40) + 0x10000000, MOST);
	check_period((1ULL << 62) + 0x10000000, MOST);
}

/* With VHE the register is PMSCR_EL2. */
TEST(time_is_physical_on_request)
{
	struct perf_event_attr attr = spe_attr(PCT_ENABLE, LEAST);
	uint64_t pmscr;

	pin_to(0);
	ASSERT_EQ(stream_open_alone(&s, &attr, 0, PAGES), 0);
	ASSERT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_ENABLE, 0), 0);
	pmscr = read_register("PMSCR_EL2");
	if (pmscr == ~0ULL)
		pmscr = read_register("PMSCR_EL1");
	EXPECT_EQ(pmscr >> 6 & 3, 1);
	stream_close(&s);
}

/* The same as the kernel's own driver */
TEST(below_the_recommended_takes_privilege)
{
	uint64_t least = sysfs_number(SPE_DIR "caps/min_interval");

	if (least <= LEAST)
		SKIP("no interval is below the recommended");
	check_period(LEAST, LEAST);
	check_period_of_nobody(LEAST, least);
	check_period_of_nobody(2 * least, 2 * least);
}
