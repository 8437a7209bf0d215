// SPDX-License-Identifier: GPL-2.0-or-later
/* If there is nothing to show, script and report say so, and why. */
#include "bytes.h"
#include "command.h"
#include "ktap.h"

#include <pmscope/perfdata.h>

#include <stdlib.h>
#include <string.h>

#define TYPE_INTEL_PT 1
#define TEXT_SIZE     65536
#define AT_FLAGS      72

static const struct where somewhere = {.pid = 7, .tid = 8, .time = 99};

static const char *const commands[] = {
	"script 2>&1",
	"script --format=csv 2>&1 >/dev/null",
	"script --packets 2>&1",
	"report 2>&1",
	"report --format=jsonl 2>&1 >/dev/null",
	"report --cachelines 2>&1",
	"report --timeline 2>&1",
};

/* For every command; @errors is the status. */
static void expect_said(const struct bytes *b, const char *words, int errors)
{
	char text[TEXT_SIZE];

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		EXPECT_EQ(command_pmscope_text(b, commands[i], text, TEXT_SIZE),
			  errors);
		if (!strstr(text, words))
			printf("# %s: %s\n", commands[i], text);
		EXPECT_TRUE(strstr(text, words) != NULL);
	}
}

static void put_arch(struct bytes *b)
{
	BYTES data = {};

	put(&data, 8, 4);
	bytes_add(&data, "aarch64", 8);
	perfdata_put_feature(b, PMSCOPE_FEATURE_ARCH, &data);
}

TEST(without_records)
{
	BYTES b = {};

	perfdata_begin(&b);
	expect_said(&b, "offset 0x30: nothing was recorded", 1);
	put_arch(&b);
	expect_said(&b, "offset 0x30: nothing was recorded", 1);
}

/* Then it is unknown what is missing. */
TEST(not_finished)
{
	BYTES b = {}, header = {};

	perfdata_begin(&b);
	b.data[AT_FLAGS] |= 1 << PMSCOPE_FEATURE_ARCH;
	expect_said(&b, "offset 0x30: the recording was not finished", 1);
	bytes_add(&header, b.data, b.size);
	put_comm(&b, 0, "seven", &somewhere);
	expect_said(&b, "offset 0x30: the recording was not finished", 1);
	b.data[AT_FLAGS] = 0;
	expect_said(&b, "offset 0x30: the recording was not finished", 1);
	/* Room for the sections, but not for the feature after them. */
	put(&header, header.size + 24, 8);
	put_zeros(&header, 8);
	expect_said(&header, "offset 0x30: the recording was not finished", 1);
}

TEST(pipe_without_records)
{
	BYTES b = {};

	perfdata_begin_pipe(&b);
	b.size = 16;
	expect_said(&b, "offset 0x10: nothing was recorded", 1);
}

/* The recording is as it should be. */
TEST(without_traces)
{
	BYTES b = {};

	perfdata_begin_pipe(&b);
	expect_said(&b,
		    ": no SPE trace and no counter groups; "
		    "the file samples event 0\n",
		    0);
	put_event_name(&b, PERFDATA_ID, "cycles:u\033[1m");
	put_comm(&b, 0, "seven", &somewhere);
	expect_said(&b, "the file samples cycles:u?[1m\n", 0);
	bytes_fini(&b);
	bytes_add(&b, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	put_time_conv(&b, 0, 1, 0);
	expect_said(&b, "; the file names no event\n", 0);
}

TEST(with_traces_of_another_unit)
{
	BYTES b = {}, trace = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_INTEL_PT);
	put_load(&trace, 0x5000, 0x9000, 10);
	put_auxtrace(&b, 0, 0, 7, &trace);
	perfdata_end(&b);
	expect_said(&b, ": no SPE trace and no counter groups;", 0);
}

/* As many as fit; and names without end. */
TEST(of_many_events)
{
	char text[TEXT_SIZE], name[1000] = "";
	struct bytes b = {}, body = {};

	memset(name, 'x', sizeof(name) - 1);
	perfdata_begin_pipe(&b);
	for (uint64_t id = 1; id <= 1000; id++) {
		bytes_add(&body, b.data + 24, PERF_ATTR_SIZE_VER5);
		put(&body, id, 8);
		put_record(&b, PMSCOPE_RECORD_HEADER_ATTR, 0, &body);
		put_event_name(&b, id, name);
		bytes_fini(&body);
	}
	expect_said(&b, " more\n", 0);
	EXPECT_EQ(command_pmscope_text(&b, "script 2>&1", text, TEXT_SIZE), 0);
	EXPECT_LE(strlen(text), 600U);
	bytes_fini(&b);
}

static void expect_silence(const struct bytes *b)
{
	char text[TEXT_SIZE];

	EXPECT_EQ(command_pmscope_text(b, "script 2>&1 >/dev/null", text,
				       TEXT_SIZE),
		  0);
	EXPECT_STREQ(text, "");
}

TEST(a_recording_of_something)
{
	BYTES b = {}, trace = {};

	perfdata_begin(&b);
	put_load(&trace, 0x5000, 0x9000, 10);
	put_auxtrace(&b, 0, 0, 7, &trace);
	perfdata_end(&b);
	expect_silence(&b);
	bytes_fini(&b);
	perfdata_begin(&b);
	perfdata_read_groups(&b);
	put_comm(&b, 0, "seven", &somewhere);
	perfdata_end(&b);
	expect_silence(&b);
}

KTAP_MAIN
