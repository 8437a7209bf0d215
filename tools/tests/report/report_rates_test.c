// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of a recording: of each event, and instructions per cycle. */
#include "bytes.h"
#include "command.h"
#include "ktap.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE    8192
#define MS	     1000000
#define CPU_CYCLES   0x11
#define INST_RETIRED 0x08
#define LD_RETIRED   0x06

/* Events of a group, and what each counts between two snapshots. */
struct counted {
	uint64_t id;
	uint64_t count;
};

static void begin(struct bytes *b)
{
	bytes_add(b, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	put_snapshot_event(b, 1, CPU_CYCLES, "pmu_snapshot/cpu_cycles/");
	put_snapshot_event(b, 2, INST_RETIRED, "pmu_snapshot/inst_retired/");
	put_snapshot_event(b, 3, CPU_CYCLES, "pmu_snapshot/cpu_cycles/");
	put_snapshot_event(b, 4, LD_RETIRED, "pmu_snapshot/ld_retired/");
}

/* @nr snapshots, a millisecond apart, from @first on. */
static void put_snapshots(struct bytes *b, unsigned int first, unsigned int nr,
			  const struct counted *events, size_t nr_events)
{
	for (unsigned int i = 0; i < nr; i++) {
		struct snapshot_value values[4];

		for (size_t event = 0; event < nr_events; event++)
			values[event] = (struct snapshot_value){
				events[event].id,
				1000 + i * events[event].count};
		put_snapshot_group(b, 0, (first + i) * MS, values, nr_events);
	}
}

static const char *report(const struct bytes *b, const char *options)
{
	static char text[TEXT_SIZE];
	char arguments[64];

	snprintf(arguments, sizeof(arguments), "report %s", options);
	EXPECT_EQ(command_pmscope_text(b, arguments, text, sizeof(text)), 0);
	return text;
}

/* In total, and in the only slice, followed by @slice. */
static void expect_half_in(const struct bytes *b, const char *slice)
{
	char expected[64];

	snprintf(expected, sizeof(expected), ",0,0,,0.500000,%s", slice);
	EXPECT_TRUE(strstr(report(b, ""), "# 0.500 instructions per cycle\n"));
	EXPECT_TRUE(strstr(report(b, "--timeline --limit=1 --format=csv"),
			   expected));
}

static void expect_half(struct counted first, struct counted second)
{
	const struct counted events[] = {{4, 7}, first, second};
	BYTES b = {};

	begin(&b);
	put_snapshots(&b, 0, 5, events, 3);
	expect_half_in(&b, "");
}

TEST(instructions_a_cycle_in_any_order)
{
	expect_half((struct counted){1, 400}, (struct counted){2, 200});
	expect_half((struct counted){2, 200}, (struct counted){1, 400});
}

static void expect_ipc(const struct counted *events, const char *text)
{
	BYTES b = {};
	const char *line;

	begin(&b);
	put_snapshots(&b, 0, 5, events, 2);
	line = strstr(report(&b, "--format=jsonl"), "{\"type\":\"ipc\"");
	EXPECT_TRUE(text ? line && strstr(line, text) : !line);
}

TEST(no_instructions_are_a_ratio_too)
{
	expect_ipc((struct counted[]){{1, 400}, {2, 0}}, "\"value\":0.000000}");
}

TEST(without_both_there_is_no_ratio)
{
	expect_ipc((struct counted[]){{1, 400}, {4, 100}}, NULL);
	expect_ipc((struct counted[]){{4, 400}, {2, 100}}, NULL);
	expect_ipc((struct counted[]){{1, 0}, {2, 100}}, NULL);
}

/* Each is a row, none is counted twice. */
TEST(an_event_twice_in_a_group)
{
	const struct counted events[] = {{1, 400}, {3, 400}, {2, 200}};
	BYTES b = {};
	const char *text;

	begin(&b);
	put_snapshots(&b, 0, 5, events, 3);
	text = report(&b, "");
	EXPECT_TRUE(strstr(text, "# 0.500 instructions per cycle\n"));
	text = strstr(text, "5  1600 ");
	ASSERT_TRUE(text);
	EXPECT_TRUE(strstr(text + 1, "5  1600 "));
	text = report(&b, "--timeline --limit=1 --format=jsonl");
	EXPECT_TRUE(strstr(text, "\"ipc\":0.500000,"));
	EXPECT_TRUE(strstr(text, "\"pmu_snapshot/cpu_cycles/\":1600.0"));
	EXPECT_TRUE(strstr(text, "\"pmu_snapshot/cpu_cycles/ #2\":1600.0"));
}

/* A timeline has columns for at most 16. */
TEST(cycles_of_a_group_with_many_events)
{
	struct snapshot_value values[32];
	BYTES b = {};

	bytes_add(&b, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	for (uint64_t id = 0; id < 32; id++)
		put_snapshot_event(&b, id,
				   id == 30   ? CPU_CYCLES
				   : id == 31 ? INST_RETIRED
					      : LD_RETIRED,
				   "pmu_snapshot/e/");
	for (uint64_t i = 0; i < 3; i++) {
		for (uint64_t id = 0; id < 32; id++)
			values[id] = (struct snapshot_value){
				id, i * (id == 30 ? 400 : 200)};
		put_snapshot_group(&b, 0, i * MS, values, 32);
	}
	EXPECT_TRUE(strstr(report(&b, "--timeline --limit=1 --format=csv"),
			   ",0,0,,0.500000,400.0"));
}

/* Whatever else is called so. */
TEST(names_of_columns_are_not_the_same)
{
	static const struct snapshot_value values[] = {
		{1, 0}, {2, 0}, {3, 0}, {4, 0}};
	BYTES b = {};

	bytes_add(&b, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	put_snapshot_event(&b, 1, LD_RETIRED, "a");
	put_snapshot_event(&b, 2, LD_RETIRED, "a #2");
	put_snapshot_event(&b, 3, LD_RETIRED, "a");
	put_snapshot_event(&b, 4, LD_RETIRED, "samples");
	put_snapshot_group(&b, 0, MS, values, 4);
	EXPECT_TRUE(strstr(report(&b, "--timeline --format=csv"),
			   "ipc,a,a #2,a #3,samples #2\n"));
}

/* The group that loads are counted in is there for longer. */
TEST(an_event_in_each_of_two_groups)
{
	const struct counted one[] = {{1, 400}, {2, 200}};
	const struct counted other[] = {{3, 900}, {4, 10}};
	BYTES b = {};

	begin(&b);
	put_snapshots(&b, 0, 5, one, 2);
	put_snapshots(&b, 0, 9, other, 2);
	expect_half_in(&b, "1600.0");
}

/* One in 32 time slices. */
TEST(rare_events_are_in_the_slices)
{
	const struct counted events[] = {{4, 1}};
	BYTES b = {};
	double sum = 0;
	const char *at;

	begin(&b);
	put_snapshots(&b, 0, 2, events, 1);
	at = report(&b, "--timeline --limit=32 --format=jsonl");
	while ((at = strstr(at, "ld_retired/\":"))) {
		at += strlen("ld_retired/\":");
		sum += strtod(at, NULL);
	}
	EXPECT_TRUE(sum > 0.999 && sum < 1.001);
}

KTAP_MAIN
