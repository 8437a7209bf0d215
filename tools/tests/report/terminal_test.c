// SPDX-License-Identifier: GPL-2.0-or-later
/* What report prints on a terminal: tables that fit, colours, a pager. */
#include "command.h"
#include "ktap.h"
#include "recording_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define TEXT_SIZE (1 << 17)
#define THREADS	  60
#define SECOND	  UINT64_C(1000000000)

/* Threads with a name of their own, 1 to 60 samples each in one long name. */
static void record_threads(struct bytes *b)
{
	uint64_t time = SECOND;

	begin(b);
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
	perfdata_end(b);
}

/*
 * Its output on a terminal of @columns, after the variables and with the
 * options. Returns the exit status.
 */
static int on_terminal(const struct bytes *b, int columns,
		       const char *variables, const char *options,
		       char text[TEXT_SIZE])
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
	end = fread(text, 1, TEXT_SIZE - 1, pipe);
	status = pclose(pipe);
	for (size_t i = 0; i < end; i++)
		if (text[i] != '\r')
			text[at++] = text[i];
	text[at] = '\0';
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool has_terminal(void)
{
	return !system("script -qec true /dev/null >/dev/null 2>&1 </dev/null");
}

#define NEED_TERMINAL()                                      \
	do {                                                 \
		if (!has_terminal())                         \
			SKIP("no script(1) for a terminal"); \
	} while (0)

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

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strncmp(line, titles[i], strlen(titles[i])))
			return true;
	return *line != '#';
}

/* Returns how many lines of tables there are. */
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

TEST(tables_fit_the_terminal)
{
	static const char *const views[] = {
		"--sort=sym,dso",
		"--sort=comm,tid,dso",
		"--sort=line,file,frames",
		"--cachelines",
		"--cachelines --weight=latency",
		"--timeline",
		"--sort=sym,dso,comm,pid,tid,cpu,op,event",
	};
	static char text[TEXT_SIZE];
	BYTES b = {};

	NEED_TERMINAL();
	record_threads(&b);
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		for (int columns = 60; columns <= 240; columns += 45) {
			char options[128];

			/* Eight keys have no room on a narrow one. */
			if (i == 6 && columns < 150)
				continue;
			snprintf(options, sizeof(options), "report %s",
				 views[i]);
			ktap_note("%d %s", columns, options);
			EXPECT_EQ(on_terminal(&b, columns,
					      "CI=1 NO_COLOR=1 PAGER=cat",
					      options, text),
				  0);
			EXPECT_GE(expect_lines_fit(text, columns), 2);
		}
}

/* Lines that begin with a share, "12.34%". */
static int nr_rows(const char *text)
{
	int nr = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		nr += *text != '#' &&
		      memchr(text, '%', length < 7 ? length : 7);
		text += length + (text[length] == '\n');
	}
	return nr;
}

/* The first row: of the thread with the most samples. */
static void first_row(const char *text, char row[64])
{
	double share = -1;
	int samples = -1;

	while (*text && (*text == '#' ||
			 sscanf(text, " %lf%% %d", &share, &samples) != 2))
		text += strcspn(text, "\n") + 1;
	snprintf(row, 64, "%.2f %d", share, samples);
}

TEST(a_terminal_gets_50_rows_a_file_all)
{
	static char shown[TEXT_SIZE], whole[TEXT_SIZE];
	char row[2][64];
	BYTES b = {};

	NEED_TERMINAL();
	record_threads(&b);
	EXPECT_EQ(on_terminal(&b, 80, "CI=1 NO_COLOR=1 PAGER=cat",
			      "report --sort=tid", shown),
		  0);
	EXPECT_EQ(nr_rows(shown), 50);
	EXPECT_TRUE(strstr(shown, "\n# 10 more rows (--limit)\n"));
	EXPECT_EQ(on_terminal(&b, 80, "CI=1 NO_COLOR=1 PAGER=cat",
			      "report --sort=tid --limit=55", shown),
		  0);
	EXPECT_EQ(nr_rows(shown), 55);
	EXPECT_EQ(command_pmscope_text(&b, "report --sort=tid", whole,
				       sizeof(whole)),
		  0);
	EXPECT_EQ(nr_rows(whole), THREADS);
	EXPECT_TRUE(!strstr(whole, "more rows"));
	first_row(shown, row[0]);
	first_row(whole, row[1]);
	EXPECT_STREQ(row[0], row[1]);
	/* 60 of 1 + 2 + ... + 60 */
	EXPECT_STREQ(row[0], "3.28 60");
}

/* All of each sentence is there, in as many lines as it needs. */
TEST(sentences_are_wrapped)
{
	static char text[TEXT_SIZE];
	BYTES b = {};
	int lines = 0;
	char *line;

	NEED_TERMINAL();
	record_threads(&b);
	EXPECT_EQ(on_terminal(&b, 40, "CI=1 PAGER=", "report --sort=comm",
			      text),
		  0);
	for (line = strchr(text, '#'); line && line[1] == ' ';
	     line = strchr(line, '\n') + 1, lines++)
		EXPECT_LE(width_of(line, strcspn(line, "\n")), 40);
	EXPECT_TRUE(lines > 1);
	EXPECT_TRUE(line && line - text > 4 && line[-2] == '.');
}

TEST(colours_are_for_terminals)
{
	static char text[TEXT_SIZE];
	BYTES b = {};

	NEED_TERMINAL();
	record_threads(&b);
	EXPECT_EQ(on_terminal(&b, 80, "CI=1 PAGER=", "report --sort=comm",
			      text),
		  0);
	EXPECT_TRUE(strstr(text, "\033[31m100.00%\033[m"));
	EXPECT_EQ(on_terminal(&b, 80, "CI=1 PAGER= NO_COLOR=1",
			      "report --sort=comm", text),
		  0);
	EXPECT_TRUE(!strchr(text, '\033'));
	EXPECT_EQ(on_terminal(&b, 80, "CI=1 PAGER= TERM=dumb",
			      "report --sort=comm", text),
		  0);
	EXPECT_TRUE(!strchr(text, '\033'));
	EXPECT_EQ(command_pmscope_text(&b, "report --sort=comm", text,
				       sizeof(text)),
		  0);
	EXPECT_TRUE(!strchr(text, '\033'));
	EXPECT_EQ(command_pmscope_text(&b, "--color=always report --sort=comm",
				       text, sizeof(text)),
		  0);
	EXPECT_TRUE(strstr(text, "\033[31m100.00%\033[m"));
}

/* Each pager here marks the lines that it shows. */
static bool is_shown_by(const struct bytes *b, const char *variables,
			const char *options, const char *mark)
{
	static char text[TEXT_SIZE];

	EXPECT_EQ(on_terminal(b, 80, variables, options, text), 0);
	EXPECT_TRUE(strstr(text, "SPE samples"));
	return !strncmp(text, mark, strlen(mark));
}

TEST(a_terminal_has_a_pager)
{
	static const char report[] = "report --sort=comm";
	static char text[TEXT_SIZE];
	BYTES b = {};

	NEED_TERMINAL();
	record_threads(&b);
#define ONE "CI=1 PAGER=\\\"sed s/^/one:/\\\" "
#define TWO "PMSCOPE_PAGER=\\\"sed s/^/two:/\\\" "
	EXPECT_TRUE(is_shown_by(&b, ONE, report, "one:# "));
	EXPECT_TRUE(is_shown_by(&b, ONE TWO, report, "two:# "));
	EXPECT_TRUE(is_shown_by(&b, ONE "PMSCOPE_PAGER=cat", report, "# "));
	EXPECT_TRUE(is_shown_by(&b, ONE, "--no-pager report", "# "));
	EXPECT_TRUE(is_shown_by(&b, ONE, "report --no-pager", "# "));
	/* What fails, fails through a pager, too, and says so in it. */
	EXPECT_EQ(on_terminal(&b, 80, ONE, "script --raw", text), 1);
	EXPECT_TRUE(strstr(text, "one:pmscope: "));
	EXPECT_EQ(command_pmscope_text(
			  &b, "--no-pager --color=never report --sort=comm",
			  text, sizeof(text)),
		  0);
}

/* Its table is on standard error, and the program's output is not in it. */
TEST(stat_has_a_pager)
{
	static char text[TEXT_SIZE];
	BYTES b = {};

	NEED_TERMINAL();
	record_threads(&b);
	if (on_terminal(&b, 80, "PAGER=cat", "stat -e page-faults -- true",
			text))
		SKIP("no permission to count");
	EXPECT_TRUE(strstr(text, "\n Counts for 'true':\n"));
	EXPECT_EQ(on_terminal(&b, 80, ONE,
			      "stat -e page-faults -- sh -c \\\"echo own\\\"",
			      text),
		  0);
	EXPECT_TRUE(!strncmp(text, "own\none:\none: Counts for 'sh':\n", 31));
	EXPECT_TRUE(!strstr(text, "\n "));
	EXPECT_EQ(on_terminal(&b, 80, ONE,
			      "stat --no-pager -e page-faults -- true", text),
		  0);
	EXPECT_TRUE(!strstr(text, "one:"));
	/* Intervals are shown as they come. */
	EXPECT_EQ(on_terminal(&b, 80, ONE,
			      "stat -I 10 -e page-faults -- "
			      "sh -c \\\"sleep 0.05\\\"",
			      text),
		  0);
	EXPECT_TRUE(!strstr(text, "one:#") && strstr(text, "page-faults\n"));
	EXPECT_EQ(on_terminal(&b, 80, ONE, "stat -x , -e page-faults -- true",
			      text),
		  0);
	EXPECT_TRUE(!strstr(text, "one:"));
}

/* Two thirds are in a file that is not here, the rest in other memory. */
TEST(a_missing_symbol_says_what_would_bring_it)
{
	static char text[TEXT_SIZE];
	BYTES b = {};

	begin(&b);
	comm_at(&b, 0, "a", 1, 1, 1);
	map_at(&b, 0x1000, "/nowhere/\033[31mprogram", 1, 1);
	map_at(&b, 0x5000, "//anon", 1, 1);
	map_at(&b, 0x9000, "/nowhere/rare", 1, 1);
	for (uint64_t i = 0; i < 200; i++)
		load_at(&b, 0, 1, 0x1000 + i, 10 + i);
	for (uint64_t i = 0; i < 99; i++)
		load_at(&b, 0, 1, 0x5000 + i, 300 + i);
	load_at(&b, 0, 1, 0x9100, 500);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, "report", text, sizeof(text)), 0);
	EXPECT_TRUE(strstr(text,
			   "\n# 66.67% of samples have no symbol, in "
			   "/nowhere/?[31mprogram: install its debug "
			   "package, set DEBUGINFOD_URLS, or use --symfs "
			   "with the machine's files\n# 33.00% of samples "
			   "have no symbol, in //anon: code without a "
			   "file gets names from /tmp/perf-PID.map or a "
			   "jitdump\n"));
	EXPECT_TRUE(!strstr(text, "0.33% of samples"));
	EXPECT_EQ(command_pmscope_text(&b, "report -v", text, sizeof(text)), 0);
	EXPECT_TRUE(strstr(text, "\n# 0.33% of samples have no symbol, in "
				 "/nowhere/rare: install "));
}

TEST(small_rows_are_left_out)
{
	static char text[TEXT_SIZE];
	BYTES b = {};

	record_threads(&b);
	/* n of 1830 are 2 % from 37 on. */
	EXPECT_EQ(command_pmscope_text(&b,
				       "report --sort=tid --percent-limit=2%",
				       text, sizeof(text)),
		  0);
	EXPECT_EQ(nr_rows(text), THREADS - 36);
	EXPECT_TRUE(strstr(text, "# 36 more rows (--percent-limit)\n"));
	EXPECT_EQ(command_pmscope_text(
			  &b,
			  "report --sort=tid --percent-limit=2 --limit=3 -q",
			  text, sizeof(text)),
		  0);
	EXPECT_EQ(nr_rows(text), 3);
	EXPECT_TRUE(!strchr(text, '#'));
	EXPECT_EQ(command_pmscope_text(&b, "report --stdio -n -v --sort=tid",
				       text, sizeof(text)),
		  0);
	EXPECT_EQ(nr_rows(text), THREADS);
}

KTAP_MAIN
