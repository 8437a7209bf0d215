// SPDX-License-Identifier: GPL-2.0-or-later
/* The process that generated code, and the file that describes it. */
#include "scenario.h"

#define AT_FLAGS 60 /* in MMAP2 */
_Static_assert(MAP_HUGETLB == 4 << 16, "the third byte of them");

#define DUMP "/tmp/jit-10.dump"
/* What describes the code at @address. */
#define JITDUMP(address, dump) PLACE(address), TEXT(place.jitdump, dump)
#define JAVA		       COMM(0, 10, 10, "java")
#define JAVA_WITH_CODE	       JAVA, MAP(0, 10, 0x5000, "//anon")

/* Names of generated code are found by process. */
SCENARIO(code_in_huge_pages_is_of_no_file,
	 MAP(100, 10, 0x5000, "/dev/hugepages/a"),
	 MAP(200, 10, 0x5000, "/dev/hugepages/a"), PATCH(AT_FLAGS + 2, 4),
	 LOAD(150, 0, 10), LOAD(250, 0, 10), NEXT(150),
	 DSO(0x5010, "/dev/hugepages/a"), NEXT(250),
	 DSO(0x5010, "/anon_hugepage"));

SCENARIO(an_exec_and_a_new_process_have_no_old_jitdump, JAVA,
	 MAP(1, 10, 0x5000, DUMP), EXEC(100, 10, "other"),
	 MAP(200, 10, 0x5000, DUMP), FORK(300, 10, 10, 20),
	 LOADS(50, 350, 100, 0, 10), NEXT(50), JITDUMP(0x9010, DUMP), NEXT(150),
	 JITDUMP(0x9010, NULL), NEXT(250), JITDUMP(0x9010, DUMP), NEXT(350),
	 JITDUMP(0x9010, NULL));

/* The file of the process that generated the code describes it, as in perf. */
SCENARIO(generated_code_is_that_of_who_mapped_it, JAVA_WITH_CODE,
	 MAP(0, 10, 0x7000, DUMP), FORK(100, 20, 20, 10),
	 MAP(150, 20, 0x6000, "//anon"), LOAD(200, 0, 20), NEXT(200), PID(20),
	 JITDUMP(0x5010, DUMP), IS(place.pid, 10), JITDUMP(0x6010, NULL),
	 IS(place.pid, 20));

/* Its memory stays the fork's, and so does the description of its code. */
SCENARIO(generated_code_outlives_the_exec_of_who_made_it, JAVA_WITH_CODE,
	 MAP(0, 10, 0x7000, DUMP), FORK(100, 20, 20, 10),
	 EXEC(200, 10, "other"), MAP(201, 10, 0x5000, "//anon"),
	 MAP(300, 10, 0x7000, "/other/jit-10.dump"),
	 LOADS(150, 350, 100, 0, 20), LOAD(360, 1, 10), NEXT(150),
	 JITDUMP(0x5010, DUMP), IS(place.pid, 10), NEXT(250),
	 JITDUMP(0x5010, DUMP), IS(place.pid, 10), NEXT(350),
	 JITDUMP(0x5010, DUMP), IS(place.pid, 10), NEXT(360),
	 JITDUMP(0x5010, "/other/jit-10.dump"), IS(place.pid, 10));

/* It is news of each process that has code of who writes it. */
SCENARIO(a_jitdump_that_is_mapped_after_a_fork, JAVA_WITH_CODE,
	 FORK(100, 20, 20, 10), MAP(200, 10, 0x7000, DUMP), LOAD(150, 0, 20),
	 LOAD(250, 0, 20), NEXT(150), JITDUMP(0x5010, NULL), VERSION(20),
	 NEXT(250), JITDUMP(0x5010, DUMP), NEW_VERSION(20));
