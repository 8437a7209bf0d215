// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmscope annotate on a program of known instructions: each has its samples,
 * also those without any, and names in files stay harmless.
 */
#include "command.h"
#include "elf_fixture.h"
#include "ktap.h"
#include "program.h"
#include "recording_fixture.h"

#include "base/little_endian.h"
#include "base/text.h"
#include "code/disassemble.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE  UINT64_C(0x400000)
#define FIRST PROGRAM_TEXT
#define OTHER (PROGRAM_TEXT + 16)

static const uint32_t code[] = {
	0xf9400020, /* ldr x0, [x1] */
	0xf1000442, /* subs x2, x2, #1 */
	0x54ffffc1, /* b.ne to the first */
	0x94000001, /* bl to the other function */
	0xd503201f, /* nop */
	0xd65f03c0, /* ret */
};

static char output[1 << 20];

/* "/usr/bin/program" below the root, whose functions have these names. */
static bool make_program(const char *first, const char *other)
{
	const struct program_symbol symbols[] = {
		{.name = first, .at = FIRST, .size = 16, .type = STT_FUNC},
		{.name = other, .at = OTHER, .size = 8, .type = STT_FUNC},
	};
	BYTES b = {};
	bool done;

	put_program(&b, symbols, 2);
	program_set_code(&b, FIRST, code, sizeof(code) / sizeof(code[0]));
	done = fixture_write("root/usr/bin/program", b.data, b.size);
	return done;
}

static void put_mapping(struct bytes *b, const char *name)
{
	struct where where = at(1, 10, 10);

	put_mmap2(b, BASE, 0x10000, 0, name, &where);
}

/* Two samples of the load, one of the branch, one of ret. */
static void put_samples(struct bytes *b)
{
	static const uint64_t pcs[] = {FIRST, FIRST, FIRST + 8, OTHER + 4};

	for (uint32_t i = 0; i < 4; i++)
		load_at(b, 0, 10, BASE + pcs[i], 10 + i);
}

static void make(struct bytes *b, const char *name)
{
	begin(b);
	comm_at(b, 0, "program", 1, 10, 10);
	put_mapping(b, name);
	put_samples(b);
	perfdata_end(b);
}

__attribute__((format(printf, 2, 3))) static int run(const struct bytes *b,
						     const char *fmt, ...)
{
	char arguments[512];
	va_list args;
	int n = snprintf(arguments, sizeof(arguments), "annotate --symfs=%s ",
			 fixture_path("root"));

	va_start(args, fmt);
	vsnprintf(arguments + n, sizeof(arguments) - n, fmt, args);
	va_end(args);
	return command_pmscope_text(b, arguments, output, sizeof(output));
}

static unsigned int count(const char *text)
{
	unsigned int nr = 0;

	for (const char *s = output; (s = strstr(s, text)); s++)
		nr++;
	return nr;
}

static bool can_disassemble(void)
{
	char name[DISASSEMBLER_NAME];

	return strcmp(disassembler_name(NULL, name), "none") != 0;
}

#define NEED_DISASSEMBLER()                             \
	do {                                            \
		if (!can_disassemble())                 \
			SKIP("no LLVM and no objdump"); \
	} while (0)

TEST(each_instruction_has_its_samples)
{
	BYTES b = {};

	NEED_DISASSEMBLER();
	ASSERT_TRUE(fixture_open() && make_program("first", "other"));
	make(&b, "/usr/bin/program");
	EXPECT_EQ(run(&b, "--format=csv"), 0);
	EXPECT_EQ(count("\n"), 7U);
	EXPECT_EQ(count("first,/usr/bin/program,0,0x200,0xf9400020,"
			"\"ldr x0, [x1]\",,,,,,2,0.500000,"),
		  1U);
	EXPECT_EQ(count("first,/usr/bin/program,4,0x204,0xf1000442,"
			"\"subs x2, x2, #1\",,,,,,0,0.000000,0,,,,,,"),
		  1U);
	EXPECT_EQ(count(",\"b.ne 0x200\",0x200,first,0,,,1,") +
			  count(",b.ne 0x200,0x200,first,0,,,1,"),
		  1U);
	EXPECT_EQ(count(",bl 0x210,0x210,other,0,,,0,"), 1U);
	EXPECT_EQ(
		count("other,/usr/bin/program,4,0x214,0xd65f03c0,ret,,,,,,1,"),
		1U);
	fixture_close();
}

TEST(as_text)
{
	BYTES b = {};

	NEED_DISASSEMBLER();
	ASSERT_TRUE(fixture_open() && make_program("first", "other"));
	make(&b, "/usr/bin/program");
	EXPECT_EQ(run(&b, "first"), 0);
	EXPECT_EQ(count("# first  /usr/bin/program: 75.00% of all, 3 samples"),
		  1U);
	EXPECT_EQ(count("+0x0 ldr x0, [x1]\n"), 1U);
	EXPECT_EQ(count("+0x4 subs x2, x2, #1\n"), 1U);
	EXPECT_EQ(count("+0x8 b.ne 0x200 <+0x0>\n"), 1U);
	EXPECT_EQ(count("+0xc bl 0x210 <other>\n"), 1U);
	EXPECT_EQ(count("ret\n"), 0U);
	EXPECT_EQ(run(&b, "--limit=1"), 0);
	EXPECT_EQ(count("# 1 more functions (--limit)"), 1U);
	EXPECT_EQ(run(&b, "--sort=weight first"), 0);
	EXPECT_EQ(count("subs"), 0U);
	EXPECT_TRUE(strstr(output, "ldr") < strstr(output, "b.ne"));
	fixture_close();
}

TEST(JSON_lines)
{
	BYTES b = {};

	NEED_DISASSEMBLER();
	ASSERT_TRUE(fixture_open() && make_program("first", "other"));
	make(&b, "/usr/bin/program");
	EXPECT_EQ(run(&b, "--format=jsonl"), 0);
	EXPECT_EQ(count("\"type\":\"function\""), 2U);
	EXPECT_EQ(count("\"type\":\"instruction\""), 6U);
	EXPECT_EQ(count("\"symoff\":8,\"address\":\"0x208\",\"word\":"
			"\"0x54ffffc1\",\"text\":\"b.ne 0x200\","
			"\"target\":\"0x200\",\"target_sym\":\"first\","
			"\"target_symoff\":0,\"samples\":1,"
			"\"share\":0.250000,\"total\":{\"samples\":1"),
		  1U);
	fixture_close();
}

TEST(names_without_samples)
{
	BYTES b = {};

	ASSERT_TRUE(fixture_open() && make_program("first", "other"));
	make(&b, "/usr/bin/program");
	EXPECT_EQ(run(&b, "frist 2>&1"), 1);
	EXPECT_EQ(count("no samples in a function 'frist'; did you mean "
			"'first'?"),
		  1U);
	EXPECT_EQ(run(&b, "/dev/null 2>&1"), 1);
	EXPECT_EQ(count("use --input=/dev/null"), 1U);
	fixture_close();
}

/* Each function says why; its samples are shown all the same. */
TEST(missing_code)
{
	BYTES b = {};

	ASSERT_TRUE(fixture_open() && make_program("first", "other"));
	make(&b, "/usr/bin/other");
	EXPECT_EQ(run(&b, "--format=text"), 0);
	EXPECT_EQ(count("# No code: no symbol is known"), 1U);
	EXPECT_EQ(count("100.00%        4"), 1U);
	bytes_fini(&b);
	make(&b, "//anon");
	ASSERT_TRUE(fixture_run("mkdir root/tmp && "
				"echo 400200 10 made >root/tmp/perf-10.map"));
	EXPECT_EQ(run(&b, "made"), 0);
	EXPECT_EQ(count("# No code: the file that has its symbols has no code"),
		  1U);
	EXPECT_EQ(count("+0x8 -\n"), 1U);
	EXPECT_EQ(run(&b, "--format=jsonl made"), 0);
	EXPECT_EQ(count("\"missing\":\"the file that has its symbols"), 1U);
	fixture_close();
}

TEST(an_objdump_of_ones_own)
{
	BYTES b = {};

	ASSERT_TRUE(fixture_open() && make_program("first", "other"));
	make(&b, "/usr/bin/program");
	EXPECT_EQ(run(&b, "--objdump=/nowhere first"), 0);
	EXPECT_EQ(count("not disassembled"), 1U);
	EXPECT_EQ(count("+0x4 0xf1000442\n"), 1U);
	fixture_close();
}

static const char *const hostile[] = {
	"\033[31mred",		 "\302\2331m\2332m",  "=cmd|' /C calc'!A0",
	"<script>\"'&</script>", "\377\300\200",      "@SUM(1,1)",
	"\u202eright\u2066",	 "new\nline\r\t\177", "-2+3",
};

static void expect_harmless(void)
{
	const unsigned char *s = (const unsigned char *)output;
	unsigned int bad = 0;

	while (*s) {
		int len = text_utf8(s);

		bad += !len || (*s != '\n' && text_steers(text_code(s, len)));
		s += len ? len : 1;
	}
	EXPECT_EQ(bad, 0U);
}

/* No cell begins as a formula; an empty one is not a formula. */
static void expect_no_formula(void)
{
	unsigned int bad = 0;

	for (const char *s = output; *s; s++) {
		const char *cell = s + (s[1] == '"' ? 2 : 1);

		bad += (*s == ',' || *s == '\n') && strchr("=+@-", *cell) &&
		       *cell;
	}
	EXPECT_EQ(bad, 0U);
}

/* Functions, their file and where they branch to. */
TEST(hostile_names)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		BYTES b = {};

		ASSERT_TRUE(fixture_open() &&
			    make_program(hostile[i], hostile[(i + 1) % 9]));
		make(&b, "/usr/bin/program");
		EXPECT_EQ(run(&b, "--format=text"), 0);
		expect_harmless();
		EXPECT_EQ(run(&b, "--format=jsonl"), 0);
		expect_harmless();
		EXPECT_EQ(count("\n"), 9U);
		EXPECT_EQ(run(&b, "--format=csv"), 0);
		expect_harmless();
		expect_no_formula();
		EXPECT_EQ(count("\n"), 7U);
		fixture_close();
	}
}

/* A program of this machine: its code is not arm64's, but it has lines. */
TEST(source_lines_and_their_text)
{
	BYTES b = {};
	uint64_t start;

	if (!fixture_open() ||
	    !fixture_write_text("program.c",
				"volatile int sink;\n"
				"int first(int x)\n{\n"
				"\treturn x * 7 + sink; // \033[31m <b>\n}\n"
				"int main(void) { return first(1); }\n") ||
	    !fixture_run("cc -O1 -g -o program $PWD/program.c && "
			 "cp program root/usr/bin"))
		SKIP("no compiler here");
	start = fixture_address("program", "first");
	begin(&b);
	comm_at(&b, 0, "program", 1, 10, 10);
	put_mapping(&b, "/usr/bin/program");
	load_at(&b, 0, 10, BASE + start, 10);
	perfdata_end(&b);
	EXPECT_EQ(run(&b, "first"), 0);
	expect_harmless();
	EXPECT_EQ(count("program.c:4  | return x * 7 + sink; //"), 1U);
	EXPECT_EQ(run(&b, "--no-source first"), 0);
	EXPECT_EQ(count("return x"), 0U);
	EXPECT_EQ(count("# program.c:4\n") + count("# program.c:3\n"), 1U);
	ASSERT_TRUE(fixture_run("rm program.c"));
	EXPECT_EQ(run(&b, "first"), 0);
	EXPECT_EQ(count("# No source text: cannot read /"), 1U);
	fixture_close();
}

KTAP_MAIN
