// SPDX-License-Identifier: GPL-2.0-or-later
/* Split DWARF: the functions of a unit are in a .dwo file. */
#include "elf_fixture.h"
#include "ktap.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define SECONDS 60 /* more than any test takes, unless it waits for a pipe */

/* Writes a program with "inner" inlined into "outer". */
static void fill_in(void)
{
	static const char source[] =
		"volatile int sink;\n"
		"static inline __attribute__((always_inline)) int inner(int "
		"x)\n"
		"{ return x * sink; }\n"
		"__attribute__((noinline)) int outer(int x)\n"
		"{ return inner(x); }\n"
		"int main(int argc, char **argv)\n"
		"{ return outer(argc) + !argv; }\n";

	alarm(SECONDS);
	ASSERT_TRUE(fixture_open());
	ASSERT_TRUE(fixture_write_text("program.c", source));
}

static bool build(void)
{
	fill_in();
	return fixture_build("-O1 -g -gsplit-dwarf", "none") &&
	       fixture_run("cp program root/usr/bin && "
			   "mv program.dwo kept.dwo");
}

#define NEED_SPLIT()                                                       \
	do {                                                               \
		if (!build())                                              \
			SKIP("no compiler here, or one that splits none"); \
	} while (0)

/* The program has the lines; only the .dwo file has inlined functions. */
static void expect_frames(bool are_known)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_place place = fixture_place("outer");
	struct pmscope_line line = {};

	ASSERT_TRUE(symbols);
	EXPECT_EQ(pmscope_symbols_line(symbols, &place, 0, &line), 0);
	EXPECT_TRUE(line.line > 0);
	EXPECT_EQ(line.frames != NULL, are_known);
	pmscope_symbols_free(symbols);
}

TEST(files_of_units)
{
	NEED_SPLIT();
	expect_frames(false);
	ASSERT_TRUE(fixture_run("cp kept.dwo program.dwo"));
	expect_frames(true);
	ASSERT_TRUE(fixture_run("ln -sf kept.dwo program.dwo"));
	expect_frames(true);
	fixture_close();
}

TEST(files_of_units_that_are_none)
{
	NEED_SPLIT();
	ASSERT_TRUE(fixture_run("mkfifo program.dwo"));
	expect_frames(false);
	ASSERT_TRUE(fixture_run("rm program.dwo && mkdir program.dwo"));
	expect_frames(false);
	ASSERT_TRUE(fixture_run("rmdir program.dwo && "
				"head -c 5000 /dev/urandom >program.dwo"));
	expect_frames(false);
	fixture_close();
}

/* libdw would follow the .gnu_debugaltlink to any file. */
TEST(files_of_units_that_share)
{
	NEED_SPLIT();
	ASSERT_TRUE(fixture_run(
		"printf 'pipe\\0012345678' >link && "
		"objcopy --add-section .gnu_debugaltlink=link kept.dwo "
		"program.dwo"));
	expect_frames(false);
	fixture_close();
}

/* libdw opens a .dwo file itself: where it has no zstd, that is told. */
TEST(files_of_units_that_libelf_cannot_read)
{
	struct pmscope_symbols *symbols;
	struct pmscope_line line = {};
	struct pmscope_place place;
	const char *path;

	NEED_SPLIT();
	if (!fixture_run("objcopy --compress-debug-sections=zstd kept.dwo "
			 "program.dwo"))
		SKIP("this objcopy has no zstd");
	place = fixture_place("outer");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	EXPECT_EQ(pmscope_symbols_line(symbols, &place, 0, &line), 0);
	if (!line.frames)
		EXPECT_EQ(pmscope_symbols_unread(symbols, 0, &path),
			  -EOPNOTSUPP);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* Makes a "program.dwo" with @size additional zeros. */
static bool pack_zeros(const char *size)
{
	return fixture_run(
		"head -c %s /dev/zero >bomb && "
		"objcopy --add-section .debug_macro.dwo=bomb "
		"--set-section-flags .debug_macro.dwo=debug kept.dwo whole.dwo "
		"&& "
		"objcopy --compress-debug-sections=zlib-gabi whole.dwo "
		"program.dwo",
		size);
}

TEST(files_of_units_that_would_fill_the_memory)
{
	NEED_SPLIT();
	ASSERT_TRUE(pack_zeros("80M"));
	expect_frames(false);
	ASSERT_TRUE(pack_zeros("10M"));
	expect_frames(true);
	fixture_close();
}

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

static bool assemble(unsigned int units)
{
	char text[sizeof(skeletons) + 32];

	snprintf(text, sizeof(text), skeletons, units, units);
	if (!fixture_assemble(text))
		return false;
	snprintf(text, sizeof(text), splits, units);
	return fixture_write_text("all.s", text) &&
	       fixture_run("cc -c -o all.dwo all.s");
}

/* Looks up the lines of all units; there are none. */
static void expect_bounded(unsigned int units)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	const char *path;

	ASSERT_TRUE(symbols);
	EXPECT_EQ(fixture_read_lines(symbols, units), 0U);
	EXPECT_EQ(pmscope_symbols_unread(symbols, 0, &path), 0);
	pmscope_symbols_free(symbols);
}

/* For each unit, libdw would keep all units before it. */
TEST(file_of_many_units)
{
	ASSERT_TRUE(fixture_open());
	if (!assemble(1200))
		SKIP("no assembler for this machine");
	expect_bounded(1200);
	fixture_close();
}

/* The file is small, but libdw uncompresses it for each unit. */
TEST(packed_file_of_many_units)
{
	ASSERT_TRUE(fixture_open());
	if (!assemble(100))
		SKIP("no assembler for this machine");
	ASSERT_TRUE(fixture_run("mv all.dwo kept.dwo") && pack_zeros("30M") &&
		    fixture_run("mv program.dwo all.dwo"));
	expect_bounded(100);
	fixture_close();
}

KTAP_MAIN
