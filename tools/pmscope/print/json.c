// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/json.h"
#include "base/text.h"

#include <stdbool.h>

/* One character of @s, escaped if it must be; moves @s behind it. */
static char *quote_one(char *p, const unsigned char **s)
{
	if (**s != '"' && **s != '\\')
		return text_escape(p, s);
	*p++ = '\\';
	*p++ = *(*s)++;
	return p;
}

/* ASCII as it is. */
static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

char *json_quote(char *p, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	*p++ = '"';
	while (*s)
		if (is_plain(*s))
			*p++ = *s++;
		else
			p = quote_one(p, &s);
	*p++ = '"';
	return p;
}

void json_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	char one[8];

	fputc('"', out);
	while (*s)
		fwrite(one, 1, quote_one(one, &s) - one, out);
	fputc('"', out);
}
