// SPDX-License-Identifier: GPL-2.0-or-later
/* Periods of the events of record: -c, -F, and those given with an event. */
#include "fake_sysfs.h"

#include "record/record.h"

/* The interval that the CPU's designer recommends */
static const char *min_interval = "256\n";

static void make_devices(char *devices)
{
	const char *const files[][2] = {
		{"pmu_snapshot/type", "20\n"},
		{"pmu_snapshot/format/event", "config:0-15\n"},
		{"pmu_snapshot/format/overflow", "config:16\n"},
		{"pmu_snapshot/format/spe", "config:17\n"},
		{"pmu_snapshot/format/request", "config:18\n"},
		{"pmu_snapshot/names/cpu_cycles", "event=0x11\n"},
		{"pmu_snapshot/names/inst_retired", "event=0x8\n"},
		{"arm_spe_0/type", "21\n"},
		{"arm_spe_0/cpumask", "0-1\n"},
		{"arm_spe_0/format/ts_enable", "config:0\n"},
		{"arm_spe_0/format/jitter", "config:16\n"},
		{"arm_spe_0/format/event_filter", "config1:0-63\n"},
		{"arm_spe_0/caps/min_interval", min_interval},
		{"arm_spe_0/caps/event_filter", "0x6f8ea\n"},
		{"arm_spe_1/type", "22\n"},
		{"arm_spe_1/cpumask", "2-3\n"},
		{"arm_spe_1/format/ts_enable", "config:0\n"},
		{"arm_spe_1/format/jitter", "config:16\n"},
		{"arm_spe_1/caps/min_interval", min_interval},
		{"arm_spe_1/stats/windows", "total 0\n"},
	};

	fake_sysfs_make(devices);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fake_sysfs_text(devices, files[i][0], files[i][1]);
}

static struct perf_event_attr last(const char *events, uint64_t period)
{
	char devices[FAKE_SYSFS_PATH];
	struct record_events_options o = {
		.events = (char *)events, .period = period, .devices = devices};
	struct event_list list = {};
	struct perf_event_attr attr = {};

	make_devices(devices);
	EXPECT_EQ(record_events(&list, &o), 0);
	EXPECT_TRUE(list.nr > 0);
	if (list.nr)
		attr = list.event[list.nr - 1].attr.attr;
	events_free(&list);
	fake_sysfs_remove(devices);
	return attr;
}

static uint64_t period_of(const char *events, uint64_t period)
{
	struct perf_event_attr attr = last(events, period);

	return attr.freq ? 0 : attr.sample_period;
}

TEST(spe_has_the_period_of_the_option)
{
	EXPECT_EQ(period_of(NULL, 0), (uint64_t)RECORD_PERIOD);
	EXPECT_EQ(period_of(NULL, 512), 512U);
	EXPECT_EQ(period_of("arm_spe_0//", 0), (uint64_t)RECORD_PERIOD);
	EXPECT_EQ(period_of("arm_spe_0//", 512), 512U);
	EXPECT_EQ(period_of("arm_spe//", 512), 512U);
}

/* Software events are treated like other events. */
TEST(events_of_the_kernel_have_the_period_of_the_option)
{
	EXPECT_EQ(period_of("cs", 1), 1U);
	EXPECT_EQ(period_of("cpu-clock", 100000), 100000U);
	EXPECT_EQ(period_of("cs", 0), 0U);
}

static int with_both(const char *events, struct perf_event_attr *attr)
{
	char devices[FAKE_SYSFS_PATH];
	struct record_events_options o = {.events = (char *)events,
					  .period = 1024,
					  .freq = 50,
					  .devices = devices};
	struct event_list list = {};
	int ret;

	make_devices(devices);
	ret = record_events(&list, &o);
	if (!ret)
		*attr = list.event[list.nr - 1].attr.attr;
	events_free(&list);
	fake_sysfs_remove(devices);
	return ret;
}

TEST(a_clock_beside_spe_has_the_frequency)
{
	struct perf_event_attr attr = {};

	ASSERT_EQ(with_both("arm_spe_0//,cpu-clock", &attr), 0);
	EXPECT_TRUE(attr.freq);
	EXPECT_EQ(attr.sample_freq, 50U);
	EXPECT_EQ(with_both("cpu-clock", &attr), -EINVAL);
	EXPECT_EQ(with_both("arm_spe_0//", &attr), -EINVAL);
	/* Of the clock that record adds itself */
	EXPECT_EQ(with_both(NULL, &attr), 0);
}

/* Names of what record adds in this way, with a space behind each. */
static void expect_beside(const struct record_events_options *options,
			  unsigned int way, const char *wanted)
{
	struct record_events_options o = *options;
	char devices[FAKE_SYSFS_PATH], names[256] = "";
	struct event_list list = {};
	struct perf_event_attr *leader;
	struct beside beside;
	size_t nr;

	make_devices(devices);
	o.devices = devices;
	ASSERT_EQ(record_events(&list, &o), 0);
	nr = list.nr;
	beside = record_events_beside(&o);
	beside_add(&list, &beside, way, NULL);
	for (size_t i = nr; i < list.nr; i++) {
		strcat(names, list.event[i].name);
		strcat(names, " ");
		EXPECT_EQ(list.event[i].attr.attr.exclude_kernel, o.user);
	}
	EXPECT_STREQ(names, wanted);
	if (list.nr > nr) {
		leader = &list.event[nr].attr.attr;
		EXPECT_EQ(leader->freq, !o.no_clock);
		EXPECT_EQ(leader->sample_freq, o.no_clock ? 0 : o.freq ?: 999);
	}
	events_free(&list);
	fake_sysfs_remove(devices);
}

#define COUNTERS \
	"cpu-clock pmu_snapshot/cpu_cycles/ pmu_snapshot/inst_retired/ "

TEST(a_clock_and_counters_beside_spe)
{
	struct record_events_options o = {.user = true};

	expect_beside(&o, 0, ""); /* This PMU counts no stalls. */
	expect_beside(&o, 1, COUNTERS);
	expect_beside(&o, 2, "cpu-clock ");
	expect_beside(&o, 3, "");
	o.freq = 50;
	expect_beside(&o, 1, COUNTERS);
	o.no_counters = true;
	expect_beside(&o, 0, "cpu-clock ");
	expect_beside(&o, 1, "");
	o = (struct record_events_options){.no_clock = true};
	expect_beside(&o, 1, COUNTERS);
	expect_beside(&o, 2, "");
	o.no_counters = true;
	expect_beside(&o, 0, "");
}

/* These have a clock, or chose their events. */
TEST(nothing_twice)
{
	struct record_events_options o = {.stacks = true};

	expect_beside(&o, 2, "");
	o = (struct record_events_options){.snapshot = "cpu_cycles"};
	expect_beside(&o, 1, "");
	o = (struct record_events_options){.events = "arm_spe_0//"};
	expect_beside(&o, 1, "");
}

/* The file must contain the real interval. */
TEST(spe_has_a_period_that_it_can_have)
{
	EXPECT_EQ(period_of("arm_spe_0//", 1), 256U);
	EXPECT_EQ(period_of("arm_spe_0//", 256), 256U);
	EXPECT_EQ(period_of("arm_spe_0//", UINT64_C(1) << 32), 0xffffff00U);
	EXPECT_EQ(period_of("arm_spe_0//", 5000), 4864U);
	EXPECT_EQ(period_of("arm_spe_0/period=511/", 0), 256U);
	EXPECT_EQ(period_of("arm_spe_1//", 1), 256U);
}

/* Which the kernel's own driver does not go below. */
TEST(a_recommended_interval_is_no_limit_for_pmscope)
{
	min_interval = "1024\n";
	EXPECT_EQ(period_of("arm_spe_0//", 512), 1024U);
	EXPECT_EQ(period_of("arm_spe_0//", 1300), 1280U);
	EXPECT_EQ(period_of("arm_spe_1//", 512), 512U);
	EXPECT_EQ(period_of("arm_spe_1//", 1), 256U);
	min_interval = "256\n";
}

static int filtered_on(struct record_filter keep, const struct cpulist *cpus)
{
	char devices[FAKE_SYSFS_PATH];
	struct record_events_options o = {
		.keep = keep, .devices = devices, .cpus = cpus};
	struct event_list list = {};
	int ret;

	make_devices(devices);
	fake_sysfs_text(devices, "arm_spe_1/format/event_filter",
			"config1:0-63\n");
	ret = record_events(&list, &o);
	events_free(&list);
	fake_sysfs_remove(devices);
	return ret;
}

static int filtered(struct record_filter keep)
{
	return filtered_on(keep, NULL);
}

TEST(filters_that_spe_does_not_have_are_refused)
{
	EXPECT_EQ(filtered((struct record_filter){}), 0);
	EXPECT_EQ(filtered((struct record_filter){.events = 0x8}), 0);
	EXPECT_EQ(filtered((struct record_filter){.events = 0x9}), -EINVAL);
	EXPECT_EQ(filtered((struct record_filter){.no_events = 8}), -EINVAL);
	EXPECT_EQ(filtered((struct record_filter){.no_sources = 1}), -EINVAL);
}

/* Only arm_spe_0, of the first CPUs, lists its events. */
TEST(filters_are_those_of_the_pmus_that_are_opened)
{
	struct cpulist cpus = {.cpu = (int[]){2, 3}, .nr = 2};
	struct record_filter filter = {.events = 0x9};

	EXPECT_EQ(filtered_on(filter, &cpus), 0);
	cpus.cpu[0] = 1;
	EXPECT_EQ(filtered_on(filter, &cpus), -EINVAL);
}

/* The PMUs of SPE need not begin with 0. */
TEST(filters_of_all_spe_pmus_that_there_are)
{
	struct record_events_options o = {.keep.no_events = 8};
	struct event_list list = {};
	char devices[FAKE_SYSFS_PATH];

	fake_sysfs_make(devices);
	o.devices = devices;
	fake_sysfs_text(devices, "arm_spe_1/type", "22\n");
	fake_sysfs_text(devices, "arm_spe_1/format/ts_enable", "config:0\n");
	fake_sysfs_text(devices, "arm_spe_1/format/jitter", "config:16\n");
	fake_sysfs_text(devices, "arm_spe_1/format/inv_event_filter",
			"config3:0-63\n");
	EXPECT_EQ(record_events(&list, &o), 0);
	events_free(&list);
	fake_sysfs_text(devices, "arm_spe_1/caps/event_filter", "0x2\n");
	EXPECT_EQ(record_events(&list, &o), -EINVAL);
	events_free(&list);
	fake_sysfs_remove(devices);
}

TEST(a_period_of_its_own_stays)
{
	EXPECT_EQ(period_of("arm_spe_0/period=2048/", 512), 2048U);
	EXPECT_EQ(period_of("pmu_snapshot/cpu_cycles,spe,period=3/", 512), 3U);
	EXPECT_EQ(period_of("pmu_snapshot/cpu_cycles,period=100000/", 512),
		  100000U);
}

/* perf gives -c to every event without a period, including streams. */
TEST(streams_have_the_period_of_the_option_too)
{
	EXPECT_EQ(period_of("pmu_snapshot/cpu_cycles,spe/", 512), 512U);
	EXPECT_EQ(period_of("pmu_snapshot/cpu_cycles,overflow/", 512), 512U);
	EXPECT_EQ(period_of("pmu_snapshot/cpu_cycles/", 50000), 50000U);
}

TEST(streams_have_periods_of_their_own_without)
{
	EXPECT_EQ(period_of("pmu_snapshot/cpu_cycles,spe/", 0), 1U);
	EXPECT_EQ(period_of("pmu_snapshot/cpu_cycles,request/", 0), 1U);
	EXPECT_EQ(period_of("pmu_snapshot/cpu_cycles,overflow/", 0), 1000000U);
	EXPECT_TRUE(last("pmu_snapshot/cpu_cycles/", 0).freq);
}
