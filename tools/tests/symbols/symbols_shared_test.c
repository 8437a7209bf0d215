// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug files of distributions: dwz moves what several of them have in common,
 * such as the names of inlined functions, into a shared file, which they name
 * in .gnu_debugaltlink.
 */
#include "elf_fixture.h"
#include "ktap.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* dwz shares only names that are long enough. */
#define INNER "inner_function_with_a_name_that_is_worth_sharing"
#define OUTER "outer_function_with_a_name_that_is_worth_sharing"

static bool write_sources(void)
{
	static const char shared[] =
		"volatile int sink;\n"
		"struct deep { int a, b, c; struct { int x, y; } d; };\n"
		"static inline __attribute__((always_inline))\n"
		"int " INNER "(struct deep *d, int x)\n"
		"{ return d->a * x + d->d.y * sink; }\n";
	static const char program[] =
		"#include \"shared.h\"\n"
		"__attribute__((noinline)) int " OUTER
		"(struct deep *d, int x)\n"
		"{ return " INNER "(d, x) ^ " INNER "(d, x + 3); }\n"
		"int main(int argc, char **argv)\n"
		"{ struct deep d = {argc, NAME};\n"
		"return " OUTER "(&d, argc) + !argv; }\n";

	return fixture_open() && fixture_write_text("shared.h", shared) &&
	       fixture_write_text("program.c", program);
}

/*
 * Makes "program.debug" and "other.debug", which share "shared.debug" and have
 * @link as its path.
 */
static bool build(const char *link)
{
	static const char *const names[] = {"program", "other"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!fixture_run("cc -O2 -g -fPIE -pie -Wl,--build-id=sha1 "
				 "-Wl,-z,separate-code -DNAME=%zu -o %s "
				 "program.c && "
				 "objcopy --only-keep-debug %s %s.debug",
				 i, names[i], names[i], names[i]))
			return false;
	return fixture_run("dwz -m shared.debug -M %s program.debug "
			   "other.debug && "
			   "objcopy --strip-all program root/usr/bin/program",
			   link) &&
	       *fixture_output("readelf -S program.debug | "
			       "grep gnu_debugaltlink");
}

#define NEED_SHARED(link)                                                \
	do {                                                             \
		if (!write_sources() || !build(link))                    \
			SKIP("no compiler here, no objcopy, or no dwz"); \
	} while (0)

static bool keep_by_build_id(const char *file)
{
	struct pmscope_place place;
	const char *id = fixture_build_id(file, &place);

	return fixture_run("to=root/usr/lib/debug/.build-id/%.2s && "
			   "mkdir -p $to && cp %s $to/%s.debug",
			   id, file, id + 2);
}

/* Installs the debug file under its build-id. */
#define NEED_KEPT(link)                                         \
	do {                                                    \
		NEED_SHARED(link);                              \
		ASSERT_TRUE(keep_by_build_id("program.debug")); \
	} while (0)

static void expect_frames(const char *frames)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_place place = fixture_place(OUTER);
	struct pmscope_line line = {};

	ASSERT_TRUE(symbols);
	for (int i = 0; i < 64 && !line.frames; i++, place.file_offset++)
		pmscope_symbols_line(symbols, &place, 0, &line);
	EXPECT_STREQ(line.frames, frames);
	pmscope_symbols_free(symbols);
}

/* Debian uses an absolute path. */
TEST(names_that_debug_files_share_below_another_root)
{
	NEED_KEPT("/usr/lib/debug/.dwz/shared.debug");
	ASSERT_TRUE(fixture_run("mkdir root/usr/lib/debug/.dwz && "
				"cp shared.debug root/usr/lib/debug/.dwz"));
	expect_frames(INNER " < " OUTER);
	fixture_close();
}

/* Fedora uses a path relative to the debug file, not to a symlink to it. */
TEST(names_that_debug_files_share_beside_them)
{
	struct pmscope_place place;
	const char *id;

	NEED_SHARED("../../.dwz/shared.debug");
	id = fixture_build_id("program", &place);
	ASSERT_TRUE(fixture_run(
		"to=root/usr/lib/debug && mkdir -p $to/.dwz $to/usr/bin && "
		"mkdir -p $to/.build-id/%.2s && "
		"cp shared.debug $to/.dwz && cp program.debug $to/usr/bin && "
		"ln -s ../../usr/bin/program.debug $to/.build-id/%.2s/%s.debug",
		id, id, id + 2));
	expect_frames(INNER " < " OUTER);
	fixture_close();
}

TEST(names_that_debug_files_share_by_their_build_id)
{
	NEED_KEPT("/no/such/shared.debug");
	ASSERT_TRUE(keep_by_build_id("shared.debug"));
	expect_frames(INNER " < " OUTER);
	fixture_close();
}

/* A directory has the name of the shared file. */
TEST(names_that_debug_files_share_in_what_cannot_be_read)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;
	struct pmscope_line line;
	const char *path = "";

	NEED_KEPT("/usr/lib/debug/.dwz/shared.debug");
	ASSERT_TRUE(fixture_run("mkdir -p "
				"root/usr/lib/debug/.dwz/shared.debug"));
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	place = fixture_place(OUTER);
	pmscope_symbols_line(symbols, &place, 0, &line);
	EXPECT_EQ(pmscope_symbols_unread(symbols, 0, &path), -EISDIR);
	EXPECT_TRUE(strstr(path, "/root/usr/lib/debug/.dwz/shared.debug"));
	pmscope_symbols_free(symbols);
	fixture_close();
}

TEST(names_that_other_debug_files_share)
{
	NEED_KEPT("/usr/lib/debug/.dwz/shared.debug");
	ASSERT_TRUE(fixture_run(
		"mkdir root/usr/lib/debug/.dwz && "
		"cp program.debug root/usr/lib/debug/.dwz/shared.debug"));
	expect_frames("? < ?");
	fixture_close();
}

/* The pipe has no writer. */
TEST(names_that_debug_files_share_in_a_pipe)
{
	alarm(60);
	NEED_KEPT("pipe");
	ASSERT_TRUE(fixture_run(
		"mkfifo $(dirname root/usr/lib/debug/.build-id/*/*)/pipe"));
	expect_frames("? < ?");
	fixture_close();
}

/* The file with the right build-id has no debug information. */
TEST(names_that_are_in_none_of_two_files)
{
	alarm(60);
	NEED_KEPT("pipe");
	ASSERT_TRUE(fixture_run(
		"mkfifo $(dirname root/usr/lib/debug/.build-id/*/*)/pipe && "
		"objcopy --only-section .note.gnu.build-id shared.debug"));
	ASSERT_TRUE(keep_by_build_id("shared.debug"));
	expect_frames("? < ?");
	fixture_close();
}

/* Copies the shared file, changed by objcopy, beside the debug file. */
static bool change_shared(const char *options, const char *name)
{
	return fixture_run(
		"objcopy %s shared.debug "
		"$(dirname root/usr/lib/debug/.build-id/*/*.debug)/%s",
		options, name);
}

/* After an update, the file of that name has another build-id. */
TEST(names_that_other_builds_share)
{
	NEED_KEPT("another");
	ASSERT_TRUE(change_shared("--remove-section .note.gnu.build-id",
				  "another"));
	expect_frames("? < ?");
	ASSERT_TRUE(change_shared("", "another"));
	expect_frames(INNER " < " OUTER);
	fixture_close();
}

/* dwz does not make shared files that share. */
TEST(names_that_shared_files_share)
{
	NEED_KEPT("next");
	ASSERT_TRUE(fixture_run("printf 'pipe\\0012345678' >link"));
	ASSERT_TRUE(
		change_shared("--add-section .gnu_debugaltlink=link", "next"));
	expect_frames("? < ?");
	fixture_close();
}

/* Puts the file on a server, which is a directory. */
static bool serve(const char *file)
{
	struct pmscope_place place;

	return fixture_run("to=server/buildid/%s && mkdir -p $to && "
			   "cp %s $to/debuginfo",
			   fixture_build_id(file, &place), file);
}

TEST(names_that_debug_files_share_on_a_server)
{
	char url[PATH_MAX + 16];

	NEED_KEPT("/no/such/shared.debug");
	ASSERT_TRUE(serve("program.debug"));
	snprintf(url, sizeof(url), "file://%s/", fixture_path("server"));
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", fixture_path("cache"), 1);
	expect_frames("? < ?");
	ASSERT_TRUE(fixture_run("rm -rf cache"));
	ASSERT_TRUE(serve("shared.debug"));
	expect_frames(INNER " < " OUTER);
	unsetenv("DEBUGINFOD_URLS");
	fixture_close();
}

/* The build-id is right, so the file may be on this machine. */
TEST(names_that_debug_files_share_on_this_machine)
{
	char link[PATH_MAX];

	ASSERT_TRUE(write_sources());
	snprintf(link, sizeof(link), "%s", fixture_path("shared.debug"));
	if (!build(link))
		SKIP("no compiler here, no objcopy, or no dwz");
	ASSERT_TRUE(keep_by_build_id("program.debug"));
	expect_frames(INNER " < " OUTER);
	fixture_close();
}

/* Adds @size zeros to the copy beside the debug file. */
static bool pack_zeros(const char *size, const char *format)
{
	return fixture_run(
		"head -c %s /dev/zero >bomb && "
		"objcopy --add-section .debug_macro=bomb "
		"--set-section-flags .debug_macro=debug shared.debug whole && "
		"objcopy --compress-debug-sections=%s whole "
		"$(dirname root/usr/lib/debug/.build-id/*/*.debug)/packed",
		size, format);
}

TEST(names_that_would_fill_the_memory)
{
	static const char *const formats[] = {"zlib-gabi", "zstd"};

	NEED_KEPT("packed");
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		ASSERT_TRUE(pack_zeros("80M", formats[i]));
		expect_frames("? < ?");
		ASSERT_TRUE(pack_zeros("10M", formats[i]));
		expect_frames(INNER " < " OUTER);
	}
	fixture_close();
}

KTAP_MAIN
