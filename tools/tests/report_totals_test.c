// SPDX-License-Identifier: GPL-2.0-or-later
/* report of a recording with what SPE counts of itself: operations of a row. */
#include "bytes.h"
#include "command.h"
#include "ktap.h"

#include <pmscope/perfdata.h>

#include <string.h>

#define TYPE_ARM_SPE 4
#define NO_TID	     UINT32_MAX
#define LOADS	     4
#define TEXT_SIZE    4096

static const struct {
	uint64_t config;
	const char *name;
	uint64_t count;
} events[] = {
	{0x4000, "pmu_snapshot/sample_pop/", 100000},
	{0x4001, "pmu_snapshot/sample_feed/", 1000},
	{0x4002, "pmu_snapshot/sample_filtrate/", LOADS},
};

#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

static void put_counts(struct bytes *b)
{
	struct snapshot_value values[NR_EVENTS];

	for (size_t i = 0; i < NR_EVENTS; i++)
		values[i] = (struct snapshot_value){100 + i, events[i].count};
	put_snapshot_group(b, 9, values, NR_EVENTS);
}

/* Four loads, one in a hundred operations sampled, if that is @counted. */
static void report(char *text, const char *options, bool counted)
{
	struct bytes b = {}, trace = {};
	char arguments[64];

	perfdata_begin_pipe(&b);
	for (size_t i = 0; counted && i < NR_EVENTS; i++)
		put_snapshot_event(&b, 100 + i, events[i].config,
				   events[i].name);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_time_conv(&b, 0, 1, 0);
	for (uint64_t time = 1; time <= LOADS; time++)
		put_load(&trace, 0x5000, 0x9000, time);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	if (counted)
		put_counts(&b);
	snprintf(arguments, sizeof(arguments), "report --sort=op %s", options);
	EXPECT_EQ(command_pmscope_text(&b, arguments, text, TEXT_SIZE), 0);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* 4 * 100, +- 1.96 * 100 * sqrt(4 * 0.99) */
TEST(rows_tell_their_operations)
{
	char text[TEXT_SIZE];

	report(text, "--format=jsonl", true);
	EXPECT_TRUE(strstr(text, "\"population\":100000,\"sampled\":0.01"));
	EXPECT_TRUE(strstr(text, "\"operations\":400,\"error95\":390,"));
	report(text, "--format=csv", true);
	EXPECT_TRUE(strstr(text, ",events,sources,operations,error95\n"));
	EXPECT_TRUE(strstr(text, "=4,400,390\n"));
}

TEST(not_where_none_were_counted)
{
	char text[TEXT_SIZE];

	report(text, "--format=jsonl", false);
	EXPECT_FALSE(strstr(text, "operations"));
	report(text, "--format=csv", false);
	EXPECT_TRUE(strstr(text, ",events,sources\n"));
	EXPECT_TRUE(strstr(text, "=4\n"));
}

KTAP_MAIN
