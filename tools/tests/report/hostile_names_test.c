// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names in a recording may contain anything. No view passes on control
 * characters, line ends, direction marks or invalid UTF-8, and no CSV cell
 * starts like a formula.
 */
#include "command.h"
#include "ktap.h"
#include "recording_fixture.h"
#include "recount.h"

#include "base/text.h"

#include <string.h>

static const char *const names[] = {
	"\033[31mred",
	"\302\2331m\2332m",
	"\u202eright\u2066\u061c",
	"new\nline\r\t\177",
	"=cmd|' /C calc'!A0",
	"@SUM(1,1)",
	"-2+3",
	"<script>\"'&",
	"\377\300\200",
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static void make(struct bytes *b)
{
	char name[64];

	begin(b);
	for (size_t i = 0; i < NR_NAMES; i++) {
		uint32_t tid = 100 + i;
		uint64_t start = 0x10000 * (i + 1);

		comm_at(b, 0, names[i], 1, tid, tid);
		snprintf(name, sizeof(name), "/tmp/%s", names[i]);
		map_at(b, start, name, 2, tid);
		snprintf(name, sizeof(name), "%s", names[i]);
		map_at(b, start + 0x8000, name, 2, tid);
		load_at(b, i, tid, start + 0x100, 10 + i);
		load_at(b, i, tid, start + 0x8100, 30 + i);
	}
	perfdata_end(b);
}

static void expect_harmless(const char *view, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned int bad = 0;

	while (*s) {
		int len = text_utf8(s);

		bad += !len || (*s != '\n' && text_steers(text_code(s, len)));
		s += len ? len : 1;
	}
	EXPECT_EQ(bad, 0U);
	if (bad)
		ktap_note("in %s", view);
}

/* Says how many lines there are. */
static unsigned int look(const struct bytes *b, const char *view)
{
	static char text[1 << 20];
	unsigned int lines = 0;

	EXPECT_GE(command_pmscope_text(b, view, text, sizeof(text)), 0);
	expect_harmless(view, text);
	for (const char *s = text; (s = strchr(s, '\n')); s++)
		lines++;
	return lines;
}

TEST(hostile_names_in_text)
{
	BYTES b = {};

	make(&b);
	look(&b, "report --sort comm,dso,sym");
	look(&b, "report --sort pid,tid,comm,srcline");
	look(&b, "report --cachelines");
	look(&b, "report --timeline");
	look(&b, "script");
	look(&b, "script -F comm,dso,sym,pid");
	look(&b, "diff -v --filter-b=cpu!=1 --sort comm,dso,sym");
}

TEST(hostile_names_in_json)
{
	BYTES b = {};

	make(&b);
	EXPECT_EQ(look(&b, "report --sort comm,dso --format=jsonl"),
		  1 + 2 * NR_NAMES);
	EXPECT_EQ(look(&b, "script --format=jsonl"), 2 * NR_NAMES);
	look(&b, "report --cachelines --format=jsonl");
	look(&b, "diff --filter-b=cpu!=1 --sort comm,dso --format=jsonl");
}

static bool begins_formula(const char *cell)
{
	return strchr("=+@", *cell) ||
	       (*cell == '-' && !strchr(",\n", cell[1]));
}

static unsigned int formulas(const char *text)
{
	unsigned int nr = 0;

	for (; *text; text++)
		nr += (*text == ',' || *text == '\n') && text[1] &&
		      begins_formula(text + (text[1] == '"' ? 2 : 1));
	return nr;
}

static void look_csv(const struct bytes *b, const char *view)
{
	static char text[1 << 20];

	EXPECT_EQ(look(b, view), 1 + 2 * NR_NAMES);
	command_pmscope_text(b, view, text, sizeof(text));
	EXPECT_EQ(formulas(text), 0U);
	EXPECT_TRUE(strstr(text, "'=cmd|' /C calc'!A0"));
	EXPECT_TRUE(strstr(text, "\"'@SUM(1,1)\""));
	EXPECT_TRUE(strstr(text, "'-2+3"));
	EXPECT_TRUE(strstr(text, "new\\u000aline\\u000d\\u0009\\u007f"));
}

TEST(hostile_names_in_csv)
{
	BYTES b = {};

	make(&b);
	look_csv(&b, "report --sort comm,dso --format=csv");
	look_csv(&b, "script --format=csv");
	look_csv(&b, "script --format=csv -F comm,dso");
	look(&b, "report --cachelines --format=csv");
	look(&b, "diff --filter-b=cpu!=1 --sort comm,dso --format=csv");
}

/* Of pprof, by another decoder, which also compares the sums. */
TEST(hostile_names_in_exports)
{
	char command[RECOUNT_COMMAND];
	BYTES b = {};

	make(&b);
	look(&b, "export --format=folded -o -");
	look(&b, "export --format=autofdo -o -");
	if (!recount_works())
		SKIP("no python3 here");
	snprintf(command, sizeof(command),
		 "python3 -B " PMSCOPE_TESTS
		 "/recount/exported.py --pmscope=%s",
		 command_pmscope());
	recount_tell(command_reads(&b, command));
}

KTAP_MAIN
