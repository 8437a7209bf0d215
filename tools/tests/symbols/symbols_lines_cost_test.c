// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of lines that lie: they share their bytes, or the names in them. */
#include "bytes.h"
#include "ktap.h"
#include "memory.h"
#include "workshop.h"

#include "symbols/lines.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 2, 3))) static void say(struct bytes *source,
						      const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	bytes_add(source, text, vsnprintf(text, sizeof(text), fmt, args));
	va_end(args);
}

/* A unit of 16 bytes of code; its lines are those at ".Lline@i". */
static void say_unit(struct bytes *source, unsigned int i)
{
	say(source,
	    ".long .Lend%1$u - .Lunit%1$u\n.Lunit%1$u: .short 4\n"
	    ".long .Labbrev\n.byte 8, 1\n.quad f + 16 * %1$u, 16\n"
	    ".long .Lline%1$u\n.Lend%1$u:\n",
	    i);
}

/* A program that skips to "shared", by an opcode that nobody knows. */
static void say_program(struct bytes *source, unsigned int i)
{
	say(source,
	    ".Lline%1$u: .long .Lprograms - .Lbegin%1$u\n"
	    ".Lbegin%1$u: .short 4\n.long .Lhead%1$u - .Ltables%1$u\n"
	    ".Ltables%1$u: .byte 1, 1, 1, -5, 14, 10\n"
	    ".byte 0, 1, 1, 1, 1, 0, 0, 0, 1\n"
	    ".byte 0\n.string \"a.c\"\n.byte 0, 0, 0, 0\n"
	    ".Lhead%1$u: .byte 0\n"
	    ".byte ((.Lshared - .Lskip%1$u) & 127) | 128\n"
	    ".byte (((.Lshared - .Lskip%1$u) >> 7) & 127) | 128\n"
	    ".byte (.Lshared - .Lskip%1$u) >> 14\n"
	    ".Lskip%1$u: .byte 0x80\n",
	    i);
}

/* What they share is an opcode many times. */
static void say_sharing_lines(struct bytes *source, unsigned int units,
			      unsigned int opcode, unsigned int times)
{
	say(source,
	    ".text\n.globl f\n.type f, %%function\n"
	    "f: .skip 16 * %1$u\n.size f, 16 * %1$u\n"
	    ".section .debug_abbrev, \"\", %%progbits\n.Labbrev:\n"
	    ".byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0, 0\n"
	    ".section .debug_info, \"\", %%progbits\n",
	    units);
	for (unsigned int i = 0; i < units; i++)
		say_unit(source, i);
	say(source, ".section .debug_line, \"\", %%progbits\n");
	for (unsigned int i = 0; i < units; i++)
		say_program(source, i);
	say(source,
	    ".Lshared: .byte 0, 9, 2\n.quad f\n.rept %u\n.byte %u\n.endr\n"
	    ".byte 0, 1, 1\n.Lprograms:\n",
	    times, opcode);
}

static bool make_sharing_lines(unsigned int units, unsigned int opcode,
			       unsigned int times)
{
	struct bytes source = {};
	bool made;

	say_sharing_lines(&source, units, opcode, times);
	put(&source, 0, 1);
	made = workshop_assemble((const char *)source.data);
	bytes_fini(&source);
	return made;
}

/* The first one asked for has its lines. */
TEST(lines_that_units_share)
{
	struct lines lines = {};
	unsigned int found;

	ASSERT_TRUE(workshop_open());
	if (!make_sharing_lines(200, 24, 20000))
		SKIP("no assembler for this machine");
	EXPECT_GT(workshop_address("sharing", "f"), 0U);
	found = workshop_read_lines(&lines, 200);
	EXPECT_GE(found, 1U);
	EXPECT_LE(found, 2U);
	EXPECT_LE(memory_in_use() >> 20, 50U);
	lines_fini(&lines);
	workshop_close();
}

/* DW_LNS_set_basic_block makes no row, but takes its time. */
TEST(programs_without_rows_that_units_share)
{
	struct lines lines = {};
	struct pmscope_line line;
	uint64_t address;

	ASSERT_TRUE(workshop_open());
	if (!make_sharing_lines(2, 7, 20000))
		SKIP("no assembler for this machine");
	address = workshop_address("sharing", "f");
	lines_open(&lines, workshop_path("sharing"), &workshop_search);
	lines_find(&lines, address, &line);
	EXPECT_GT(lines.units.budget.tables, 20000U);
	EXPECT_LT(lines.units.budget.tables, 21000U);
	lines_find(&lines, address + 16, &line);
	EXPECT_EQ(lines.units.budget.tables, UINT64_MAX);
	lines_fini(&lines);
	workshop_close();
}

/* A directory of so many bytes, and so many files in it. */
static const char directory[] =
	".text\n.globl f\n.type f, %%function\n"
	"f: .skip 16\n.size f, 16\n"
	".section .debug_abbrev, \"\", %%progbits\n"
	".byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0, 0\n"
	".section .debug_info, \"\", %%progbits\n"
	".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8, 1\n"
	".quad f, 16\n.long 0\n2:\n"
	".section .debug_line, \"\", %%progbits\n"
	".long 2f - 1f\n1: .short 4\n.long 4f - 3f\n"
	"3: .byte 1, 1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1\n"
	".fill %u, 1, 'd'\n.byte 0, 0\n"
	".rept %u\n.byte 'a', 0, 1, 0, 0\n.endr\n.byte 0\n"
	"4: .byte 0, 9, 2\n.quad f\n.byte 15\n.byte 2, 16, 0, 1, 1\n2:\n";

/* Says whether there are lines. */
static bool read_directory(unsigned int length, unsigned int files)
{
	char source[sizeof(directory) + 32];
	struct lines lines = {};
	struct pmscope_line line;
	bool found;

	snprintf(source, sizeof(source), directory, length, files);
	EXPECT_TRUE(workshop_assemble(source));
	lines_open(&lines, workshop_path("sharing"), &workshop_search);
	found = !lines_find(&lines, workshop_address("sharing", "f"), &line);
	EXPECT_LE(memory_in_use() >> 20, 50U);
	lines_fini(&lines);
	return found;
}

/* libdw keeps its name with that of each. */
TEST(directory_of_many_files)
{
	ASSERT_TRUE(workshop_open());
	if (!workshop_assemble(""))
		SKIP("no assembler for this machine");
	EXPECT_TRUE(read_directory(200, 20000));
	EXPECT_TRUE(read_directory(4000, 50));
	EXPECT_TRUE(!read_directory(4000, 20000));
	EXPECT_TRUE(!read_directory(20000, 1));
	workshop_close();
}

/*
 * A table of @tables, each of @rows rows of a byte, which a packed file has in
 * some thousand times fewer.
 */
static const char rows[] =
	".text\n.globl f\n.type f, %%function\n"
	"f: .skip 16 * %1$u\n.size f, 16 * %1$u\n"
	".section .debug_abbrev, \"\", %%progbits\n"
	".byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0, 0\n"
	".section .debug_info, \"\", %%progbits\n"
	".set i, 0\n.rept %1$u\n"
	".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8, 1\n"
	".quad f + 16 * i, 16\n.long (%2$u + 48) * i\n2:\n"
	".set i, i + 1\n.endr\n"
	".section .debug_line, \"\", %%progbits\n"
	".set i, 0\n.rept %1$u\n"
	".long 2f - 1f\n1: .short 4\n.long 4f - 3f\n"
	"3: .byte 1, 1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1\n"
	".byte 0, 'a', 0, 0, 0, 0, 0\n"
	"4: .byte 0, 9, 2\n.quad f + 16 * i\n.byte 15\n"
	".fill %2$u - 1, 1, 24\n.byte 2, 16, 0, 1, 1\n2:\n"
	".set i, i + 1\n.endr\n";

static bool make_rows(unsigned int tables, unsigned int nr)
{
	char source[sizeof(rows) + 64];

	snprintf(source, sizeof(source), rows, tables, nr);
	return workshop_write_text("sharing.s", source) &&
	       workshop_run(
		       "cc -shared -nostdlib -Wa,--compress-debug-sections "
		       "-Wl,--compress-debug-sections=zlib -o sharing "
		       "sharing.s && test $(stat -c %%s sharing) -lt 300000");
}

/* As many as a compiler might write; more are not read at all. */
TEST(rows_of_one_table)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_rows(1, 1 << 21))
		SKIP("no assembler for this machine");
	EXPECT_EQ(workshop_read_lines(&lines, 1), 1U);
	lines_fini(&lines);
	ASSERT_TRUE(make_rows(1, 60 << 20));
	EXPECT_EQ(workshop_read_lines(&lines, 1), 0U);
	EXPECT_LE(memory_in_use() >> 20, 100U);
	EXPECT_TRUE(lines.units.budget.exceeded);
	lines_fini(&lines);
	workshop_close();
}

/* They are counted over all files, as long as these are open. */
TEST(rows_of_many_tables_and_files)
{
	struct lines files[4] = {}, again = {};
	unsigned int found = 0;

	ASSERT_TRUE(workshop_open());
	if (!make_rows(20, 1 << 20))
		SKIP("no assembler for this machine");
	for (int i = 0; i < 4; i++)
		found += workshop_read_lines(&files[i], 20);
	EXPECT_GE(found, 4U);
	EXPECT_LT(found, 10U);
	EXPECT_LE(memory_in_use() >> 20, 700U);
	EXPECT_TRUE(files[3].units.budget.exceeded);
	for (int i = 0; i < 4; i++)
		lines_fini(&files[i]);
	EXPECT_EQ(workshop_read_lines(&again, 1), 1U);
	lines_fini(&again);
	workshop_close();
}

/* Functions inlined in others, whose names are ends of one that is long. */
static const char names[] =
	".text\n.globl f\n.type f, %%function\n"
	"f: .skip 16 * %1$u\n.size f, . - f\n"
	".section .debug_abbrev, \"\", %%progbits\n"
	".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	".byte 2, 0x2e, 1, 0x11, 1, 0x12, 0xb, 3, 8, 0, 0\n"
	".byte 3, 0x1d, 0, 0x11, 1, 0x12, 0xb, %2$s, 0xe, 0, 0, 0\n"
	".section .debug_str, \"\", %%progbits\n"
	".rept %3$u\n.ascii \"_Z\"\n.endr\n.byte 0\n"
	".section .debug_info, \"\", %%progbits\n"
	".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	".byte 1\n.quad f, 16 * %1$u\n"
	".set i, 0\n.rept %1$u\n"
	".byte 2\n.quad f + 16 * i\n.byte 16, 'f', 0\n"
	".byte 3\n.quad f + 16 * i\n.byte 16\n.long i\n.byte 0\n"
	".set i, i + 1\n.endr\n.byte 0\n2:\n";

/* Says how many of the functions have a text that tells both. */
static unsigned int read_names(unsigned int nr, const char *name,
			       unsigned int length)
{
	char source[sizeof(names) + 64];
	struct lines lines = {};
	unsigned int told = 0;

	snprintf(source, sizeof(source), names, nr, name, length);
	EXPECT_TRUE(workshop_assemble(source));
	workshop_read_lines(&lines, nr);
	for (size_t i = 0; i < lines.nr_items; i++)
		told += lines.items[i].frames != NULL;
	EXPECT_LE(memory_in_use() >> 20, 100U);
	lines_fini(&lines);
	return told;
}

TEST(names_that_are_ends_of_one)
{
	ASSERT_TRUE(workshop_open());
	if (!workshop_assemble(""))
		SKIP("no assembler for this machine");
	EXPECT_EQ(read_names(1000, "0x3", 7000), 1000U);
	EXPECT_LT(read_names(6000, "0x3", 8100), 6000U);
	EXPECT_LT(read_names(6000, "0x6e", 8100), 6000U);
	EXPECT_EQ(read_names(6000, "0x6e", 1000000), 0U);
	workshop_close();
}

KTAP_MAIN
