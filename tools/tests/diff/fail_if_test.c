// SPDX-License-Identifier: GPL-2.0-or-later
/* The grammar of diff --fail-if, and when a condition holds. */
#include "ktap.h"

#include "diff/diff.h"

static struct fail_if parsed;

static int parse(const char *text)
{
	parsed = (struct fail_if){};
	/* The messages are of cli_diff_test.sh. */
	fflush(stderr);
	if (!freopen("/dev/null", "w", stderr))
		exit(1);
	return fail_if_parse(&parsed, text);
}

static void expect_condition(const char *text, enum measure measure,
			     bool is_less, bool is_relative, double limit)
{
	const struct fail_condition *c = &parsed.conditions[0];

	ASSERT_EQ(parse(text), 0);
	ASSERT_EQ(parsed.nr, 1U);
	EXPECT_EQ(c->measure, measure);
	EXPECT_EQ(c->is_less, is_less);
	EXPECT_EQ(c->is_relative, is_relative);
	EXPECT_EQ((long)(1e6 * c->limit + 0.5), (long)(1e6 * limit + 0.5));
	EXPECT_EQ(c->length, strlen(text));
}

TEST(conditions)
{
	expect_condition("lat.p90>+10%", MEASURE_LAT_P90, false, true, 0.1);
	expect_condition("lat_p90>10%", MEASURE_LAT_P90, false, true, 0.1);
	expect_condition("cost>0", MEASURE_COST, false, false, 0);
	expect_condition("lat.mean>2.5", MEASURE_LAT_MEAN, false, false, 2.5);
	expect_condition("lat.p50<-.5", MEASURE_LAT_P50, true, false, 0.5);
	expect_condition("share>+2", MEASURE_SHARE, false, false, 0.02);
	expect_condition("share<-20%", MEASURE_SHARE, true, true, 0.2);
	expect_condition("L1D-REFILL>1", MEASURE_L1D_REFILL, false, false,
			 0.01);
	expect_condition("xlat.mean>+1", MEASURE_XLAT_MEAN, false, false, 1);
}

TEST(where_it_is_looked_for)
{
	const struct fail_condition *c = &parsed.conditions[0];

	ASSERT_EQ(parse("cost>1%"), 0);
	EXPECT_TRUE(c->on_rows && c->on_total);
	ASSERT_EQ(parse("total:cost>1%"), 0);
	EXPECT_TRUE(!c->on_rows && c->on_total);
	ASSERT_EQ(parse("rows:cost>1%,total:lat.p99>+50%"), 0);
	EXPECT_TRUE(c->on_rows && !c->on_total);
	EXPECT_EQ(parsed.nr, 2U);
	EXPECT_EQ(parsed.conditions[1].measure, MEASURE_LAT_P99);
	EXPECT_EQ(parsed.conditions[1].length, strlen("total:lat.p99>+50%"));
	ASSERT_EQ(parse(NULL), 0);
	EXPECT_EQ(parsed.nr, 0U);
}

TEST(nonsense_is_refused)
{
	static const char *const wrong[] = {
		"",
		"lat.p90",
		"lat.p90>",
		"lat.p90>%",
		"lat.p90>+",
		"lat.p90>x",
		"lat.p91>+1%",
		">+10%",
		"lat.p90>+10%%",
		"lat.p90>1e3",
		"lat.p90>0x10",
		"lat.p90>inf",
		"lat.p90>nan",
		"lat.p90>-10%",
		"lat.p90<+10%",
		"lat.p90<10%",
		"lat.p90=10%",
		"lat.p90>=10%",
		"cost>1%,",
		"cost>1%,,cost>2%",
		"total:share>1%",
		"row:cost>1%",
		"cost<-100%",
		"cost>1.2.3",
		"cost >1%",
		"cost> 1%",
		"cost>1% ",
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		int ret = parse(wrong[i]);

		EXPECT_TRUE(ret < 0);
		if (ret >= 0)
			ktap_note("'%s' was accepted", wrong[i]);
	}
}

TEST(too_many_conditions)
{
	char text[8 * (FAIL_IF_MAX + 1) + 1] = "";

	for (int i = 0; i < FAIL_IF_MAX; i++)
		strcat(text, i ? ",cost>1" : "cost>1");
	EXPECT_EQ(parse(text), 0);
	EXPECT_EQ(parsed.nr, (size_t)FAIL_IF_MAX);
	strcat(text, ",cost>1");
	EXPECT_TRUE(parse(text) < 0);
}

static struct compared_row changed_row(enum measure measure, double old,
				       double new, bool changed,
				       const struct row_pair *pair)
{
	struct compared_row row = {.pair = pair};
	struct compared *m = &row.measures[measure];

	m->known = true;
	m->changed = changed;
	m->figures[0].value = old;
	m->figures[1].value = new;
	m->change.value = new - old;
	return row;
}

static bool holds(const char *text, double old, double new, bool changed)
{
	static const struct row_pair pair;
	struct compared_row row;

	if (parse(text))
		return false;
	row = changed_row(parsed.conditions[0].measure, old, new, changed,
			  &pair);
	return fail_condition_holds(&parsed.conditions[0], &row);
}

TEST(when_a_condition_holds)
{
	EXPECT_TRUE(holds("lat.p90>+10%", 100, 111, true));
	EXPECT_FALSE(holds("lat.p90>+10%", 100, 110, true));
	EXPECT_FALSE(holds("lat.p90>+10%", 100, 89, true));
	EXPECT_FALSE(holds("lat.p90>+10%", 100, 200, false));
	EXPECT_TRUE(holds("lat.p90<-10%", 100, 89, true));
	EXPECT_FALSE(holds("lat.p90<-10%", 100, 90, true));
	EXPECT_TRUE(holds("share>+2", 0.1, 0.13, true));
	EXPECT_FALSE(holds("share>+2", 0.1, 0.11, true));
	EXPECT_TRUE(holds("cost>0", 0, 0.1, true));
	EXPECT_TRUE(holds("cost>+50%", 0, 0.1, true));
	EXPECT_FALSE(holds("total:cost>0", 0, 5, true));
}

TEST(failures_are_counted)
{
	static const struct row_pair pair;
	struct compared_row total = changed_row(MEASURE_COST, 1, 2, true, NULL);
	struct compared_row row = changed_row(MEASURE_COST, 1, 3, true, &pair);

	ASSERT_EQ(parse("cost>+10%,total:cost>+10%,rows:cost>+150%,cost<-1"),
		  0);
	fail_if_see(&parsed, &total);
	fail_if_see(&parsed, &row);
	EXPECT_EQ(parsed.conditions[0].failures, 1U);
	EXPECT_TRUE(parsed.conditions[0].holds_for_total);
	EXPECT_TRUE(parsed.conditions[1].holds_for_total);
	EXPECT_EQ(parsed.conditions[1].failures, 0U);
	EXPECT_FALSE(parsed.conditions[2].holds_for_total);
	EXPECT_EQ(parsed.conditions[2].failures, 1U);
	EXPECT_TRUE(parsed.conditions[2].first == &pair);
	EXPECT_EQ(parsed.conditions[3].failures, 0U);
}
