// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains of another event in exports: a function that two others call has
 * the caller whose chain is nearest in time.
 */
#include "command.h"
#include "happening.h"
#include "ktap.h"
#include "program.h"
#include "recount.h"
#include "workshop.h"

#include <stdio.h>
#include <string.h>

#define PID  10
#define BASE UINT64_C(0x400000)
#define MAIN PROGRAM_TEXT
#define WORK (PROGRAM_TEXT + 0x40)
#define IDLE (PROGRAM_TEXT + 0x80)
#define SIZE 0x40
#define TYPE (PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN)

static const struct program_symbol symbols[] = {
	{"main", MAIN, SIZE, STT_FUNC, STB_GLOBAL, false},
	{"work", WORK, SIZE, STT_FUNC, STB_GLOBAL, false},
	{"idle", IDLE, SIZE, STT_FUNC, STB_GLOBAL, false},
};

/* "work" ran, called by @caller. */
static void put_chain(struct bytes *b, uint64_t time, uint64_t caller)
{
	struct bytes body = {};

	put(&body, PERFDATA_ID, 8);
	put(&body, PID, 4);
	put(&body, PID, 4);
	put(&body, time, 8);
	put(&body, 0, 8); /* CPU */
	put(&body, 2, 8);
	put(&body, BASE + WORK + 4, 8);
	put(&body, BASE + caller + 8, 8);
	put_record(b, PERF_RECORD_SAMPLE, 0, &body);
	bytes_fini(&body);
}

static void put_recording(struct bytes *b)
{
	const struct where where = at(1, PID, PID);
	struct bytes trace = {};

	begin(b);
	perfdata_set_sample_type(b, TYPE);
	put_comm(b, 0, "test", &where);
	put_mmap2(b, BASE, 0x1000, 0, "/usr/bin/program", &where);
	put_chain(b, 1000, MAIN);
	put_chain(b, 2000, IDLE);
	for (uint64_t i = 0; i < 10; i++)
		put_load_of(&trace, PID, BASE + WORK + 4 * i, 0x9000,
			    990 + 300 * i);
	put_load_of(&trace, PID, BASE + MAIN, 0x9000, 5000);
	put_auxtrace(b, 0, 0, NO_TID, &trace);
	perfdata_end(b);
	bytes_fini(&trace);
}

static bool make(struct bytes *b)
{
	struct bytes program = {};
	bool done;

	put_program(&program, symbols, sizeof(symbols) / sizeof(*symbols));
	done = workshop_open() && workshop_write("root/usr/bin/program",
						 program.data, program.size);
	bytes_fini(&program);
	put_recording(b);
	return done;
}

TEST(callers_are_frames)
{
	char command[256], text[4096];
	struct bytes b = {};

	ASSERT_TRUE(make(&b));
	snprintf(command, sizeof(command),
		 "export --format=folded -o - --symfs=%s",
		 workshop_path("root"));
	EXPECT_EQ(command_pmscope_text(&b, command, text, sizeof(text)), 0);
	EXPECT_TRUE(strstr(text, "test;main;/usr/bin/program;work 2\n"));
	EXPECT_TRUE(strstr(text, "test;idle;/usr/bin/program;work 8\n"));
	EXPECT_TRUE(strstr(text, "test;/usr/bin/program;main 1\n"));
	workshop_close();
	bytes_fini(&b);
}

/* By other decoders, which also compare the sums. */
TEST(all_exports_have_them)
{
	char command[RECOUNT_COMMAND];
	struct bytes b = {};

	if (!recount_works())
		SKIP("no python3 here");
	ASSERT_TRUE(make(&b));
	snprintf(command, sizeof(command),
		 "python3 -B " PMSCOPE_TESTS
		 "/recount/exported.py --pmscope=%s --symfs=%s",
		 command_pmscope(), workshop_path("root"));
	recount_tell(command_reads(&b, command));
	workshop_close();
	bytes_fini(&b);
}

KTAP_MAIN
