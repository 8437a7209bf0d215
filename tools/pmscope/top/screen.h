/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole terminal for `pmscope top`, and its keys, by ncurses. If the tool
 * was built without ncurses, screen_open() fails.
 */
#pragma once

#include "base/std.h"

/* What screen_key() returns beside characters. */
enum screen_key {
	SCREEN_NO_KEY = -1,
	SCREEN_RESIZED = -2, /* the terminal has another size */
	SCREEN_ENTER = '\n',
	SCREEN_ESCAPE = '\033',
	SCREEN_BACKSPACE = '\b'
};

#ifdef PMSCOPE_NCURSES

/*
 * Returns false unless standard input and output are a terminal that can be
 * drawn on. From now on, messages are shown on the screen.
 */
bool screen_open(void);

/* Restores the terminal; then prints a message that was not shown. */
void screen_close(void);

/*
 * Draws @text, and in the last line a message or else @bottom. Only the colours
 * of tables may be in @text as escape sequences.
 */
void screen_draw(const char *text, const char *bottom);

/* Returns a key, at once. */
int screen_key(void);

#else

static inline bool screen_open(void)
{
	return false;
}

static inline void screen_close(void)
{
}

static inline void screen_draw(const char *, const char *)
{
}

static inline int screen_key(void)
{
	return SCREEN_NO_KEY;
}

#endif /* PMSCOPE_NCURSES */
