// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug files that a program names: they may be missing, of another build, or
 * pipes without a writer.
 */
#include "elf_fixture.h"
#include "ktap.h"

#include <string.h>
#include <unistd.h>

#define SECONDS 60 /* more than any test takes, unless it waits for a pipe */

static void fill_in(void)
{
	static const char source[] =
		"volatile int sink;\n"
		"__attribute__((noinline)) static int outer(int x)\n"
		"{ return x * sink; }\n"
		"int main(int argc, char **argv)\n"
		"{ return outer(argc) + !argv; }\n";

	alarm(SECONDS);
	ASSERT_TRUE(fixture_open());
	ASSERT_TRUE(fixture_write_text("program.c", source));
}

/* Builds the program without a build-id. */
static bool build(const char *options)
{
	return fixture_build(options, "none") &&
	       fixture_run("cp program root/usr/bin");
}

/* Strips the program, so that only the debug file d.dbg has "outer". */
static bool strip(void)
{
	fill_in();
	return build("-g") && fixture_strip();
}

/*
 * Expects the name "outer" and a line; otherwise no line, and no name or one
 * from the unwind tables.
 */
static void expect_outer(bool is_known)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_place place = fixture_place("outer");
	struct pmscope_symbol symbol = {};
	struct pmscope_line line = {};

	ASSERT_TRUE(symbols);
	pmscope_symbols_find(symbols, &place, 0, &symbol);
	EXPECT_EQ(symbol.name && !strcmp(symbol.name, "outer"), is_known);
	pmscope_symbols_line(symbols, &place, 0, &line);
	EXPECT_EQ(line.line > 0, is_known);
	pmscope_symbols_free(symbols);
}

#define NEED_STRIPPED()                                          \
	do {                                                     \
		if (!strip())                                    \
			SKIP("no compiler here, or no objcopy"); \
	} while (0)

TEST(debug_file_by_its_checksum)
{
	static const char *const dirs[] = {"usr/bin", "usr/bin/.debug",
					   "usr/lib/debug/usr/bin"};

	NEED_STRIPPED();
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		ASSERT_TRUE(fixture_run("mkdir -p root/%s && "
					"cp d.dbg root/%s/d.dbg",
					dirs[i], dirs[i]));
		expect_outer(true);
		ASSERT_TRUE(fixture_run("printf x >>root/%s/d.dbg", dirs[i]));
		expect_outer(false);
		ASSERT_TRUE(fixture_run("rm root/%s/d.dbg", dirs[i]));
	}
	fixture_close();
}

/* Without a .gnu_debuglink, the program's own name is tried. */
TEST(debug_file_by_its_name)
{
	NEED_STRIPPED();
	ASSERT_TRUE(fixture_run("strip -R .gnu_debuglink root/usr/bin/program "
				"&& cp d.dbg root/usr/bin/program.debug"));
	expect_outer(true);
	ASSERT_TRUE(fixture_run("rm root/usr/bin/program.debug && "
				"mkfifo root/usr/bin/program.debug"));
	expect_outer(false);
	fixture_close();
}

/* Strips a program with a build-id; @link: .gnu_debuglink names "program". */
static bool strip_with_id(bool link)
{
	fill_in();
	return fixture_build("-g", "sha1") && fixture_strip() &&
	       fixture_run("objcopy -R .gnu_debuglink root/usr/bin/program && "
			   "mkdir kept && cp d.dbg kept/program") &&
	       (!link || fixture_run("objcopy --add-gnu-debuglink="
				     "kept/program root/usr/bin/program"));
}

static void expect_found_at(const char *path)
{
	ASSERT_TRUE(fixture_run("mkdir -p $(dirname root/%s) && "
				"cp d.dbg root/%s",
				path, path));
	expect_outer(true);
	ASSERT_TRUE(fixture_run("objcopy -R .note.gnu.build-id root/%s", path));
	expect_outer(false);
	ASSERT_TRUE(fixture_run("rm root/%s", path));
}

static void expect_found_at_each(const char *const *paths, size_t nr, bool link)
{
	if (!strip_with_id(link))
		SKIP("no compiler here, or no objcopy");
	for (size_t i = 0; i < nr; i++)
		expect_found_at(paths[i]);
	fixture_close();
}

/* The program itself matches name and build-id, but is not a debug file. */
TEST(debug_file_of_the_name_of_its_program)
{
	static const char *const paths[] = {"usr/bin/.debug/program",
					    "usr/lib/debug/usr/bin/program",
					    "usr/lib/debug/bin/program"};

	expect_found_at_each(paths, sizeof(paths) / sizeof(paths[0]), true);
}

/* The program has no .gnu_debuglink. */
TEST(debug_file_by_its_name_and_build_id)
{
	static const char *const paths[] = {
		"usr/bin/.debug/program",
		"usr/lib/debug/usr/bin/program",
		"usr/lib/debug/usr/bin/program.debug",
		"usr/lib/debug/bin/program",
	};

	expect_found_at_each(paths, sizeof(paths) / sizeof(paths[0]), false);
}

TEST(debug_file_that_is_none)
{
	static const char *const commands[] = {
		"mkfifo d.dbg", "ln -s /dev/zero d.dbg", "mkdir d.dbg",
		"truncate -s 1T d.dbg",
		"cp ../../../d.dbg . && truncate -s 1T d.dbg"};

	NEED_STRIPPED();
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		ASSERT_TRUE(fixture_run("cd root/usr/bin && %s", commands[i]));
		expect_outer(false);
		ASSERT_TRUE(fixture_run("rm -r root/usr/bin/d.dbg"));
	}
	fixture_close();
}

KTAP_MAIN
