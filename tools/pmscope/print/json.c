// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/print.h"

/* Writes one character of @s, escaped if necessary, and advances. */
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

/* Writes the comma and the key before a value. */
static void begin(struct json *json, const char *key)
{
	if (json->comma)
		fputc(',', json->out);
	json->comma = true;
	if (key) {
		json_text(&(struct json){.out = json->out,
					 .in_html = json->in_html},
			  NULL, key);
		fputc(':', json->out);
	}
}

static void open(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	fputc(bracket, json->out);
	json->comma = false;
}

static void bracket_close(struct json *json, char bracket)
{
	fputc(bracket, json->out);
	json->comma = true;
}

void json_begin_line(struct json *json)
{
	json->comma = false;
	open(json, NULL, '{');
}

void json_end_line(struct json *json)
{
	fputs("}\n", json->out);
}

void json_begin_object(struct json *json, const char *key)
{
	open(json, key, '{');
}

void json_end_object(struct json *json)
{
	bracket_close(json, '}');
}

void json_begin_array(struct json *json, const char *key)
{
	open(json, key, '[');
}

void json_end_array(struct json *json)
{
	bracket_close(json, ']');
}

void json_begin_text(struct json *json, const char *key)
{
	begin(json, key);
	fputc('"', json->out);
}

void json_end_text(struct json *json)
{
	fputc('"', json->out);
}

void json_text(struct json *json, const char *key, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	char one[8];

	json_begin_text(json, key);
	while (*s) {
		if (json->in_html && *s == '<') {
			fputs("\\u003c", json->out);
			s++;
			continue;
		}
		fwrite(one, 1, quote_one(one, &s) - one, json->out);
	}
	json_end_text(json);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_signed(struct json *json, const char *key, int64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void json_real(struct json *json, const char *key, int decimals, double value)
{
	begin(json, key);
	fprintf(json->out, "%.*f", decimals, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	begin(json, key);
	fputs("null", json->out);
}

void json_hex(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", value);
}
