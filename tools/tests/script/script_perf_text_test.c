// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches and mappings as perf script prints them, for tools that parse that;
 * LLVM's llvm-profgen reads a profile from it.
 */
#include "command.h"
#include "elf_fixture.h"
#include "ktap.h"
#include "recording_fixture.h"

#include <pmscope/packet.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 4096
#define PID	  10
#define RETIRED	  0x02
#define NOT_TAKEN 0x40
#define MISPRED	  0x80
#define COND	  0x01
#define CR_BL	  0x08

static void expect_text(const struct bytes *file, const char *arguments,
			const char *expected)
{
	char text[TEXT_SIZE];

	EXPECT_EQ(command_pmscope_text(file, arguments, text, sizeof(text)), 0);
	EXPECT_STREQ(text, expected);
}

TEST(branches)
{
	BYTES b = {}, trace = {};

	begin(&b);
	map_at(&b, 0x400000, "/opt/prog", 1, PID);
	put_branch(&trace, PID, 0x400010, 0x400040, 0x400008, COND,
		   RETIRED | MISPRED);
	put_branch(&trace, PID, 0x400014, 0, 0, COND, RETIRED | NOT_TAKEN);
	put_branch(&trace, PID, 0x400018, 0x400080, 0, CR_BL, RETIRED);
	put_load_of(&trace, PID, 0x40001c, 0x9000, 200);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	perfdata_end(&b);
	expect_text(&b, "script -F ip,brstack",
		    "400010 0x400010/0x400040/M/-/-/5/COND/- "
		    "0x0/0x400008/-/-/-/0//-\n"
		    "400014 0x400014/0x0/PN/-/-/5/COND/-\n"
		    "400018 0x400018/0x400080/P/-/-/5/CALL/-\n"
		    "40001c\n");
	expect_text(&b, "script -F brstacksym,dsoff --filter=op=branch",
		    "[unknown]/[unknown]/M/-/-/5/COND/- "
		    "[unknown]/[unknown]/-/-/-/0//- (/opt/prog+0x3010)\n"
		    "[unknown]/[unknown]/PN/-/-/5/COND/- (/opt/prog+0x3014)\n"
		    "[unknown]/[unknown]/P/-/-/5/CALL/- (/opt/prog+0x3018)\n");
	expect_text(&b,
		    "script --format=jsonl -F ip,dsoff,brstack "
		    "--filter=pc=0x400018",
		    "{\"ip\":\"0x400018\",\"dsoff\":\"/opt/prog+0x3018\","
		    "\"brstack\":\"0x400018/0x400080/P/-/-/5/CALL/-\"}\n");
	expect_text(&b, "script --format=csv -F ip,brstack --filter=op=load",
		    "ip,brstack\n0x40001c,\n");
}

/* Each before the samples that it is for. */
TEST(mappings_in_the_order_of_time)
{
	static const struct where kernel = {.pid = UINT32_MAX, .tid = 0};
	const struct where first = at(100, PID, PID);
	static const char expected[] =
		"PERF_RECORD_MMAP2 -1/0: [0xffff800080000000(0x1000) @ 0 "
		"00:00 0 0]: ---p [kernel.kallsyms]_text\n"
		"PERF_RECORD_MMAP2 10/10: [0x400000(0x1000) @ 0 "
		"<abababababababababababababababababababab>]: ---p /opt/a\n"
		"400100\n"
		"PERF_RECORD_MMAP2 10/10: [0x400000(0x1000) @ 0x3000 "
		"00:00 0 0]: ---p /opt/b?\n"
		"400100\n";
	BYTES b = {};

	begin(&b);
	put_mmap2(&b, 0xffff800080000000, 0x1000, 0, "[kernel.kallsyms]_text",
		  &kernel);
	put_mmap2_of(&b, 0x400000, 0x1000, "/opt/a", 0xab, 20, &first);
	load_at(&b, 0, PID, 0x400100, 150);
	map_at(&b, 0x400000, "/opt/b\n", 200, PID);
	load_at(&b, 1, PID, 0x400100, 250);
	perfdata_end(&b);
	expect_text(&b, "script --show-mmap-events -F ip,brstack", expected);
	expect_text(&b, "script --show-mmap-events --threads=1 -F ip,brstack",
		    expected);
	expect_text(&b, "script -F ip", "400100\n400100\n");
}

static const char source[] = "int work(int n)\n"
			     "{\n"
			     "	int sum = 0;\n"
			     "	for (int i = 0; i < n; i++)\n"
			     "		sum = (sum << 3) ^ (sum + i);\n"
			     "	return sum;\n"
			     "}\n"
			     "void _start(void)\n"
			     "{\n"
			     "	work(1000);\n"
			     "	for (;;)\n"
			     "		;\n"
			     "}\n";

#define LLVM "/usr/lib/llvm-19/bin/"

static bool build(void)
{
	return fixture_open() && fixture_write_text("p.c", source) &&
	       fixture_run(LLVM
			   "clang --target=aarch64-linux-gnu -O1 -g "
			   "-fno-inline -fno-unroll-loops -ffreestanding "
			   "-fPIE -c p.c && " LLVM "ld.lld -pie "
			   "--no-dynamic-linker -o prog p.o && test -x " LLVM
			   "llvm-profgen");
}

static uint64_t number(const char *command)
{
	return strtoull(fixture_output("%s", command), NULL, 16);
}

/* The branch at the end of the loop. */
#define BRANCH	LLVM "llvm-objdump -d --no-show-raw-insn prog | awk '/b\\.ne/ "
#define SEGMENT LLVM "llvm-readelf -lW prog | awk '/LOAD.*R E/ "

/* The loop in work() was sampled 100 times. */
static void put_loop(struct bytes *b, uint64_t base)
{
	const struct where where = at(1, PID, PID);
	uint64_t offset = number(SEGMENT "{ print $2 }'");
	uint64_t address = number(SEGMENT "{ print $3 }'");
	uint64_t from = base + number(BRANCH "{ print $1 }'");
	uint64_t to = base + number(BRANCH "{ print $3 }'");
	BYTES trace = {};

	begin(b);
	put_mmap2(b, base + (address & ~UINT64_C(4095)), 0x1000,
		  offset & ~UINT64_C(4095), "/opt/prog", &where);
	for (int i = 0; i < 100; i++)
		put_branch(&trace, PID, from, to, to, COND, RETIRED);
	put_auxtrace(b, 0, 0, NO_TID, &trace);
	perfdata_end(b);
}

TEST(llvm_profgen_counts_the_loop)
{
	char command[256];
	BYTES b = {};

	if (!build())
		SKIP("no clang-19, lld-19 or llvm-19 here");
	put_loop(&b, 0xaaaaaaaa0000);
	snprintf(command, sizeof(command),
		 "%s script --show-mmap-events -F ip,brstack >%s",
		 command_pmscope(), fixture_path("text"));
	EXPECT_EQ(pclose(command_reads(&b, command)), 0);
	EXPECT_TRUE(fixture_run(LLVM
				"llvm-profgen --perfscript=text --binary=prog "
				"--format=text --output=profile"));
	EXPECT_STREQ(fixture_output("grep -o '^work:[0-9]*' profile"),
		     "work:2000");
	EXPECT_STREQ(fixture_output("grep -c '^ [0-9.]*: 100$' profile"), "2");
	fixture_close();
}

KTAP_MAIN
