// SPDX-License-Identifier: GPL-2.0-or-later
/* What script and report print about files that cannot be read. */
#include "bytes.h"
#include "command.h"
#include "elf_fixture.h"
#include "ktap.h"
#include "recording_fixture.h"

#include <stdio.h>
#include <string.h>

#define TEXT_SIZE 16384

/* Loads of process 7 in @nr files, which are directories. */
static void make_recording(struct bytes *b, unsigned int nr)
{
	const struct where start = {7, 7, 106, 0}, where = {7, 7, 130, 0};
	struct bytes area = {};

	begin(b);
	comm_at(b, 0, "many", 100, 7, 7);
	for (unsigned int i = 0; i < nr; i++) {
		char name[32];

		snprintf(name, sizeof(name), "/lib/\033%02u", i);
		map_at(b, 0x10000 * (i + 1), name, 101, 7);
		EXPECT_TRUE(fixture_run("mkdir -p 'root%s'", name));
		put_load_of(&area, 7, 0x10000 * (i + 1), 0x9000, 110 + i);
	}
	put_itrace_start(b, &start);
	put_aux_at(b, 0, area.size, 0, &where);
	put_auxtrace_part(b, 0, &area, 0, area.size);
	bytes_fini(&area);
	perfdata_end(b);
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int nr = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		nr++;
	}
	return nr;
}

/* Runs @command on such a recording. */
static void run_pmscope(const char *command, unsigned int nr,
			char text[TEXT_SIZE])
{
	struct bytes b = {};
	char line[256];

	ASSERT_TRUE(fixture_open());
	make_recording(&b, nr);
	snprintf(line, sizeof(line), "%s --symfs=%s 2>&1", command,
		 fixture_path("root"));
	EXPECT_EQ(command_pmscope_text(&b, line, text, TEXT_SIZE), 0);
	bytes_fini(&b);
	fixture_close();
}

static void expect_told(const char *command)
{
	char text[TEXT_SIZE], expected[256];

	run_pmscope(command, 2, text);
	for (unsigned int i = 0; i < 2; i++) {
		snprintf(expected, sizeof(expected),
			 "pmscope: warning: cannot read symbols from "
			 "%s/lib/?%02u: Is a directory\n",
			 fixture_path("root"), i);
		EXPECT_EQ(count(text, expected), 1U);
	}
	EXPECT_EQ(count(text, "warning"), 2U);
}

TEST(script_tells_of_them)
{
	expect_told("script -F sym,line");
}

TEST(report_tells_of_them)
{
	expect_told("report");
	expect_told("report --sort=line,frames --format=csv");
	expect_told("report --threads=2 --format=jsonl");
	expect_told("report --cachelines");
}

TEST(many_are_not_told_of_one_by_one)
{
	char text[TEXT_SIZE];

	run_pmscope("report", 9, text);
	EXPECT_EQ(count(text, "warning"), 9U);
	EXPECT_EQ(count(text, "1 more"), 1U);
	run_pmscope("report", 8, text);
	EXPECT_EQ(count(text, "warning"), 8U);
	EXPECT_EQ(count(text, "more"), 0U);
}

KTAP_MAIN
