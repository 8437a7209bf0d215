// SPDX-License-Identifier: GPL-2.0-or-later
/* What report prints on a terminal: tables that fit, colours, a pager. */
#include "command.h"
#include "scenario.h"

#define TEXT_SIZE (1 << 17)
#define THREADS	  60
#define SECOND	  UINT64_C(1000000000)

/* Threads with a name of their own, 1 to 60 samples each in one long name. */
static void put_threads(struct bytes *b)
{
	uint64_t time = SECOND;

	for (uint32_t i = 0; i < THREADS; i++) {
		comm_at(b, 0, "grüße 日本語", 1, 100, 100 + i);
		map_at(b, 0x1000,
		       "/opt/a/very/long/name/of/a/directory/and/a/program", 1,
		       100);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		for (uint32_t n = 0; n <= i; n++)
			load_at(b, i % 4, 100 + i, 0x1000 + 16 * n,
				time += 1000000);
}

/* Without script(1) there is no terminal. */
STEP_OF(need_terminal)
{
	if (system("script -qec true /dev/null >/dev/null 2>&1 </dev/null"))
		SKIP("no script(1) for a terminal");
	perfdata_end(&sc->b);
	sc->ended = true;
}
#define ON_TERMINAL APPLY(put_threads), CALL(need_terminal)

/*
 * The output on a terminal of so many columns, after the variables and with the
 * options; the exit status is as expected, or for -1 any.
 */
static char shown[TEXT_SIZE];

static int on_terminal(const struct bytes *b, int columns,
		       const char *variables, const char *options)
{
	char command[1024];
	FILE *pipe;
	size_t at = 0, end = 0;
	int status;

	snprintf(command, sizeof(command),
		 "env -u PAGER -u PMSCOPE_PAGER -u NO_COLOR TERM=xterm sh -c "
		 "'script -qec \"stty rows 24 cols %d; %s %s %s $*\" /dev/null "
		 "</dev/null' sh",
		 columns, variables, command_pmscope(), options);
	pipe = command_reads(b, command);
	if (!pipe)
		return -1;
	end = fread(shown, 1, TEXT_SIZE - 1, pipe);
	status = pclose(pipe);
	for (size_t i = 0; i < end; i++)
		if (shown[i] != '\r')
			shown[at++] = shown[i];
	shown[at] = '\0';
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

STEP_OF(show)
{
	EXPECT_EQ(on_terminal(&sc->b, 80, step->data, step->text),
		  (int)step->v[0]);
	sc->out = shown;
}
#define SHOWN(variables, options)	  TELL_OF(show, options, variables, 0)
#define SHOWN_FAILING(variables, options) TELL_OF(show, options, variables, 1)

/* The output begins so. */
STEP_IS(expect_begin,
	EXPECT_EQ(strncmp(sc->out, step->text, strlen(step->text)), 0));
#define BEGINS(words) CALL_SAY(expect_begin, words, 0)

/* Columns of a line; of the characters here, those of three bytes have two. */
static int width_of(const char *line, size_t length)
{
	int width = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = line[i];

		width += c < 0x80 || (c >= 0xc0 && c < 0xe0) ? 1
			 : c >= 0xe0			     ? 2
							     : 0;
	}
	return width;
}

/* Comments may be longer, but not titles. */
static bool is_of_table(const char *line)
{
	static const char *const titles[] = {"# Share", "# Samples", "# Phase",
					     "# Offset"};

	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		if (!strncmp(line, titles[i], strlen(titles[i])))
			return true;
	return *line != '#';
}

static int expect_lines_fit(const char *text, int columns)
{
	int nr = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length && is_of_table(text)) {
			nr++;
			if (width_of(text, length) > columns) {
				ktap_note("%.*s", (int)length, text);
				EXPECT_LE(width_of(text, length), columns);
			}
		}
		text += length + (text[length] == '\n');
	}
	return nr;
}

STEP_OF(expect_tables_fit)
{
	static const char *const views[] = {
		"report --sort=sym,dso",
		"report --sort=comm,tid,dso",
		"report --sort=line,file,frames",
		"report --cachelines",
		"report --cachelines --weight=latency",
		"report --timeline",
		"report --sort=sym,dso,comm,pid,tid,cpu,op,event",
	};

	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		for (int columns = 60; columns <= 240; columns += 45) {
			/* Eight keys have no room on a narrow one. */
			if (i == 6 && columns < 150)
				continue;
			ktap_note("%d %s", columns, views[i]);
			EXPECT_EQ(on_terminal(&sc->b, columns,
					      "CI=1 NO_COLOR=1 PAGER=cat",
					      views[i]),
				  0);
			EXPECT_GE(expect_lines_fit(shown, columns), 2);
		}
}

SCENARIO(tables_fit_the_terminal, ON_TERMINAL, CALL(expect_tables_fit));

/* Lines that begin with a share, "12.34%". */
static int nr_rows(const char *text)
{
	int nr = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		nr += *text != '#' && memchr(text, '%', MIN(length, 7));
		text += length + (text[length] == '\n');
	}
	return nr;
}

STEP_IS(expect_rows, EXPECT_EQ(nr_rows(sc->out), (int)step->v[0]));
#define ROWS(nr) CALL(expect_rows, nr)

/* Of the thread with the most samples: 60 of 1 + 2 + ... + 60. */
STEP_OF(expect_first_row)
{
	const char *text = sc->out;
	double share = -1;
	int samples = -1;
	char row[64];

	while (*text && (*text == '#' ||
			 sscanf(text, " %lf%% %d", &share, &samples) != 2))
		text += strcspn(text, "\n") + 1;
	snprintf(row, 64, "%.2f %d", share, samples);
	EXPECT_STREQ(row, "3.28 60");
}

#define PLAIN "CI=1 NO_COLOR=1 PAGER=cat"

SCENARIO(a_terminal_gets_50_rows_a_file_all, ON_TERMINAL,
	 SHOWN(PLAIN, "report --sort=tid"), ROWS(50),
	 HAS("\n# 10 more rows (--limit)\n"),
	 SHOWN(PLAIN, "report --sort=tid --limit=55"), ROWS(55),
	 CALL(expect_first_row), COMMAND("report --sort=tid"), ROWS(THREADS),
	 LACKS("more rows"), CALL(expect_first_row));

STEP_OF(expect_sentences)
{
	int lines = 0;
	char *line;

	EXPECT_EQ(on_terminal(&sc->b, 40, "CI=1 PAGER=", "report --sort=comm"),
		  0);
	for (line = strchr(shown, '#'); line && line[1] == ' ';
	     line = strchr(line, '\n') + 1, lines++)
		EXPECT_LE(width_of(line, strcspn(line, "\n")), 40);
	EXPECT_TRUE(lines > 1);
	EXPECT_TRUE(line && line - shown > 4 && line[-2] == '.');
}

/* All of each sentence is there, in as many lines as it needs. */
SCENARIO(sentences_are_wrapped, ON_TERMINAL, CALL(expect_sentences));

#define RED "\033[31m100.00%\033[m"

SCENARIO(colours_are_for_terminals, ON_TERMINAL,
	 SHOWN("CI=1 PAGER=", "report --sort=comm"), HAS(RED),
	 SHOWN("CI=1 PAGER= NO_COLOR=1", "report --sort=comm"), LACKS("\033"),
	 SHOWN("CI=1 PAGER= TERM=dumb", "report --sort=comm"), LACKS("\033"),
	 COMMAND("report --sort=comm"), LACKS("\033"),
	 COMMAND("--color=always report --sort=comm"), HAS(RED));

/* Each pager here marks the lines that it shows. */
TEST(a_terminal_has_a_pager)
{
#define ONE "CI=1 PAGER=\\\"sed s/^/one:/\\\" "
#define TWO "PMSCOPE_PAGER=\\\"sed s/^/two:/\\\" "
#define SHOWN_BY(variables, options, mark) \
	SHOWN(variables, options), HAS("SPE samples"), BEGINS(mark)
#define REPORT "report --sort=comm"
	/* What fails, fails through a pager, too, and says so in it. */
	PLAY(ON_TERMINAL, SHOWN_BY(ONE, REPORT, "one:# "),
	     SHOWN_BY(ONE TWO, REPORT, "two:# "),
	     SHOWN_BY(ONE "PMSCOPE_PAGER=cat", REPORT, "# "),
	     SHOWN_BY(ONE, "--no-pager report", "# "),
	     SHOWN_BY(ONE, "report --no-pager", "# "),
	     SHOWN_FAILING(ONE, "script --raw"), HAS("one:pmscope: "),
	     COMMAND("--no-pager --color=never report --sort=comm"));
}

STEP_OF(need_counts)
{
	if (on_terminal(&sc->b, 80, "PAGER=cat", "stat -e page-faults -- true"))
		SKIP("no permission to count");
	sc->out = shown;
}

/* Its table is on standard error, and the program's output is not in it. */
SCENARIO(stat_has_a_pager, ON_TERMINAL, CALL(need_counts),
	 HAS("\n Counts for 'true':\n"),
	 SHOWN(ONE, "stat -e page-faults -- sh -c \\\"echo own\\\""),
	 BEGINS("own\none:\none: Counts for 'sh':\n"), LACKS("\n "),
	 SHOWN(ONE, "stat --no-pager -e page-faults -- true"), LACKS("one:"),
	 /* Intervals are shown as they come. */
	 SHOWN(ONE, "stat -I 10 -e page-faults -- "
		    "sh -c \\\"sleep 0.05\\\""),
	 LACKS("one:#"), HAS("page-faults\n"),
	 SHOWN(ONE, "stat -x , -e page-faults -- true"), LACKS("one:"));

static void put_missing(struct bytes *b)
{
	comm_at(b, 0, "a", 1, 1, 1);
	map_at(b, 0x1000, "/nowhere/\033[31mprogram", 1, 1);
	map_at(b, 0x5000, "//anon", 1, 1);
	map_at(b, 0x9000, "/nowhere/rare", 1, 1);
	for (uint64_t i = 0; i < 200; i++)
		load_at(b, 0, 1, 0x1000 + i, 10 + i);
	for (uint64_t i = 0; i < 99; i++)
		load_at(b, 0, 1, 0x5000 + i, 300 + i);
	load_at(b, 0, 1, 0x9100, 500);
}

/* Two thirds are in a file that is not here, the rest in other memory. */
SCENARIO(a_missing_symbol_says_what_would_bring_it, APPLY(put_missing),
	 COMMAND("report"),
	 HAS("\n# 66.67% of samples have no symbol, in "
	     "/nowhere/?[31mprogram: install its debug "
	     "package, set DEBUGINFOD_URLS, or use --symfs "
	     "with the machine's files\n# 33.00% of samples "
	     "have no symbol, in //anon: code without a "
	     "file gets names from /tmp/perf-PID.map or a "
	     "jitdump\n"),
	 LACKS("0.33% of samples"), COMMAND("report -v"),
	 HAS("\n# 0.33% of samples have no symbol, in "
	     "/nowhere/rare: install "));

/* n of 1830 are 2 % from 37 on. */
SCENARIO(small_rows_are_left_out, APPLY(put_threads),
	 COMMAND("report --sort=tid --percent-limit=2%"), ROWS(THREADS - 36),
	 HAS("# 36 more rows (--percent-limit)\n"),
	 COMMAND("report --sort=tid --percent-limit=2 --limit=3 -q"), ROWS(3),
	 LACKS("#"), COMMAND("report --stdio -n -v --sort=tid"), ROWS(THREADS));
