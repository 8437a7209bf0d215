// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often functions were called, in a profile for clang of a program that
 * clang made; totals are by bytes.
 */
#include "command.h"
#include "elf_fixture.h"
#include "ktap.h"
#include "recording_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PID	10
#define BASE	UINT64_C(0xaaaaaaaa0000)
#define RETIRED 0x02
#define LLVM	"/usr/lib/llvm-19/bin/"

static const char source[] =
	"static volatile int value;\n"
	"__attribute__((noinline)) void spin(volatile int *p)\n"
	"{\n"
	"	while (*p)\n"
	"		;\n"
	"}\n"
	"__attribute__((noinline)) int work(int n)\n"
	"{\n"
	"	if (n * 5 > 3)\n"
	"		spin(&value);\n"
	"	return value;\n"
	"}\n"
	"void _start(void)\n"
	"{\n"
	"	work(1000);\n"
	"	for (;;)\n"
	"		;\n"
	"}\n";

static bool build(void)
{
	return fixture_open() && fixture_write_text("p.c", source) &&
	       fixture_run("mkdir -p root/opt && " LLVM
			   "clang --target=aarch64-linux-gnu -O1 -g "
			   "-ffreestanding -fPIE -c p.c && " LLVM
			   "ld.lld -pie --no-dynamic-linker -o root/opt/prog "
			   "p.o");
}

static uint64_t number(const char *command)
{
	return strtoull(fixture_output("%s", command), NULL, 16);
}

#define SYMBOL(name) \
	LLVM "llvm-nm root/opt/prog | awk '/ " name "$/ { print $1 }'"
#define SEGMENT LLVM "llvm-readelf -lW root/opt/prog | awk '/LOAD.*R E/ "

static void map(struct bytes *b)
{
	const struct where where = at(1, PID, PID);
	uint64_t offset = number(SEGMENT "{ print $2 }'");
	uint64_t address = number(SEGMENT "{ print $3 }'");

	put_mmap2(b, BASE + (address & ~UINT64_C(4095)), 0x1000,
		  offset & ~UINT64_C(4095), "/opt/prog", &where);
}

/* The first instructions from @start on, each sampled @times. */
static void put_block(struct bytes *trace, uint64_t start, int instructions,
		      int times)
{
	for (int i = 0; i < instructions * times; i++)
		put_load_of(trace, PID, start + i / times * 4, 0x9000, 2 + i);
}

/*
 * Both functions have two instructions in their first block. No call of work()
 * was sampled; in spin(), the first block is a loop, and three calls were.
 */
static void put_recording(struct bytes *b)
{
	uint64_t work = BASE + number(SYMBOL("work"));
	uint64_t spin = BASE + number(SYMBOL("spin"));
	BYTES trace = {};

	begin(b);
	map(b);
	put_block(&trace, work, 2, 10);
	put_block(&trace, spin, 2, 50);
	for (int i = 0; i < 3; i++)
		put_branch(&trace, PID, work + 16, spin, 0, 0, RETIRED);
	put_auxtrace(b, 0, 0, NO_TID, &trace);
	perfdata_end(b);
}

TEST(heads_are_those_of_the_first_block)
{
	char command[512], text[4096];
	BYTES b = {};
	unsigned int head = 0;
	const char *work;

	if (!build())
		SKIP("no clang-19 and lld-19 here");
	put_recording(&b);
	snprintf(command, sizeof(command),
		 "export --format=autofdo -o - --symfs=%s",
		 fixture_path("root"));
	EXPECT_EQ(command_pmscope_text(&b, command, text, sizeof(text)), 0);
	EXPECT_TRUE(strstr(text, "\nspin:400:3\n 2: 50\n"));
	work = strstr(text, "\nwork:");
	ASSERT_TRUE(work);
	EXPECT_EQ(sscanf(work, "\nwork:%*u:%u\n", &head), 1);
	EXPECT_EQ(head, 10U);
	EXPECT_TRUE(strstr(work, "\n 2: 10\n"));
	EXPECT_TRUE(strstr(work, " spin:3\n"));
	fixture_close();
}

KTAP_MAIN
