/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cli/measure.h"

/* Records SPE into memory for one interval of `pmscope top`. */

#define INTERVAL_PATH 32

enum interval_end {
	INTERVAL_TIME,
	INTERVAL_KEY,	/* the user quits */
	INTERVAL_SIGNAL /* or nothing is left to measure, or no terminal */
};

/* What to record, and the result */
struct interval {
	struct measure_options measure; /* -a if nothing is named */
	const char *event;		/* in perf's syntax */
	bool keys;			/* also wait for standard input */
	int signal_fd;			/* from measure_signals() */
	char path[INTERVAL_PATH];	/* last whole interval; "": none */
	uint64_t ns;			/* how long it was */
	int fd;				/* of @path, -1 at the start */
};

/*
 * Records for @ns. Calls @key(@context) where the user may have pressed a key
 * or the terminal may have another size; it returns false to stop. Returns enum
 * interval_end, or -errno after error().
 */
int interval_record(struct interval *interval, uint64_t ns,
		    bool (*key)(void *context), void *context);
void interval_fini(struct interval *interval);

/*
 * The whole terminal for `pmscope top`, and its keys, by ncurses. If the tool
 * was built without ncurses, screen_open() fails.
 */

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
