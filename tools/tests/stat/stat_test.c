// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of `pmscope stat`, and the skew of a comparison. */
#include "fake_sysfs.h"
#include "bytes.h"
#include "stat/stat.h"

#define EVENTS 6

static const uint16_t numbers[EVENTS] = {0x11, 0x3a, 0x3b, 0x3f, 0x3d, 0x3e};
static const uint64_t values[EVENTS] = {1000, 3000, 4000, 4000, 1600, 2400};
static struct listed_event events[EVENTS];
static struct stat_row rows[EVENTS];

static struct stat_table table_of(unsigned int slots)
{
	for (int i = 0; i < EVENTS; i++) {
		events[i] =
			(struct listed_event){.pmu = (char *)"pmu_snapshot"};
		events[i].attr.attr.config = numbers[i];
		rows[i] = (struct stat_row){
			.event = &events[i], .value = values[i], .running = 1};
	}
	return (struct stat_table){.row = rows, .nr = EVENTS, .slots = slots};
}

/*
 * The shares of level 1 by Arm's formulas, a second time: in slots, not in
 * ratios, and from the counts as read.
 */
struct level_one {
	long double frontend;
	long double backend;
	long double retiring;
	long double bad_speculation;
};

static struct level_one level_one_of(const uint64_t counts[EVENTS],
				     unsigned int width)
{
	long double slots = (long double)counts[0] * width;
	long double retired = counts[1], spec = counts[2];
	long double used = slots - counts[3];

	return (struct level_one){
		.frontend = counts[5] * 100 / slots,
		.backend = counts[4] * 100 / slots,
		.retiring = used * retired * 100 / (spec * slots),
		.bad_speculation =
			used * (spec - retired) * 100 / (spec * slots),
	};
}

/* Any program on a CPU with that many operations per cycle. */
static void random_counts(uint64_t counts[EVENTS], uint64_t *state,
			  unsigned int width)
{
	uint64_t cycles =
		1 + (random_next(state) >> 24 >> random_below(state, 36));
	uint64_t slots = cycles * width;
	uint64_t stalled = random_next(state) % (slots + 1);
	uint64_t spec = 1 + slots - stalled;

	counts[0] = cycles;
	counts[1] = random_next(state) % (spec + 1);
	counts[2] = spec;
	counts[3] = stalled;
	counts[4] = random_next(state) % (stalled + 1);
	counts[5] = stalled - counts[4];
}

static bool has_share(const struct stat_table *table, int row,
		      long double share, const char *name)
{
	struct stat_metric metric;

	return stat_metric(table, &rows[row], &metric) &&
	       !strcmp(metric.name, name) &&
	       fabsl(metric.value - share) < 1e-9L;
}

TEST(shares_of_any_counts_are_those_of_the_formulas)
{
	uint64_t counts[EVENTS], state = 29;

	for (int i = 0; i < 20000; i++) {
		unsigned int width = 1 + random_below(&state, 16);
		struct stat_table table = table_of(width);
		struct level_one one;

		random_counts(counts, &state, width);
		for (int row = 0; row < EVENTS; row++)
			rows[row].value = counts[row];
		one = level_one_of(counts, width);
		ASSERT_TRUE(has_share(&table, 5, one.frontend,
				      "% of slots, frontend bound"));
		ASSERT_TRUE(has_share(&table, 4, one.backend,
				      "% of slots, backend bound"));
		ASSERT_TRUE(has_share(&table, 1, one.retiring,
				      "% of slots, retiring"));
		ASSERT_TRUE(has_share(&table, 2, one.bad_speculation,
				      "% of slots, bad speculation"));
	}
}

TEST(without_slots_there_are_no_shares)
{
	struct stat_table table = table_of(0);
	struct stat_metric metric;

	EXPECT_FALSE(stat_metric(&table, &rows[5], &metric));
	EXPECT_FALSE(stat_metric(&table, &rows[1], &metric));
}

TEST(operations_without_the_stalls_have_no_share)
{
	struct stat_table table = table_of(8);
	struct stat_metric metric;

	rows[3].running = 0;
	EXPECT_FALSE(stat_metric(&table, &rows[1], &metric));
}

/* An event of the CPU's PMU by its generic name. */
static struct listed_event generic_event(uint64_t config, unsigned int group)
{
	struct listed_event event = {.group = group};

	event.attr.attr.type = PERF_TYPE_HARDWARE;
	event.attr.attr.config = config;
	return event;
}

/* 300 instructions in 200 cycles; another group's and CPU's are not theirs. */
TEST(ratios_are_within_a_group_and_a_cpu)
{
	struct listed_event cycles = generic_event(PERF_COUNT_HW_CPU_CYCLES, 1),
			    insn = generic_event(PERF_COUNT_HW_INSTRUCTIONS, 1),
			    misses = generic_event(PERF_COUNT_HW_CACHE_MISSES,
						   1),
			    other = generic_event(PERF_COUNT_HW_CPU_CYCLES, 0);
	struct stat_row row[] = {
		{.event = &other, .cpu = 2, .value = 7, .running = 1},
		{.event = &cycles, .cpu = 1, .value = 9, .running = 1},
		{.event = &cycles, .cpu = 2, .value = 200, .running = 1},
		{.event = &insn, .cpu = 2, .value = 300, .running = 1},
		{.event = &misses, .cpu = 2, .value = 6, .running = 1},
	};
	struct stat_table table = {.row = row, .nr = 5};
	struct stat_metric metric;

	ASSERT_TRUE(stat_metric(&table, &row[3], &metric));
	EXPECT_TRUE(metric.value == 1.5);
	EXPECT_STREQ(metric.name, "insn per cycle");
	/* Per instruction, because accesses are not counted. */
	ASSERT_TRUE(stat_metric(&table, &row[4], &metric));
	EXPECT_TRUE(metric.value == 20);
	EXPECT_STREQ(metric.name, "per 1000 insn");
	EXPECT_FALSE(stat_metric(&table, &row[2], &metric));
	row[2].running = 0;
	EXPECT_FALSE(stat_metric(&table, &row[3], &metric));
	row[2].running = 1;
	row[2].value = 0;
	EXPECT_FALSE(stat_metric(&table, &row[3], &metric));
}

TEST(skew_is_last_minus_first)
{
	const uint64_t equal[] = {500, 7, 500}, less[] = {500, 7, 480},
		       more[] = {500, 7, 540};
	const struct pmscope_reading readings[] = {
		{.nr = 3, .running = 1, .value = equal},
		{.first = 3, .nr = 3, .running = 1, .value = less},
		{.first = 3, .nr = 3, .running = 1, .value = more},
		{.first = 3, .nr = 3, .running = 0, .value = more},
	};
	struct stat_comparison comparison = {};

	stat_compare_add(&comparison, readings, 4);
	EXPECT_EQ(comparison.skew[STAT_SNAPSHOT].reads, 1);
	EXPECT_EQ(comparison.skew[STAT_SNAPSHOT].max, 0);
	EXPECT_EQ(comparison.skew[STAT_CORE_PMU].reads, 2);
	EXPECT_EQ(comparison.skew[STAT_CORE_PMU].sum, 60);
	EXPECT_EQ(comparison.skew[STAT_CORE_PMU].max, 40);
}

static void make_events(const char *dir, const char *const *names)
{
	char file[96];

	fake_sysfs_text(dir, "pmu_snapshot/type", "10");
	for (; *names; names++) {
		snprintf(file, sizeof(file), "pmu_snapshot/names/%s", *names);
		fake_sysfs_text(dir, file, "event=0x3a");
	}
}

/* The error of --topdown; "" if it works. */
static const char *topdown_of(const char *const *names)
{
	static struct pmscope_error err;
	char dir[FAKE_SYSFS_PATH];

	fake_sysfs_make(dir);
	make_events(dir, names);
	err = (struct pmscope_error){};
	EXPECT_EQ(stat_topdown_check(dir, &err), *err.text ? -ENOENT : 0);
	fake_sysfs_remove(dir);
	return err.text;
}

#define SLOTS "stall_slot", "stall_slot_backend", "stall_slot_frontend"

TEST(what_the_cpu_lacks_for_topdown_is_reported)
{
	static const char *const all[] = {"op_retired", "op_spec", SLOTS, NULL};
	static const char *const n2[] = {"op_spec", SLOTS, NULL};
	static const char *const n1[] = {"stall_backend", "stall_frontend",
					 NULL};
	static const char *const none[] = {"cpu_cycles", NULL};

	EXPECT_STREQ(topdown_of(all), "");
	EXPECT_TRUE(strstr(topdown_of(n2), "no OP_RETIRED event"));
	EXPECT_TRUE(strstr(topdown_of(n2), "-e '{cpu_cycles,stall_slot_backend,"
					   "stall_slot_frontend}'"));
	EXPECT_TRUE(strstr(topdown_of(n1), "no OP_RETIRED event"));
	EXPECT_TRUE(strstr(topdown_of(n1),
			   "-e '{cpu_cycles,stall_backend,stall_frontend}'"));
	EXPECT_TRUE(strstr(topdown_of(none), "and none for frontend bound"));
}
