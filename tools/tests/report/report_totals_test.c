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

/* The counts of one CPU. */
struct counted {
	uint64_t population;
	uint64_t feed;
	uint64_t filtrate;
};

static const struct {
	uint64_t config;
	const char *name;
	size_t at;
} events[] = {
	{0x4000, "pmu_snapshot/sample_pop/",
	 offsetof(struct counted, population)},
	{0x4001, "pmu_snapshot/sample_feed/", offsetof(struct counted, feed)},
	{0x4002, "pmu_snapshot/sample_filtrate/",
	 offsetof(struct counted, filtrate)},
};

#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

/* One in a hundred operations was sampled, and none lost. */
static const struct counted whole = {100000, 1000, LOADS};

static uint64_t id_of(uint32_t cpu, size_t event)
{
	return 100 * (cpu + 1) + event;
}

/* The counters of @counters, as @cpu reads them. */
static void put_counts(struct bytes *b, uint32_t counters, uint32_t cpu,
		       const struct counted *counted)
{
	struct snapshot_value values[NR_EVENTS];

	for (size_t i = 0; i < NR_EVENTS; i++) {
		values[i].id = id_of(counters, i);
		memcpy(&values[i].value, (const char *)counted + events[i].at,
		       sizeof(values[i].value));
	}
	put_snapshot_group(b, cpu, 9, values, NR_EVENTS);
}

static void begin(struct bytes *b, uint32_t cpus)
{
	perfdata_begin_pipe(b);
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		for (size_t i = 0; i < NR_EVENTS; i++)
			put_snapshot_event(b, id_of(cpu, i), events[i].config,
					   events[i].name);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_time_conv(b, 0, 1, 0);
}

static void put_loads(struct bytes *b, uint32_t cpu)
{
	BYTES trace = {};

	for (uint64_t time = 1; time <= LOADS; time++)
		put_load(&trace, 0x5000, 0x9000, time);
	put_auxtrace(b, cpu, cpu, NO_TID, &trace);
}

static void print(const struct bytes *b, char *text, const char *options)
{
	char arguments[128];

	snprintf(arguments, sizeof(arguments), "report %s", options);
	EXPECT_EQ(command_pmscope_text(b, arguments, text, TEXT_SIZE), 0);
}

/* Four loads, one in a hundred operations sampled, if that is @counted. */
static void report(char *text, const char *options, bool counted)
{
	BYTES b = {};

	begin(&b, counted);
	put_loads(&b, 0);
	if (counted)
		put_counts(&b, 0, 0, &whole);
	print(&b, text, options);
}

/* The same on two CPUs, with the counts of one, and who reported them. */
static void report_two(char *text, const char *options,
		       const struct counted *of_first,
		       const struct counted *of_second, uint32_t reader)
{
	BYTES b = {};

	begin(&b, 2);
	put_loads(&b, 0);
	put_loads(&b, 1);
	put_counts(&b, 0, 0, of_first);
	put_counts(&b, 0, 0, of_first);
	if (of_second) {
		put_counts(&b, 1, 1, of_second);
		put_counts(&b, 1, reader, of_second);
	}
	print(&b, text, options);
}

/* 4 * 100, +- 1.96 * 100 * sqrt(4 * 0.99) */
TEST(rows_tell_their_operations)
{
	char text[TEXT_SIZE];

	report(text, "--sort=op --format=jsonl", true);
	EXPECT_TRUE(strstr(text, "\"population\":100000,\"sampled\":0.01"));
	EXPECT_TRUE(strstr(text, "\"operations\":400,\"error95\":390,"));
	report(text, "--sort=op --format=csv", true);
	EXPECT_TRUE(strstr(text, ",events,sources,operations,error95\n"));
	EXPECT_TRUE(strstr(text, "=4,400,390\n"));
}

TEST(not_where_none_were_counted)
{
	char text[TEXT_SIZE];

	report(text, "--sort=op --format=jsonl", false);
	EXPECT_FALSE(strstr(text, "operations"));
	report(text, "--sort=op --format=csv", false);
	EXPECT_TRUE(strstr(text, ",events,sources\n"));
	EXPECT_TRUE(strstr(text, "=4\n"));
}

static void expect_rows(const char *options, const struct counted *of_first,
			const struct counted *of_second, const char *first,
			const char *second)
{
	char text[TEXT_SIZE];

	report_two(text, options, of_first, of_second, 1);
	EXPECT_TRUE(strstr(text, first));
	EXPECT_TRUE(strstr(text, second));
}

/*
 * The second one lost nine of ten: 10 * 4 * 100, +- 1.96 * 1000 * sqrt(4 *
 * 0.99) What the first one sampled and did not count yet makes up for none of
 * it.
 */
TEST(each_CPU_has_a_scale_of_its_own)
{
	static const struct counted lossy = {100000, 1000, 10 * LOADS};
	static const struct counted early = {100000, 1000, 1};
	char text[TEXT_SIZE];

	expect_rows("--sort=cpu --format=csv", &whole, &lossy, "\n0,4,0.5",
		    "=4,400,390\n");
	expect_rows("--sort=cpu --format=csv --threads=2", &whole, &lossy,
		    "\n1,4,0.5", "=4,4000,3900\n");
	expect_rows("--sort=op --format=jsonl", &whole, &lossy,
		    "\"lost_records\":36",
		    "\"operations\":4400,\"error95\":3920,");
	expect_rows("--sort=op --format=jsonl", &early, &lossy,
		    "\"lost_records\":36",
		    "\"operations\":4400,\"error95\":3920,");
	expect_rows("--sort=cpu --format=csv --filter=cpu=1", &whole, &lossy,
		    "\n1,4,1.0", "=4,4000,3900\n");
	report_two(text, "--sort=cpu", &whole, &lossy, 1);
	EXPECT_TRUE(strstr(text, "# Of 200000 operations one in 100.0 was "
				 "sampled; 36 records were lost\n"));
}

/* If another CPU read them too, or one has none, use the sum. */
TEST(counts_that_are_not_of_one_CPU)
{
	static const struct counted lossy = {100000, 1000, 10 * LOADS};
	char text[TEXT_SIZE];

	report_two(text, "--sort=cpu --format=csv", &whole, &lossy, 0);
	EXPECT_TRUE(strstr(text, "=4,2200,"));
	EXPECT_FALSE(strstr(text, "=4,400,"));
	report_two(text, "--sort=cpu --format=csv --filter=cpu=1", &whole, NULL,
		   1);
	EXPECT_TRUE(strstr(text, "\n1,4,1.0"));
	EXPECT_TRUE(strstr(text, "=4,400,390\n"));
}

KTAP_MAIN
