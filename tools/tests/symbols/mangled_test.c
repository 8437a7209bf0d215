// SPDX-License-Identifier: GPL-2.0-or-later
/* Demangles names of compilers, and names that would take for ever. */
#include "ktap.h"

#include "symbols/reader.h"

static const struct pmscope_symbols_options options;
static struct unreadable_files missing;
static struct reader reader = {.options = &options, .missing = &missing};

static void expect_text(const char *name, const char *text)
{
	char here[DEMANGLED_MAX + 1], shown[DEMANGLED_MAX + 1];

	here[demangle_here(name, here)] = '\0';
	EXPECT_STREQ(here, text);
	shown[reader_demangle(&reader, name, shown)] = '\0';
	EXPECT_STREQ(shown, text);
}

TEST(names_of_compilers)
{
	char name[400] = "_ZN", text[400] = "";

	expect_text("_ZN5space8functionEi", "space::function");
	expect_text("_RNvC4demo4main", "demo::main");
	/* The type has a lifetime: dyn for<'a> Fn(&'a u8). */
	expect_text("_RNvMC4demoFG_RL0_hEu1f", "<for<'a> fn(&'a u8)>::f");
	for (unsigned int i = 0; i < 40; i++) {
		strcat(name, "5space");
		strcat(text, "space::");
	}
	expect_text(strcat(name, "8functionEv"), strcat(text, "function"));
}

/* A binder with some 62^@digits lifetimes, none of which is printed. */
static void put_rust(char *name, unsigned int digits)
{
	strcpy(name, "_RNvMIC1aFG");
	memset(name + 11, 'z', digits);
	strcpy(name + 11 + digits, "_EuEC1a1f");
}

static char *put_reference(char *at, unsigned int number)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	*at++ = 'S';
	if (number-- > 0) {
		if (number >= 36)
			*at++ = digits[number / 36];
		*at++ = digits[number % 36];
	}
	*at++ = '_';
	return at;
}

/*
 * A parameter pack within types, each of which contains the one before twice.
 */
static void put_pack(char *name, unsigned int types)
{
	char *at = name + sprintf(name, "_Z1fIDp");

	for (unsigned int i = 0; i < types; i++)
		at += sprintf(at, "1aI");
	at += sprintf(at, "iiE");
	for (unsigned int i = 1; i < types; i++)
		at = stpcpy(put_reference(at, types + i), "E");
	strcpy(at, "Evv");
}

TEST(names_that_never_end)
{
	static char shown[DEMANGLED_MAX];
	char name[1024];

	alarm(KTAP_HANGS);
	put_rust(name, 40);
	EXPECT_EQ(reader_demangle(&reader, name, shown), 0U);
	EXPECT_EQ(reader.slow, 1U);
	put_pack(name, 60);
	EXPECT_EQ(reader_demangle(&reader, name, shown), 0U);
	EXPECT_EQ(reader.slow, 2U);
	/* The next name still gets an answer. */
	expect_text("_ZN5space8functionEi", "space::function");
	EXPECT_EQ(reader.slow, 2U);
	reader_fini(&reader);
}

/* A file may have any number of such names. */
TEST(many_names_that_never_end)
{
	static char names[1000][64];
	struct demangled demangled = {.ask = reader_demangle,
				      .reader = &reader};
	static const char honest[] = "_ZN5space8functionEi";

	alarm(KTAP_HANGS);
	EXPECT_STREQ(demangle(&demangled, &missing, honest), "space::function");
	for (size_t i = 0; i < 1000; i++) {
		put_rust(names[i], 30);
		names[i][12] = 'a' + i % 26;
		names[i][13] = 'a' + i / 26 % 26;
		EXPECT_TRUE(demangle(&demangled, &missing, names[i]) != NULL);
		EXPECT_STREQ(demangle(&demangled, &missing, names[i]),
			     names[i]);
	}
	demangled_fini(&demangled);
	reader_fini(&reader);
}
