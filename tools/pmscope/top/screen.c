// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Escape sequences that every terminal of today knows (ECMA-48, and xterm's
 * second screen): no database of terminals is needed.
 */
#include "top/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define SECOND_SCREEN "\033[?1049h"
#define FIRST_SCREEN  "\033[?1049l"
#define HIDE_CURSOR   "\033[?25l"
#define SHOW_CURSOR   "\033[?25h"
#define CLEAR	      "\033[H\033[2J"

static struct termios before;
static bool is_open;

bool screen_is_there(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term &&
	       strcmp(term, "dumb") != 0;
}

/* Keys arrive at once and are not shown; Ctrl-C still is a signal. */
static void set_keys(bool at_once)
{
	struct termios now = before;

	if (at_once) {
		now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		now.c_cc[VMIN] = 0;
		now.c_cc[VTIME] = 0;
	}
	tcsetattr(STDIN_FILENO, TCSANOW, &now);
}

void screen_open(void)
{
	if (tcgetattr(STDIN_FILENO, &before))
		return;
	set_keys(true);
	fputs(SECOND_SCREEN HIDE_CURSOR CLEAR, stdout);
	fflush(stdout);
	is_open = true;
}

void screen_close(void)
{
	if (!is_open)
		return;
	set_keys(false);
	fputs(SHOW_CURSOR FIRST_SCREEN, stdout);
	fflush(stdout);
	is_open = false;
}

void screen_clear(void)
{
	fputs(CLEAR, stdout);
}

char screen_key(void)
{
	char key;

	return read(STDIN_FILENO, &key, 1) == 1 ? key : 0;
}

bool screen_ask(const char *question, char *text, size_t size)
{
	ssize_t length;

	set_keys(false);
	printf("\n" SHOW_CURSOR "%s", question);
	fflush(stdout);
	length = read(STDIN_FILENO, text, size - 1);
	fputs(HIDE_CURSOR, stdout);
	set_keys(true);
	text[length > 0 ? length : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return *text;
}
