// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names in a recording may contain anything. No view passes on control
 * characters, line ends, direction marks or invalid UTF-8, and no CSV cell
 * starts like a formula.
 */
#include "command.h"
#include "scenario.h"

#include "base/text.h"

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

STEP_OF(put_names)
{
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		uint32_t tid = 100 + i;
		uint64_t start = 0x10000 * (i + 1);

		comm_at(&sc->b, 0, names[i], 1, tid, tid);
		snprintf(name, sizeof(name), "/tmp/%s", names[i]);
		map_at(&sc->b, start, name, 2, tid);
		map_at(&sc->b, start + 0x8000, names[i], 2, tid);
		load_at(&sc->b, i, tid, start + 0x100, 10 + i);
		load_at(&sc->b, i, tid, start + 0x8100, 30 + i);
	}
	perfdata_end(&sc->b);
	sc->ended = true;
}
#define NAMES CALL(put_names)

/* What it prints; of so many lines, if not 0. */
STEP_OF(look)
{
	static char text[1 << 20];
	const unsigned char *at = (const unsigned char *)text;
	unsigned int bad = 0, lines = 0;

	EXPECT_GE(command_pmscope_text(&sc->b, step->text, text, sizeof(text)),
		  0);
	sc->out = text;
	while (*at) {
		int len = text_utf8(at);

		bad += !len || (*at != '\n' && text_steers(text_code(at, len)));
		lines += *at == '\n';
		at += len ? len : 1;
	}
	EXPECT_EQ(bad, 0U);
	if (step->v[0])
		EXPECT_EQ(lines, step->v[0]);
}
#define LOOK(view)		CALL_SAY(look, view, 0)
#define LOOK_AT(view, lines_of) CALL_SAY(look, view, lines_of)
#define ROWS			(2 * ARRAY_SIZE(names))

SCENARIO(hostile_names_in_text, NAMES, LOOK("report --sort comm,dso,sym"),
	 LOOK("report --sort pid,tid,comm,srcline"),
	 LOOK("report --cachelines"), LOOK("report --timeline"), LOOK("script"),
	 LOOK("script -F comm,dso,sym,pid"),
	 LOOK("diff -v --filter-b=cpu!=1 --sort comm,dso,sym"));

SCENARIO(hostile_names_in_json, NAMES,
	 LOOK_AT("report --sort comm,dso --format=jsonl", 1 + ROWS),
	 LOOK_AT("script --format=jsonl", ROWS),
	 LOOK("report --cachelines --format=jsonl"),
	 LOOK("diff --filter-b=cpu!=1 --sort comm,dso --format=jsonl"));

static bool begins_formula(const char *cell)
{
	return strchr("=+@", *cell) ||
	       (*cell == '-' && !strchr(",\n", cell[1]));
}

STEP_OF(expect_no_formulas)
{
	unsigned int nr = 0;

	for (const char *at = sc->out; *at; at++)
		nr += (*at == ',' || *at == '\n') && at[1] &&
		      begins_formula(at + (at[1] == '"' ? 2 : 1));
	EXPECT_EQ(nr, 0U);
}
#define LOOK_CSV(view)                                             \
	LOOK_AT(view, 1 + ROWS), CALL(expect_no_formulas),         \
		HAS("'=cmd|' /C calc'!A0"), HAS("\"'@SUM(1,1)\""), \
		HAS("'-2+3"), HAS("new\\u000aline\\u000d\\u0009\\u007f")

SCENARIO(hostile_names_in_csv, NAMES,
	 LOOK_CSV("report --sort comm,dso --format=csv"),
	 LOOK_CSV("script --format=csv"),
	 LOOK_CSV("script --format=csv -F comm,dso"),
	 LOOK("report --cachelines --format=csv"),
	 LOOK("diff --filter-b=cpu!=1 --sort comm,dso --format=csv"));

STEP_OF(recount_exports)
{
	char command[RECOUNT_COMMAND];

	if (!recount_works())
		SKIP("no python3 here");
	snprintf(command, sizeof(command),
		 "python3 -B " PMSCOPE_TESTS
		 "/recount/exported.py --pmscope=%s",
		 command_pmscope());
	recount_tell(command_reads(&sc->b, command));
}

/* Of pprof, by another decoder, which also compares the sums. */
SCENARIO(hostile_names_in_exports, NAMES, LOOK("export --format=folded -o -"),
	 LOOK("export --format=autofdo -o -"), CALL(recount_exports));
