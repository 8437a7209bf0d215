// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope top on a terminal: its keys, and lines that fit. */
#include "ktap.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COLUMNS	  90
#define ROWS	  24
#define TEXT_SIZE (1 << 20)
#define PATIENCE  60000 /* ms; a slow machine takes seconds for a picture */

/* The program that is shown, top, and what top has written so far. */
static struct {
	pid_t program;
	pid_t top;
	int terminal;
	char text[TEXT_SIZE];
	size_t length;
	size_t seen; /* expect() has found what is before */
} run;

static void start_program(void)
{
	run.program = fork();
	if (run.program)
		return;
	for (volatile unsigned long i = 0;; i++)
		;
}

static void start_top(void)
{
	const struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", run.program);
	run.top = forkpty(&run.terminal, NULL, NULL, &size);
	if (run.top)
		return;
	setenv("TERM", "xterm", 1);
	execlp("pmscope", "pmscope", "top", "-d", "0.3", "-p", pid, NULL);
	_exit(127);
}

/* Waits until top writes @wanted, behind what was expected before. */
static bool expect(const char *wanted)
{
	struct pollfd fd = {.fd = run.terminal, .events = POLLIN};

	for (;;) {
		char *found = strstr(run.text + run.seen, wanted);
		ssize_t got;

		if (found) {
			run.seen = found - run.text + strlen(wanted);
			return true;
		}
		if (run.length == TEXT_SIZE - 1 || poll(&fd, 1, PATIENCE) <= 0)
			return false;
		got = read(run.terminal, run.text + run.length,
			   TEXT_SIZE - 1 - run.length);
		if (got <= 0)
			return false;
		run.length += got;
		run.text[run.length] = '\0';
	}
}

static void press(const char *keys)
{
	EXPECT_EQ(write(run.terminal, keys, strlen(keys)),
		  (ssize_t)strlen(keys));
}

/* Columns of the longest line of a table, without escape sequences. */
static int longest(const char *text)
{
	int columns = 0, most = 0;
	bool is_comment = false;

	for (; *text; text++) {
		if (*text == '\033') {
			text += strcspn(text, "HJKhlm");
			if (!*text)
				break;
			continue;
		}
		if (*text == '\r' || *text == '\n') {
			most = columns > most && !is_comment ? columns : most;
			columns = 0;
			continue;
		}
		if (!columns++)
			is_comment = *text == '#' && text[2] != 'S';
	}
	return most;
}

static void use_keys(void)
{
	int status = -1;

	ASSERT_TRUE(expect("\033[?1049h"));
	ASSERT_TRUE(expect("sorted by sym,dso\r\n"));
	ASSERT_TRUE(expect("# Share"));
	press("s");
	ASSERT_TRUE(expect("sorted by comm,tid\r\n"));
	ASSERT_TRUE(expect("top_keys"));
	press("w");
	ASSERT_TRUE(expect("sorted by comm,tid, by latency\r\n"));
	press("f");
	ASSERT_TRUE(expect("filter: "));
	press("comm=nobody\n");
	ASSERT_TRUE(expect(", of those with comm=nobody\r\n"));
	ASSERT_TRUE(expect("# nothing was sampled"));
	EXPECT_LE(longest(run.text), COLUMNS);
	press("f");
	ASSERT_TRUE(expect("filter: "));
	press("nonsense\n");
	ASSERT_TRUE(expect("unknown filter 'nonsense'"));
	press("c");
	ASSERT_TRUE(expect("by comm,tid, by latency\r\n"));
	ASSERT_TRUE(expect("top_keys"));
	press("q");
	ASSERT_TRUE(expect("\033[?1049l"));
	EXPECT_EQ(waitpid(run.top, &status, 0), run.top);
	EXPECT_EQ(status, 0);
}

TEST(keys_change_the_picture)
{
	if (access("/sys/bus/event_source/devices/arm_spe_0", F_OK))
		SKIP("no arm_spe_0");
	start_program();
	start_top();
	ASSERT_GE(run.top, 0);
	use_keys();
	if (!waitpid(run.top, NULL, WNOHANG))
		kill(run.top, SIGKILL);
	kill(run.program, SIGKILL);
	waitpid(run.program, NULL, 0);
}

KTAP_MAIN
