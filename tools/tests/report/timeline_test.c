// SPDX-License-Identifier: GPL-2.0-or-later
/* report --timeline: slices of the time, counts shared among them, phases. */
#include "bytes.h"
#include "command.h"
#include "ktap.h"

#include <pmscope/packet.h>
#include <pmscope/perfdata.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TYPE_ARM_SPE 4
#define NO_TID	     UINT32_MAX
#define MS	     1000000
#define MAX_ROWS     64

struct row {
	unsigned int phase;
	uint64_t time;
	uint64_t duration;
	uint64_t samples;
	double latency;
	double count;
};

static void put_group(struct bytes *b, uint32_t tid, uint64_t time,
		      uint64_t value)
{
	BYTES body = {};

	put(&body, PERFDATA_ID, 8);
	PUT(&body, 4, 10, tid);
	PUT(&body, 8, time, 0, 1, value, PERFDATA_ID);
	put_record(b, PERF_RECORD_SAMPLE, 0, &body);
}

/* 4 ms: in the first half a load each microsecond, then one each ten. */
static void put_loads(struct bytes *b)
{
	BYTES trace = {};

	for (uint64_t time = 0; time < 2 * MS; time += 1000)
		put_load(&trace, 0x5000, 0x9000, time);
	for (uint64_t time = 2 * MS; time < 4 * MS; time += 10000)
		put_load(&trace, 0x5000, 0x9000, time);
	put_auxtrace(b, 0, 0, NO_TID, &trace);
}

static void begin(struct bytes *b)
{
	perfdata_begin(b);
	perfdata_read_groups(b);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_time_conv(b, 0, 1, 0);
}

/* Counts, too: one each two microseconds, then eight each microsecond. */
static void put_recording(struct bytes *b)
{
	begin(b);
	put_group(b, 10, 0, 100);
	put_group(b, 10, 2 * MS, 100 + 1000);
	put_group(b, 10, 4 * MS, 100 + 1000 + 16000);
	put_loads(b);
	perfdata_end(b);
}

/* All but the SPE records is timed by another clock, which is days ahead. */
static void put_recording_by_another_clock(struct bytes *b)
{
	static const uint64_t ahead = UINT64_C(1000000) * 1000 * MS;
	struct where where = {10, 10, ahead, 0};
	struct bytes area = {};
	size_t from = 0;

	begin(b);
	perfdata_use_clockid(b, CLOCK_BOOTTIME);
	put_itrace_start(b, &where);
	put_group(b, 10, ahead, 100);
	for (uint64_t ms = 1; ms <= 4; ms++) {
		for (uint64_t us = 1; us < 1000; us++)
			put_load(&area, 0x5000, 0x9000,
				 (ms - 1) * MS + us * 1000);
		where.time = ahead + ms * MS;
		put_aux_at(b, from, area.size - from, 0, &where);
		put_auxtrace_part(b, 0, &area, from, area.size);
		put_group(b, 10, where.time, 100 + ms * 1000);
		from = area.size;
	}
	bytes_fini(&area);
	perfdata_end(b);
}

/*
 * Two alternating threads: one counts 2000, the other 1000. The sum is read at
 * the end.
 */
static void put_threads(struct bytes *b)
{
	begin(b);
	perfdata_inherit(b);
	put_group(b, 10, 0, 5000);
	put_group(b, 11, 1 * MS, 100);
	put_group(b, 10, 2 * MS, 6000);
	put_group(b, 11, 3 * MS, 1100);
	put_group(b, 10, 4 * MS, 7000);
	put_group(b, NO_TID, 4 * MS, 8100);
	put_loads(b);
	perfdata_end(b);
}

/* The rows of the CSV that have samples. */
static size_t read_rows(void (*put_file)(struct bytes *b), struct row *rows,
			const char *options)
{
	char line[256];
	struct bytes b = {};
	size_t nr = 0;
	FILE *pipe;

	put_file(&b);
	snprintf(line, sizeof(line), "report --timeline --format=csv %s",
		 options);
	pipe = command_pmscope_reads(&b, line);
	bytes_fini(&b);
	EXPECT_TRUE(pipe);
	while (pipe && nr < MAX_ROWS && fgets(line, sizeof(line), pipe)) {
		struct row *row = &rows[nr];

		nr += sscanf(line, "%u,%lu,%lu,%lu,%*u,%lf,,%lf", &row->phase,
			     &row->time, &row->duration, &row->samples,
			     &row->latency, &row->count) == 6;
	}
	EXPECT_EQ(pipe ? pclose(pipe) : -1, 0);
	return nr;
}

TEST(all_is_in_some_slice)
{
	struct row rows[MAX_ROWS];
	size_t nr = read_rows(put_recording, rows, "--limit=16");
	uint64_t samples = 0;
	double count = 0;

	ASSERT_TRUE(nr > 8 && nr <= 16);
	for (size_t i = 0; i < nr; i++) {
		samples += rows[i].samples;
		count += rows[i].count;
		EXPECT_EQ(rows[i].time, i * rows[0].duration);
		EXPECT_TRUE(!rows[i].samples || rows[i].latency == 9);
	}
	EXPECT_EQ(samples, 2200U);
	EXPECT_TRUE(count > 16999 && count < 17001);
}

/* All of it is in the slices, however many there are. */
/* Counts are in the slices of their samples. */
TEST(groups_that_are_timed_by_another_clock)
{
	struct row rows[MAX_ROWS];
	size_t nr = read_rows(put_recording_by_another_clock, rows, "");

	EXPECT_GT(nr, 10U);
	for (size_t i = 0; i + 1 < nr; i++) {
		EXPECT_GT(rows[i].samples, 0U);
		EXPECT_GT(rows[i].count, 0.0);
	}
}

TEST(no_more_rows_than_asked_for)
{
	struct row rows[MAX_ROWS];
	char limit[32];

	for (size_t most = 1; most <= 17; most++) {
		uint64_t samples = 0, duration = 0;
		size_t nr;

		snprintf(limit, sizeof(limit), "--limit=%zu", most);
		nr = read_rows(put_recording, rows, limit);
		EXPECT_TRUE(nr > most / 2 && nr <= most);
		for (size_t i = 0; i < nr; i++) {
			EXPECT_EQ(rows[i].time, duration);
			samples += rows[i].samples;
			duration += rows[i].duration;
		}
		EXPECT_EQ(samples, 2200U);
	}
}

/* A load with a latency, and two records that have none. */
static void put_latencies(struct bytes *b)
{
	struct bytes trace = {};

	begin(b);
	put_load(&trace, 0x5000, 0x9000, 10);
	put_packet(&trace, PMSCOPE_PACKET_EVENTS, 0, 1, 2);
	put_timestamp(&trace, 20);
	put_packet(&trace, PMSCOPE_PACKET_EVENTS, 0, 1, 2);
	put_timestamp(&trace, 30);
	put_auxtrace(b, 0, 0, NO_TID, &trace);
	bytes_fini(&trace);
	perfdata_end(b);
}

TEST(text_says_how_many_latencies_a_mean_is_of)
{
	BYTES b = {};
	char text[1024];

	put_latencies(&b);
	EXPECT_EQ(command_pmscope_text(&b, "report --timeline", text,
				       sizeof(text)),
		  0);
	EXPECT_TRUE(strstr(text, "  Samples    Timed Mean cyc    IPC"));
	EXPECT_TRUE(strstr(text, "        3        1      9.0      -"));
}

TEST(counts_are_shared_by_time)
{
	struct row rows[MAX_ROWS];
	size_t nr = read_rows(put_recording, rows, "--limit=16");

	ASSERT_TRUE(nr > 8 && nr <= 16);
	for (size_t i = 0; i < nr; i++) {
		uint64_t end = rows[i].time + rows[i].duration;
		double wanted =
			rows[i].duration * (end <= 2 * MS ? 0.5 : 8.0) / 1000;

		/* But for the slice both rates are in. */
		if (end <= 2 * MS || rows[i].time >= 2 * MS)
			EXPECT_TRUE(rows[i].count > wanted - 1 &&
				    rows[i].count < wanted + 1);
	}
}

TEST(threads_count_for_themselves)
{
	struct row rows[MAX_ROWS];
	size_t nr = read_rows(put_threads, rows, "--limit=16");
	double count = 0;

	for (size_t i = 0; i < nr; i++)
		count += rows[i].count;
	EXPECT_TRUE(count > 2999 && count < 3001);
}

/* Cycles of threads, by what each inherited. */
static void begin_threads(struct bytes *b)
{
	begin(b);
	perfdata_inherit(b);
	put_event_name(b, PERFDATA_ID, "cycles");
}

static void end_and_report(struct bytes *b, char *text, size_t size)
{
	perfdata_end(b);
	EXPECT_EQ(command_pmscope_text(b, "report", text, size), 0);
}

/* 2000 in 4 ms of one thread, 1000 in 2 ms of the other. */
TEST(rates_are_those_of_one_thread)
{
	BYTES b = {};
	char text[2048];

	begin_threads(&b);
	put_group(&b, 10, 0, 5000);
	put_group(&b, 11, 1 * MS, 100);
	put_group(&b, 11, 3 * MS, 1100);
	put_group(&b, 10, 4 * MS, 7000);
	end_and_report(&b, text, sizeof(text));
	EXPECT_TRUE(strstr(text, "Per second       Event\n"));
	EXPECT_TRUE(strstr(text, " of each CPU or thread\n"));
	EXPECT_TRUE(strstr(text, "4  3000                 500000 "));
}

/* A thread ends, and another gets its number: 1000 in 1 ms, 3000 in 3 ms. */
TEST(rates_of_threads_with_one_number)
{
	BYTES b = {};
	char text[2048];

	begin_threads(&b);
	put_group(&b, 10, 0, 5000);
	put_group(&b, 10, 1 * MS, 6000);
	put_group(&b, 10, 2 * MS, 100);
	put_group(&b, 10, 5 * MS, 3100);
	end_and_report(&b, text, sizeof(text));
	EXPECT_TRUE(strstr(text, "4  4000                 1000000 "));
}

/* As the timeline has it. */
TEST(rates_of_events_without_a_name)
{
	BYTES b = {};
	char text[2048];

	begin(&b);
	put_group(&b, 10, 0, 100);
	put_group(&b, 10, 2 * MS, 1100);
	end_and_report(&b, text, sizeof(text));
	EXPECT_TRUE(strstr(text, "2  1000                 500000 "));
	EXPECT_TRUE(strstr(text, " event 0\n"));
	EXPECT_EQ(command_pmscope_text(&b, "report --timeline", text,
				       sizeof(text)),
		  0);
	EXPECT_TRUE(strstr(text, ": event 0\n"));
}

/* One group of @nr events, with identifiers from 1 on. */
static void put_events(struct bytes *b, uint64_t nr)
{
	const struct perf_event_attr attr = {
		.size = PERF_ATTR_SIZE_VER5,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	BYTES group = {};

	bytes_add(b, "PERFILE2", 8);
	put(b, 16, 8);
	PUT(&group, 8, 1, MS, nr);
	for (uint64_t id = 1; id <= nr; id++) {
		struct bytes event = {};

		bytes_add(&event, &attr, PERF_ATTR_SIZE_VER5);
		put(&event, id, 8);
		put_record(b, PMSCOPE_RECORD_HEADER_ATTR, 0, &event);
		bytes_fini(&event);
		PUT(&group, 8, 1000, id);
	}
	put_record(b, PERF_RECORD_SAMPLE, 0, &group);
}

static void expect_left_out(const char *command, uint64_t shown)
{
	char expected[64], text[16384];

	snprintf(expected, sizeof(expected), ": groups of more than %lu events",
		 shown);
	for (uint64_t more = 0; more < 2; more++) {
		BYTES b = {};

		put_events(&b, shown + more);
		EXPECT_EQ(command_pmscope_text(&b, command, text, sizeof(text)),
			  0);
		EXPECT_EQ(strstr(text, expected) != NULL, more);
	}
}

TEST(events_that_there_is_no_room_for)
{
	expect_left_out("report 2>&1", 64);
	expect_left_out("report --timeline 2>&1", 16);
}

/* A group without events of pmu_snapshot is not a snapshot, but is shown. */
TEST(groups_are_no_snapshots)
{
	BYTES b = {};
	char text[2048];

	put_recording(&b);
	EXPECT_EQ(command_pmscope_text(&b, "report", text, sizeof(text)), 0);
	EXPECT_TRUE(strstr(text, ": 2200 SPE samples, 0 snapshots, "
				 "3 other groups of counters\n"));
	EXPECT_EQ(command_pmscope_text(&b, "report --format=jsonl", text,
				       sizeof(text)),
		  0);
	EXPECT_TRUE(strstr(text, "\"snapshots\":0,\"groups\":3,"));
	EXPECT_EQ(command_pmscope_text(
			  &b, "report --timeline --limit=4 --format=jsonl",
			  text, sizeof(text)),
		  0);
	EXPECT_TRUE(strstr(text, "\"snapshots\":0,\"groups\":3,"));
}

/* A record each microsecond, of 40 cycles in the first half, then of 400. */
static void put_slower(struct bytes *b)
{
	struct bytes trace = {};

	begin(b);
	put_group(b, 10, 0, 100);
	put_group(b, 10, 4 * MS, 100 + 4000);
	for (uint64_t time = 0; time < 4 * MS; time += 1000) {
		put_packet(&trace, PMSCOPE_PACKET_COUNTER,
			   PMSCOPE_COUNTER_TOTAL, 2, time < 2 * MS ? 40 : 400);
		put_timestamp(&trace, time);
	}
	put_auxtrace(b, 0, 0, NO_TID, &trace);
	bytes_fini(&trace);
	perfdata_end(b);
}

/* In the middle. */
static void expect_change(void (*put_file)(struct bytes *b))
{
	struct row rows[MAX_ROWS];
	size_t nr = read_rows(put_file, rows, "--limit=32");

	ASSERT_TRUE(nr > 16 && nr <= 32);
	EXPECT_EQ(rows[0].phase, 1U);
	for (size_t i = 0; i < nr; i++) {
		if (rows[i].time + rows[i].duration <= 2 * MS)
			EXPECT_EQ(rows[i].phase, 1U);
		else
			EXPECT_TRUE(rows[i].phase > 1);
	}
	/* The slice with the change may be its own phase. */
	EXPECT_TRUE(rows[nr - 1].phase <= 3);
}

TEST(phases_end_where_the_mix_changes)
{
	expect_change(put_recording);
}

TEST(phases_end_where_the_latency_changes)
{
	expect_change(put_slower);
}

/* From the first time there is to the last. */
TEST(all_of_the_time_in_few_slices)
{
	for (uint64_t most = 1; most <= 3; most++) {
		struct bytes b = {}, trace = {};
		char options[64], text[2048];

		begin(&b);
		put_load(&trace, 0x5000, 0x9000, 1);
		put_load(&trace, 0x5000, 0x9000, UINT64_MAX);
		put_auxtrace(&b, 0, 0, NO_TID, &trace);
		bytes_fini(&trace);
		perfdata_end(&b);
		snprintf(options, sizeof(options),
			 "report --timeline --format=jsonl --limit=%lu", most);
		EXPECT_EQ(command_pmscope_text(&b, options, text, sizeof(text)),
			  0);
		EXPECT_TRUE(strstr(text, "\"samples\":2,"));
		EXPECT_TRUE(strstr(text, "\"type\":\"slice\""));
		bytes_fini(&b);
	}
}

TEST(filtered_samples_are_not_counted)
{
	struct row rows[MAX_ROWS];

	EXPECT_EQ(read_rows(put_recording, rows, "--filter=lat'>=10'"), 0U);
}

KTAP_MAIN
