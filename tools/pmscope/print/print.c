// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/print.h"

/* Writes one character of @s and advances; a quote is doubled. */
static char *put_one(char *p, const unsigned char **s)
{
	if (**s == '"')
		*p++ = '"';
	return text_escape(p, s);
}

/* Spreadsheets run what begins so as a formula, but for negative numbers. */
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

static void enter(struct json *json, const char *key, char bracket)
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
	enter(json, NULL, '{');
}

void json_end_line(struct json *json)
{
	fputs("}\n", json->out);
}

void json_begin_object(struct json *json, const char *key)
{
	enter(json, key, '{');
}

void json_end_object(struct json *json)
{
	bracket_close(json, '}');
}

void json_begin_array(struct json *json, const char *key)
{
	enter(json, key, '[');
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
