// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug files that a program names: they may be missing, of another build, or
 * pipes without a writer.
 */
#include "symbols_scenario.h"

/* Only the debug file d.dbg has "outer"; the program has no build-id. */
#define WITHOUT_ID PROGRAM_ID(INNER_IN_OUTER, "-g", "none"), STEP(strip)

/*
 * Expects the name "outer" and a line; otherwise no line, and no name or one
 * from the unwind tables.
 */
STEP_OF(expect_outer)
{
	struct pmscope_symbol symbol = {};
	struct pmscope_line line = {};

	alarm(KTAP_HANGS);
	sc->place = fixture_place("outer");
	pmscope_symbols_find(symbols_of(sc), &sc->place, 0, &symbol);
	EXPECT_EQ(symbol.name && !strcmp(symbol.name, "outer"), step->v[0]);
	pmscope_symbols_line(sc->symbols, &sc->place, 0, &line);
	EXPECT_EQ(line.line > 0, step->v[0]);
}
#define KNOWN	CALL(expect_outer, true)
#define UNKNOWN CALL(expect_outer, false)

#define FOUND_IN(dir)                                          \
	RUN("put d.dbg root/" dir "/d.dbg"), KNOWN,            \
		RUN("printf x >>root/" dir "/d.dbg"), UNKNOWN, \
		RUN("rm root/" dir "/d.dbg")

SCENARIO(debug_file_by_its_checksum, WITHOUT_ID, FOUND_IN("usr/bin"),
	 FOUND_IN("usr/bin/.debug"), FOUND_IN("usr/lib/debug/usr/bin"));

/* Without a .gnu_debuglink, the program's own name is tried. */
SCENARIO(debug_file_by_its_name, WITHOUT_ID,
	 RUN("strip -R .gnu_debuglink root/usr/bin/program "
	     "&& cp d.dbg root/usr/bin/program.debug"),
	 KNOWN,
	 RUN("rm root/usr/bin/program.debug && "
	     "mkfifo root/usr/bin/program.debug"),
	 UNKNOWN);

/* A program with a build-id, without a .gnu_debuglink. */
#define WITH_ID                                                          \
	STRIPPED(INNER_IN_OUTER),                                        \
		RUN("objcopy -R .gnu_debuglink root/usr/bin/program && " \
		    "mkdir kept && cp d.dbg kept/program")
#define FOUND_AT(path)                                                    \
	RUN("put d.dbg root/" path), KNOWN,                               \
		RUN("objcopy -R .note.gnu.build-id root/" path), UNKNOWN, \
		RUN("rm root/" path)

/* The program itself matches name and build-id, but is not a debug file. */
SCENARIO(debug_file_of_the_name_of_its_program, WITH_ID,
	 RUN("objcopy --add-gnu-debuglink=kept/program "
	     "root/usr/bin/program"),
	 FOUND_AT("usr/bin/.debug/program"),
	 FOUND_AT("usr/lib/debug/usr/bin/program"),
	 FOUND_AT("usr/lib/debug/bin/program"));

SCENARIO(debug_file_by_its_name_and_build_id, WITH_ID,
	 FOUND_AT("usr/bin/.debug/program"),
	 FOUND_AT("usr/lib/debug/usr/bin/program"),
	 FOUND_AT("usr/lib/debug/usr/bin/program.debug"),
	 FOUND_AT("usr/lib/debug/bin/program"));

#define NONE(command)                                \
	RUN("cd root/usr/bin && " command), UNKNOWN, \
		RUN("rm -r root/usr/bin/d.dbg")

SCENARIO(debug_file_that_is_none, WITHOUT_ID, NONE("mkfifo d.dbg"),
	 NONE("ln -s /dev/zero d.dbg"), NONE("mkdir d.dbg"),
	 NONE("truncate -s 1T d.dbg"),
	 NONE("cp ../../../d.dbg . && truncate -s 1T d.dbg"));
