// SPDX-License-Identifier: GPL-2.0-or-later
/* Split DWARF: the functions of a unit are in a .dwo file. */
#include "symbols_scenario.h"

#define SPLIT                                                       \
	PROGRAM_ID(INNER_IN_OUTER, "-O1 -g -gsplit-dwarf", "none"), \
		NEED("mv program.dwo kept.dwo",                     \
		     "a compiler without -gsplit-dwarf")

/* The program has the lines; only the .dwo file has inlined functions. */
STEP_OF(expect_frames)
{
	struct pmscope_line line = {};

	alarm(KTAP_HANGS);
	sc->place = fixture_place("outer");
	EXPECT_EQ(pmscope_symbols_line(symbols_of(sc), &sc->place, 0, &line),
		  0);
	EXPECT_TRUE(line.line > 0);
	EXPECT_EQ(line.frames != NULL, step->v[0]);
}
#define FRAMES CALL(expect_frames, true)
#define NONE   CALL(expect_frames, false)

SCENARIO(files_of_units, SPLIT, NONE, RUN("cp kept.dwo program.dwo"), FRAMES,
	 RUN("ln -sf kept.dwo program.dwo"), FRAMES);

SCENARIO(files_of_units_that_are_none, SPLIT, RUN("mkfifo program.dwo"), NONE,
	 RUN("rm program.dwo && mkdir program.dwo"), NONE,
	 RUN("rmdir program.dwo && "
	     "head -c 5000 /dev/urandom >program.dwo"),
	 NONE);

/* libdw would follow the .gnu_debugaltlink to any file. */
SCENARIO(files_of_units_that_share, SPLIT,
	 RUN("printf 'pipe\\0012345678' >link && "
	     "objcopy --add-section .gnu_debugaltlink=link kept.dwo "
	     "program.dwo"),
	 NONE);

/* libdw opens a .dwo file itself: where it has no zstd, that is told. */
STEP_OF(expect_frames_or_error)
{
	struct pmscope_line line = {};
	const char *path;

	sc->place = fixture_place("outer");
	EXPECT_EQ(pmscope_symbols_line(symbols_of(sc), &sc->place, 0, &line),
		  0);
	if (!line.frames)
		EXPECT_EQ(pmscope_symbols_unread(sc->symbols, 0, &path),
			  -EOPNOTSUPP);
}

SCENARIO(files_of_units_that_libelf_cannot_read, SPLIT,
	 NEED("objcopy --compress-debug-sections=zstd kept.dwo program.dwo",
	      "this objcopy has no zstd"),
	 CALL(expect_frames_or_error));

/* A "program.dwo" with additional zeros. */
#define ZEROS(size)                                                     \
	RUN("head -c " size " /dev/zero >bomb && "                      \
	    "objcopy --add-section .debug_macro.dwo=bomb "              \
	    "--set-section-flags .debug_macro.dwo=debug kept.dwo "      \
	    "whole.dwo && objcopy --compress-debug-sections=zlib-gabi " \
	    "whole.dwo program.dwo")

SCENARIO(files_of_units_that_would_fill_the_memory, SPLIT, ZEROS("80M"), NONE,
	 ZEROS("10M"), FRAMES);

/* Units with 16 bytes of code each, which all name the same .dwo file. */
static const char skeletons[] =
	".text\n.globl f\n.type f, %%function\n"
	"f: .skip 16 * %u\n.size f, . - f\n"
	".section .debug_abbrev, \"\", %%progbits\n"
	".byte 1, 0x4a, 0, 0x76, 8, 0x11, 1, 0x12, 0xb, 0, 0, 0\n"
	".section .debug_info, \"\", %%progbits\n"
	".set i, 0\n"
	".rept %u\n"
	".long 2f - 1f\n1: .short 5\n.byte 4, 8\n.long 0\n.quad i + 1\n"
	".byte 1\n.asciz \"all.dwo\"\n.quad f + 16 * i\n.byte 16\n"
	"2:\n"
	".set i, i + 1\n"
	".endr\n";

static const char splits[] =
	".section .debug_abbrev.dwo, \"e\", %%progbits\n"
	".byte 1, 0x11, 0, 0, 0, 0\n"
	".section .debug_info.dwo, \"e\", %%progbits\n"
	".set i, 0\n"
	".rept %u\n"
	".long 17\n.short 5\n.byte 5, 8\n.long 0\n.quad i + 1\n"
	".byte 1\n"
	".set i, i + 1\n"
	".endr\n";

STEP_OF(assemble)
{
	char text[sizeof(skeletons) + 32];
	unsigned int units = step->v[0];

	open_dir(sc);
	snprintf(text, sizeof(text), skeletons, units, units);
	if (!fixture_assemble(text))
		SKIP("no assembler for this machine");
	snprintf(text, sizeof(text), splits, units);
	EXPECT_TRUE(fixture_write_text("all.s", text) &&
		    fixture_run("cc -c -o all.dwo all.s"));
}

/* Looks up the lines of all units; there are none. */
STEP_IS(expect_no_lines,
	EXPECT_EQ(fixture_read_lines(symbols_of(sc), step->v[0]), 0U));
#define NO_LINES(units) CALL(expect_no_lines, units), ALL_READ

/* For each unit, libdw would keep all units before it. */
SCENARIO(file_of_many_units, CALL(assemble, 1200), NO_LINES(1200));

/* The file is small, but libdw uncompresses it for each unit. */
SCENARIO(packed_file_of_many_units, CALL(assemble, 100),
	 RUN("mv all.dwo kept.dwo"), ZEROS("30M"),
	 RUN("mv program.dwo all.dwo"), NO_LINES(100));
