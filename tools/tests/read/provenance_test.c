// SPDX-License-Identifier: GPL-2.0-or-later
/* report --header tells where a recording comes from; perf agrees. */
#include "command.h"
#include "ktap.h"
#include "recording_fixture.h"
#include "session/facts.h"
#include "writing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEXT_SIZE 8192

/* The machine here; CPUs, command and times are fixed. */
static bool record_it(struct pmscope_writer *w, char *const *argv, bool inverse)
{
	static const struct pmscope_written_cpu cpus[] = {
		{0x410fd490, 0, 21},
		{0x410fd490, 1, 21},
		{0x480fd060, 2, 21},
		{0x410fd490, 5, 21},
	};
	static const struct pmscope_written_spe spe = {.size = sizeof(spe),
						       .pmu_type = 21,
						       .cpus = cpus,
						       .nr_cpus = 4};
	struct pmscope_written_event event[2];
	bool ok;

	writing_events(event);
	/* perf 6.1 refuses files with inverse filters. */
	*attr_config(&writing_attrs[0], 3) = inverse;
	attr_set_size(&writing_attrs[0]);
	writing_attrs[0].attr.config = 1 | UINT64_C(1) << 33;
	writing_attrs[0].attr.config2 = 30;
	writing_attrs[0].attr.sample_period = 4096;
	event[0].name = "arm_spe_0//";
	ok = !pmscope_writer_begin(w, event, 2) &&
	     !pmscope_writer_spe(w, &spe) && !facts_system(w) &&
	     !facts_command(w, argv) &&
	     !facts_times(w, UINT64_C(2500000123), UINT64_C(4000000123)) &&
	     !pmscope_writer_finish(w);
	pmscope_writer_free(w);
	return ok;
}

/* Its output, and its exit status or -1. */
static int run(const char *program, const char *arguments, const char *path,
	       char text[TEXT_SIZE])
{
	char command[TEXT_SIZE];
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), "%s %s -i %s 2>/dev/null", program,
		 arguments, path);
	pipe = popen(command, "r");
	text[pipe ? fread(text, 1, TEXT_SIZE - 1, pipe) : 0] = '\0';
	status = pipe ? pclose(pipe) : -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The value of a line "# KEY : VALUE", without spaces around it. */
static const char *value_of(const char *text, const char *key, char value[256])
{
	size_t length = strlen(key);

	value[0] = '\0';
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, "# ", 2) || strncmp(line + 2, key, length) ||
		    strncmp(line + 2 + length, " :", 2))
			continue;
		line += length + 4;
		line += strspn(line, " ");
		snprintf(value, 256, "%.*s", (int)strcspn(line, "\n"), line);
		for (size_t n = strlen(value); n && value[n - 1] == ' ';)
			value[--n] = '\0';
		return value;
	}
	return NULL;
}

static void expect_line(const char *text, const char *key, const char *wanted)
{
	char value[256];

	EXPECT_STREQ(value_of(text, key, value) ?: "missing", wanted);
}

TEST(the_header_is_what_was_written)
{
	char *const argv[] = {"pmscope", "record",	     "--", "sh",
			      "-c",	 "echo 'a\x1b[m\n'", "",   NULL};
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH], text[TEXT_SIZE];
	struct pmscope_writer *w = writing_open(dir, path);

	ASSERT_TRUE(w && record_it(w, argv, true));
	ASSERT_EQ(run(command_pmscope(), "report --header-only", path, text),
		  0);
	expect_line(text, "SPE CPUs",
		    "0-1,5, Neoverse N2, MIDR_EL1 0x410fd490");
	EXPECT_TRUE(strstr(text, "# SPE CPUs : 2, HIP12, MIDR_EL1 "
				 "0x480fd060\n"));
	expect_line(text, "cmdline",
		    "pmscope record -- sh -c 'echo '\\''a?[m?'\\''' ''");
	expect_line(text, "event",
		    "arm_spe_0//, interval 4096 operations, ts_enable=1,"
		    "load_filter=1,min_latency=30,inv_event_filter=0x1");
	expect_line(text, "time of first sample", "2.500000");
	expect_line(text, "sample duration", "1500.000 ms");
	EXPECT_TRUE(!strstr(text, "Share"));
	fake_sysfs_remove(dir);
}

/* In every output that has shares, but not beside CSV. */
TEST(what_was_not_recorded_is_told)
{
	static const char only[] =
		"loads of 30 cycles or more without EXCEPTION-GEN";
	char *const argv[] = {"pmscope", "record", NULL};
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH], text[TEXT_SIZE];
	char wanted[256];
	struct pmscope_writer *w = writing_open(dir, path);

	ASSERT_TRUE(w && record_it(w, argv, true));
	snprintf(wanted, sizeof(wanted), "# only %s were recorded: ", only);
	run(command_pmscope(), "report", path, text);
	EXPECT_TRUE(strstr(text, wanted));
	snprintf(wanted, sizeof(wanted), "\"only\":\"%s\"", only);
	run(command_pmscope(), "report --format=jsonl", path, text);
	EXPECT_TRUE(strstr(text, wanted));
	run(command_pmscope(), "report --format=csv 2>&1", path, text);
	EXPECT_TRUE(!strstr(text, only));
	fake_sysfs_remove(dir);
}

TEST(json_has_the_same)
{
	char *const argv[] = {"pmscope", "record", "a\"b", NULL};
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH], text[TEXT_SIZE];
	struct pmscope_writer *w = writing_open(dir, path);

	ASSERT_TRUE(w && record_it(w, argv, true));
	ASSERT_EQ(run(command_pmscope(), "report --header-only --format=jsonl",
		      path, text),
		  0);
	EXPECT_TRUE(!strncmp(text, "{\"type\":\"header\",\"file\":\"", 25));
	EXPECT_TRUE(strstr(text, ",\"command\":[\"pmscope\",\"record\","
				 "\"a\\\"b\"],"));
	EXPECT_TRUE(strstr(text,
			   "{\"midr\":\"0x410fd490\",\"name\":\"Neoverse N2\","
			   "\"list\":\"0-1,5\",\"count\":3}"));
	EXPECT_TRUE(strstr(text, "\"spe\":true,\"interval\":4096,\"settings\":"
				 "\"ts_enable=1,load_filter=1,"));
	EXPECT_TRUE(strstr(text, "\"begin\":2500000123,\"end\":4000000123}\n"));
	/* The report follows. */
	ASSERT_EQ(run(command_pmscope(), "report --header --format=jsonl", path,
		      text),
		  0);
	EXPECT_TRUE(strstr(text, "}\n{\"type\":\"summary\""));
	EXPECT_EQ(run(command_pmscope(), "report --header --format=csv", path,
		      text),
		  1);
	fake_sysfs_remove(dir);
}

TEST(perf_tells_the_same)
{
	static const char *const keys[] = {
		"hostname",	"os release",	 "perf version",
		"arch",		"nrcpus online", "nrcpus avail",
		"total memory", "cmdline",	 "time of first sample",
	};
	char *const argv[] = {"pmscope", "record", "-c", "4096", NULL};
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH];
	char ours[TEXT_SIZE], theirs[TEXT_SIZE], value[256];
	struct pmscope_writer *w = writing_open(dir, path);

	if (system("perf --version >/dev/null 2>&1"))
		SKIP("no perf");
	ASSERT_TRUE(w && record_it(w, argv, false));
	ASSERT_EQ(run(command_pmscope(), "report --header-only", path, ours),
		  0);
	ASSERT_EQ(run("perf", "report --header-only -I", path, theirs), 0);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		expect_line(ours, keys[i],
			    value_of(theirs, keys[i], value) ?: "missing");
	fake_sysfs_remove(dir);
}

/* A recording without the feature has the times of its records. */
TEST(times_of_records_replace_missing_ones)
{
	char text[TEXT_SIZE];
	BYTES b = {};

	begin(&b);
	comm_at(&b, 0, "a", UINT64_C(3000000000), 1, 1);
	comm_at(&b, 0, "b", UINT64_C(1000000000), 2, 2);
	comm_at(&b, 0, "c", UINT64_C(2000000000), 3, 3);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, "report --header-only", text,
				       sizeof(text)),
		  0);
	expect_line(text, "time of first sample", "1.000000");
	expect_line(text, "time of last sample", "3.000000");
}

/* The wall clock showed 2026-07-01 12:00:00 UTC at 2 s. */
TEST(times_of_day)
{
	char text[TEXT_SIZE];
	BYTES b = {}, clocks = {};

	put(&clocks, 1, 4);
	put(&clocks, CLOCK_MONOTONIC, 4);
	put(&clocks, UINT64_C(1782907200) * 1000000000, 8);
	put(&clocks, UINT64_C(2000000000), 8);
	begin(&b);
	comm_at(&b, 0, "a", 1000000000, 100, 100);
	load_at(&b, 0, 100, 0x1000, UINT64_C(1999999500));
	load_at(&b, 0, 100, 0x1000, UINT64_C(3250000000));
	perfdata_end(&b);
	perfdata_put_feature(&b, PMSCOPE_FEATURE_CLOCK_DATA, &clocks);
	setenv("TZ", "UTC-2", 1);
	EXPECT_EQ(command_pmscope_text(&b, "script --fields=tod", text,
				       sizeof(text)),
		  0);
	EXPECT_STREQ(text, "2026-07-01 13:59:59.999999\n"
			   "2026-07-01 14:00:01.250000\n");
	EXPECT_EQ(command_pmscope_text(
			  &b, "script --fields=time --time=14:00:01.25,14:01",
			  text, sizeof(text)),
		  0);
	EXPECT_STREQ(text, "3250000000\n");
	EXPECT_EQ(command_pmscope_text(
			  &b, "script --fields=time --time=,2026-07-01T14:00",
			  text, sizeof(text)),
		  0);
	EXPECT_STREQ(text, "1999999500\n");
	EXPECT_EQ(command_pmscope_text(&b, "script --time=25:00,", text,
				       sizeof(text)),
		  1);
	unsetenv("TZ");
}

/* Sizes in the feature that are too large end the command line. */
TEST(a_damaged_command_line_is_cut)
{
	static const struct {
		uint32_t nr, size;
		const char *command;
	} cases[] = {
		{2, 8, "first missing"},    {1, 8, "first"},
		{1, 9, "missing"},	    {1, UINT32_MAX, "missing"},
		{UINT32_MAX, 8, "missing"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		BYTES b = {}, feature = {};
		char text[TEXT_SIZE], value[256];

		put(&feature, cases[i].nr, 4);
		put(&feature, cases[i].size, 4);
		bytes_add(&feature, "first\0\0", 8);
		if (!i) {
			put(&feature, 8, 4);
			bytes_add(&feature, "missing", 8);
		}
		begin(&b);
		perfdata_end(&b);
		perfdata_put_feature(&b, PMSCOPE_FEATURE_CMDLINE, &feature);
		EXPECT_EQ(command_pmscope_text(&b, "report --header-only", text,
					       sizeof(text)),
			  0);
		EXPECT_STREQ(value_of(text, "cmdline", value) ?: "missing",
			     cases[i].command);
	}
}

KTAP_MAIN
