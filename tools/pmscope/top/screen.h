/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole terminal for `pmscope top`, and its keys. */
#ifndef PMSCOPE_TOP_SCREEN_H
#define PMSCOPE_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Are both standard input and output terminals that can be drawn on? */
bool screen_is_there(void);

void screen_open(void);
void screen_close(void);

/* Before each picture: clears the screen. */
void screen_clear(void);

/* Reads a key; 0 if there is none. */
char screen_key(void);

/*
 * Asks for a line below the picture. Returns false for an empty one. Without
 * the line end, at most @size bytes.
 */
bool screen_ask(const char *question, char *text, size_t size);

#endif /* PMSCOPE_TOP_SCREEN_H */
