// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/print.h"

/* Writes one character of @s and advances; a quote is doubled. */
static char *put_one(char *p, const unsigned char **s)
{
	if (**s == '"')
		*p++ = '"';
	return text_escape(p, s);
}

/*
 * Spreadsheets run a field that begins like this as a formula, except a
 * negative number.
 */
static bool is_formula(const char *text)
{
	if (*text == '-' && text[1] &&
	    !text[1 + strspn(text + 1, "0123456789.")])
		return false;
	return *text && strchr("=+-@\t\r", *text);
}

char *csv_field(char *p, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	bool quotes = strpbrk(text, ",\"");

	if (quotes)
		*p++ = '"';
	if (is_formula(text))
		*p++ = '\'';
	while (*s)
		if (*s >= 0x20 && *s < 0x7f && *s != '"')
			*p++ = *s++;
		else
			p = put_one(p, &s);
	if (quotes)
		*p++ = '"';
	return p;
}

static void write_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	char one[TEXT_ESCAPED + 1];

	while (*s)
		fwrite(one, 1, put_one(one, &s) - one, out);
}

void csv_separated(FILE *out, const char *text, const char *sep)
{
	bool quotes = strchr(text, '"') || (*sep && strstr(text, sep));

	if (quotes)
		fputc('"', out);
	if (is_formula(text))
		fputc('\'', out);
	write_text(out, text);
	if (quotes)
		fputc('"', out);
}

void csv_string(FILE *out, const char *text)
{
	csv_separated(out, text, ",");
}

static char *put_listed(char *p, const unsigned char **s)
{
	if (**s == '|' || **s == '\\')
		*p++ = '\\';
	return put_one(p, s);
}

char *csv_listed(char *p, const char *name, bool first)
{
	const unsigned char *s = (const unsigned char *)name;

	if (!first)
		*p++ = '|';
	else if (is_formula(name))
		*p++ = '\'';
	while (*s)
		p = put_listed(p, &s);
	return p;
}

void csv_put_listed(FILE *out, const char *name, bool first)
{
	const unsigned char *s = (const unsigned char *)name;
	char one[TEXT_ESCAPED + 2];

	fwrite(one, 1, csv_listed(one, "", first) - one, out);
	if (first && is_formula(name))
		fputc('\'', out);
	while (*s)
		fwrite(one, 1, put_listed(one, &s) - one, out);
}
