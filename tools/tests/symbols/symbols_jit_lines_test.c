// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines of generated code, from a jitdump. */
#include "symbols_scenario.h"

#define OWN  7
#define DUMP "/jit-7.dump"
/* Size of the code in put_jit_load(). */
#define SIZE 4
#define CODE UINT64_C(0x5000)
#define SAME "\xff"
/* How far V8 and LLVM shift addresses. */
#define SHIFT 64

/* One line per byte of code except the first; numbers start at 10. */
#define LINES(address, file)                                                  \
	JIT_LINE((address) + 1, 10, file), JIT_LINE((address) + 2, 11, SAME), \
		JIT_LINE((address) + 3, 12, SAME), JIT_LINES(address, 3)
#define LOAD_AT(time, address, name) JIT_LOAD(time, OWN, address, name)
#define DUMPED \
	STORE("root" DUMP), AT("//anon", 0), SET(pid, OWN), SET(jitdump, DUMP)
#define IS_LINE(address, file, number) LINE(address, file, number, NULL)
#define NO_LINE(address)	       LINE(address, NULL, 0, NULL)

SCENARIO(lines_of_code, JIT(0), LINES(CODE, "/src/one"),
	 LOAD_AT(1, CODE, "one"), LOAD_AT(1, CODE + 0x10, "without"),
	 LINES(CODE + 0x20, "/src/two"), LOAD_AT(1, CODE + 0x20, "two"), DUMPED,
	 NO_LINE(CODE), IS_LINE(CODE + 1, "/src/one", 10),
	 IS_LINE(CODE + 3, "/src/one", 12), NO_LINE(CODE + 4),
	 NO_LINE(CODE + 0x11), IS_LINE(CODE + 0x21, "/src/two", 10));

/* Compilers write lines in any order. */
SCENARIO(lines_in_any_order, JIT_LINE(CODE + 3, 5, "/src/inlined"),
	 JIT_LINE(CODE, 1, "/src/a"), JIT_LINE(CODE, 2, SAME),
	 JIT_LINE(CODE + 2, 9, ""), JIT(0), JIT_LINES(CODE, 4),
	 LOAD_AT(1, CODE, "one"), DUMPED, IS_LINE(CODE, "/src/a", 2),
	 IS_LINE(CODE + 1, "/src/a", 2), NO_LINE(CODE + 2),
	 IS_LINE(CODE + 3, "/src/inlined", 5));

/* Records of two compiling threads may be interleaved. */
SCENARIO(lines_between_those_of_another_thread, JIT(0), LINES(CODE, "/src/one"),
	 LINES(CODE + 0x20, "/src/two"), LOAD_AT(1, CODE + 0x20, "two"),
	 LOAD_AT(1, CODE, "one"), DUMPED, IS_LINE(CODE + 1, "/src/one", 10),
	 IS_LINE(CODE + 0x21, "/src/two", 10));

SCENARIO(lines_of_code_that_moved, JIT(0), LINES(CODE, "/src/one"),
	 LOAD_AT(1, CODE, "one"), JIT_MOVE(2, OWN, CODE, CODE + 0x100),
	 JIT_MOVE(3, OWN, CODE + 0x100, CODE + 0x200),
	 /* Only a part of the code moves, so its lines are unknown. */
	 JIT_MOVE(3, OWN, CODE + 2, CODE + 0x300), DUMPED,
	 IS_LINE(CODE + 2, "/src/one", 11),
	 IS_LINE(CODE + 0x102, "/src/one", 11),
	 IS_LINE(CODE + 0x202, "/src/one", 11), NO_LINE(CODE + 0x302));

/* Code that replaces other code has its own lines, or none. */
SCENARIO(lines_of_their_time, JIT(0), LINES(CODE, "/src/first"),
	 LOAD_AT(10, CODE, "first"), LINES(CODE, "/src/second"),
	 LOAD_AT(20, CODE, "second"), LOAD_AT(30, CODE, "third"), DUMPED,
	 SET(time, 15), IS_LINE(CODE + 1, "/src/first", 10), SET(time, 25),
	 IS_LINE(CODE + 1, "/src/second", 10), SET(time, 35), NO_LINE(CODE + 1),
	 SET(time, 0), NO_LINE(CODE + 1));

/* Lines of another process at the same address do not count. */
SCENARIO(lines_of_another_process, JIT(0), LINES(CODE, "/src/other"),
	 JIT_LOAD(1, OWN + 1, CODE, "other"), LOAD_AT(1, CODE, "own"), DUMPED,
	 NO_LINE(CODE + 1));

/*
 * Where functions start tells whether the JIT shifted all addresses. Three have
 * one line each, at these offsets; that of the second is expected at offset
 * @is.
 */
TEST(lines_as_old_versions_of_perf_need_them)
{
#define ONE_LINE(nr, offset)                                      \
	JIT_LINE(CODE + 0x20 * (nr) + (offset), nr, "/src/a.js"), \
		JIT_LINES(CODE + 0x20 * (nr), 1),                 \
		LOAD_AT(1, CODE + 0x20 * (nr), "a")
#define SHIFTED(one, two, three, is)                                         \
	PLAY(JIT(0), ONE_LINE(0, one), ONE_LINE(1, two), ONE_LINE(2, three), \
	     DUMPED, NO_LINE(CODE + 0x20 + (is)-1),                          \
	     IS_LINE(CODE + 0x20 + (is), (is) < SIZE ? "/src/a.js" : NULL,   \
		     (is) < SIZE))
	SHIFTED(SHIFT + 1, SHIFT + 2, SHIFT, 2);
	SHIFTED(SHIFT, SHIFT + 2, 3, SIZE);
	SHIFTED(SHIFT + 1, SHIFT + 2, SHIFT + 1, SIZE);
	SHIFTED(2, 1, 0, 1);
}

STEP_IS(change_last_byte, sc->lines.data[sc->lines.size - 1] = 'b');

/* A malformed record does not affect other functions. */
TEST(lines_that_cannot_be)
{
/* The record claims @nr lines. */
#define NONE(nr, ...)                                                   \
	PLAY(JIT(0), __VA_ARGS__, JIT_LINES(CODE, nr),                  \
	     LOAD_AT(1, CODE, "one"), LINES(CODE + 0x20, "/src/two"),   \
	     LOAD_AT(1, CODE + 0x20, "two"), DUMPED, NO_LINE(CODE + 1), \
	     IS_LINE(CODE + 0x21, "/src/two", 10))
#define GOOD JIT_LINE(CODE, 1, "/src/a")
	NONE(2, GOOD);
	NONE(UINT64_MAX, GOOD);
	NONE(1, GOOD, CALL(change_last_byte));
	NONE(2, GOOD, JIT_LINE(CODE - 1, 1, SAME));
	NONE(2, GOOD, JIT_LINE(CODE + SIZE + 1, 1, SAME));
	NONE(1, JIT_LINE(CODE, 1, "/src/\x02"));
	NONE(1, JIT_LINE(CODE, 1, SAME));
	NONE(0, NEW);
}

#define SOME JIT(0), LINES(CODE, "/src/one"), LOAD_AT(1, CODE, "one")

SCENARIO(lines_cut_and_changed, SOME, AT("//anon", 0), SET(pid, OWN),
	 SET(jitdump, DUMP), DAMAGED("root" DUMP, 0, 1, CODE));

/* The file may be replaced between the lookups. */
SCENARIO(jitdump_that_was_replaced, SOME, DUMPED, FIND(CODE, ANY, ANY_OFFSET),
	 JIT(0), LINES(CODE + 1, "/src/other"), STORE("root" DUMP),
	 NO_LINE(CODE + 2));

/* Loads by the code, which other code replaces later. */
SCENARIO(commands_print_them, CLOCK(CLOCK_MONOTONIC),
	 COMM(100, OWN, OWN, "jit"), MAP(101, OWN, CODE, "//anon"),
	 MAP(102, OWN, 0x90000, DUMP), ITRACE(106, 0, OWN, OWN),
	 T_LOAD_OF(110, OWN, CODE, 0x9000),
	 T_LOAD_OF(120, OWN, CODE + 1, 0x9000),
	 T_LOAD_OF(130, OWN, CODE + 1, 0x9000),
	 T_LOAD_OF(140, OWN, CODE + 3, 0x9000), AUX_PART(150, OWN), JIT(0),
	 LINES(CODE, "/src/first"), LOAD_AT(50, CODE, "first"),
	 LINES(CODE, "/src/second"), LOAD_AT(125, CODE, "second"),
	 STORE("root" DUMP),
	 COMMAND("script --format=csv -F sym,line,file --symfs=$D/root"),
	 OUT("sym,line,file\n"
	     "first,,\n"
	     "first,first:10,/src/first\n"
	     "second,second:10,/src/second\n"
	     "second,second:12,/src/second\n"));
