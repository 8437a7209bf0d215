// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that exist but cannot be read are reported, by commands too. */
#include "symbols_scenario.h"

#include <sys/auxv.h>

#define NOBODY 65534
#define BINARY "root/usr/bin/program"

/* All users may search the directory. */
#define MADE_WITH(options) \
	HOME, PROGRAM(INNER_IN_OUTER, options), RUN("chmod 755 ."), IN("outer")
#define MADE MADE_WITH("-g")

/* Root may read any file, so become another user. */
STEP_OF(become)
{
	symbols_of(sc);
	if (!getuid())
		EXPECT_EQ(seteuid(step->v[0]), 0);
}

/* Looks symbols and lines up, under two names for the file. */
STEP_OF(look_up)
{
	static const char again[] = "/usr/bin/program";
	struct pmscope_place other = sc->place;
	struct pmscope_symbol symbol;
	struct pmscope_line line;

	symbols_of(sc);
	other.dso = again;
	for (int i = 0; i < 2; i++) {
		const struct pmscope_place *place = i ? &other : &sc->place;

		pmscope_symbols_find(sc->symbols, place, 0, &symbol);
		pmscope_symbols_find_data(sc->symbols, place, 0, &symbol);
		pmscope_symbols_line(sc->symbols, place, 0, &line);
	}
}
#define AS_NOBODY(...)	  CALL(become, NOBODY), __VA_ARGS__, CALL(become, 0)
#define TOLD(name, error) NEW, AS_NOBODY(CALL(look_up)), UNREAD(name, error)
#define NONE_TOLD	  NEW, AS_NOBODY(CALL(look_up)), ALL_READ

SCENARIO(program_that_others_may_not_read, MADE, NONE_TOLD,
	 RUN("chmod 0 " BINARY), TOLD(BINARY, EACCES));

SCENARIO(program_in_a_directory_that_others_may_not_search, MADE,
	 RUN("chmod 0 root/usr/bin"), TOLD(BINARY, EACCES),
	 RUN("chmod 755 root/usr/bin"));

/*
 * A directory where a debug file may be, such as perf's cache of a program in
 * /, for a user whose home is /.
 */
SCENARIO(directory_where_a_debug_file_may_be, MADE,
	 RUN("strip " BINARY " && "
	     "mkdir -p root/usr/bin/.debug/program"),
	 NONE_TOLD);

STEP_OF(place_on_this_machine)
{
	strcpy(sc->paths[3], fixture_path(BINARY));
	sc->place.dso = sc->paths[3];
}

/* On another machine, the path proves nothing. */
SCENARIO(program_of_this_machine_in_such_a_directory, MADE, BUILD_ID("program"),
	 CALL(place_on_this_machine), RUN("chmod 0 root/usr/bin"), NO_ROOT,
	 NONE_TOLD, SAME_MACHINE, TOLD(BINARY, EACCES));

SCENARIO(directory_in_the_place_of_a_program, MADE,
	 RUN("rm " BINARY " && mkdir " BINARY), TOLD(BINARY, EISDIR));

/* Nor is a file reported that is not an ELF file. */
SCENARIO(program_that_is_not_there_is_not_told_of, MADE, RUN("rm " BINARY),
	 NONE_TOLD, RUN("ln -s program " BINARY), NONE_TOLD,
	 RUN("ln -sf /dev/null " BINARY), NONE_TOLD,
	 RUN("rm " BINARY " && echo >" BINARY), NONE_TOLD);

/* Whether the file is there is unknown. */
SCENARIO(places_that_others_may_not_search_are_not_told_of, MADE,
	 BUILD_ID("program"), RUN("rm " BINARY " && chmod 0 home"), NONE_TOLD,
	 RUN("cp program " BINARY " && strip " BINARY), NONE_TOLD);

/* Another copy is found by its build-id. */
SCENARIO(program_that_is_found_elsewhere_is_not_told_of, MADE,
	 BUILD_ID("program"), RUN("chmod 0 " BINARY " && keep program"),
	 NONE_TOLD, RUN("chmod 0 root/usr/lib/debug/.build-id/*/*"),
	 TOLD(BINARY, EACCES));

STEP_OF(find)
{
	struct pmscope_symbol symbol;

	pmscope_symbols_find(symbols_of(sc), &sc->place, step->v[0], &symbol);
}

/* A path may have several build-ids; only one can be that of the file. */
TEST(program_that_is_asked_for_by_several_build_ids)
{
	static const uint8_t ids[2][20] = {{1}, {2}};
	static const char name[] = "/usr/bin/program";

	PLAY(MADE, OTHER_ID(ids[0]), CALL(find), ALL_READ,
	     RUN_BESIDE("chmod 0 " BINARY), OTHER_ID(ids[1]), SET(dso, name),
	     AS_NOBODY(CALL(find)), UNREAD(BINARY, EACCES));
}

SCENARIO(debug_file_that_others_may_not_read, MADE, STEP(strip),
	 RUN("cp d.dbg root/usr/bin"), NONE_TOLD,
	 RUN("chmod 0 root/usr/bin/d.dbg"), TOLD("root/usr/bin/d.dbg", EACCES),
	 RUN("put d.dbg root/usr/bin/.debug/d.dbg"), NONE_TOLD);

SCENARIO(units_apart_that_others_may_not_read, MADE_WITH("-g -gsplit-dwarf"),
	 NONE_TOLD, RUN("chmod 0 program.dwo"), TOLD("program.dwo", EACCES),
	 RUN("mkdir of && mv program.dwo of && "
	     "ln -s of/program.dwo . && chmod 0 of"),
	 TOLD("program.dwo", EACCES));

/* Allows that many more files to be opened than are now; UINT64_MAX: any. */
STEP_OF(limit_files)
{
	static struct rlimit before;
	struct rlimit now;
	int fd;

	symbols_of(sc);
	if (step->v[0] == UINT64_MAX) {
		EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
		return;
	}
	fd = open("/", O_RDONLY | O_DIRECTORY);
	ASSERT_TRUE(fd >= 0 && !getrlimit(RLIMIT_NOFILE, &before));
	close(fd);
	now = before;
	now.rlim_cur = fd + step->v[0];
	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &now), 0);
}
#define BELOW_LIMIT(files, ...) \
	CALL(limit_files, files), __VA_ARGS__, CALL(limit_files, UINT64_MAX)
#define WITH_8_FILES NEW, BELOW_LIMIT(8, CALL(find)), ALL_READ
#define WITH_FILES(nr, name) \
	NEW, BELOW_LIMIT(nr, CALL(find)), UNREAD(name, EMFILE)

SCENARIO(program_beyond_the_limit_of_open_files, MADE, WITH_8_FILES,
	 WITH_FILES(0, BINARY));

/* .gnu_debugdata is uncompressed, to check it, before libdw does so. */
SCENARIO(names_within_a_program_beyond_the_limit_of_open_files, MADE,
	 NEED("objcopy --only-keep-debug program mini && "
	      "xz mini && strip -o bare program && "
	      "objcopy --add-section .gnu_debugdata=mini.xz bare " BINARY,
	      "no objcopy here, or no xz"),
	 WITH_8_FILES, WITH_FILES(1, BINARY));

/* The file could be read when its symbols were needed. */
SCENARIO(lines_beyond_the_limit_of_open_files, MADE, FIND(0, ANY, ANY_OFFSET),
	 BELOW_LIMIT(0, LINE(0, NULL, 0, ANY)), UNREAD(BINARY, EMFILE));

/* Pseudo files are not opened, see symbols_pseudo_test.c. */
SCENARIO(program_that_is_a_file_of_the_kernel, MADE,
	 RUN("ln -sf /proc/self/mem " BINARY), WITH_8_FILES);

/* The file can be opened, but not a memfd for its contents. */
SCENARIO(packed_program_beyond_the_limit_of_open_files, MADE,
	 NEED("gzip " BINARY " && mv " BINARY ".gz " BINARY, "no gzip here"),
	 WITH_8_FILES, WITH_FILES(1, BINARY));

TEST(names_of_generated_code_that_others_may_not_read)
{
#define PERF_MAP "root/tmp/perf-10.map"
	PLAY(RUN("mkdir root/tmp && chmod 755 . && echo 1000 10 made "
		 ">" PERF_MAP),
	     AT("//anon", 0), NONE_TOLD, RUN("chmod 0 " PERF_MAP),
	     TOLD(PERF_MAP, EACCES));
	/* Whether it can be read or not. */
	for (int mode = 0; !getuid() && mode < 2; mode++)
		PLAY(RUN("mkdir root/tmp && chmod 755 . && "
			 "echo 1000 10 made >" PERF_MAP
			 " && chown 1 " PERF_MAP),
		     RUN(mode ? "chmod 444 " PERF_MAP : "chmod 0 " PERF_MAP),
		     AT("//anon", 0), TOLD(PERF_MAP, EXDEV));
	/* Whether the file is there is unknown. */
	PLAY(RUN("mkdir root/tmp && chmod 755 . && echo 1000 10 made >" PERF_MAP
		 " && chmod 0 root/tmp"),
	     AT("//anon", 0), NONE_TOLD);
}

/* Lines are read only when they are needed. */
SCENARIO(lines_of_generated_code_that_others_may_not_read, JIT(0),
	 JIT_LINE(0x1000, 1, "made.js"), JIT_LINES(0x1000, 1),
	 JIT_LOAD(1, 10, 0x1000, "made"), STORE("root/jit-10.dump"),
	 AT("//anon", 0), SET(jitdump, "/jit-10.dump"),
	 FIND(0x1000, ANY, ANY_OFFSET),
	 RUN_BESIDE("chmod 755 . && chmod 0 root/jit-10.dump"),
	 AS_NOBODY(LINE(0x1000, NULL, 0, ANY)),
	 UNREAD("root/jit-10.dump", EACCES));

#define LIST "root/lib/modules/6.1.0/modules.dep"

SCENARIO(list_of_modules_that_others_may_not_read,
	 RUN("mkdir -p $(dirname " LIST ") && chmod 755 . && touch " LIST),
	 KERNEL_AT("[some]", 0), NONE_TOLD, RUN("chmod 0 " LIST),
	 TOLD(LIST, EACCES));

/* The kernel is identified by its build-id. */
TEST(kernel_that_others_may_not_read)
{
	static const uint8_t id[20] = {1};

	PLAY(RUN("mkdir root/boot && chmod 755 . && "
		 "echo >root/boot/vmlinux-6.1"),
	     KERNEL_AT(KERNEL_DSO, 0), OTHER_ID(id), NONE_TOLD,
	     RUN("chmod 0 root/boot/vmlinux-6.1"),
	     TOLD("root/boot/vmlinux-6.1", EACCES));
}

/* Without any file to open. */
TEST(this_kernel_beyond_the_limit_of_open_files)
{
	if (getauxval(AT_SYSINFO_EHDR))
		PLAY(SAME_MACHINE, AT("[vdso]", 0), SET(pid, PMSCOPE_NO_ID),
		     WITH_FILES(0, "[vdso]"));
	PLAY(SAME_MACHINE, KERNEL_AT(KERNEL_DSO, 0),
	     WITH_FILES(0, "/proc/kallsyms"));
}

/* Loads of process 7 in so many files, which are directories. */
STEP_OF(put_loads)
{
	open_dir(sc);
	comm_at(&sc->b, 0, "many", 100, 7, 7);
	for (unsigned int i = 0; i < step->v[0]; i++) {
		char name[32];

		snprintf(name, sizeof(name), "/lib/\033%02u", i);
		map_at(&sc->b, 0x10000 * (i + 1), name, 101, 7);
		EXPECT_TRUE(fixture_run("mkdir -p 'root%s'", name));
		put_load_of(&sc->trace, 7, 0x10000 * (i + 1), 0x9000, 110 + i);
	}
}
#define FILES(nr)      CALL(put_loads, nr), ITRACE(106, 0, 7, 7), AUX_PART(130, 7)
#define PRINT(command) COMMAND(command " --symfs=$D/root 2>&1")

/* Once: $D is the directory. */
STEP_OF(expect_warning)
{
	char line[256];

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(line, sizeof(line),
			 "pmscope: warning: cannot read symbols from "
			 "%s/lib/?%02u: Is a directory\n",
			 fixture_path("root"), i);
		step_times(sc, &(struct step)TIMES(1, line));
	}
}
#define TELLS(command)                                       \
	PLAY(FILES(2), PRINT(command), CALL(expect_warning), \
	     TIMES(2, "warning"))

CASE(script_tells_of_them, TELLS("script -F sym,line"));

TEST(report_tells_of_them)
{
	TELLS("report");
	TELLS("report --sort=line,frames --format=csv");
	TELLS("report --threads=2 --format=jsonl");
	TELLS("report --cachelines");
}

SCENARIO(many_are_not_told_of_one_by_one, FILES(9), PRINT("report"),
	 TIMES(9, "warning"), TIMES(1, "1 more"), ANEW, FILES(8),
	 PRINT("report"), TIMES(8, "warning"), TIMES(0, "more"));
