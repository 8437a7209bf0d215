// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines of generated code, from a jitdump. */
#include "bytes.h"
#include "command.h"
#include "elf_fixture.h"
#include "jitdump.h"
#include "ktap.h"
#include "recording_fixture.h"

#include <pmscope/symbols.h>

#include <errno.h>
#include <string.h>
#include <time.h>

#define PID  7
#define DUMP "/jit-7.dump"
/* Size of the code in put_jit_load(). */
#define SIZE 4
#define CODE UINT64_C(0x5000)
#define SAME "\xff"
/* How far V8 and LLVM shift addresses. */
#define SHIFT 64

static void write_dump(const struct bytes *dump)
{
	ASSERT_TRUE(fixture_write("root" DUMP, dump->data, dump->size));
}

static void make_dump(struct bytes *dump)
{
	ASSERT_TRUE(fixture_open());
	write_dump(dump);
	bytes_fini(dump);
}

static struct pmscope_symbols *symbols_of(struct bytes *dump)
{
	make_dump(dump);
	return fixture_symbols();
}

static void done(struct pmscope_symbols *symbols)
{
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* @file is NULL if the line is unknown. */
static void expect_at(struct pmscope_symbols *symbols, uint64_t time,
		      uint64_t address, const char *file, unsigned int number)
{
	struct pmscope_place place = {
		.dso = "//anon", .pid = PID, .jitdump = DUMP, .time = time};
	struct pmscope_line line;

	EXPECT_EQ(pmscope_symbols_line(symbols, &place, address, &line),
		  file ? 0 : -ENOENT);
	EXPECT_STREQ(line.file, file);
	EXPECT_EQ(line.line, number);
	EXPECT_TRUE(!line.frames);
}

static void expect(struct pmscope_symbols *symbols, uint64_t address,
		   const char *file, unsigned int number)
{
	expect_at(symbols, 0, address, file, number);
}

/* Adds one line per byte of code except the first; numbers start at 10. */
static void put_lines(struct bytes *b, uint64_t address, const char *file)
{
	struct bytes lines = {};

	put_jit_line(&lines, address + 1, 10, file);
	put_jit_line(&lines, address + 2, 11, SAME);
	put_jit_line(&lines, address + 3, 12, SAME);
	put_jit_lines(b, address, 3, &lines);
	bytes_fini(&lines);
}

TEST(lines_of_code)
{
	struct pmscope_symbols *symbols;
	struct bytes b = {};

	put_jit_header(&b, 0);
	put_lines(&b, CODE, "/src/one");
	put_jit_load(&b, 1, PID, CODE, "one");
	put_jit_load(&b, 1, PID, CODE + 0x10, "without");
	put_lines(&b, CODE + 0x20, "/src/two");
	put_jit_load(&b, 1, PID, CODE + 0x20, "two");
	symbols = symbols_of(&b);
	expect(symbols, CODE, NULL, 0);
	expect(symbols, CODE + 1, "/src/one", 10);
	expect(symbols, CODE + 3, "/src/one", 12);
	expect(symbols, CODE + 4, NULL, 0);
	expect(symbols, CODE + 0x11, NULL, 0);
	expect(symbols, CODE + 0x21, "/src/two", 10);
	done(symbols);
}

/* Compilers write lines in any order. */
TEST(lines_in_any_order)
{
	struct bytes b = {}, lines = {};
	struct pmscope_symbols *symbols;

	put_jit_line(&lines, CODE + 3, 5, "/src/inlined");
	put_jit_line(&lines, CODE, 1, "/src/a");
	put_jit_line(&lines, CODE, 2, SAME);
	put_jit_line(&lines, CODE + 2, 9, "");
	put_jit_header(&b, 0);
	put_jit_lines(&b, CODE, 4, &lines);
	put_jit_load(&b, 1, PID, CODE, "one");
	bytes_fini(&lines);
	symbols = symbols_of(&b);
	expect(symbols, CODE, "/src/a", 2);
	expect(symbols, CODE + 1, "/src/a", 2);
	expect(symbols, CODE + 2, NULL, 0);
	expect(symbols, CODE + 3, "/src/inlined", 5);
	done(symbols);
}

/* Records of two compiling threads may be interleaved. */
TEST(lines_between_those_of_another_thread)
{
	struct pmscope_symbols *symbols;
	struct bytes b = {};

	put_jit_header(&b, 0);
	put_lines(&b, CODE, "/src/one");
	put_lines(&b, CODE + 0x20, "/src/two");
	put_jit_load(&b, 1, PID, CODE + 0x20, "two");
	put_jit_load(&b, 1, PID, CODE, "one");
	symbols = symbols_of(&b);
	expect(symbols, CODE + 1, "/src/one", 10);
	expect(symbols, CODE + 0x21, "/src/two", 10);
	done(symbols);
}

TEST(lines_of_code_that_moved)
{
	struct pmscope_symbols *symbols;
	struct bytes b = {};

	put_jit_header(&b, 0);
	put_lines(&b, CODE, "/src/one");
	put_jit_load(&b, 1, PID, CODE, "one");
	put_jit_move(&b, 2, PID, CODE, CODE + 0x100);
	put_jit_move(&b, 3, PID, CODE + 0x100, CODE + 0x200);
	/* Only a part of the code moves, so its lines are unknown. */
	put_jit_move(&b, 3, PID, CODE + 2, CODE + 0x300);
	symbols = symbols_of(&b);
	expect(symbols, CODE + 2, "/src/one", 11);
	expect(symbols, CODE + 0x102, "/src/one", 11);
	expect(symbols, CODE + 0x202, "/src/one", 11);
	expect(symbols, CODE + 0x302, NULL, 0);
	done(symbols);
}

/* Code that replaces other code has its own lines, or none. */
TEST(lines_of_their_time)
{
	struct pmscope_symbols *symbols;
	struct bytes b = {};

	put_jit_header(&b, 0);
	put_lines(&b, CODE, "/src/first");
	put_jit_load(&b, 10, PID, CODE, "first");
	put_lines(&b, CODE, "/src/second");
	put_jit_load(&b, 20, PID, CODE, "second");
	put_jit_load(&b, 30, PID, CODE, "third");
	symbols = symbols_of(&b);
	expect_at(symbols, 15, CODE + 1, "/src/first", 10);
	expect_at(symbols, 25, CODE + 1, "/src/second", 10);
	expect_at(symbols, 35, CODE + 1, NULL, 0);
	expect(symbols, CODE + 1, NULL, 0);
	done(symbols);
}

/* Lines of another process at the same address do not count. */
TEST(lines_of_another_process)
{
	struct pmscope_symbols *symbols;
	struct bytes b = {};

	put_jit_header(&b, 0);
	put_lines(&b, CODE, "/src/other");
	put_jit_load(&b, 1, PID + 1, CODE, "other");
	put_jit_load(&b, 1, PID, CODE, "own");
	symbols = symbols_of(&b);
	expect(symbols, CODE + 1, NULL, 0);
	done(symbols);
}

/*
 * Three functions with one line each, at these offsets. Expects that of the
 * second function at offset @is.
 */
static void expect_shift(uint64_t one, uint64_t two, uint64_t three,
			 uint64_t is)
{
	uint64_t at[] = {one, two, three};
	struct pmscope_symbols *symbols;
	struct bytes b = {};

	put_jit_header(&b, 0);
	for (int i = 0; i < 3; i++) {
		struct bytes lines = {};

		put_jit_line(&lines, CODE + 0x20 * i + at[i], i, "/src/a.js");
		put_jit_lines(&b, CODE + 0x20 * i, 1, &lines);
		put_jit_load(&b, 1, PID, CODE + 0x20 * i, "a");
		bytes_fini(&lines);
	}
	symbols = symbols_of(&b);
	expect(symbols, CODE + 0x20 + is - 1, NULL, 0);
	expect(symbols, CODE + 0x20 + is, is < SIZE ? "/src/a.js" : NULL,
	       is < SIZE);
	done(symbols);
}

/* Where functions start tells whether the JIT shifted all addresses. */
TEST(lines_as_old_versions_of_perf_need_them)
{
	expect_shift(SHIFT + 1, SHIFT + 2, SHIFT, 2);
	expect_shift(SHIFT, SHIFT + 2, 3, SIZE);
	expect_shift(SHIFT + 1, SHIFT + 2, SHIFT + 1, SIZE);
	expect_shift(2, 1, 0, 1);
}

/* Writes lines, of which the record claims @nr, and the code. Expects none. */
static void expect_none(struct bytes *lines, uint64_t nr)
{
	struct pmscope_symbols *symbols;
	struct bytes b = {};

	put_jit_header(&b, 0);
	put_jit_lines(&b, CODE, nr, lines);
	put_jit_load(&b, 1, PID, CODE, "one");
	put_lines(&b, CODE + 0x20, "/src/two");
	put_jit_load(&b, 1, PID, CODE + 0x20, "two");
	bytes_fini(lines);
	symbols = symbols_of(&b);
	expect(symbols, CODE + 1, NULL, 0);
	expect(symbols, CODE + 0x21, "/src/two", 10);
	done(symbols);
}

/* A malformed record does not affect other functions. */
TEST(lines_that_cannot_be)
{
	struct bytes lines = {};

	put_jit_line(&lines, CODE, 1, "/src/a");
	expect_none(&lines, 2);
	put_jit_line(&lines, CODE, 1, "/src/a");
	expect_none(&lines, UINT64_MAX);
	put_jit_line(&lines, CODE, 1, "/src/a");
	lines.data[lines.size - 1] = 'b';
	expect_none(&lines, 1);
	put_jit_line(&lines, CODE, 1, "/src/a");
	put_jit_line(&lines, CODE - 1, 1, SAME);
	expect_none(&lines, 2);
	put_jit_line(&lines, CODE, 1, "/src/a");
	put_jit_line(&lines, CODE + SIZE + 1, 1, SAME);
	expect_none(&lines, 2);
	put_jit_line(&lines, CODE, 1, "/src/\x02");
	expect_none(&lines, 1);
	put_jit_line(&lines, CODE, 1, SAME);
	expect_none(&lines, 1);
	expect_none(&lines, 0);
}

static void put_some(struct bytes *b)
{
	put_jit_header(b, 0);
	put_lines(b, CODE, "/src/one");
	put_jit_load(b, 1, PID, CODE, "one");
}

/* Truncates and damages the file: lookups must not crash. */
TEST(lines_cut_and_changed)
{
	struct bytes whole = {};

	put_some(&whole);
	ASSERT_TRUE(fixture_open());
	for (size_t at = 0; at < 2 * whole.size; at++) {
		struct pmscope_place place = {
			.dso = "//anon", .pid = PID, .jitdump = DUMP};
		struct pmscope_symbols *symbols;
		struct pmscope_line line;
		struct bytes bad = {};

		bytes_add(&bad, whole.data, at / 2 + 1);
		if (at % 2) {
			bytes_add(&bad, whole.data + bad.size,
				  whole.size - bad.size);
			bad.data[at / 2] ^= 0xff;
		}
		write_dump(&bad);
		bytes_fini(&bad);
		symbols = fixture_symbols();
		for (uint64_t i = 0; i < SIZE; i++)
			pmscope_symbols_line(symbols, &place, CODE + i, &line);
		pmscope_symbols_free(symbols);
	}
	fixture_close();
	bytes_fini(&whole);
}

/* The file may be replaced between the lookups. */
TEST(jitdump_that_was_replaced)
{
	struct bytes b = {}, other = {};
	struct pmscope_place place = {
		.dso = "//anon", .pid = PID, .jitdump = DUMP};
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;

	put_some(&b);
	symbols = symbols_of(&b);
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, CODE, &symbol), 0);
	put_jit_header(&other, 0);
	put_lines(&other, CODE + 1, "/src/other");
	write_dump(&other);
	bytes_fini(&other);
	expect(symbols, CODE + 2, NULL, 0);
	done(symbols);
}

#define TEXT_SIZE 4096

/* Loads by the code, which other code replaces later. */
static void put_recording(struct bytes *b)
{
	struct where where = {PID, PID, 150, 0};
	struct bytes area = {};

	begin(b);
	perfdata_use_clockid(b, CLOCK_MONOTONIC);
	comm_at(b, 0, "jit", 100, PID, PID);
	map_at(b, CODE, "//anon", 101, PID);
	map_at(b, 0x90000, DUMP, 102, PID);
	where.time = 106;
	put_itrace_start(b, &where);
	put_load_of(&area, PID, CODE, 0x9000, 110);
	put_load_of(&area, PID, CODE + 1, 0x9000, 120);
	put_load_of(&area, PID, CODE + 1, 0x9000, 130);
	put_load_of(&area, PID, CODE + 3, 0x9000, 140);
	where.time = 150;
	put_aux_at(b, 0, area.size, 0, &where);
	put_auxtrace_part(b, 0, &area, 0, area.size);
	bytes_fini(&area);
	perfdata_end(b);
}

static void expect_text(const char *command, const char *text)
{
	char line[256], got[TEXT_SIZE];
	struct bytes b = {};

	put_recording(&b);
	snprintf(line, sizeof(line), "%s --symfs=%s", command,
		 fixture_path("root"));
	EXPECT_EQ(command_pmscope_text(&b, line, got, TEXT_SIZE), 0);
	EXPECT_STREQ(got, text);
	bytes_fini(&b);
}

TEST(commands_print_them)
{
	struct bytes dump = {};

	put_jit_header(&dump, 0);
	put_lines(&dump, CODE, "/src/first");
	put_jit_load(&dump, 50, PID, CODE, "first");
	put_lines(&dump, CODE, "/src/second");
	put_jit_load(&dump, 125, PID, CODE, "second");
	make_dump(&dump);
	expect_text("script --format=csv -F sym,line,file",
		    "sym,line,file\n"
		    "first,,\n"
		    "first,first:10,/src/first\n"
		    "second,second:10,/src/second\n"
		    "second,second:12,/src/second\n");
	fixture_close();
}

KTAP_MAIN
