// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of exports: call chains of another event, where a function that two
 * others call has the caller whose chain is nearest in time; and the names of
 * the kernel and its modules.
 */
#include "command.h"
#include "elf_fixture.h"
#include "ktap.h"
#include "program.h"
#include "recording_fixture.h"
#include "recount.h"

#include <pmscope/packet.h>

#include <stdio.h>
#include <string.h>

#define PID    10
#define BASE   UINT64_C(0x400000)
#define KERNEL UINT64_C(0xffff800080000000)
#define MODULE UINT64_C(0xffff80007a000000)
#define MAIN   PROGRAM_TEXT
#define WORK   (PROGRAM_TEXT + 0x40)
#define IDLE   (PROGRAM_TEXT + 0x80)
#define SIZE   0x40
#define TYPE   (PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN)

static const struct program_symbol symbols[] = {
	{"main", MAIN, SIZE, STT_FUNC, STB_GLOBAL, false},
	{"work", WORK, SIZE, STT_FUNC, STB_GLOBAL, false},
	{"idle", IDLE, SIZE, STT_FUNC, STB_GLOBAL, false},
};

#define DEEP 40

/* "work" ran, called by @caller, which "main" called @deep times in itself. */
static void put_chain(struct bytes *b, uint64_t time, uint64_t caller,
		      unsigned int deep)
{
	BYTES body = {};

	put(&body, PERFDATA_ID, 8);
	PUT(&body, 4, PID, PID);
	put(&body, time, 8);
	put(&body, 0, 8); /* CPU */
	PUT(&body, 8, 2 + deep, BASE + WORK + 4, BASE + caller + 8);
	for (unsigned int i = 0; i < deep; i++)
		put(&body, BASE + MAIN + 8, 8);
	put_record(b, PERF_RECORD_SAMPLE, 0, &body);
}

/* Something at EL1, Non-secure. */
static void put_kernel(struct bytes *trace, uint64_t pc, uint64_t time)
{
	uint64_t address = pc & (UINT64_MAX >> 8);

	put_packet(trace, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,
		   address | UINT64_C(0xa0) << 56);
	put_packet(trace, PMSCOPE_PACKET_CONTEXT, 0, 4, PID);
	put_timestamp(trace, time);
}

static void put_recording(struct bytes *b, unsigned int deep)
{
	static const struct where kernel = {.pid = UINT32_MAX, .tid = 0};
	const struct where where = at(1, PID, PID);
	BYTES trace = {};

	begin(b);
	perfdata_set_sample_type(b, TYPE);
	put_comm(b, 0, "test", &where);
	put_mmap2(b, KERNEL, 0x10000, KERNEL, "[kernel.kallsyms]_text",
		  &kernel);
	put_mmap2(b, MODULE, 0x1000, 0, "/lib/modules/6.12/kernel/fs/a.ko.xz",
		  &kernel);
	put_mmap2(b, BASE, 0x1000, 0, "/usr/bin/program", &where);
	put_chain(b, 1000, MAIN, 0);
	put_chain(b, 2000, IDLE, deep);
	for (uint64_t i = 0; i < 10; i++)
		put_load_of(&trace, PID, BASE + WORK + 4 * (i % 2), 0x9000,
			    990 + 300 * i);
	put_load_of(&trace, PID, BASE + MAIN, 0x9000, 5000);
	/* Two places with one stack, in one slice of time */
	put_kernel(&trace, KERNEL + 0x100, 6000);
	put_kernel(&trace, KERNEL + 0x104, 6000);
	put_kernel(&trace, MODULE + 0x100, 7000);
	put_auxtrace(b, 0, 0, NO_TID, &trace);
	perfdata_end(b);
}

static bool make(struct bytes *b, unsigned int deep)
{
	struct bytes program = {};
	bool done;

	put_program(&program, symbols, sizeof(symbols) / sizeof(*symbols));
	done = fixture_open() && fixture_write("root/usr/bin/program",
					       program.data, program.size);
	bytes_fini(&program);
	put_recording(b, deep);
	return done;
}

TEST(callers_are_frames)
{
	char command[256], text[4096];
	BYTES b = {};

	ASSERT_TRUE(make(&b, 0));
	snprintf(command, sizeof(command),
		 "export --format=folded -o - --symfs=%s",
		 fixture_path("root"));
	EXPECT_EQ(command_pmscope_text(&b, command, text, sizeof(text)), 0);
	EXPECT_TRUE(strstr(text, "test;main;/usr/bin/program;work 2\n"));
	EXPECT_TRUE(strstr(text, "test;idle;/usr/bin/program;work 8\n"));
	EXPECT_TRUE(strstr(text, "test;/usr/bin/program;main 1\n"));
	EXPECT_TRUE(strstr(text, "test;[kernel.kallsyms];[unknown] 2\n"));
	EXPECT_TRUE(strstr(text, "test;[a];[unknown] 1\n"));
	fixture_close();
}

/* By other decoders, which also compare the sums. */
static void compare_exports(unsigned int deep)
{
	char command[RECOUNT_COMMAND];
	BYTES b = {};

	if (!recount_works())
		SKIP("no python3 here");
	ASSERT_TRUE(make(&b, deep));
	snprintf(command, sizeof(command),
		 "python3 -B " PMSCOPE_TESTS
		 "/recount/exported.py --pmscope=%s --symfs=%s",
		 command_pmscope(), fixture_path("root"));
	recount_tell(command_reads(&b, command));
	fixture_close();
}

TEST(all_exports_have_them)
{
	compare_exports(0);
}

TEST(deep_call_chains)
{
	compare_exports(DEEP);
}

KTAP_MAIN
