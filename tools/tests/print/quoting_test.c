// SPDX-License-Identifier: GPL-2.0-or-later
/* Arbitrary names in JSON (RFC 8259) and CSV (RFC 4180). */
#include "ktap.h"

#include "print/print.h"

#define NONE "\\ufffd"

static void expect_printed(void (*print)(FILE *, const char *),
			   const char *text, const char *expected)
{
	size_t size;
	char *got = NULL;
	FILE *out = open_memstream(&got, &size);

	ASSERT_TRUE(out);
	print(out, text);
	fclose(out);
	EXPECT_STREQ(got, expected);
	free(got);
}

/* @inner: without the quotes around it */
static void put_json(FILE *out, const char *text)
{
	struct json json = {.out = out};

	json_text(&json, NULL, text);
}

static void expect_json(const char *text, const char *inner)
{
	char expected[64], got[64];

	snprintf(expected, sizeof(expected), "\"%s\"", inner);
	*json_quote(got, text) = '\0';
	EXPECT_STREQ(got, expected);
	expect_printed(put_json, text, expected);
}

TEST(what_json_has_to_escape)
{
	expect_json("", "");
	expect_json("a b~", "a b~");
	expect_json("say \"c:\\\"", "say \\\"c:\\\\\\\"");
	expect_json("\001\n\037\177", "\\u0001\\u000a\\u001f\\u007f");
	expect_json("\302\200\302\233\302\237\u00a0",
		    "\\u0080\\u009b\\u009f\u00a0");
	expect_json("\u061c\u200e\u200f\u202a\u202e",
		    "\\u061c\\u200e\\u200f\\u202a\\u202e");
	expect_json("\u2066\u2069", "\\u2066\\u2069");
}

/* The first and the last of each length, and those around the surrogates. */
TEST(utf8_stays_in_json)
{
	static const char *const characters[] = {
		"\302\240",	    "\337\277",		"\340\240\200",
		"\340\277\277",	    "\341\200\200",	"\355\237\277",
		"\356\200\200",	    "\357\277\277",	"\360\220\200\200",
		"\360\277\277\277", "\361\200\200\200", "\364\217\277\277",
	};

	for (size_t i = 0; i < ARRAY_SIZE(characters); i++)
		expect_json(characters[i], characters[i]);
}

/* Each invalid byte, and none of the bytes after it. */
TEST(what_is_not_utf8_is_replaced)
{
	expect_json("\200z\277", NONE "z" NONE);
	expect_json("\301\277", NONE NONE);
	expect_json("\340\237\277", NONE NONE NONE);
	expect_json("\360\217\277\277", NONE NONE NONE NONE);
	/* A surrogate, and beyond U+10FFFF. */
	expect_json("\355\240\200", NONE NONE NONE);
	expect_json("\364\220\200\200", NONE NONE NONE NONE);
	expect_json("\365\200\200\200", NONE NONE NONE NONE);
	/* Cut, at the end and by another character. */
	expect_json("\303", NONE);
	expect_json("\342\202", NONE NONE);
	expect_json("\342\202\"", NONE NONE "\\\"");
	expect_json("\360\237\230z", NONE NONE NONE "z");
}

static void expect_csv(const char *text, const char *expected)
{
	char got[64];

	*csv_field(got, text) = '\0';
	EXPECT_STREQ(got, expected);
	expect_printed(csv_string, text, expected);
}

TEST(what_csv_has_to_quote)
{
	expect_csv("", "");
	expect_csv("a;b 'c'", "a;b 'c'");
	expect_csv("pair<a,b>", "\"pair<a,b>\"");
	expect_csv("say \"a\"", "\"say \"\"a\"\"\"");
	expect_csv("a\nb\rc\td", "a\\u000ab\\u000dc\\u0009d");
	expect_csv("\033[1m,\177", "\"\\u001b[1m,\\u007f\"");
	expect_csv("\302\233\u202e\u20ac", "\\u009b\\u202e\u20ac");
	expect_csv("\377z", NONE "z");
}

/* What spreadsheets run as a formula; a number stays a number. */
TEST(formulas_have_an_apostrophe_before)
{
	expect_csv("=1+1", "'=1+1");
	expect_csv("@SUM(A1,A2)", "\"'@SUM(A1,A2)\"");
	expect_csv("+a", "'+a");
	expect_csv("-1+a", "'-1+a");
	expect_csv("-", "'-");
	expect_csv("\t=1", "'\\u0009=1");
	expect_csv("\r=1", "'\\u000d=1");
	expect_csv("-1", "-1");
	expect_csv("-12.50", "-12.50");
	expect_csv("a=b", "a=b");
}

TEST(names_in_a_list)
{
	char got[64];

	*csv_listed(got, "a|b\\\"\033", true) = '\0';
	EXPECT_STREQ(got, "a\\|b\\\\\"\"\\u001b");
	*csv_listed(got, "=a", true) = '\0';
	EXPECT_STREQ(got, "'=a");
	*csv_listed(got, "=a", false) = '\0';
	EXPECT_STREQ(got, "|=a");
}

static void print_semicolons(FILE *out, const char *text)
{
	csv_separated(out, text, ";;");
}

static void print_unseparated(FILE *out, const char *text)
{
	csv_separated(out, text, "");
}

TEST(a_separator_of_ones_own_is_quoted)
{
	expect_printed(print_semicolons, "a,b;c", "a,b;c");
	expect_printed(print_semicolons, "a;;b\"", "\"a;;b\"\"\"");
	expect_printed(print_unseparated, "a,b", "a,b");
}

static void put_values(FILE *out, const char *)
{
	struct json json = {.out = out};

	for (int i = 0; i < 2; i++) {
		json_begin_line(&json);
		json_unsigned(&json, "most", UINT64_MAX);
		json_begin_object(&json, "in");
		json_signed(&json, "least", INT64_MIN);
		json_begin_array(&json, "list");
		json_real(&json, NULL, 3, 0.5);
		json_begin_array(&json, NULL);
		json_end_array(&json);
		json_null(&json, NULL);
		json_end_array(&json);
		json_end_object(&json);
		json_begin_object(&json, "none");
		json_end_object(&json);
		json_bool(&json, "a \"b", true);
		json_hex(&json, "hex", 0xff00);
		json_end_line(&json);
	}
}

#define VALUES                                                    \
	"{\"most\":18446744073709551615,"                         \
	"\"in\":{\"least\":-9223372036854775808,"                 \
	"\"list\":[0.500,[],null]},\"none\":{},\"a \\\"b\":true," \
	"\"hex\":\"0xff00\"}\n"

/* The writer puts commas between the values, and nowhere else. */
CASE(objects_and_arrays, expect_printed(put_values, "", VALUES VALUES));
