// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches and mappings as perf script prints them, for tools that parse that;
 * LLVM's llvm-profgen reads a profile from it.
 */
#include "symbols_scenario.h"

#define TASK	  10
#define RETIRED	  0x02
#define NOT_TAKEN 0x40
#define MISPRED	  0x80
#define COND	  0x01
#define CR_BL	  0x08

/* The payloads of a branch: addresses, operation and events. */
STEP_IS(put_one, put_branch(&sc->trace, TASK, step->v[0], step->v[1],
			    step->v[2], step->v[3], step->v[4]));
#define BRANCH_OF(from, to, before, operation, events) \
	CALL(put_one, from, to, before, operation, events)

SCENARIO(branches, MAP(1, TASK, 0x400000, "/opt/prog"),
	 BRANCH_OF(0x400010, 0x400040, 0x400008, COND, RETIRED | MISPRED),
	 BRANCH_OF(0x400014, 0, 0, COND, RETIRED | NOT_TAKEN),
	 BRANCH_OF(0x400018, 0x400080, 0, CR_BL, RETIRED),
	 T_LOAD_OF(200, TASK, 0x40001c, 0x9000), AREA(0, 0, 0, NO_TID),
	 COMMAND("script -F ip,brstack"),
	 OUT("400010 0x400010/0x400040/M/-/-/5/COND/- "
	     "0x0/0x400008/-/-/-/0//-\n"
	     "400014 0x400014/0x0/PN/-/-/5/COND/-\n"
	     "400018 0x400018/0x400080/P/-/-/5/CALL/-\n"
	     "40001c\n"),
	 COMMAND("script -F brstacksym,dsoff --filter=op=branch"),
	 OUT("[unknown]/[unknown]/M/-/-/5/COND/- "
	     "[unknown]/[unknown]/-/-/-/0//- (/opt/prog+0x3010)\n"
	     "[unknown]/[unknown]/PN/-/-/5/COND/- (/opt/prog+0x3014)\n"
	     "[unknown]/[unknown]/P/-/-/5/CALL/- (/opt/prog+0x3018)\n"),
	 COMMAND("script --format=jsonl -F ip,dsoff,brstack "
		 "--filter=pc=0x400018"),
	 OUT("{\"ip\":\"0x400018\",\"dsoff\":\"/opt/prog+0x3018\","
	     "\"brstack\":\"0x400018/0x400080/P/-/-/5/CALL/-\"}\n"),
	 COMMAND("script --format=csv -F ip,brstack --filter=op=load"),
	 OUT("ip,brstack\n0x40001c,\n"));

static void put_with_id(struct bytes *b)
{
	const struct where first = at(100, TASK, TASK);

	put_mmap2_of(b, 0x400000, 0x1000, "/opt/a", 0xab, 20, &first);
}

#define MAPPINGS                                                         \
	OUT("PERF_RECORD_MMAP2 -1/0: [0xffff800080000000(0x1000) @ 0 "   \
	    "00:00 0 0]: ---p [kernel.kallsyms]_text\n"                  \
	    "PERF_RECORD_MMAP2 10/10: [0x400000(0x1000) @ 0 "            \
	    "<abababababababababababababababababababab>]: ---p /opt/a\n" \
	    "400100\n"                                                   \
	    "PERF_RECORD_MMAP2 10/10: [0x400000(0x1000) @ 0x3000 "       \
	    "00:00 0 0]: ---p /opt/b?\n"                                 \
	    "400100\n")

/* Each before the samples that it is for. */
SCENARIO(mappings_in_the_order_of_time,
	 KERNEL_MAP(0xffff800080000000, 0x1000, 0, "[kernel.kallsyms]_text"),
	 APPLY(put_with_id), T_LOAD_OF(150, TASK, 0x400100, 0x9000),
	 AREA(0, 0, 0, NO_TID), MAP(200, TASK, 0x400000, "/opt/b\n"),
	 T_LOAD_OF(250, TASK, 0x400100, 0x9000), AREA(0, 1, 1, NO_TID),
	 COMMAND("script --show-mmap-events -F ip,brstack"), MAPPINGS,
	 COMMAND("script --show-mmap-events --threads=1 -F ip,brstack"),
	 MAPPINGS, COMMAND("script -F ip"), OUT("400100\n400100\n"));

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

static uint64_t number(const char *command)
{
	return strtoull(fixture_output("%s", command), NULL, 16);
}

/* The branch at the end of the loop. */
#define BRANCH	LLVM "llvm-objdump -d --no-show-raw-insn prog | awk '/b\\.ne/ "
#define SEGMENT LLVM "llvm-readelf -lW prog | awk '/LOAD.*R E/ "

/* The loop in work() was sampled 100 times. */
STEP_OF(put_loop)
{
	const struct where where = at(1, TASK, TASK);
	uint64_t base = 0xaaaaaaaa0000;
	uint64_t offset = number(SEGMENT "{ print $2 }'");
	uint64_t address = number(SEGMENT "{ print $3 }'");
	uint64_t from = base + number(BRANCH "{ print $1 }'");
	uint64_t to = base + number(BRANCH "{ print $3 }'");

	put_mmap2(&sc->b, base + (address & ~UINT64_C(4095)), 0x1000,
		  offset & ~UINT64_C(4095), "/opt/prog", &where);
	for (int i = 0; i < 100; i++)
		put_branch(&sc->trace, TASK, from, to, to, COND, RETIRED);
}

SCENARIO(llvm_profgen_counts_the_loop, WRITE("p.c", source),
	 NEED(LLVM "clang --target=aarch64-linux-gnu -O1 -g "
		   "-fno-inline -fno-unroll-loops -ffreestanding "
		   "-fPIE -c p.c && " LLVM "ld.lld -pie "
		   "--no-dynamic-linker -o prog p.o && test -x " LLVM
		   "llvm-profgen",
	      "no clang-19, lld-19 or llvm-19 here"),
	 CALL(put_loop), AREA(0, 0, 0, NO_TID),
	 COMMAND("script --show-mmap-events -F ip,brstack >$D/text"),
	 RUN(LLVM "llvm-profgen --perfscript=text --binary=prog "
		  "--format=text --output=profile && "
		  "grep '^work:2000:' profile && "
		  "test $(grep -c '^ [0-9.]*: 100$' profile) = 2"));
