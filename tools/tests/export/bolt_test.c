// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches for perf2bolt of a program that is mapped at several addresses, in
 * several processes, one of which was forked and maps nothing itself.
 */
#include "command.h"
#include "elf_fixture.h"
#include "ktap.h"
#include "program.h"
#include "recording_fixture.h"

#include <stdio.h>

#define TEXT_SIZE 512
#define FIRST	  UINT64_C(0x400000)
#define SECOND	  UINT64_C(0x7f0000000000)
#define LIBRARY	  UINT64_C(0x600000)
#define PARENT	  10
#define OTHER	  20
#define CHILD	  30
#define MAIN	  PROGRAM_TEXT
#define WORK	  (PROGRAM_TEXT + 0x40)
#define SIZE	  0x40
#define COND	  0x01
#define RETIRED	  0x02
#define NOT_TAKEN 0x40
#define MISPRED	  0x80

static const struct program_symbol symbols[] = {
	{"main", MAIN, SIZE, STT_FUNC, STB_GLOBAL, false},
	{"work", WORK, SIZE, STT_FUNC, STB_GLOBAL, false},
};

static bool make_files(void)
{
	BYTES program = {};
	bool done;

	put_program(&program, symbols, 2);
	done = fixture_open() &&
	       fixture_write("root/usr/bin/program", program.data,
			     program.size) &&
	       fixture_write("root/usr/bin/library", program.data,
			     program.size);
	return done;
}

static void map(struct bytes *b, uint32_t pid, uint64_t start, const char *name)
{
	const struct where where = at(1, pid, pid);

	put_mmap2(b, start, 0x1000, 0, name, &where);
}

/* From "work" to "main" */
static void put_back(struct bytes *trace, uint32_t tid, uint64_t base,
		     uint8_t events)
{
	put_branch(trace, tid, base + WORK + 8, base + MAIN + 4, 0, COND,
		   RETIRED | events);
}

static void put_recording(struct bytes *b)
{
	struct bytes trace = {};

	begin(b);
	map(b, PARENT, FIRST, "/usr/bin/program");
	map(b, PARENT, SECOND, "/usr/bin/program");
	map(b, PARENT, LIBRARY, "/usr/bin/library");
	map(b, OTHER, SECOND, "/usr/bin/program");
	fork_at(b, 2, CHILD, CHILD, PARENT);
	put_back(&trace, PARENT, FIRST, 0);
	put_back(&trace, PARENT, SECOND, MISPRED);
	put_back(&trace, OTHER, SECOND, 0);
	put_back(&trace, CHILD, FIRST, 0);
	put_back(&trace, CHILD, LIBRARY, 0);
	put_branch(&trace, CHILD, FIRST + MAIN + 8, LIBRARY + WORK, 0, COND,
		   RETIRED);
	put_branch(&trace, CHILD, FIRST + MAIN + 8, LIBRARY + MAIN, 0, COND,
		   RETIRED);
	/* Nothing is mapped there. */
	put_back(&trace, OTHER, FIRST, 0);
	put_auxtrace(b, 0, 0, NO_TID, &trace);
	bytes_fini(&trace);
	perfdata_end(b);
}

static void expect_lines(const struct bytes *b, const char *options,
			 const char *expected)
{
	char arguments[512], text[TEXT_SIZE];

	snprintf(arguments, sizeof(arguments),
		 "export --format=bolt -o - --symfs=%s %s",
		 fixture_path("root"), options);
	EXPECT_EQ(command_pmscope_text(b, arguments, text, sizeof(text)), 0);
	EXPECT_STREQ(text, expected);
}

/* The addresses are the linker's, whatever was mapped where. */
TEST(several_mappings_and_forks_are_one_program)
{
	BYTES b = {};

	ASSERT_TRUE(make_files());
	put_recording(&b);
	expect_lines(&b, "--binary=program",
		     "B 208 X:0 2 0\n"
		     "B 248 204 4 1\n");
	expect_lines(&b, "--binary=/usr/bin/library",
		     "B 248 204 1 0\n"
		     "B X:0 200 1 0\n"
		     "B X:0 240 1 0\n");
	fixture_close();
}

KTAP_MAIN
