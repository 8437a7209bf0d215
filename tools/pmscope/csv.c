// SPDX-License-Identifier: GPL-2.0-or-later
#include "csv.h"
#include "text/text.h"

static int needs_quotes(const char *text)
{
	return strpbrk(text, ",\"\r\n") != NULL;
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

void csv_string(FILE *out, const char *text)
{
	char one[2];

	if (!needs_quotes(text)) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++)
		fwrite(one, 1, quoted_one(one, *text) - one, out);
	fputc('"', out);
}
