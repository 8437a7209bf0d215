// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmscope annotate on a program of known instructions: each has its samples,
 * also those without any, and names in files stay harmless.
 */
#include "symbols_scenario.h"

#include "code/code.h"

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

/* "/usr/bin/program" below the root, whose functions have these names. */
STEP_OF(make_program)
{
	const struct program_symbol symbols[] = {
		{.name = step->text, .at = FIRST, .size = 16, .type = STT_FUNC},
		{.name = step->data, .at = OTHER, .size = 8, .type = STT_FUNC},
	};

	put_program(&sc->file, symbols, 2);
	program_set_code(&sc->file, FIRST, code, ARRAY_SIZE(code));
}
#define MADE_OF(first, other) \
	TELL_OF(make_program, first, other, 0), STORE("root/usr/bin/program")
#define MADE MADE_OF("first", "other")

/* Two samples of the load, one of the branch, one of ret. */
#define MAPPED(name) \
	COMM(1, 10, 10, "program"), MMAP(1, 10, 10, BASE, 0x10000, 0, name)
#define LOAD_AT(time, pc) T_LOAD_OF(time, 10, BASE + (pc), 0x9000)
#define SAMPLED(name)                                           \
	MAPPED(name), LOAD_AT(10, FIRST), LOAD_AT(11, FIRST),   \
		LOAD_AT(12, FIRST + 8), LOAD_AT(13, OTHER + 4), \
		AREA(0, 0, 0, NO_TID)
#define RECORDED	  MADE, SAMPLED("/usr/bin/program")
#define ANNOTATE(options) COMMAND("annotate --symfs=$D/root " options)
#define REFUSED_ANNOTATE(options) \
	FAILING("annotate --symfs=$D/root " options " 2>&1")

STEP_OF(need_disassembler)
{
	char name[DISASSEMBLER_NAME];

	if (!strcmp(disassembler_name(NULL, name), "none"))
		SKIP("no LLVM and no objdump");
}
#define DISASSEMBLED CALL(need_disassembler)

static unsigned int count(const char *text, const char *part)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, part)); text++)
		nr++;
	return nr;
}

/* One of two lines, as objdump or LLVM has it. */
STEP_IS(expect_either,
	EXPECT_EQ(count(sc->out, step->text) + count(sc->out, step->data), 1U));
#define EITHER(one, other) TELL_OF(expect_either, one, other, 0)

SCENARIO(each_instruction_has_its_samples, DISASSEMBLED, RECORDED,
	 ANNOTATE("--format=csv"), TIMES(7, "\n"),
	 TIMES(1, "first,/usr/bin/program,0,0x200,0xf9400020,"
		  "\"ldr x0, [x1]\",,,,,,2,0.500000,"),
	 TIMES(1, "first,/usr/bin/program,4,0x204,0xf1000442,"
		  "\"subs x2, x2, #1\",,,,,,0,0.000000,0,,,,,,"),
	 EITHER(",\"b.ne 0x200\",0x200,first,0,,,1,",
		",b.ne 0x200,0x200,first,0,,,1,"),
	 TIMES(1, ",bl 0x210,0x210,other,0,,,0,"),
	 TIMES(1, "other,/usr/bin/program,4,0x214,0xd65f03c0,ret,"
		  ",,,,,1,"));

STEP_IS(expect_load_first,
	EXPECT_TRUE(strstr(sc->out, "ldr") < strstr(sc->out, "b.ne")));

SCENARIO(as_text, DISASSEMBLED, RECORDED, ANNOTATE("first"),
	 TIMES(1, "# first  /usr/bin/program: 75.00% of all, 3 samples"),
	 TIMES(1, "+0x0 ldr x0, [x1]\n"), TIMES(1, "+0x4 subs x2, x2, #1\n"),
	 TIMES(1, "+0x8 b.ne 0x200 <+0x0>\n"),
	 TIMES(1, "+0xc bl 0x210 <other>\n"), LACKS("ret\n"),
	 ANNOTATE("--limit=1"), TIMES(1, "# 1 more functions (--limit)"),
	 ANNOTATE("--sort=weight first"), LACKS("subs"),
	 CALL(expect_load_first));

SCENARIO(JSON_lines, DISASSEMBLED, RECORDED, ANNOTATE("--format=jsonl"),
	 TIMES(2, "\"type\":\"function\""),
	 TIMES(6, "\"type\":\"instruction\""),
	 TIMES(1, "\"symoff\":8,\"address\":\"0x208\",\"word\":"
		  "\"0x54ffffc1\",\"text\":\"b.ne 0x200\","
		  "\"target\":\"0x200\",\"target_sym\":\"first\","
		  "\"target_symoff\":0,\"samples\":1,"
		  "\"share\":0.250000,\"total\":{\"samples\":1"));

SCENARIO(names_without_samples, RECORDED, REFUSED_ANNOTATE("frist"),
	 TIMES(1, "no samples in a function 'frist'; did you mean "
		  "'first'?"),
	 REFUSED_ANNOTATE("/dev/null"), TIMES(1, "use --input=/dev/null"));

/* Each function says why; its samples are shown all the same. */
SCENARIO(missing_code, MADE, SAMPLED("/usr/bin/other"),
	 ANNOTATE("--format=text"), TIMES(1, "# No code: no symbol is known"),
	 TIMES(1, "100.00%        4"), ANEW,
	 RUN("mkdir root/tmp && "
	     "echo 400200 10 made >root/tmp/perf-10.map"),
	 SAMPLED("//anon"), ANNOTATE("made"),
	 TIMES(1, "# No code: the file that has its symbols has no code"),
	 TIMES(1, "+0x8 -\n"), ANNOTATE("--format=jsonl made"),
	 TIMES(1, "\"missing\":\"the file that has its symbols"));

SCENARIO(an_objdump_of_ones_own, RECORDED, ANNOTATE("--objdump=/nowhere first"),
	 TIMES(1, "not disassembled"), TIMES(1, "+0x4 0xf1000442\n"));

static const char *const hostile[] = {
	"\033[31mred",		 "\302\2331m\2332m",  "=cmd|' /C calc'!A0",
	"<script>\"'&</script>", "\377\300\200",      "@SUM(1,1)",
	"\u202eright\u2066",	 "new\nline\r\t\177", "-2+3",
};

STEP_OF(expect_harmless)
{
	const unsigned char *s = (const unsigned char *)sc->out;
	unsigned int bad = 0;

	while (*s) {
		int len = text_utf8(s);

		bad += !len || (*s != '\n' && text_steers(text_code(s, len)));
		s += len ? len : 1;
	}
	EXPECT_EQ(bad, 0U);
}
#define HARMLESS CALL(expect_harmless)

/* No cell begins as a formula; an empty one is not a formula. */
STEP_OF(expect_no_formula)
{
	unsigned int bad = 0;

	for (const char *s = sc->out; *s; s++) {
		const char *cell = s + (s[1] == '"' ? 2 : 1);

		bad += (*s == ',' || *s == '\n') && strchr("=+@-", *cell) &&
		       *cell;
	}
	EXPECT_EQ(bad, 0U);
}

/* Functions, their file and where they branch to. */
TEST(hostile_names)
{
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++)
		PLAY(MADE_OF(hostile[i], hostile[(i + 1) % 9]),
		     SAMPLED("/usr/bin/program"), ANNOTATE("--format=text"),
		     HARMLESS, ANNOTATE("--format=jsonl"), HARMLESS,
		     TIMES(9, "\n"), ANNOTATE("--format=csv"), HARMLESS,
		     CALL(expect_no_formula), TIMES(7, "\n"));
}

STEP_IS(put_first,
	load_at(&sc->b, 0, 10, BASE + fixture_address("program", "first"), 10));

/* A program of this machine: its code is not arm64's, but it has lines. */
SCENARIO(source_lines_and_their_text,
	 WRITE("program.c", "volatile int sink;\n"
			    "int first(int x)\n{\n"
			    "\treturn x * 7 + sink; // \033[31m <b>\n}\n"
			    "int main(void) { return first(1); }\n"),
	 NEED("cc -O1 -g -o program $D/program.c && "
	      "cp program root/usr/bin",
	      "no compiler here"),
	 MAPPED("/usr/bin/program"), CALL(put_first), ANNOTATE("first"),
	 HARMLESS, TIMES(1, "program.c:4  | return x * 7 + sink; //"),
	 ANNOTATE("--no-source first"), LACKS("return x"),
	 EITHER("# program.c:4\n", "# program.c:3\n"), RUN("rm program.c"),
	 ANNOTATE("first"), TIMES(1, "# No source text: cannot read /"));
