// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a file in /proc, sysfs or tracefs may have side effects, so none is
 * opened because a recording, or a file beside it, names it.
 */
#include "command.h"
#include "symbols_scenario.h"

#include <sys/inotify.h>

/* Any user may read it, and no program that the tests run does. */
#define PSEUDO "/proc/misc"

static const char source[] = "int main(void)\n{\n\treturn 0;\n}\n";

static int watch;

STEP_OF(begin_watch)
{
	watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch < 0 || inotify_add_watch(watch, PSEUDO, IN_OPEN) < 0)
		SKIP("no inotify of " PSEUDO);
}
#define WATCHED CALL(begin_watch), PROGRAM(source, "-g")

STEP_OF(expect_opened)
{
	char events[4096];

	EXPECT_EQ(read(watch, events, sizeof(events)) > 0, step->v[0]);
}
#define WAS_OPENED     CALL(expect_opened, true)
#define WAS_NOT_OPENED CALL(expect_opened, false)

STEP_IS(end_watch, close(watch));
/* Checks that the watch works, too. */
#define UNWATCHED \
	WAS_NOT_OPENED, RUN("cat " PSEUDO " >out"), WAS_OPENED, CALL(end_watch)

STEP_OF(look_up)
{
	struct pmscope_symbols *symbols = symbols_of(sc);
	struct pmscope_symbol symbol;
	struct pmscope_line line;

	pmscope_symbols_find(symbols, &sc->place, 0x1000, &symbol);
	pmscope_symbols_find_data(symbols, &sc->place, 0x1000, &symbol);
	pmscope_symbols_line(symbols, &sc->place, 0x1000, &line);
}
#define LOOK_UP NEW, CALL(look_up)

SCENARIO(pseudo_file_as_a_program, WATCHED, AT(PSEUDO, 0), SAME_MACHINE,
	 LOOK_UP, RUN("ln -sf " PSEUDO " root/usr/bin/program"),
	 SET(dso, "/usr/bin/program"), WITH(same_machine, false), LOOK_UP,
	 UNWATCHED);

SCENARIO(pseudo_file_by_a_build_id, WATCHED, HOME, AT("/nowhere", 0),
	 BUILD_ID("program"),
	 RUN("cache program elf && cache program kallsyms && "
	     "keep program && for file in home/.debug/.build-id/*/*/* "
	     "root/usr/lib/debug/.build-id/*/*; do "
	     "ln -sf " PSEUDO " $file; done"),
	 LOOK_UP, SET(kernel, true), SET(dso, KERNEL_DSO), LOOK_UP, UNWATCHED);

SCENARIO(pseudo_file_as_debug_file, WATCHED, STEP(strip),
	 AT("/usr/bin/program", 0), RUN("ln -s " PSEUDO " root/usr/bin/d.dbg"),
	 LOOK_UP, UNWATCHED);

SCENARIO(pseudo_file_as_units_apart, CALL(begin_watch),
	 PROGRAM(source, "-g -gsplit-dwarf"),
	 NEED("mv program.dwo kept && ln -s " PSEUDO " program.dwo",
	      "a compiler without -gsplit-dwarf"),
	 IN("main"), LOOK_UP, UNWATCHED);

SCENARIO(pseudo_file_as_names_of_generated_code, WATCHED, AT(NULL, 0),
	 SET(jitdump, PSEUDO), SAME_MACHINE, LOOK_UP,
	 RUN("mkdir -p root/tmp && ln -s " PSEUDO " root/tmp/perf-10.map "
	     "&& ln -s " PSEUDO " root/tmp/jit.dump"),
	 SET(jitdump, "/tmp/jit.dump"), WITH(same_machine, false), LOOK_UP,
	 UNWATCHED);

SCENARIO(pseudo_file_as_modules, WATCHED,
	 RUN("to=root/lib/modules/6 && mkdir -p $to/vdso && "
	     "for file in modules.dep vdso/vdso.so vmlinux m.ko; do "
	     "ln -s " PSEUDO " $to/$file; done"),
	 AT("[m]", 0), SET(kernel, true), SET(pid, 0), LOOK_UP,
	 SET(dso, "/lib/modules/6/m.ko"), LOOK_UP,
	 OTHER_ID("01234567890123456789"), SET(dso, KERNEL_DSO), LOOK_UP,
	 SET(kernel, false), SET(dso, "[vdso]"), LOOK_UP, UNWATCHED);

/* $P is pmscope, and perf.data a recording. */
STEP_OF(put_recording)
{
	open_dir(sc);
	setenv("P", command_pmscope(), 1);
	load_at(&sc->b, 0, 10, 0xffff800008010100, 5);
	perfdata_end(&sc->b);
	EXPECT_TRUE(fixture_write("perf.data", sc->b.data, sc->b.size));
}
#define WITH_RECORDING CALL(put_recording)
#define REPORT	       "$P report --sort sym >out "

/* Only a file that the user chose may be a pseudo file. */
SCENARIO(pseudo_file_beside_a_recording, WATCHED, WITH_RECORDING,
	 RUN("ln -s " PSEUDO " perf.data.kallsyms && " REPORT
	     "-i perf.data || true"),
	 RUN("mkdir d && mv perf.data d/data && "
	     "ln -s " PSEUDO " d/data.0 && " REPORT "-i d || true"),
	 WAS_NOT_OPENED, RUN(REPORT "--kallsyms " PSEUDO " -i d/data || true"),
	 WAS_OPENED, UNWATCHED);

#define NO_HOLES "no files with holes here"

/* A sparse file may consist of any number of zeros. */
TEST(sparse_files_as_names_of_the_kernel)
{
	alarm(KTAP_HANGS);
	PLAY(NEED("mkdir -p root/lib/modules/6 && truncate -s 1T "
		  "kallsyms root/lib/modules/6/modules.dep",
		  NO_HOLES),
	     WITH_RECORDING, WITH_FILE(kallsyms, "kallsyms"), REFUSED(EFBIG),
	     RUN("mv kallsyms perf.data.kallsyms && "
		 "! $P report -i perf.data 2>error && "
		 "grep 'perf.data.kallsyms: File too large' error"),
	     WITH(kallsyms, NULL), AT("[m]", 0), SET(kernel, true), SET(pid, 0),
	     FIND(0xffff800008010100, NULL, 0), UNREAD("*modules.dep", EFBIG));
}

/* Any number of processes may have a sparse file. */
STEP_OF(find_none_in_any)
{
	const char *path = "";

	for (uint32_t pid = 1; pid <= 100; pid++) {
		struct pmscope_place place = {.pid = pid};
		struct pmscope_symbol symbol;

		EXPECT_EQ(pmscope_symbols_find(symbols_of(sc), &place, 0x1000,
					       &symbol),
			  -ENOENT);
	}
	EXPECT_EQ(pmscope_symbols_unread(sc->symbols, 0, &path), -EFBIG);
	expect_words(path, "*perf-2.map");
}

TEST(sparse_files_as_names_of_many_processes)
{
	alarm(KTAP_HANGS);
	PLAY(NEED("mkdir root/tmp && cd root/tmp && "
		  "for i in $(seq 1 100); do "
		  "truncate -s 1G perf-$i.map; done",
		  NO_HOLES),
	     CALL(find_none_in_any));
}

/* A symbol takes more memory than its line takes in the file. */
SCENARIO(kernel_of_too_many_names,
	 RUN("yes '1 T a' | head -n $(((1 << 22) + 1)) >kallsyms"),
	 WITH_FILE(kallsyms, "kallsyms"), REFUSED(EFBIG));
