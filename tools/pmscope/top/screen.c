// SPDX-License-Identifier: GPL-2.0-or-later
#include "top/top.h"

#include <curses.h>
#include <locale.h>

#define ESCAPE_DELAY 25 /* ms that tell the key from a sequence */
#define MESSAGE_SIZE 512

enum {
	PAIR_RED = 1,
	PAIR_GREEN
};

static SCREEN *screen;
static char message[MESSAGE_SIZE]; /* not drawn yet */

static bool is_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term &&
	       strcmp(term, "dumb") != 0;
}

static void keep_message(const char *text)
{
	snprintf(message, sizeof(message), "%s", text);
}

static void choose_colours(void)
{
	if (start_color() != OK)
		return;
	use_default_colors();
	init_pair(PAIR_RED, COLOR_RED, -1);
	init_pair(PAIR_GREEN, COLOR_GREEN, -1);
}

/* Ctrl-C still is a signal. */
static void choose_keys(void)
{
	cbreak();
	noecho();
	nodelay(stdscr, true);
	keypad(stdscr, true);
	set_escdelay(ESCAPE_DELAY);
}

bool screen_open(void)
{
	if (!is_terminal())
		return false;
	/* Names are in UTF-8, as in the output of all commands. */
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		setlocale(LC_CTYPE, "");
	use_tioctl(true); /* not what LINES and COLUMNS say */
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	choose_colours();
	choose_keys();
	curs_set(0);
	message_to(keep_message);
	return true;
}

void screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	message_to(NULL);
	if (*message)
		fprintf(stderr, "%s\n", message);
}

/* Sets what an escape sequence stands for; returns its length. */
static size_t put_escape(const char *text)
{
	const struct {
		const char *sequence;
		attr_t attributes;
	} known[] = {{"\033[m", A_NORMAL},
		     {"\033[1m", A_BOLD},
		     {"\033[31m", COLOR_PAIR(PAIR_RED)},
		     {"\033[32m", COLOR_PAIR(PAIR_GREEN)}};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t length = strlen(known[i].sequence);

		if (strncmp(text, known[i].sequence, length))
			continue;
		attrset(known[i].attributes);
		return length;
	}
	return 1;
}

/* What a line has too much goes to the lines below, which are drawn later. */
static void put_line(int row, const char *text, size_t length)
{
	const char *end = text + length;

	move(row, 0);
	clrtoeol();
	while (text < end) {
		const char *escape = memchr(text, '\033', end - text);
		const char *stop = escape ?: end;

		if (stop > text)
			addnstr(text, stop - text);
		text = escape ? escape + put_escape(escape) : end;
	}
	attrset(A_NORMAL);
}

void screen_draw(const char *text, const char *bottom)
{
	int row = 0;

	for (; *text && row < LINES - 1; row++) {
		size_t length = strcspn(text, "\n");

		put_line(row, text, length);
		text += length + (text[length] == '\n');
	}
	move(row, 0);
	clrtobot();
	bottom = *message ? message : bottom;
	put_line(LINES - 1, bottom, strcspn(bottom, "\n"));
	*message = '\0';
	refresh();
}

int screen_key(void)
{
	int key = getch();

	switch (key) {
	case ERR:
		return SCREEN_NO_KEY;
	case KEY_RESIZE:
		return SCREEN_RESIZED;
	case KEY_ENTER:
	case '\r':
		return SCREEN_ENTER;
	case KEY_BACKSPACE:
	case 0x7f:
		return SCREEN_BACKSPACE;
	default:
		return key;
	}
}
