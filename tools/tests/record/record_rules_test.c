// SPDX-License-Identifier: GPL-2.0-or-later
/* Parameters for SPE: filters in words, buffer sizes, the interval. */
#include "ktap.h"

#include "record/record.h"

#define MIDR_N1 0x410fd0c0

static struct record_filter parsed(const char *text)
{
	struct record_filter filter = {};

	EXPECT_EQ(record_filter_parse(&filter, text, MIDR_N1), 0);
	return filter;
}

TEST(operations_and_latency)
{
	struct record_filter f = parsed("op=load|branch,lat>=50");

	EXPECT_TRUE(f.loads);
	EXPECT_FALSE(f.stores);
	EXPECT_TRUE(f.branches);
	EXPECT_EQ(f.min_latency, 50U);
	EXPECT_EQ(parsed("lat>=50,lat>=70,lat>=60").min_latency, 70U);
	EXPECT_EQ(f.events | f.no_events | f.no_sources, 0U);
}

TEST(events)
{
	struct record_filter f = parsed(
		"event=L1D-REFILL,event=RETIRED,event!=MISPRED|TLB-REFILL");

	EXPECT_EQ(f.events, 1U << 3 | 1U << 1);
	EXPECT_EQ(f.no_events, 1U << 7 | 1U << 5);
	EXPECT_EQ(parsed("event=IMPDEF:48").events, UINT64_C(1) << 48);
}

/* The hardware filters are set. */
TEST(sources)
{
	EXPECT_EQ(parsed("source=dram").no_sources, ~(UINT64_C(1) << 0xe));
	EXPECT_EQ(parsed("source=dram|peer-core|13").no_sources,
		  ~(UINT64_C(1) << 0xe | 1U << 9 | 1U << 13));
	EXPECT_EQ(parsed("source!=L1").no_sources, 1U);
}

TEST(what_spe_cannot)
{
	static const char *const texts[] = {"comm=xz",
					    "lat<=50",
					    "lat=50",
					    "op!=load",
					    "op=other",
					    "source=nowhere",
					    "event=RETIRED|MISPRED",
					    "pc>=1",
					    "source=dram,x=1",
					    "lat>=1|2"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct record_filter filter = {};

		EXPECT_EQ(record_filter_parse(&filter, texts[i], MIDR_N1),
			  -EINVAL);
	}
}

TEST(buffers_go_with_the_interval)
{
	static const uint64_t large = UINT64_C(1) << 40;
	uint64_t last = UINT64_MAX;

	for (uint64_t period = 256; period < 1 << 24; period *= 2) {
		uint64_t size = record_aux_size(period, 1, large);

		EXPECT_EQ(size & (size - 1), 0U);
		EXPECT_GE(size, AUX_SIZE_MIN);
		EXPECT_LE(size, (uint64_t)64 << 20);
		EXPECT_LE(size, last);
		last = size;
	}
	EXPECT_EQ(last, AUX_SIZE_MIN);
}

TEST(buffers_of_all_cpus_leave_memory)
{
	for (uint64_t cpus = 1; cpus <= 1024; cpus *= 2)
		EXPECT_LE(cpus * record_aux_size(1024, cpus, (uint64_t)4 << 30),
			  (uint64_t)256 << 20);
	EXPECT_EQ(record_aux_size(1024, 4096, 1 << 20), AUX_SIZE_MIN);
}

TEST(interval_grows_while_too_much_is_lost)
{
	struct record_adapt a = {.percent = 10, .period = 1024};
	struct recorder_stats stats = {};

	stats.aux_buffers = 2;
	stats.truncated = 2;
	EXPECT_EQ(record_adapt(&a, &stats), 1024U); /* too few to judge by */
	stats.aux_buffers = 10;
	EXPECT_EQ(record_adapt(&a, &stats), 2048U);
	EXPECT_EQ(record_adapt(&a, &stats), 2048U);
	stats.aux_buffers = 30;
	stats.collisions = 2;
	EXPECT_EQ(record_adapt(&a, &stats), 2048U); /* a tenth is allowed */
	stats.aux_buffers = 40;
	stats.collisions = 4;
	EXPECT_EQ(record_adapt(&a, &stats), 4096U);
	EXPECT_EQ(a.raised, 2U);
}

TEST(without_a_rule_the_interval_stays)
{
	struct record_adapt a = {.percent = -1, .period = 1024};
	struct recorder_stats stats = {.aux_buffers = 100, .truncated = 100};

	EXPECT_EQ(record_adapt(&a, &stats), 1024U);
	EXPECT_EQ(a.raised, 0U);
}

static int parse(const char *option, struct record_config *config)
{
	char *argv[] = {"record", (char *)option, NULL};

	*config = (struct record_config){};
	return options_parse(&record_help, 2, argv, config);
}

TEST(sizes)
{
	struct record_config config;

	EXPECT_EQ(parse("--aux-size=1048576", &config), 2);
	EXPECT_EQ(config.sizes.aux, 1U << 20);
	EXPECT_EQ(parse("--data-size=64M", &config), 2);
	EXPECT_EQ(config.sizes.data, 64U << 20);
	EXPECT_EQ(parse("--mmap-pages=3M,1G", &config), 2);
	EXPECT_EQ(config.sizes.data, 4U << 20);
	EXPECT_EQ(config.sizes.aux, 1U << 30);
}

/* Each would be a valid number if cut to 64 bits. */
TEST(numbers_without_bounds)
{
	static const char *const options[] = {
		"--aux-size=18446744073709617152",
		"--aux-size=17179869188G",
		"--data-size=18014398509482048K",
		"--mmap-pages=4503599627370500",
		"--mmap-pages=18446744073709551624",
		"--mmap-pages=8,17592186044424M",
		"--delay=18446744073710",
		"--delay=18446744073709551617",
		"--count=18446744073709551617",
		"--freq=18446744073709551617",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct record_config config;

		EXPECT_EQ(parse(options[i], &config), -EINVAL);
	}
}
