// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope top on a terminal: what it shows, its keys, and what it leaves. */
#include "ktap.h"

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <termios.h>
#include <utmp.h>

#define COLUMNS	  90
#define ROWS	  24
#define TURNS	  100	/* of a few hundred bytes: some pictures */
#define PATIENCE  60000 /* ms; a slow machine takes seconds for a picture */
#define NAME_SIZE 16
#define HOSTILE	  "\033[2J<b>\"\033]0;"
#define HARMLESS  "?[2J<b>\"?]0;"

/* A terminal that knows nothing else; ncurses has no shorter way to draw. */
static const char description[] =
	"pmscope-test|for tests,\n"
	"\tam, xenl, cols#80, lines#24, colors#8, pairs#64,\n"
	"\tclear=\\E[H\\E[J, cup=\\E[%i%p1%d;%p2%dH, el=\\E[K, ed=\\E[J,\n"
	"\tsmcup=\\E[?1049h, rmcup=\\E[?1049l, civis=\\E[?25l, "
	"cnorm=\\E[?25h,\n"
	"\tbold=\\E[1m, sgr0=\\E[m, setaf=\\E[3%p1%dm, setab=\\E[4%p1%dm,\n"
	"\top=\\E[39;49m,\n";

/* The program that is shown, top, and what stands on the terminal. */
static struct {
	pid_t program;
	pid_t top;
	int fd;
	struct termios before;
	int rows;
	int columns;
	int row;
	int column;
	char cell[ROWS][COLUMNS + 1];
	char sequence[32]; /* that has begun */
	size_t length;
	bool is_second;	 /* screen */
	bool was_second; /* at any time */
	bool is_hidden;	 /* cursor */
	int strange;	 /* sequences that the description does not have */
} run;

static void start_program(void)
{
	run.program = fork();
	if (run.program)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, HOSTILE);
	for (volatile unsigned long i = 0;; i++)
		;
}

static void run_top(int terminal, const char *term)
{
	char pid[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(pid, sizeof(pid), "%d", run.program);
	login_tty(terminal);
	setenv("TERM", term, 1);
	setenv("TERMINFO", "/tmp/top_keys.terminfo", 1);
	execlp("pmscope", "pmscope", "top", "-d", "0.3", "-p", pid, NULL);
	_exit(127);
}

static void set_size(int rows, int columns)
{
	const struct winsize size = {.ws_row = rows, .ws_col = columns};

	run.rows = rows;
	run.columns = columns;
	for (int i = 0; i < ROWS; i++)
		memset(run.cell[i] + (i < rows ? columns : 0), 0,
		       sizeof(run.cell[i]) - (i < rows ? columns : 0));
	ASSERT_EQ(ioctl(run.fd, TIOCSWINSZ, &size), 0);
}

static void start_top(const char *term)
{
	int terminal;

	memset(&run, 0, sizeof(run));
	start_program(); /* has no part of the terminal, which ends with top */
	ASSERT_EQ(openpty(&run.fd, &terminal, NULL, NULL, NULL), 0);
	set_size(ROWS, COLUMNS);
	ASSERT_EQ(tcgetattr(run.fd, &run.before), 0);
	run.top = fork();
	if (!run.top)
		run_top(terminal, term);
	close(terminal);
}

static void clear(int row, int column)
{
	if (row < run.rows)
		memset(run.cell[row] + column, ' ', run.columns - column);
}

/* The last character of a sequence has come. */
static void obey(const char *sequence)
{
	char last = sequence[strlen(sequence) - 1];
	int row = 1, column = 1;

	if (!strcmp(sequence, "\033[?1049h") ||
	    !strcmp(sequence, "\033[?1049l"))
		run.was_second |= run.is_second = last == 'h';
	else if (!strcmp(sequence, "\033[?25h") ||
		 !strcmp(sequence, "\033[?25l"))
		run.is_hidden = last == 'l';
	else if (!strcmp(sequence, "\033[H") ||
		 (last == 'H' &&
		  sscanf(sequence, "\033[%d;%dH", &row, &column) == 2)) {
		run.row = row - 1;
		run.column = column - 1;
	} else if (!strcmp(sequence, "\033[K") || !strcmp(sequence, "\033[J")) {
		clear(run.row, run.column);
		for (int i = run.row + 1; last == 'J' && i < run.rows; i++)
			clear(i, 0);
	} else if (last != 'm')
		run.strange++;
}

static void put(char c)
{
	if (run.column == run.columns) {
		run.column = 0;
		run.row++;
	}
	if (run.row < run.rows && run.column < run.columns)
		run.cell[run.row][run.column] = c;
	run.column++;
}

static void take(char c)
{
	if (run.length || c == '\033') {
		run.sequence[run.length++] = c;
		run.sequence[run.length] = '\0';
		if ((run.length > 2 && c >= '@') ||
		    (run.length == 2 && c != '[') ||
		    run.length == sizeof(run.sequence) - 1) {
			obey(run.sequence);
			run.length = 0;
		}
	} else if (c == '\r') {
		run.column = 0;
	} else if (c == '\n') {
		run.row++;
	} else if (c == '\b') {
		run.column--;
	} else {
		put(c);
	}
}

/* Of the first row from @row on that has @wanted; -1: none has. */
static int find(const char *wanted, int row)
{
	for (; row < run.rows; row++)
		if (strstr(run.cell[row], wanted))
			return row;
	return -1;
}

/* Reads once what top writes. False at the end, or if it writes nothing. */
static bool look(void)
{
	struct pollfd fd = {.fd = run.fd, .events = POLLIN};
	char text[4096];
	ssize_t got;

	if (poll(&fd, 1, PATIENCE) <= 0)
		return false;
	got = read(run.fd, text, sizeof(text));
	for (ssize_t i = 0; i < got; i++)
		take(text[i]);
	return got > 0;
}

/* Waits until @wanted stands in @row or below. */
static bool expect(const char *wanted, int row)
{
	for (int turn = 0; find(wanted, row) < 0; turn++)
		if (turn == 10 * TURNS || !look()) {
			for (int i = 0; i < run.rows; i++)
				ktap_note("%2d %s", i, run.cell[i]);
			ktap_note("without '%s'", wanted);
			return false;
		}
	return true;
}

static void press(const char *keys)
{
	EXPECT_EQ(write(run.fd, keys, strlen(keys)), (ssize_t)strlen(keys));
}

static void expect_end(void)
{
	struct termios now = {};
	int status = -1;

	while (look())
		;
	EXPECT_EQ(waitpid(run.top, &status, 0), run.top);
	EXPECT_EQ(status, 0);
	EXPECT_FALSE(run.is_second);
	EXPECT_FALSE(run.is_hidden);
	EXPECT_EQ(run.strange, 0);
	ASSERT_EQ(tcgetattr(run.fd, &now), 0);
	EXPECT_EQ(now.c_lflag, run.before.c_lflag);
	EXPECT_EQ(now.c_iflag, run.before.c_iflag);
	EXPECT_EQ(now.c_oflag, run.before.c_oflag);
	EXPECT_MEMEQ(now.c_cc, run.before.c_cc, sizeof(now.c_cc));
}

static void describe_terminal(void)
{
	FILE *tic = popen("tic -o /tmp/top_keys.terminfo -", "w");

	if (tic)
		fputs(description, tic);
	if (!tic || pclose(tic))
		SKIP("no tic, which compiles descriptions of terminals");
}

BEFORE_EACH(if (access("/sys/bus/event_source/devices/arm_spe_0", F_OK))
		    SKIP("no arm_spe_0");
	    describe_terminal());

static bool has_rows(void)
{
	int titles = find("# Share", 0);

	return titles >= 0 && titles + 1 < run.rows &&
	       strchr(run.cell[titles + 1], '%') &&
	       strspn(run.cell[titles + 1], " 0123456789.") < 8;
}

/*
 * No line is longer than the terminal: below the titles there are only rows,
 * but while the next picture is drawn, whose titles may stand elsewhere.
 */
static void expect_rows(void)
{
	for (int turn = 0; turn < TURNS && !has_rows(); turn++)
		look();
	EXPECT_TRUE(has_rows());
}

static void use_keys(void)
{
	ASSERT_TRUE(expect("sorted by sym,dso, by cost  ", 0));
	ASSERT_TRUE(expect("space pause  ", ROWS - 1));
	EXPECT_TRUE(run.is_second && run.is_hidden);
	expect_rows();
	press("s");
	ASSERT_TRUE(expect("sorted by comm,tid, by cost  ", 0));
	ASSERT_TRUE(expect(HARMLESS, 0));
	expect_rows();
	press("w");
	ASSERT_TRUE(expect("sorted by comm,tid, by latency  ", 0));
	press("f");
	ASSERT_TRUE(expect("filter:  ", ROWS - 1));
	press("comm=nobodys\177");
	ASSERT_TRUE(expect("filter: comm=nobody  ", ROWS - 1));
	press("\r");
	ASSERT_TRUE(expect(", of those with ", 0));
	ASSERT_TRUE(expect("# nothing was sampled", 0));
	press("fnonsense\n");
	ASSERT_TRUE(expect("unknown filter 'nonsense'", ROWS - 1));
	press("fop=load\033");
	ASSERT_TRUE(expect("q quit", ROWS - 1));
	press("c");
	ASSERT_TRUE(expect("by comm,tid, by latency  ", 0));
	ASSERT_TRUE(expect(HARMLESS, 0));
}

/* The last picture is drawn again, without waiting for the next one. */
static void change_size(void)
{
	press(" ");
	ASSERT_TRUE(expect("paused", ROWS - 1));
	set_size(ROWS / 2, 60);
	ASSERT_TRUE(expect("paused", ROWS / 2 - 1));
	ASSERT_TRUE(expect("sorted by comm,t", 0));
	expect_rows();
}

TEST(keys_change_the_picture)
{
	start_top("pmscope-test");
	use_keys();
	change_size();
	press("q");
	expect_end();
}

/* Also while the user types a filter. */
TEST(a_signal_leaves_the_terminal_as_it_was)
{
	start_top("pmscope-test");
	EXPECT_TRUE(expect("sorted by sym,dso", 0));
	press("f");
	EXPECT_TRUE(expect("filter:", ROWS - 1));
	kill(run.top, SIGTERM);
	expect_end();
	EXPECT_TRUE(run.was_second);
}

TEST(an_unknown_terminal_gets_lines)
{
	start_top("no-such-terminal");
	EXPECT_TRUE(expect("sorted by sym,dso", 0));
	EXPECT_TRUE(expect("# Share", 0));
	kill(run.top, SIGINT);
	expect_end();
	EXPECT_FALSE(run.was_second);
}
