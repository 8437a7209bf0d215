// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/print.h"

#define DOTS 2

/* Columns of a character: wide ones of East Asia and pictures have two. */
static int code_width(uint32_t code)
{
	static const uint32_t wide[][2] = {
		{0x1100, 0x115f}, {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
		{0xf900, 0xfaff}, {0xfe30, 0xfe6f},   {0xff00, 0xff60},
		{0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
	};

	if (code >= 0x300 && code < 0x370)
		return 0; /* written over the letter before */
	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		if (code >= wide[i][0] && code <= wide[i][1])
			return 2;
	return 1;
}

/* The bytes of the first character, and its columns. */
static int next(const char *name, int *columns)
{
	const unsigned char *s = (const unsigned char *)name;
	int length = text_utf8(s);

	if (!length || text_steers(text_code(s, length))) {
		length = length ? length : 1;
		*columns = length; /* a question mark for each byte */
		return length;
	}
	*columns = code_width(text_code(s, length));
	return length;
}

int name_width(const char *name)
{
	int width = 0, columns;

	while (*name) {
		name += next(name, &columns);
		width += columns;
	}
	return width;
}

/* Writes what fits in @room columns; returns how many it has. */
static int put_until(FILE *out, const char *name, int room)
{
	int width = 0, columns;

	while (*name) {
		int length = next(name, &columns);
		char one[4];

		if (columns > room - width)
			break;
		fwrite(one, 1, text_clean(one, name, length) - one, out);
		name += length;
		width += columns;
	}
	return width;
}

static void pad(FILE *out, int width, int wanted)
{
	for (; width < wanted; width++)
		fputc(' ', out);
}

void name_put(FILE *out, const char *name, int width)
{
	pad(out, put_until(out, name, name_width(name)), width);
}

void name_put_cut(FILE *out, const char *name, int width, bool keep_end)
{
	int has = name_width(name), columns, left = DOTS;

	if (has <= width || width <= DOTS) {
		pad(out, put_until(out, name, width), width);
		return;
	}
	if (!keep_end) {
		left = put_until(out, name, width - DOTS);
		fputs("..", out);
		pad(out, left + DOTS, width);
		return;
	}
	while (has > width - DOTS) {
		name += next(name, &columns);
		has -= columns;
	}
	fputs("..", out);
	pad(out, DOTS + put_until(out, name, has), width);
}

/* The bytes of the words that fit, at least of the first one. */
static size_t line_length(const char *text, int room)
{
	int width = 0, columns;
	size_t fits = 0, at = 0;

	for (; text[at]; at += next(text + at, &columns), width += columns) {
		if (text[at] == ' ' && width <= room)
			fits = at;
		if (width >= room && fits)
			return fits;
	}
	return width <= room || !fits ? at : fits;
}

int name_put_lines(FILE *out, const char *prefix, const char *text)
{
	int room = (terminal_width() ?: INT_MAX) - name_width(prefix), nr = 0;

	for (; *text; nr++) {
		size_t length = line_length(text, room);
		char *line = strndup(text, length);

		fputs(prefix, out);
		if (line)
			name_put(out, line, 0);
		fputc('\n', out);
		free(line);
		text += length + (text[length] == ' ');
	}
	return nr;
}
