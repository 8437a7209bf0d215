// SPDX-License-Identifier: GPL-2.0-or-later
/* Top-down by CPU: formulas, groups that fit the counters, and errors. */
#include "fake_sysfs.h"
#include "bytes.h"
#include "stat/stat.h"

#define NR(a) ARRAY_SIZE(a)

static bool letter(void *, const char *name, size_t length, double *value)
{
	*value = name[0] - 'A' + 1;
	return length == 1;
}

static double value_of(const char *formula)
{
	double value;

	return formula_value(formula, letter, NULL, &value) ? value : NAN;
}

TEST(formulas)
{
	EXPECT_EQ(value_of("2 + 3 * D"), 14);
	EXPECT_EQ(value_of("(2 + 3) * D - E / B"), 17.5);
	EXPECT_EQ(value_of("H / B / B"), 2);
	EXPECT_EQ(value_of("8 - 3 - 2"), 3);
	EXPECT_EQ(value_of("100 * (1 - A / (B * C))"), 100 * (1 - 1. / 6));
}

TEST(formulas_without_a_value)
{
	static const char *const none[] = {"",	  "AA",		"A / 0", "1 +",
					   "(A",  "A)",		"a",	 "A B",
					   "* A", "A / (B - B)"};

	for (size_t i = 0; i < NR(none); i++)
		EXPECT_TRUE(isnan(value_of(none[i])));
}

#define N1	0x414fd0c1
#define N2_R0P0 0x410fd490
#define N2_R0P3 0x410fd493
#define N3	0x410fd8e0
#define V1	0x411fd402
#define V2	0x410fd4f0
#define V3	0x410fd840
#define COBALT	0x6d0fd490

static const struct {
	uint64_t midr;
	const char *name;
	unsigned int slots;
} cpus[] = {
	{N1, "Neoverse N1", 0},
	{N2_R0P0, "Neoverse N2 (before r0p3)", 5},
	{N2_R0P3, "Neoverse N2", 5},
	{0x411fd490, "Neoverse N2", 5},
	{COBALT, "Neoverse N2 (before r0p3)", 5},
	{N3, "Neoverse N3", 5},
	{V1, "Neoverse V1", 8},
	{V2, "Neoverse V2", 8},
	{V3, "Neoverse V3", 10},
	{0x410fd831, "Neoverse V3", 10},
	{0, "generic", 0},
};

TEST(cpu_is_known_by_its_MIDR)
{
	for (size_t i = 0; i < NR(cpus); i++) {
		struct metric_plan plan = {};

		metric_plan_init(&plan, "/nonexistent", cpus[i].midr, 0);
		EXPECT_STREQ(plan.cpu_name, cpus[i].name);
		EXPECT_EQ(plan.slots, cpus[i].slots);
	}
}

/* A model of an N1, or a CPU that is not in the table. */
TEST(slots_that_are_reported_are_used)
{
	struct metric_plan plan = {};

	metric_plan_init(&plan, "/nonexistent", N1, 4);
	EXPECT_STREQ(plan.cpu_name, "generic");
	EXPECT_EQ(plan.slots, 4U);
	metric_plan_init(&plan, "/nonexistent", V2, 6);
	EXPECT_STREQ(plan.cpu_name, "Neoverse V2");
	EXPECT_EQ(plan.slots, 6U);
}

static struct metric_plan plan_of(uint64_t midr)
{
	struct metric_plan plan = {};

	metric_plan_init(&plan, "/nonexistent", midr, 0);
	return plan;
}

struct names {
	char name[32][64];
	size_t nr;
};

static bool note(void *arg, const char *name, size_t length, double *value)
{
	struct names *names = arg;

	*value = 1 + names->nr * 0.25;
	if (!strncmp(name, "SLOTS", 5) && length == 5)
		return true;
	snprintf(names->name[names->nr++], 64, "%.*s", (int)length, name);
	return names->nr < NR(names->name);
}

/* Group @turn of "{a,b},{c}", with a comma at both ends. */
static void group_of(const char *text, unsigned int turn, char *group)
{
	while (turn--)
		text = strchr(text, '}') + 2;
	snprintf(group, 4096, ",%.*s,", (int)strcspn(text + 1, "}"), text + 1);
}

static bool has_event(const char *group, const char *name)
{
	char listed[72], other[72];

	snprintf(listed, sizeof(listed), ",%s,", name);
	snprintf(other, sizeof(other), "name=%s/,", name);
	return strcasestr(group, listed) || strcasestr(group, other);
}

/* All metrics of all CPUs: each can be computed from one group. */
static void check_plan(struct metric_plan *plan, unsigned int counters)
{
	char *text = NULL, group[4096];

	ASSERT_EQ(metric_plan_events(plan, counters, &text), 0);
	for (unsigned int i = 0; i < plan->turns; i++) {
		size_t events = 0;

		group_of(text, i, group);
		for (const char *c = group; *c; c++)
			events += *c == ',' && c[1] && strncmp(c, ",name=", 6);
		EXPECT_TRUE(events <=
			    counters + has_event(group, "cpu_cycles"));
	}
	for (size_t i = 0; i < plan->nr; i++) {
		struct names names = {};
		double value;

		ASSERT_TRUE(formula_value(plan->item[i].formula, note, &names,
					  &value));
		group_of(text, plan->item[i].turn, group);
		for (size_t k = 0; k < names.nr; k++)
			EXPECT_TRUE(has_event(group, names.name[k]));
	}
	free(text);
}

TEST(groups_fit_the_counters)
{
	struct pmscope_error err;

	for (size_t i = 0; i < NR(cpus); i++)
		for (unsigned int counters = 6; counters <= 31; counters += 5) {
			struct metric_plan plan = plan_of(cpus[i].midr);

			ASSERT_EQ(metric_plan_topdown(&plan, 2, &err), 0);
			ASSERT_EQ(metric_plan_names(
					  &plan, "MPKI,miss_ratio,General,ipc",
					  &err),
				  0);
			check_plan(&plan, counters);
			metric_plan_free(&plan);
		}
}

TEST(a_group_that_is_too_large_is_refused)
{
	struct metric_plan plan = plan_of(V2);
	struct pmscope_error err;
	char *text = NULL;

	ASSERT_EQ(metric_plan_topdown(&plan, 1, &err), 0);
	EXPECT_EQ(metric_plan_events(&plan, 2, &text), -ENOSPC);
	metric_plan_free(&plan);
}

TEST(unknown_metrics_are_refused)
{
	struct metric_plan plan = plan_of(V1);
	struct pmscope_error err;

	EXPECT_EQ(metric_plan_names(&plan, "ipc,fp16_percentage", &err),
		  -ENOENT);
	EXPECT_TRUE(strstr(err.text, "'fp16_percentage'"));
	metric_plan_free(&plan);
}

static const char *const listed[] = {"cpu_cycles", "inst_retired",
				     "br_retired"};

/* What the CPU does not list is left out, and told. */
TEST(metrics_without_their_events_are_left_out)
{
	char dir[FAKE_SYSFS_PATH], file[80];
	struct metric_plan plan = {};
	struct pmscope_error err;

	fake_sysfs_make(dir);
	fake_sysfs_text(dir, "pmu_snapshot/type", "9\n");
	for (size_t i = 0; i < NR(listed); i++) {
		snprintf(file, sizeof(file), "pmu_snapshot/names/%s",
			 listed[i]);
		fake_sysfs_text(dir, file, "event=0x11\n");
	}
	metric_plan_init(&plan, dir, V1, 0);
	EXPECT_EQ(metric_plan_names(&plan, "ipc,branch_mpki", &err), 0);
	EXPECT_EQ(plan.nr, 1U);
	EXPECT_STREQ(plan.item[0].name, "ipc");
	EXPECT_STREQ(plan.missing, "br_mis_pred_retired");
	EXPECT_EQ(metric_plan_topdown(&plan, 1, &err), -ENOENT);
	metric_plan_free(&plan);
	fake_sysfs_remove(dir);
}

/* The counts of a group, and what is made of them. */
enum {
	CYCLES,
	OP_RETIRED,
	OP_SPEC,
	STALL,
	BACKEND,
	FRONTEND,
	MISS,
	FLUSH,
	ALL
};

static const uint16_t numbers[ALL] = {0x11, 0x3a, 0x3b, 0x3f,
				      0x3d, 0x3e, 0x10, 0x8162};
static struct listed_event events[ALL];

/* Level 1 as Arm's manuals of these CPUs have it, in their own order. */
struct level_one {
	double frontend, backend, retiring, bad;
};

static struct level_one level_one(uint64_t midr, const uint64_t *n)
{
	double c = n[CYCLES], miss = n[MISS] / c, flush = n[FLUSH] / c;
	double done = (double)n[OP_RETIRED] / n[OP_SPEC];
	double front5 = n[FRONTEND] / (c * 5), back5 = n[BACKEND] / (c * 5);
	double front8 = n[FRONTEND] / (c * 8), back8 = n[BACKEND] / (c * 8);
	double used5 = 1 - n[STALL] / (c * 5), used8 = 1 - n[STALL] / (c * 8);
	double used10 = 1 - n[STALL] / (c * 10);
	double old = 1 - (n[STALL] - c) / (c * 5);

	switch (midr) {
	case N2_R0P0:
		return (struct level_one){(n[FRONTEND] - c) / (5 * c) - miss,
					  back5 - miss * 3, done * old,
					  (1 - done) * old + miss * 4};
	case N2_R0P3:
		return (struct level_one){front5 - miss, back5 - miss * 3,
					  used5 * done,
					  (1 - done) * used5 + miss * 4};
	case V1:
		return (struct level_one){front8 - miss * 4, back8,
					  used8 * done,
					  (1 - done) * used8 + miss * 4};
	case V2:
		return (struct level_one){front8 - miss, back8 - miss * 3,
					  used8 * done,
					  (1 - done) * used8 + miss * 4};
	case N3:
		return (struct level_one){front5 - flush, back5, used5 * done,
					  used5 * (1 - done) + flush};
	default:
		return (struct level_one){n[FRONTEND] / (c * 10) - flush,
					  n[BACKEND] / (c * 10), used10 * done,
					  used10 * (1 - done) + flush};
	}
}

static struct stat_tally tally_of(void)
{
	static const struct event_list list = {
		.event = events, .nr = ALL, .nr_groups = 1};

	for (int i = 0; i < ALL; i++) {
		events[i] =
			(struct listed_event){.pmu = (char *)"pmu_snapshot"};
		events[i].attr.attr.config = numbers[i];
	}
	return (struct stat_tally){.events = &list};
}

static void take(struct stat_tally *tally, const uint64_t *counts)
{
	const struct pmscope_reading reading = {.nr = ALL,
						.cpu = -1,
						.enabled = 1000,
						.running = 1000,
						.value = counts};

	ASSERT_EQ(stat_tally_take(tally, &reading, 1), 0);
	stat_tally_delta(tally);
}

static void check_level_one(const struct metric_plan *plan,
			    const struct stat_tally *tally, uint64_t midr,
			    const uint64_t *counts)
{
	struct level_one one = level_one(midr, counts);
	const double expected[] = {one.frontend, one.backend, one.retiring,
				   one.bad};

	for (size_t i = 0; i < 4; i++) {
		struct stat_estimate e =
			stat_estimate(tally, plan, &plan->item[i], -1);

		EXPECT_TRUE(e.counted);
		EXPECT_TRUE(fabs(e.value - 100 * expected[i]) <
			    1e-9 * (1 + fabs(e.value)));
		EXPECT_EQ(e.error, 0);
	}
}

TEST(level_one_of_each_cpu)
{
	static const uint64_t midrs[] = {N2_R0P0, N2_R0P3, N3, V1, V2, V3};
	uint64_t counts[ALL], state = 5;
	struct pmscope_error err;

	for (size_t i = 0; i < NR(midrs); i++) {
		struct metric_plan plan = plan_of(midrs[i]);

		ASSERT_EQ(metric_plan_topdown(&plan, 1, &err), 0);
		ASSERT_EQ(plan.nr, 4U);
		for (int k = 0; k < 1000; k++) {
			struct stat_tally tally = tally_of();

			for (int event = 0; event < ALL; event++)
				counts[event] =
					1 + random_below(&state, 1000000);
			take(&tally, counts);
			check_level_one(&plan, &tally, midrs[i], counts);
			stat_tally_free(&tally);
		}
		metric_plan_free(&plan);
	}
}

/* Two groups of the same two events, by turns. */
static struct listed_event pair[4];
static const struct event_list turns_list = {
	.event = pair, .nr = 4, .nr_groups = 2};

static void turn(struct stat_tally *tally, unsigned int group, uint64_t a,
		 uint64_t b)
{
	const uint64_t counts[] = {a, b};
	const struct pmscope_reading reading = {.nr = 2,
						.cpu = -1,
						.enabled = 10,
						.running = 10,
						.value = counts};

	tally->first = 2 * group;
	ASSERT_EQ(stat_tally_take(tally, &reading, 1), 0);
	stat_tally_end_turn(tally);
}

static struct stat_tally turns_begin(void)
{
	for (int i = 0; i < 4; i++) {
		pair[i] = (struct listed_event){.pmu = (char *)"pmu_snapshot",
						.group = i / 2};
		pair[i].attr.attr.config = i % 2 ? 0x11 : 0x08;
	}
	return (struct stat_tally){.events = &turns_list, .turns = true};
}

static const struct plan_item ipc = {.formula = "INST_RETIRED / CPU_CYCLES",
				     .turn = 1};

/* Ratios of four turns; the error by hand, with t = 3.182 for 3. */
TEST(error_of_turns)
{
	static const uint64_t of[][2] = {
		{10, 100}, {30, 100}, {20, 100}, {45, 150}};
	struct stat_tally tally = turns_begin();
	struct metric_plan plan = {};
	double all = 105. / 450, mean = 0, sum = 0, without[4];
	struct stat_estimate e;

	for (int i = 0; i < 4; i++) {
		turn(&tally, 0, 7, 7);
		turn(&tally, 1, of[i][0], of[i][1]);
	}
	stat_tally_delta(&tally);
	for (int i = 0; i < 4; i++) {
		without[i] = (105. - of[i][0]) / (450. - of[i][1]);
		mean += without[i] / 4;
	}
	for (int i = 0; i < 4; i++)
		sum += (without[i] - mean) * (without[i] - mean);
	e = stat_estimate(&tally, &plan, &ipc, -1);
	EXPECT_TRUE(fabs(e.value - all) < 1e-12);
	EXPECT_TRUE(fabs(e.error - 3.182 * sqrt(sum * 3 / 4)) < 1e-12);
	EXPECT_TRUE(fabs(e.share - 0.5) < 1e-12);
	EXPECT_EQ(tally.table.row[2].value, 210U);
	EXPECT_EQ(tally.table.row[2].counted, 105U);
	stat_tally_free(&tally);
}

TEST(one_turn_has_no_error)
{
	struct stat_tally tally = turns_begin();
	struct metric_plan plan = {};
	struct stat_estimate e;

	turn(&tally, 0, 7, 7);
	stat_tally_delta(&tally);
	EXPECT_FALSE(stat_estimate(&tally, &plan, &ipc, -1).counted);
	turn(&tally, 1, 10, 100);
	stat_tally_delta(&tally);
	e = stat_estimate(&tally, &plan, &ipc, -1);
	EXPECT_TRUE(e.counted);
	EXPECT_TRUE(e.error < 0);
	stat_tally_free(&tally);
}

/* The range holds the true ratio in 19 of 20 cases. */
TEST(error_is_as_large_as_it_says)
{
	struct metric_plan plan = {};
	uint64_t state = 11;
	unsigned int held = 0, cases = 1000;

	for (unsigned int i = 0; i < cases; i++) {
		struct stat_tally tally = turns_begin();
		struct stat_estimate e;

		for (int k = 0; k < 24; k++) {
			uint64_t cycles = 1000 + random_below(&state, 1000);

			turn(&tally, 1,
			     cycles * (1 + random_below(&state, 1000)) / 1000,
			     cycles);
		}
		stat_tally_delta(&tally);
		e = stat_estimate(&tally, &plan, &ipc, -1);
		held += fabs(e.value - 0.5) <= e.error;
		stat_tally_free(&tally);
	}
	EXPECT_TRUE(held > 920 && held < 980);
}

/* 100000 turns need no more memory than 64, and lose nothing. */
TEST(many_turns_share_blocks)
{
	struct stat_tally tally = turns_begin();
	struct metric_plan plan = {};
	uint64_t first = 0, second = 0;
	struct stat_estimate e;

	for (uint64_t i = 0; i < 100000; i++) {
		turn(&tally, 1, i % 7, 10 + i % 3);
		first += i % 7;
		second += 10 + i % 3;
	}
	stat_tally_delta(&tally);
	EXPECT_TRUE(stat_tally_blocks(&tally, 1) > STAT_BLOCKS / 2);
	EXPECT_TRUE(stat_tally_blocks(&tally, 1) <= STAT_BLOCKS);
	EXPECT_EQ(tally.table.row[2].counted, first);
	e = stat_estimate(&tally, &plan, &ipc, -1);
	EXPECT_TRUE(fabs(e.value - (double)first / second) < 1e-12);
	stat_tally_free(&tally);
}
