// SPDX-License-Identifier: GPL-2.0-or-later
#include "json.h"
#include "text/text.h"

#include <stdbool.h>

/* The length of the UTF-8 sequence at @s, 0 for what is none (RFC 3629). */
static int utf8_length(const unsigned char *s)
{
	int len = s[0] < 0x80	? 1
		  : s[0] < 0xc2 ? 0
		  : s[0] < 0xe0 ? 2
		  : s[0] < 0xf0 ? 3
		  : s[0] < 0xf5 ? 4
				: 0;

	for (int i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* One character of @s, escaped if it must be; moves @s behind it. */
static char *quote_one(char *p, const unsigned char **s)
{
	int len = utf8_length(*s);

	if (!len)
		p = text_string(p, "\\ufffd");
	else if (**s == '"' || **s == '\\')
		p = text_bytes(text_string(p, "\\"), (const char *)*s, 1);
	else if (**s < 0x20 || **s == 0x7f)
		p = text_hex(text_string(p, "\\u"), **s, 4);
	else
		p = text_bytes(p, (const char *)*s, len);
	*s += len ? len : 1;
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
