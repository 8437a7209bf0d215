// SPDX-License-Identifier: GPL-2.0-or-later
#include "csv.h"
#include "text/text.h"

#include <stdbool.h>

static bool needs_quotes(const char *text)
{
	return strpbrk(text, ",\"\r\n");
}

/* A quote inside a field is written twice. */
static char *quoted_one(char *p, char c)
{
	if (c == '"')
		*p++ = '"';
	*p++ = c;
	return p;
}

char *csv_field(char *p, const char *text)
{
	if (!needs_quotes(text))
		return text_string(p, text);
	*p++ = '"';
	for (; *text; text++)
		p = quoted_one(p, *text);
	*p++ = '"';
	return p;
}

void csv_part(FILE *out, const char *text)
{
	char one[2];

	for (; *text; text++)
		fwrite(one, 1, quoted_one(one, *text) - one, out);
}

void csv_separated(FILE *out, const char *text, const char *sep)
{
	if (!strpbrk(text, "\"\r\n") && !(*sep && strstr(text, sep))) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	csv_part(out, text);
	fputc('"', out);
}

void csv_string(FILE *out, const char *text)
{
	csv_separated(out, text, ",");
}
