// SPDX-License-Identifier: GPL-2.0-or-later
/* report --header tells where a recording comes from; perf agrees. */
#include "command.h"
#include "scenario.h"
#include "session/records.h"
#include "writing.h"

#define TEXT_SIZE 8192

/* The machine here; CPUs, command and times are fixed. */
static bool record_it(struct writing *t, char *const *argv, bool inverse)
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
	struct pmscope_writer *w = t->w;

	writing_events(event);
	/* perf 6.1 refuses files with inverse filters. */
	*attr_config(&writing_attrs[0], 3) = inverse;
	attr_set_size(&writing_attrs[0]);
	writing_attrs[0].attr.config = 1 | UINT64_C(1) << 33;
	writing_attrs[0].attr.config2 = 30;
	writing_attrs[0].attr.sample_period = 4096;
	event[0].name = "arm_spe_0//";
	return !pmscope_writer_begin(w, event, 2) &&
	       !pmscope_writer_spe(w, &spe) && !facts_system(w) &&
	       !facts_command(w, argv) &&
	       !facts_times(w, UINT64_C(2500000123), UINT64_C(4000000123)) &&
	       !pmscope_writer_finish(w);
}

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
	char text[TEXT_SIZE];
	WRITING(t);

	ASSERT_TRUE(record_it(&t, argv, true));
	ASSERT_EQ(run(command_pmscope(), "report --header-only", t.path, text),
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
}

/* In every output that has shares, but not beside CSV. */
TEST(what_was_not_recorded_is_told)
{
	static const char only[] =
		"loads of 30 cycles or more without EXCEPTION-GEN";
	char *const argv[] = {"pmscope", "record", NULL};
	char text[TEXT_SIZE], wanted[256];
	WRITING(t);

	ASSERT_TRUE(record_it(&t, argv, true));
	snprintf(wanted, sizeof(wanted), "# only %s were taken: ", only);
	run(command_pmscope(), "report", t.path, text);
	EXPECT_TRUE(strstr(text, wanted));
	snprintf(wanted, sizeof(wanted), "\"only\":\"%s\"", only);
	run(command_pmscope(), "report --format=jsonl", t.path, text);
	EXPECT_TRUE(strstr(text, wanted));
	run(command_pmscope(), "report --format=csv 2>&1", t.path, text);
	EXPECT_TRUE(!strstr(text, only));
	snprintf(wanted, sizeof(wanted), "\"only\":\"%s that match lat>=0\"",
		 only);
	run(command_pmscope(), "report --format=jsonl --filter='lat>=0'",
	    t.path, text);
	EXPECT_TRUE(strstr(text, wanted));
}

TEST(json_has_the_same)
{
	char *const argv[] = {"pmscope", "record", "a\"b", NULL};
	char text[TEXT_SIZE];
	WRITING(t);

	ASSERT_TRUE(record_it(&t, argv, true));
	ASSERT_EQ(run(command_pmscope(), "report --header-only --format=jsonl",
		      t.path, text),
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
	ASSERT_EQ(run(command_pmscope(), "report --header --format=jsonl",
		      t.path, text),
		  0);
	EXPECT_TRUE(strstr(text, "}\n{\"type\":\"summary\""));
	EXPECT_EQ(run(command_pmscope(), "report --header --format=csv", t.path,
		      text),
		  1);
}

TEST(perf_tells_the_same)
{
	static const char *const keys[] = {
		"hostname",	"os release",	 "perf version",
		"arch",		"nrcpus online", "nrcpus avail",
		"total memory", "cmdline",	 "time of first sample",
	};
	char *const argv[] = {"pmscope", "record", "-c", "4096", NULL};
	char ours[TEXT_SIZE], theirs[TEXT_SIZE], value[256];
	WRITING(t);

	if (system("perf --version >/dev/null 2>&1"))
		SKIP("no perf");
	ASSERT_TRUE(record_it(&t, argv, false));
	ASSERT_EQ(run(command_pmscope(), "report --header-only", t.path, ours),
		  0);
	ASSERT_EQ(run("perf", "report --header-only -I", t.path, theirs), 0);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		expect_line(ours, keys[i],
			    value_of(theirs, keys[i], value) ?: "missing");
}

STEP_IS(expect_value, expect_line(sc->out, step->text, step->data));
#define VALUE(key, value) TELL_OF(expect_value, key, value, 0)
#define HEADER		  COMMAND("report --header-only")

/* A recording without the feature has the times of its records. */
SCENARIO(times_of_records_replace_missing_ones,
	 COMM(UINT64_C(3000000000), 1, 1, "a"),
	 COMM(UINT64_C(1000000000), 2, 2, "b"),
	 COMM(UINT64_C(2000000000), 3, 3, "c"), HEADER,
	 VALUE("time of first sample", "1.000000"),
	 VALUE("time of last sample", "3.000000"));

/* The wall clock showed 2026-07-01 12:00:00 UTC at 2 s. */
TEST(times_of_day)
{
	BYTES clocks = {};

	PUT(&clocks, 4, 1, CLOCK_MONOTONIC);
	PUT(&clocks, 8, UINT64_C(1782907200) * 1000000000,
	    UINT64_C(2000000000));
	setenv("TZ", "UTC-2", 1);
	PLAY(COMM(1000000000, 100, 100, "a"),
	     T_LOAD_OF(UINT64_C(1999999500), 100, 0x1000, 0x9000),
	     T_LOAD_OF(UINT64_C(3250000000), 100, 0x1000, 0x9000),
	     AREA(0, 0, 0, NO_TID),
	     FEATURE(PMSCOPE_FEATURE_CLOCK_DATA, &clocks),
	     COMMAND("script --fields=tod"),
	     OUT("2026-07-01 13:59:59.999999\n"
		 "2026-07-01 14:00:01.250000\n"),
	     COMMAND("script --fields=time --time=14:00:01.25,14:01"),
	     OUT("3250000000\n"),
	     COMMAND("script --fields=time --time=,2026-07-01T14:00"),
	     OUT("1999999500\n"), FAILING("script --time=25:00,"));
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

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		BYTES feature = {};

		PUT(&feature, 4, cases[i].nr, cases[i].size);
		bytes_add(&feature, "first\0\0", 8);
		if (!i) {
			put(&feature, 8, 4);
			bytes_add(&feature, "missing", 8);
		}
		PLAY(FEATURE(PMSCOPE_FEATURE_CMDLINE, &feature), HEADER,
		     VALUE("cmdline", cases[i].command));
	}
}
