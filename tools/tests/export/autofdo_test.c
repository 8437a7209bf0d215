// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often functions were called, in a profile for clang of a program that
 * clang made; totals are by bytes.
 */
#include "symbols_scenario.h"

#define TASK	10
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

static uint64_t number(const char *command)
{
	return strtoull(fixture_output("%s", command), NULL, 16);
}

#define SYMBOL(name) \
	LLVM "llvm-nm root/opt/prog | awk '/ " name "$/ { print $1 }'"
#define SEGMENT LLVM "llvm-readelf -lW root/opt/prog | awk '/LOAD.*R E/ "

static void map(struct bytes *b)
{
	const struct where where = at(1, TASK, TASK);
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
		put_load_of(trace, TASK, start + i / times * 4, 0x9000, 2 + i);
}

/*
 * Both functions have two instructions in their first block. No call of work()
 * was sampled; in spin(), the first block is a loop, and three calls were.
 */
STEP_OF(put_blocks)
{
	uint64_t work = BASE + number(SYMBOL("work"));
	uint64_t spin = BASE + number(SYMBOL("spin"));

	put_block(&sc->trace, work, 2, 10);
	put_block(&sc->trace, spin, 2, 50);
	for (int i = 0; i < 3; i++)
		put_branch(&sc->trace, TASK, work + 16, spin, 0, 0, RETIRED);
}

STEP_OF(expect_work)
{
	const char *work = strstr(sc->out, "\nwork:");
	unsigned int head = 0;

	ASSERT_TRUE(work);
	EXPECT_EQ(sscanf(work, "\nwork:%*u:%u\n", &head), 1);
	EXPECT_EQ(head, 10U);
	EXPECT_TRUE(strstr(work, "\n 2: 10\n"));
	EXPECT_TRUE(strstr(work, " spin:3\n"));
}

SCENARIO(heads_are_those_of_the_first_block, WRITE("p.c", source),
	 NEED("mkdir -p root/opt && " LLVM
	      "clang --target=aarch64-linux-gnu -O1 -g "
	      "-ffreestanding -fPIE -c p.c && " LLVM
	      "ld.lld -pie --no-dynamic-linker -o root/opt/prog p.o",
	      "no clang-19 and lld-19 here"),
	 APPLY(map), CALL(put_blocks), AREA(0, 0, 0, NO_TID),
	 COMMAND("export --format=autofdo -o - --symfs=$D/root"),
	 HAS("\nspin:400:3\n 2: 50\n"), CALL(expect_work));
