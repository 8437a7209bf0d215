// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Small files with debug information that would keep its reader busy for ever
 * or fill the memory, because its parts share bytes. Each must end within
 * bounded time and memory, be reported, and not affect other files.
 */
#include "command.h"
#include "symbols_scenario.h"

#define FILE_TIME 3 /* CPU time for a file, plus 1 s per MB */

/* @units * 16 bytes of code; the unit uses the first abbreviation. */
#define CODE                                     \
	".text\n.globl f\n.type f, %%function\n" \
	"f: .skip 16 * %1$u\n.size f, . - f\n"

/* Units, and functions in them, that share a list of ranges. */
static const char ranges[] =
	CODE ".section .debug_abbrev, \"\", %%progbits\n"
	     ".byte 1, 0x11, 1, 0x11, 1, 0x55, 0x17, 0, 0\n"
	     ".byte 2, 0x2e, 0, 0x55, 0x17, 0, 0\n.byte 0\n"
	     ".section .debug_info, \"\", %%progbits\n"
	     ".rept %1$u\n"
	     ".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	     ".byte 1\n.quad f\n.long 0\n"
	     ".rept %2$u\n.byte 2\n.long 0\n.endr\n.byte 0\n2:\n.endr\n"
	     ".section .debug_ranges, \"\", %%progbits\n"
	     ".rept %3$u\n.quad 0, 1\n.endr\n.quad 0, 0\n";

/* The same with empty ranges, so that reading them takes only time. */
static const char empty_ranges[] =
	CODE ".section .debug_abbrev, \"\", %%progbits\n"
	     ".byte 1, 0x11, 1, 0x11, 1, 0x55, 0x17, 0, 0, 0\n"
	     ".section .debug_info, \"\", %%progbits\n"
	     ".rept %2$u\n"
	     ".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	     ".byte 1\n.quad f\n.long 0\n.byte 0\n2:\n.endr\n"
	     ".section .debug_ranges, \"\", %%progbits\n"
	     ".rept %3$u\n.quad 2, 2\n.endr\n.quad 0, 0\n";

static const char siblings[] =
	CODE ".section .debug_abbrev, \"\", %%progbits\n"
	     ".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	     ".byte 2, 0x39, 1, 0x01, 0x13, 0, 0\n"
	     ".byte 3, 0x2e, 0, 0, 0\n.byte 0\n"
	     ".section .debug_info, \"\", %%progbits\n"
	     "unit: .long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	     ".byte 1\n.quad f, 16\n"
	     ".rept %2$u\n.byte 2\n.long 3f - unit\n3:\n.endr\n"
	     ".byte 3\n.zero %2$u + 1 + 0 * %3$u\n2:\n";

/* Units whose abbreviation follows as many others as there are units. */
static const char abbreviations[] =
	CODE ".section .debug_abbrev, \"\", %%progbits\n"
	     ".set c, 2\n.rept %3$u\n"
	     ".uleb128 c, 0x34\n.byte 0, 0, 0\n.set c, c + 1\n.endr\n"
	     ".byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0, 0, 0\n"
	     ".section .debug_info, \"\", %%progbits\n"
	     ".rept %2$u\n.long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	     ".byte 1\n.quad f, 16\n2:\n.endr\n";

/* One-byte functions whose abbreviation has very many attributes. */
static const char attributes[] =
	CODE ".section .debug_abbrev, \"\", %%progbits\n"
	     ".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	     ".byte 2, 0x2e, 0\n.rept %3$u\n.byte 0x3f, 0x19\n.endr\n"
	     ".byte 0x11, 1, 0, 0, 0\n"
	     ".section .debug_info, \"\", %%progbits\n"
	     ".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	     ".byte 1\n.quad f, 16\n.rept %2$u\n.byte 2\n.quad f\n.endr\n"
	     ".byte 0\n2:\n";

/*
 * Functions that share a list without ranges: all entries are base addresses.
 */
static const char bases[] =
	CODE ".section .debug_abbrev, \"\", %%progbits\n"
	     ".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	     ".byte 2, 0x2e, 0, 0x55, 0x17, 0, 0, 0\n"
	     ".section .debug_info, \"\", %%progbits\n"
	     ".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	     ".byte 1\n.quad f, 16\n"
	     ".rept %2$u\n.byte 2\n.long 0\n.endr\n.byte 0\n2:\n"
	     ".section .debug_ranges, \"\", %%progbits\n"
	     ".rept %3$u\n.quad -1, 2\n.endr\n.quad 0, 0\n";

/* A line table with @2 file names and @3 rows of one byte. */
static const char rows[] =
	CODE ".section .debug_abbrev, \"\", %%progbits\n"
	     ".byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0, 0\n"
	     ".section .debug_info, \"\", %%progbits\n"
	     ".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8, 1\n"
	     ".quad f, 16 * %1$u\n.long 0\n2:\n"
	     ".section .debug_line, \"\", %%progbits\n"
	     ".long 2f - 1f\n1: .short 4\n.long 4f - 3f\n"
	     "3: .byte 1, 1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1\n"
	     ".fill 4000, 1, 'd'\n.byte 0, 0\n"
	     ".rept %2$u\n.byte 'a', 0, 1, 0, 0\n.endr\n.byte 0\n"
	     "4: .byte 0, 9, 2\n.quad f\n.byte 15\n"
	     ".fill %3$u - 1, 1, 24\n.byte 2, 16, 0, 1, 1\n2:\n";

static const struct attack {
	const char *name;
	const char *source;
	unsigned int numbers[3];
} attacks[] = {
	{"units that share their ranges", ranges, {4000, 0, 40000}},
	{"parts that share their ranges", ranges, {1, 4000, 40000}},
	{"ranges without a byte", empty_ranges, {1, 20000, 100000}},
	{"siblings that are children", siblings, {1, 100, 0}},
	{"units that share abbreviations", abbreviations, {1, 8000, 8000}},
	{"attributes without a byte", attributes, {1, 100000, 50000}},
	{"lists of bases", bases, {1, 40000, 100000}},
	{"rows of a byte", rows, {1, 1, 60 << 20}},
	{"files of one directory", rows, {1, 400000, 1}},
};

static bool make(const struct attack *attack)
{
	char source[4096];

	snprintf(source, sizeof(source), attack->source, attack->numbers[0],
		 attack->numbers[1], attack->numbers[2]);
	return fixture_write_text("sharing.s", source) &&
	       fixture_run("cc -shared -nostdlib -Wa,--compress-debug-sections "
			   "-Wl,--compress-debug-sections=zlib -o sharing "
			   "sharing.s && cp sharing root");
}

static bool make_program(void)
{
	return fixture_write_text("program.c",
				  "volatile int sink;\n"
				  "__attribute__((noinline)) int outer(int x)\n"
				  "{ return x * sink; }\n"
				  "int main(int argc, char **argv)\n"
				  "{ return outer(argc) + !argv; }\n") &&
	       fixture_build("-g", "none") &&
	       fixture_run("cp program root/usr/bin");
}

static bool has_lines(struct pmscope_symbols *symbols)
{
	struct pmscope_place place = fixture_place("outer");
	struct pmscope_line line;

	return !pmscope_symbols_line(symbols, &place, 0, &line) &&
	       line.line == 3;
}

static double children_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 +
	       usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6;
}

static unsigned int seconds_allowed(void)
{
	struct stat st;

	EXPECT_EQ(stat(fixture_path("sharing"), &st), 0);
	return FILE_TIME + st.st_size / 1000000;
}

static void expect_bounded(const struct attack *attack)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	size_t before = memory_in_use();
	const char *path = NULL;
	double begin;
	int error;

	ASSERT_TRUE(symbols);
	EXPECT_TRUE(make(attack));
	ktap_note("%s", attack->name);
	begin = children_seconds();
	/*
	 * A file that exceeds the memory together with another is retried
	 * alone.
	 */
	if (attack == attacks)
		EXPECT_TRUE(has_lines(symbols));
	fixture_read_lines(symbols, attack->numbers[0]);
	error = pmscope_symbols_unread(symbols, 0, &path);
	EXPECT_TRUE(error == -ETIME || error == -EFBIG);
	EXPECT_STREQ(path, fixture_path("root/sharing"));
	EXPECT_EQ(pmscope_symbols_unread(symbols, 1, &path), 0);
	EXPECT_TRUE(has_lines(symbols));
	EXPECT_LE((memory_in_use() - before) >> 20, 16U);
	pmscope_symbols_free(symbols);
	/*
	 * Includes nm and cc, and a second try if other files used the memory.
	 */
	EXPECT_LE(children_seconds() - begin, 2 * seconds_allowed() + 2);
}

/* ASan reserves its address space at the start: limits may not apply. */
PLAIN_TEST(attacks_on_time_and_memory)
{
	alarm(KTAP_HANGS);
	ASSERT_TRUE(fixture_open());
	if (!make_program() || !make(&attacks[0]))
		SKIP("no compiler or assembler for this machine");
	for (size_t i = 0; i < ARRAY_SIZE(attacks); i++)
		expect_bounded(&attacks[i]);
	fixture_close();
}

/* Valid files of the same kinds. */
TEST(files_that_are_only_large)
{
	static const struct attack large[] = {
		{"rows", rows, {1, 50, 1 << 20}},
		{"files", rows, {1, 20000, 1}},
	};

	ASSERT_TRUE(fixture_open());
	if (!make(&large[0]))
		SKIP("no assembler for this machine");
	for (size_t i = 0; i < ARRAY_SIZE(large); i++) {
		struct pmscope_symbols *symbols = fixture_symbols();
		const char *path;

		EXPECT_TRUE(make(&large[i]));
		EXPECT_EQ(fixture_read_lines(symbols, 1), 1U);
		EXPECT_EQ(pmscope_symbols_unread(symbols, 0, &path), 0);
		pmscope_symbols_free(symbols);
	}
	fixture_close();
}

/* Looks up each address of a unit with very many functions. */
TEST(functions_of_one_unit)
{
	static const unsigned int many = 8000;
	uint64_t begin, end, found = 0;
	struct pmscope_symbols *symbols;
	BYTES source = {};

	ASSERT_TRUE(fixture_open());
	for (unsigned int i = 0; i < many; i++) {
		char text[64];

		bytes_add(&source, text,
			  snprintf(text, sizeof(text),
				   "int f%u(int x) { return x * %u; }\n", i,
				   i));
	}
	if (!fixture_write("many.c", source.data, source.size) ||
	    !fixture_run("cc -g -O0 -shared -fPIC -o root/many many.c"))
		SKIP("no compiler for this machine");
	begin = fixture_address("root/many", "f0");
	end = fixture_address("root/many", "f7999");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	for (uint64_t at = begin; at < end; at++) {
		const struct pmscope_place place = {
			.dso = "/many", .pid = 10, .file_offset = at};
		struct pmscope_line line;

		found += !pmscope_symbols_line(symbols, &place, 0, &line);
	}
	EXPECT_GT(begin, 0U);
	EXPECT_EQ(found, end - begin);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* Inlined functions whose names are suffixes of one long string. */
static const char names[] =
	CODE ".section .debug_abbrev, \"\", %%progbits\n"
	     ".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0\n"
	     ".byte 2, 0x2e, 1, 0x11, 1, 0x12, 0xb, 3, 8, 0, 0\n"
	     ".byte 3, 0x1d, 0, 0x11, 1, 0x12, 0xb, 3, 0xe, 0, 0, 0\n"
	     ".section .debug_str, \"\", %%progbits\n"
	     ".rept %2$u\n.ascii \"_Z\"\n.endr\n.byte 0\n"
	     ".section .debug_info, \"\", %%progbits\n"
	     ".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	     ".byte 1\n.quad f, 16 * %1$u\n.long 0\n"
	     ".set i, 0\n.rept %1$u\n"
	     ".byte 2\n.quad f + 16 * i\n.byte 16, 'f', 0\n"
	     ".byte 3\n.quad f + 16 * i\n.byte 16\n.long i\n.byte 0\n"
	     ".set i, i + 1\n.endr\n.byte 0\n.zero 0 * %3$u\n2:\n"
	     ".section .debug_line, \"\", %%progbits\n"
	     ".long 2f - 1f\n1: .short 4\n.long 4f - 3f\n"
	     "3: .byte 1, 1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1\n"
	     ".byte 0, 'a', 0, 0, 0, 0, 0\n"
	     "4: .byte 0, 9, 2\n.quad f\n.byte 15\n"
	     ".byte 9\n.short 16 * %1$u\n.byte 0, 1, 1\n2:\n";

static unsigned int read_names(unsigned int nr, unsigned int length)
{
	const struct attack attack = {"", names, {nr, length, 0}};
	struct pmscope_symbols *symbols = fixture_symbols();
	uint64_t address;
	unsigned int told = 0;

	EXPECT_TRUE(make(&attack));
	address = fixture_address("sharing", "f");
	for (unsigned int i = 0; i < nr; i++) {
		const struct pmscope_place place = {.dso = "/sharing",
						    .pid = 10,
						    .file_offset =
							    address + 16 * i};
		struct pmscope_line line;

		if (!pmscope_symbols_line(symbols, &place, 0, &line))
			told += line.frames && strlen(line.frames) > 5000;
	}
	EXPECT_LE(memory_in_use() >> 20, 600U);
	pmscope_symbols_free(symbols);
	return told;
}

/* The strings of all files together are limited to 512 MiB. */
TEST(names_that_are_ends_of_one)
{
	ASSERT_TRUE(fixture_open());
	if (!make(&attacks[0]))
		SKIP("no assembler for this machine");
	EXPECT_EQ(read_names(1000, 7000), 1000U);
	EXPECT_EQ(read_names(1000, 1000000), 0U);
	fixture_close();
}

TEST(files_that_are_cut_or_changed)
{
	ASSERT_TRUE(fixture_open());
	if (!make_program() || !fixture_run("cp program whole"))
		SKIP("no compiler for this machine");
	alarm(KTAP_HANGS);
	for (unsigned int i = 0; i < 24; i++) {
		struct pmscope_symbols *symbols;

		ASSERT_TRUE(fixture_run(
			"s=$(readelf -SW whole | sed -n "
			"'s/.*\\.debug_%s *PROGBITS *[0-9a-f]* *\\([0-9a-f]*\\)"
			".*/\\1/p') && cp whole root/usr/bin/program && "
			"printf '\\377\\377\\377\\177' | "
			"dd of=root/usr/bin/program bs=1 conv=notrunc "
			"seek=$((0x$s + %u))",
			i % 3 ? i % 3 == 1 ? "line" : "abbrev" : "info",
			i / 3));
		symbols = fixture_symbols();
		has_lines(symbols);
		pmscope_symbols_free(symbols);
	}
	fixture_close();
}

STEP_OF(put_busy)
{
	if (!make(&attacks[3]))
		SKIP("no assembler for this machine");
	put_load_of(&sc->trace, 7, 0x10000 + fixture_address("sharing", "f"),
		    0x9000, 110);
}

SCENARIO(tool_tells_of_a_file_that_takes_too_long, COMM(100, 7, 7, "busy"),
	 MMAP(101, 7, 7, 0x10000, 0x8000, 0, "/sharing"), RUN("true"),
	 CALL(put_busy), ITRACE(106, 0, 7, 7), AUX_PART(130, 7),
	 COMMAND("report --sort=line,sym --symfs=$D/root 2>&1"),
	 HAS("/root/sharing: reading it took too long"), HAS(" f\n"));
