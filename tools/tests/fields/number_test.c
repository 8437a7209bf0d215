// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers with units, and names that are nearly right. */
#include "cli/cli.h"
#include "ktap.h"

TEST(units_multiply)
{
	static const struct {
		const char *text;
		const struct number_unit *units;
		uint64_t value;
	} good[] = {
		{"0", number_counts, 0},
		{"0x10", number_counts, 16},
		{"4K", number_counts, 4000},
		{"1.5k", number_counts, 1500},
		{"0.25M", number_counts, 250000},
		{"3G", number_counts, UINT64_C(3000000000)},
		{"12", number_times, 12},
		{"7ns", number_times, 7},
		{"1.5us", number_times, 1500},
		{"20ms", number_times, 20000000},
		{"1.000000001s", number_times, 1000000001},
		{"1.500s", number_times, 1500000000},
		{"18446744073s", number_times, UINT64_C(18446744073000000000)},
	};
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		ktap_note("%s", good[i].text);
		EXPECT_EQ(number_parse(good[i].text, good[i].units, &value), 0);
		EXPECT_EQ(value, good[i].value);
	}
}

TEST(other_texts_are_refused)
{
	static const char *const bad[] = {
		"",
		"K",
		".5K",
		"1.5",
		"1,5K",
		"-1K",
		"1 K",
		"1KK",
		"1s",
		"0x1K",
		"1.2.3K",
		"1.0001K",
		"99999999999999999999K",
		"18446744073709552K",
	};
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ktap_note("%s", bad[i]);
		EXPECT_EQ(number_parse(bad[i], number_counts, &value), -EINVAL);
	}
	EXPECT_EQ(number_parse("1.0000000001s", number_times, &value), -EINVAL);
}

TEST(a_percentage_is_from_0_to_100)
{
	static const char *const bad[] = {"",	 "%",	"-1", "101", "5%%",
					  "nan", "1e1", "5 ", "0x5"};
	double value = -1;

	EXPECT_EQ(option_percent(NULL, "2.5%", &value), 0);
	EXPECT_TRUE(value == 2.5);
	EXPECT_EQ(option_percent(NULL, "100", &value), 0);
	EXPECT_TRUE(value == 100);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ktap_note("%s", bad[i]);
		EXPECT_EQ(option_percent(NULL, bad[i], &value), -EINVAL);
	}
}

/* The nearest of a few names to @word, or "". */
static const char *near(const char *word)
{
	static const char *const names[] = {"report", "record", "stat",
					    "script", "regs"};
	struct nearest nearest = nearest_begin(word, strlen(word));

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		nearest_try(&nearest, names[i]);
	return nearest.name ? nearest.name : "";
}

TEST(the_nearest_name_is_found)
{
	EXPECT_STREQ(near("reprot"), "report");
	EXPECT_STREQ(near("reort"), "report");
	EXPECT_STREQ(near("rrecord"), "record");
	EXPECT_STREQ(near("sc"), "script");
	EXPECT_STREQ(near("stats"), "stat");
	EXPECT_STREQ(near("xyz"), "");
	EXPECT_STREQ(near(""), "");
	EXPECT_STREQ(near("a"), "");
	EXPECT_STREQ(near("reportreportreportreportreportreport"), "");
}
