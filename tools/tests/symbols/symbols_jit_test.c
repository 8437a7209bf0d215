// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of generated code, from perf-PID.map and jitdumps, here or in a
 * container.
 */
#include "symbols_scenario.h"

/* A file in /tmp of the recorded machine. */
#define IN_TMP(name, words) \
	RUN("mkdir root/tmp"), WRITE("root/tmp/" name, words)
#define PERF_MAP(words) IN_TMP("perf-42.map", words), ANON
#define ANON		AT("//anon", 0), SET(pid, 42)
#define FUNCTION	"7f0000001000 40 function\n"

SCENARIO(perf_map,
	 PERF_MAP("7f0000001000 40 first function\n"
		  "garbage\n"
		  "7f0000002000 0 empty\n"
		  "7f0000001040 10 second\n"
		  "7f0000003000 10"),
	 FIND(0x7f000000103f, "first function", 0x3f),
	 FIND(0x7f0000001040, "second", 0), FIND(0x7f0000001050, NULL, 0),
	 FIND(0x7f0000003000, NULL, 0), SET(pid, 43),
	 FIND(0x7f0000001040, NULL, 0), SET(pid, 42), SET(dso, "/a/program"),
	 FIND(0x7f0000001040, NULL, 0));

#define IN_MEMORY(name) SET(dso, name), FIND(0x7f0000001001, "function", 1)

SCENARIO(memory_that_generated_code_is_in, PERF_MAP(FUNCTION),
	 IN_MEMORY("//anon"), IN_MEMORY("[anon:v8]"), IN_MEMORY("[heap]"),
	 IN_MEMORY("[stack]"), IN_MEMORY("[stack:123]"),
	 IN_MEMORY("/SYSV00000000 (deleted)"),
	 IN_MEMORY("/anon_hugepage (deleted)"),
	 IN_MEMORY("/dev/zero (deleted)"), IN_MEMORY("/memfd:jit (deleted)"));

/* Programs reuse the memory of code that they discarded. */
SCENARIO(newer_code_replaces_what_was_there,
	 PERF_MAP("7f0000001000 40 zzz first\n"
		  "7f0000001000 20 second\n"
		  "7f0000001030 4 within\n"
		  "7f0000002010 10 inner\n"
		  "7f0000002000 40 outer\n"),
	 FIND(0x7f0000001000, "second", 0),
	 FIND(0x7f000000101f, "second", 0x1f),
	 FIND(0x7f0000001020, "zzz first", 0x20),
	 FIND(0x7f0000001033, "within", 3),
	 FIND(0x7f0000001034, "zzz first", 0x34),
	 FIND(0x7f0000002018, "outer", 0x18),
	 FIND(0x7f0000002030, "outer", 0x30));

/* Handles "\r\n" and names longer than 4096 bytes. */
TEST(perf_map_with_long_names_and_other_ends_of_lines)
{
	char name[2 * 4096 + 1] = "", map[sizeof(name) + 64];

	memset(name, 'x', sizeof(name) - 1);
	snprintf(map, sizeof(map),
		 "7f0000001000 40 %s\r\n7f0000002000 40 next\r\n", name);
	name[4096] = '\0'; /* the rest is cut off */
	PLAY(PERF_MAP(map), FIND(0x7f0000001001, name, 1),
	     FIND(0x7f0000002002, "next", 2));
}

/* Anybody may put a symlink into /tmp. */
SCENARIO(perf_map_that_is_a_link, IN_TMP("other", FUNCTION),
	 RUN("ln -s other root/tmp/perf-42.map"), ANON,
	 FIND(0x7f0000001000, NULL, 0));

/* A record of another type. */
STEP_OF(put_other_record)
{
	put(&sc->file, 3, 4);
	put(&sc->file, 16 + 8, 4);
	put_zeros(&sc->file, 16);
}

#define DUMP "/tmp/jit-42.dump"
#define SOME                                                           \
	JIT(0), JIT_LOAD(1, 42, 0x7f0000001000, "one"),                \
		CALL(put_other_record),                                \
		JIT_LOAD(1, 43, 0x7f0000001000, "of another process"), \
		JIT_LOAD(1, 42, 0x7f0000001004, "two"),                \
		JIT_MOVE(2, 42, 0x7f0000001004, 0x7f0000002000),       \
		JIT_MOVE(2, 43, 0x7f0000001004, 0x7f0000003000),       \
		JIT_MOVE(2, 42, 0x7f0000004000, 0x7f0000005000)
#define DUMPED STORE("root" DUMP), ANON, SET(jitdump, DUMP)

SCENARIO(jitdump, SOME, DUMPED, FIND(0x7f0000001002, "one", 2),
	 FIND(0x7f0000001004, "two", 0), FIND(0x7f0000001008, NULL, 0),
	 FIND(0x7f0000002001, "two", 1), FIND(0x7f0000003001, NULL, 0),
	 FIND(0x7f0000005001, NULL, 0));

/* A process may run before it maps its jitdump. */
SCENARIO(jitdump_that_is_told_later, SOME, DUMPED, SET(jitdump, NULL),
	 FIND(0x7f0000001002, NULL, 0), SET(jitdump, DUMP),
	 FIND(0x7f0000001002, "one", 2));

/* A forked process may have its parent's jitdump, and its own after an exec. */
SCENARIO(jitdumps_of_two_programs_with_one_number, JIT(0),
	 JIT_LOAD(1, 42, 0x7f0000001000, "other"),
	 STORE("root/run/jit-42.dump"), SOME, DUMPED,
	 FIND(0x7f0000001002, "one", 2), SET(jitdump, "/run/jit-42.dump"),
	 FIND(0x7f0000001002, "other", 2), SET(jitdump, DUMP),
	 FIND(0x7f0000001002, "one", 2));

SCENARIO(jitdump_cut_and_changed, SOME, ANON, SET(jitdump, DUMP),
	 DAMAGED("root" DUMP, 0, 3, 0x7f0000001000));

SCENARIO(perf_map_in_a_container, IN_TMP("perf-1.map", FUNCTION), ANON,
	 SAME_MACHINE, CONTAINER, FIND(0x7f0000001004, "function", 4));
