// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches for perf2bolt of a program that is mapped at several addresses, in
 * several processes, one of which was forked and maps nothing itself.
 */
#include "symbols_scenario.h"

#define FIRST	UINT64_C(0x400000)
#define SECOND	UINT64_C(0x7f0000000000)
#define LIBRARY UINT64_C(0x600000)
#define PARENT	10
#define OTHER	20
#define CHILD	30
#define MAIN	PROGRAM_TEXT
#define WORK	(PROGRAM_TEXT + 0x40)
#define SIZE	0x40
#define COND	0x01
#define RETIRED 0x02
#define MISPRED 0x80

static const struct program_symbol symbols[] = {
	{"main", MAIN, SIZE, STT_FUNC, STB_GLOBAL, false},
	{"work", WORK, SIZE, STT_FUNC, STB_GLOBAL, false},
};

STEP_IS(put_back,
	put_branch(&sc->trace, step->v[0], step->v[1] + WORK + 8,
		   step->v[1] + MAIN + 4, 0, COND, RETIRED | step->v[2]));
#define BACK(tid, base, events) CALL(put_back, tid, base, events)

STEP_IS(put_call, put_branch(&sc->trace, CHILD, FIRST + MAIN + 8,
			     LIBRARY + step->v[0], 0, COND, RETIRED));

#define MAPPED(pid, start, name) MMAP(1, pid, pid, start, 0x1000, 0, name)
#define BOLT(options) \
	COMMAND("export --format=bolt -o - --symfs=$D/root " options)

/* The addresses are the linker's, whatever was mapped where. */
SCENARIO(several_mappings_and_forks_are_one_program,
	 ELF("root/usr/bin/program", symbols),
	 ELF("root/usr/bin/library", symbols),
	 MAPPED(PARENT, FIRST, "/usr/bin/program"),
	 MAPPED(PARENT, SECOND, "/usr/bin/program"),
	 MAPPED(PARENT, LIBRARY, "/usr/bin/library"),
	 MAPPED(OTHER, SECOND, "/usr/bin/program"),
	 FORK(2, CHILD, CHILD, PARENT), BACK(PARENT, FIRST, 0),
	 BACK(PARENT, SECOND, MISPRED), BACK(OTHER, SECOND, 0),
	 BACK(CHILD, FIRST, 0), BACK(CHILD, LIBRARY, 0), CALL(put_call, WORK),
	 CALL(put_call, MAIN),
	 BACK(OTHER, FIRST, 0) /* nothing is mapped there */,
	 AREA(0, 0, 0, NO_TID), BOLT("--binary=program"),
	 OUT("B 208 X:0 2 0\n"
	     "B 248 204 4 1\n"),
	 /* What is left out is as code outside. */
	 BOLT("--binary=program --skip=other,work 2>&1"),
	 OUT("B 208 X:0 2 0\n"
	     "B X:0 204 4 1\n"
	     "pmscope: warning: no samples in a function 'other' of "
	     "/usr/bin/program\n"),
	 BOLT("--binary=program --skip=work/a.c/1,, --skip=main"), OUT(""),
	 FAILING("export --format=autofdo -o - --skip=work 2>&1"),
	 HAS("--skip requires --format=bolt"),
	 BOLT("--binary=/usr/bin/library"),
	 OUT("B 248 204 1 0\n"
	     "B X:0 200 1 0\n"
	     "B X:0 240 1 0\n"));
