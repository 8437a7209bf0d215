// SPDX-License-Identifier: GPL-2.0-or-later
/* Losses of a recording in the output of script and report. */
#include "bytes.h"
#include "command.h"
#include "happening.h"
#include "ktap.h"

#include <pmscope/perfdata.h>

#include <string.h>

#define TEXT_SIZE 65536

/* As perf inject writes it: type, code, CPU, pid, tid, format, IP, time, text.
 */
static void put_auxtrace_error(struct bytes *b, const char *message)
{
	static const char text[64];
	struct bytes body = {};

	put(&body, 1, 4); /* instruction trace */
	put(&body, 5, 4);
	put(&body, 0, 4);
	put(&body, 10, 4);
	put(&body, 10, 4);
	put(&body, 1, 4);
	put(&body, 0x5000, 8);
	put(&body, 20, 8);
	bytes_add(&body, message, strlen(message));
	bytes_add(&body, text, sizeof(text) - strlen(message));
	put_record(b, PMSCOPE_RECORD_AUXTRACE_ERROR, 0, &body);
	bytes_fini(&body);
}

static void read_pmscope(char *text, unsigned int errors, const char *arguments)
{
	struct bytes b = {}, trace = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_time_conv(&b, 0, 1, 0);
	put_load_of(&trace, 10, 0x5000, 0x9000, 10);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	for (unsigned int i = 0; i < errors; i++)
		put_auxtrace_error(&b, "Lost trace data");
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, arguments, text, TEXT_SIZE), 0);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* The recording is complete; the loss happened before it was written. */
TEST(errors_in_the_trace_are_counted)
{
	static const struct {
		const char *arguments;
		const char *wanted;
	} views[] = {
		{"script 2>&1", "pmscope: 2 trace errors reported"},
		{"script --format=csv 2>&1",
		 "pmscope: 2 trace errors reported"},
		{"report", "# 2 trace errors reported"},
		{"report --cachelines", "# 2 trace errors reported"},
		{"report --timeline", "# 2 trace errors reported"},
		{"report --format=csv 2>&1",
		 "pmscope: 2 trace errors reported"},
		{"report --format=jsonl", "\"trace_errors\":2"},
	};
	char text[TEXT_SIZE];

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		read_pmscope(text, 2, views[i].arguments);
		if (!strstr(text, views[i].wanted))
			printf("# %s: %s\n", views[i].arguments, text);
		EXPECT_TRUE(strstr(text, views[i].wanted) != NULL);
		read_pmscope(text, 0, views[i].arguments);
		EXPECT_TRUE(!strstr(text, "trace errors"));
	}
}

/* From a newer perf, or damaged: in either case something is not read. */
TEST(records_of_unknown_kinds_are_counted)
{
	struct bytes b = {}, trace = {}, body = {};
	char text[TEXT_SIZE];

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_load_of(&trace, 10, 0x5000, 0x9000, 10);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	put_zeros(&body, 8);
	put_record(&b, 60, 0, &body);
	put_record(&b, 1000, 0, &body);
	put_record(&b, 0x8001, 0, &body); /* simpleperf's own */
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, "script 2>&1", text, TEXT_SIZE), 0);
	EXPECT_TRUE(strstr(text, "pmscope: 2 records of unknown type"));
	EXPECT_EQ(command_pmscope_text(&b, "report --format=jsonl", text,
				       TEXT_SIZE),
		  0);
	EXPECT_TRUE(strstr(text, "\"unknown_records\":2"));
	bytes_fini(&body);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* Two traces of an area with 640 bytes between them; offsets of a ring leap. */
static void read_a_gap(char *text, const char *arguments, uint64_t flags)
{
	static const struct where where = {10, 10, 0, 0};
	struct bytes b = {}, trace = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_load_of(&trace, 10, 0x5000, 0x9000, 10);
	put_aux(&b, trace.size, flags, &where);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	put_auxtrace_at(&b, trace.size + 640, 0, 0, NO_TID, &trace);
	put_auxtrace_at(&b, 4096, 1, 1, NO_TID, &trace);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, arguments, text, TEXT_SIZE), 0);
	bytes_fini(&trace);
	bytes_fini(&b);
}

TEST(missing_trace_is_counted)
{
	char text[TEXT_SIZE];

	read_a_gap(text, "script 2>&1", 0);
	EXPECT_TRUE(strstr(text, "pmscope: 640 bytes of trace missing"));
	read_a_gap(text, "report --format=jsonl", 0);
	EXPECT_TRUE(strstr(text, "\"missing_trace\":640,"));
	read_a_gap(text, "script 2>&1", PERF_AUX_FLAG_OVERWRITE);
	EXPECT_TRUE(!strstr(text, "missing"));
}

/* Two traces of one area, and the first of them again, or similar ones. */
static void read_doubled(char *text, uint64_t offset, uint64_t time)
{
	struct bytes b = {}, first = {}, second = {}, third = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_load_of(&first, 10, 0x5000, 0x9000, 10);
	put_load_of(&second, 10, 0x5000, 0x9000, 20);
	put_load_of(&third, 10, 0x5000, 0x9000, time);
	put_auxtrace_at(&b, 0, 0, 0, NO_TID, &first);
	put_auxtrace_at(&b, first.size, 0, 0, NO_TID, &second);
	put_auxtrace_at(&b, offset, 0, 0, NO_TID, &third);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, "report --format=jsonl", text,
				       TEXT_SIZE),
		  0);
	EXPECT_EQ(first.size, 64U);
	bytes_fini(&first);
	bytes_fini(&second);
	bytes_fini(&third);
	bytes_fini(&b);
}

/* As perf reads it, too. */
TEST(trace_that_is_there_twice_is_reported)
{
	char text[TEXT_SIZE];

	read_doubled(text, 0, 10);
	EXPECT_TRUE(strstr(text, "\"doubled_trace\":64,"));
	EXPECT_TRUE(strstr(text, "\"samples\":3"));
	read_doubled(text, 0, 30);
	EXPECT_TRUE(!strstr(text, "doubled_trace\":64"));
	read_doubled(text, 128, 10);
	EXPECT_TRUE(!strstr(text, "doubled_trace\":64"));
}

/* The second loads of 64 bytes of the area are in all of its three traces. */
TEST(traces_that_overlap_are_reported)
{
	static const struct {
		size_t from, to;
	} parts[] = {{64, 192}, {0, 128}, {64, 128}};
	struct bytes b = {}, area = {};
	char text[TEXT_SIZE];

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	for (uint64_t i = 0; i < 3; i++)
		put_load_of(&area, 10, 0x5000, 0x9000, 10 * i);
	for (size_t i = 0; i < 3; i++)
		put_auxtrace_part(&b, 0, &area, parts[i].from, parts[i].to);
	perfdata_end(&b);
	command_pmscope_text(&b, "report --format=jsonl", text, TEXT_SIZE);
	EXPECT_TRUE(strstr(text, "\"doubled_trace\":128,"));
	EXPECT_TRUE(strstr(text, "\"samples\":5"));
	bytes_fini(&area);
	bytes_fini(&b);
}

static void put_lost_samples(struct bytes *b, uint16_t misc, uint64_t count)
{
	static const struct where where = {10, 10, 5, 0};
	struct bytes body = {};

	put(&body, count, 8);
	put_side_band(b, PERF_RECORD_LOST_SAMPLES, misc, &body, &where);
	bytes_fini(&body);
}

/* perf counts what its filter in BPF kept out in the same kind of record. */
TEST(what_a_filter_of_perf_dropped_is_not_lost)
{
	struct bytes b = {}, trace = {};
	char text[TEXT_SIZE];

	perfdata_begin(&b);
	put_load_of(&trace, 10, 0x5000, 0x9000, 10);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	put_lost_samples(&b, 0x8000, 1000);
	put_lost_samples(&b, 0, 3);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, "script 2>&1 >/dev/null", text,
				       TEXT_SIZE),
		  0);
	EXPECT_TRUE(!strncmp(text, "pmscope: 3 samples lost", 23));
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* perf record notes it in the last mapping that it came to. */
TEST(processes_whose_mappings_perf_did_not_read_are_counted)
{
	static const struct where where = {10, 10, 0, 0};
	struct bytes b = {}, trace = {};
	char text[TEXT_SIZE];
	size_t at;

	perfdata_begin(&b);
	at = b.size + offsetof(struct perf_event_header, misc);
	put_mmap2(&b, 0x5000, 0x1000, 0, "/program", &where);
	put_load_of(&trace, 10, 0x5000, 0x9000, 10);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, "script 2>&1", text, TEXT_SIZE), 0);
	EXPECT_TRUE(!strstr(text, "mappings"));
	b.data[at + 1] |= PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT >> 8;
	EXPECT_EQ(command_pmscope_text(&b, "script 2>&1", text, TEXT_SIZE), 0);
	EXPECT_TRUE(strstr(text, "pmscope: 1 processes whose mappings"));
	EXPECT_TRUE(strstr(text, "(/program)"));
	EXPECT_EQ(command_pmscope_text(&b, "report --format=jsonl", text,
				       TEXT_SIZE),
		  0);
	EXPECT_TRUE(strstr(text, "\"unread_mappings\":1"));
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* Cut inside a record, or between two: the verdict is all that is said. */
TEST(one_line_on_a_cut_recording)
{
	struct bytes b = {};
	char command[512];

	begin(&b);
	for (uint64_t time = 10; time <= 40; time += 10)
		load_at(&b, 0, 10, 0x5000, time);
	perfdata_end(&b);
	snprintf(command, sizeof(command), "2>&1 >/dev/null %s script",
		 command_pmscope());
	for (size_t cut = 1; cut < 70; cut++) {
		char line[512], second[512];
		FILE *said;

		b.size--;
		said = command_reads(&b, command);
		ASSERT_TRUE(said);
		ASSERT_TRUE(fgets(line, sizeof(line), said));
		EXPECT_TRUE(strstr(line, "cut short"));
		EXPECT_TRUE(!fgets(second, sizeof(second), said));
		pclose(said);
	}
	bytes_fini(&b);
}

KTAP_MAIN
