// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that exist but cannot be read are reported. */
#include "bytes.h"
#include "elf_fixture.h"
#include "jitdump.h"
#include "ktap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#define NOBODY	65534
#define PROGRAM "root/usr/bin/program"

/*
 * Builds "program" and a .dwo file if asked; all users may search the
 * directory.
 */
static bool build(const char *options)
{
	return fixture_open() && !setenv("HOME", fixture_path("home"), 1) &&
	       fixture_write_text(
		       "program.c",
		       "volatile int sink;\n"
		       "static inline __attribute__((always_inline)) "
		       "int inner(int x)\n"
		       "{ return x * sink; }\n"
		       "__attribute__((noinline)) int outer(int x)\n"
		       "{ return inner(x); }\n"
		       "int main(int argc, char **argv)\n"
		       "{ return outer(argc) + !argv; }\n") &&
	       fixture_build(options, "sha1") &&
	       fixture_run("chmod 755 . && cp program " PROGRAM);
}

#define NEED_PROGRAM(options)                                       \
	do {                                                        \
		if (!build(options))                                \
			SKIP("no compiler here, or one without -g " \
			     "-gsplit-dwarf, or no objcopy");       \
	} while (0)

/* Root may read any file, so become another user. */
static void lose_rights(void)
{
	if (!getuid())
		ASSERT_EQ(seteuid(NOBODY), 0);
}

static void regain_rights(void)
{
	if (!getuid())
		ASSERT_EQ(seteuid(0), 0);
}

/* Expects that only file @name is reported; NULL: none. */
static void expect_unread(struct pmscope_symbols *symbols, const char *name,
			  int error)
{
	const char *path = NULL;
	int ret = pmscope_symbols_unread(symbols, 0, &path);

	EXPECT_EQ(ret, name ? -error : 0);
	if (!ret)
		return;
	EXPECT_STREQ(path, fixture_path(name));
	EXPECT_EQ(pmscope_symbols_unread(symbols, 1, &path), 0);
}

/* Looks symbols and lines up, under two names for the file. */
static void look_up(struct pmscope_symbols *symbols,
		    const struct pmscope_place *place)
{
	static const char again[] = "/usr/bin/program";
	struct pmscope_place other = *place;
	struct pmscope_symbol symbol;
	struct pmscope_line line;

	other.dso = again;
	for (int i = 0; i < 2; i++) {
		pmscope_symbols_find(symbols, i ? &other : place, 0, &symbol);
		pmscope_symbols_find_data(symbols, i ? &other : place, 0,
					  &symbol);
		pmscope_symbols_line(symbols, i ? &other : place, 0, &line);
	}
}

static void expect_unread_by(struct pmscope_symbols *symbols,
			     const struct pmscope_place *place,
			     const char *name, int error)
{
	ASSERT_TRUE(symbols);
	lose_rights();
	look_up(symbols, place);
	regain_rights();
	expect_unread(symbols, name, error);
	pmscope_symbols_free(symbols);
}

static void expect_unread_of(const struct pmscope_place *place,
			     const char *name, int error)
{
	expect_unread_by(fixture_symbols(), place, name, error);
}

TEST(program_that_others_may_not_read)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("chmod 0 " PROGRAM));
	expect_unread_of(&place, PROGRAM, EACCES);
	fixture_close();
}

TEST(program_in_a_directory_that_others_may_not_search)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	ASSERT_TRUE(fixture_run("chmod 0 root/usr/bin"));
	expect_unread_of(&place, PROGRAM, EACCES);
	ASSERT_TRUE(fixture_run("chmod 755 root/usr/bin"));
	fixture_close();
}

/*
 * A directory where a debug file may be, such as perf's cache of a program in
 * /, for a user whose home is /.
 */
TEST(directory_where_a_debug_file_may_be)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	ASSERT_TRUE(fixture_run("strip " PROGRAM " && "
				"mkdir -p root/usr/bin/.debug/program"));
	expect_unread_of(&place, NULL, 0);
	fixture_close();
}

/* On another machine, the path proves nothing. */
TEST(program_of_this_machine_in_such_a_directory)
{
	struct pmscope_symbols_options options = {.size = sizeof(options)};
	struct pmscope_place place;
	static char name[128];

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	fixture_build_id("program", &place);
	place.dso = strcpy(name, fixture_path(PROGRAM));
	ASSERT_TRUE(fixture_run("chmod 0 root/usr/bin"));
	expect_unread_by(pmscope_symbols_new(&options), &place, NULL, 0);
	options.same_machine = true;
	expect_unread_by(pmscope_symbols_new(&options), &place, PROGRAM,
			 EACCES);
	fixture_close();
}

TEST(directory_in_the_place_of_a_program)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	ASSERT_TRUE(fixture_run("rm " PROGRAM " && mkdir " PROGRAM));
	expect_unread_of(&place, PROGRAM, EISDIR);
	fixture_close();
}

/* Nor is a file reported that is not an ELF file. */
TEST(program_that_is_not_there_is_not_told_of)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	ASSERT_TRUE(fixture_run("rm " PROGRAM));
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("ln -s program " PROGRAM));
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("ln -sf /dev/null " PROGRAM));
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("rm " PROGRAM " && echo >" PROGRAM));
	expect_unread_of(&place, NULL, 0);
	fixture_close();
}

/* Whether the file is there is unknown. */
TEST(places_that_others_may_not_search_are_not_told_of)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	fixture_build_id("program", &place);
	ASSERT_TRUE(fixture_run("rm " PROGRAM " && chmod 0 home"));
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("cp program " PROGRAM " && strip " PROGRAM));
	expect_unread_of(&place, NULL, 0);
	fixture_close();
}

/* Another copy is found by its build-id. */
TEST(program_that_is_found_elsewhere_is_not_told_of)
{
	struct pmscope_place place;
	const char *id;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	id = fixture_build_id("program", &place);
	ASSERT_TRUE(fixture_run("chmod 0 " PROGRAM " && "
				"to=root/usr/lib/debug/.build-id/%.2s && "
				"mkdir -p $to && cp program $to/%s.debug",
				id, id + 2));
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("chmod 0 root/usr/lib/debug/.build-id/*/*"));
	expect_unread_of(&place, PROGRAM, EACCES);
	fixture_close();
}

/* A path may have several build-ids; only one can be that of the file. */
TEST(program_that_is_asked_for_by_several_build_ids)
{
	static const uint8_t ids[2][20] = {{1}, {2}};
	static const char name[] = "/usr/bin/program";
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	place.build_id_size = 20;
	place.build_id = ids[0];
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	pmscope_symbols_find(symbols, &place, 0, &symbol);
	expect_unread(symbols, NULL, 0);
	ASSERT_TRUE(fixture_run("chmod 0 " PROGRAM));
	place.build_id = ids[1];
	place.dso = name;
	lose_rights();
	pmscope_symbols_find(symbols, &place, 0, &symbol);
	regain_rights();
	expect_unread(symbols, PROGRAM, EACCES);
	pmscope_symbols_free(symbols);
	fixture_close();
}

TEST(debug_file_that_others_may_not_read)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	ASSERT_TRUE(fixture_strip());
	ASSERT_TRUE(fixture_run("cp d.dbg root/usr/bin"));
	place = fixture_place("outer");
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("chmod 0 root/usr/bin/d.dbg"));
	expect_unread_of(&place, "root/usr/bin/d.dbg", EACCES);
	ASSERT_TRUE(fixture_run("mkdir root/usr/bin/.debug && "
				"cp d.dbg root/usr/bin/.debug"));
	expect_unread_of(&place, NULL, 0);
	fixture_close();
}

TEST(units_apart_that_others_may_not_read)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g -gsplit-dwarf");
	place = fixture_place("outer");
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("chmod 0 program.dwo"));
	expect_unread_of(&place, "program.dwo", EACCES);
	ASSERT_TRUE(fixture_run("mkdir of && mv program.dwo of && "
				"ln -s of/program.dwo . && chmod 0 of"));
	expect_unread_of(&place, "program.dwo", EACCES);
	fixture_close();
}

/* Allows @more files to be opened in addition to those open now. */
static bool limit_files(int more, struct rlimit *before)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY);
	struct rlimit now;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, before))
		return false;
	close(fd);
	now = *before;
	now.rlim_cur = fd + more;
	return !setrlimit(RLIMIT_NOFILE, &now);
}

static void expect_unread_below(int more, const struct pmscope_place *place,
				const char *name, int error)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_symbol symbol;
	struct rlimit before;

	ASSERT_TRUE(symbols);
	ASSERT_TRUE(limit_files(more, &before));
	pmscope_symbols_find(symbols, place, 0, &symbol);
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
	expect_unread(symbols, name, error);
	pmscope_symbols_free(symbols);
}

TEST(program_beyond_the_limit_of_open_files)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	expect_unread_below(8, &place, NULL, 0);
	expect_unread_below(0, &place, PROGRAM, EMFILE);
	fixture_close();
}

/* .gnu_debugdata is uncompressed, to check it, before libdw does so. */
TEST(names_within_a_program_beyond_the_limit_of_open_files)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	if (!fixture_run("objcopy --only-keep-debug program mini && "
			 "xz mini && strip -o bare program && "
			 "objcopy --add-section .gnu_debugdata=mini.xz "
			 "bare " PROGRAM))
		SKIP("no objcopy here, or no xz");
	expect_unread_below(8, &place, NULL, 0);
	expect_unread_below(1, &place, PROGRAM, EMFILE);
	fixture_close();
}

/* The file could be read when its symbols were needed. */
TEST(lines_beyond_the_limit_of_open_files)
{
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_place place;
	struct pmscope_line line;
	struct rlimit before;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	ASSERT_TRUE(limit_files(0, &before));
	EXPECT_EQ(pmscope_symbols_line(symbols, &place, 0, &line), -ENOENT);
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
	expect_unread(symbols, PROGRAM, EMFILE);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* Pseudo files are not opened, see symbols_pseudo_test.c. */
TEST(program_that_is_a_file_of_the_kernel)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	ASSERT_TRUE(fixture_run("ln -sf /proc/self/mem " PROGRAM));
	expect_unread_below(8, &place, NULL, 0);
	fixture_close();
}

/* The file can be opened, but not a memfd for its contents. */
TEST(packed_program_beyond_the_limit_of_open_files)
{
	struct pmscope_place place;

	NEED_PROGRAM("-g");
	place = fixture_place("outer");
	if (!fixture_run("gzip " PROGRAM " && mv " PROGRAM ".gz " PROGRAM))
		SKIP("no gzip here");
	expect_unread_below(8, &place, NULL, 0);
	expect_unread_below(1, &place, PROGRAM, EMFILE);
	fixture_close();
}

TEST(names_of_generated_code_that_others_may_not_read)
{
	const struct pmscope_place place = {.dso = "//anon", .pid = 10};

	ASSERT_TRUE(fixture_open());
	ASSERT_TRUE(fixture_run("mkdir root/tmp && chmod 755 . && "
				"echo 1000 10 made >root/tmp/perf-10.map"));
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("chmod 0 root/tmp/perf-10.map"));
	expect_unread_of(&place, "root/tmp/perf-10.map", EACCES);
	/* Whether it can be read or not. */
	for (int mode = 0; !getuid() && mode <= 444; mode += 444) {
		ASSERT_TRUE(fixture_run("chown 1 root/tmp/perf-10.map"));
		ASSERT_TRUE(fixture_run(mode ? "chmod 444 root/tmp/perf-10.map"
					     : "true"));
		expect_unread_of(&place, "root/tmp/perf-10.map", EXDEV);
	}
	/* Whether the file is there is unknown. */
	ASSERT_TRUE(fixture_run("chmod 0 root/tmp"));
	expect_unread_of(&place, NULL, 0);
	fixture_close();
}

/* Lines are read only when they are needed. */
TEST(lines_of_generated_code_that_others_may_not_read)
{
	const struct pmscope_place place = {
		.dso = "//anon", .pid = 10, .jitdump = "/jit-10.dump"};
	struct bytes dump = {}, line = {};
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_line found;

	ASSERT_TRUE(fixture_open());
	put_jit_header(&dump, 0);
	put_jit_line(&line, 0x1000, 1, "made.js");
	put_jit_lines(&dump, 0x1000, 1, &line);
	put_jit_load(&dump, 1, 10, 0x1000, "made");
	ASSERT_TRUE(fixture_write("root/jit-10.dump", dump.data, dump.size));
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0x1000, &symbol), 0);
	ASSERT_TRUE(fixture_run("chmod 755 . && chmod 0 root/jit-10.dump"));
	lose_rights();
	EXPECT_EQ(pmscope_symbols_line(symbols, &place, 0x1000, &found),
		  -ENOENT);
	regain_rights();
	expect_unread(symbols, "root/jit-10.dump", EACCES);
	pmscope_symbols_free(symbols);
	bytes_fini(&dump);
	bytes_fini(&line);
	fixture_close();
}

TEST(list_of_modules_that_others_may_not_read)
{
	static const char list[] = "root/lib/modules/6.1.0/modules.dep";
	const struct pmscope_place place = {
		.dso = "[some]", .kernel = true, .pid = PMSCOPE_NO_ID};

	ASSERT_TRUE(fixture_open());
	ASSERT_TRUE(fixture_run("mkdir -p root/lib/modules/6.1.0 && "
				"chmod 755 . && touch %s",
				list));
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("chmod 0 %s", list));
	expect_unread_of(&place, list, EACCES);
	fixture_close();
}

/* The kernel is identified by its build-id. */
TEST(kernel_that_others_may_not_read)
{
	static const uint8_t id[20] = {1};
	const struct pmscope_place place = {
		.dso = "[kernel.kallsyms]",
		.kernel = true,
		.pid = PMSCOPE_NO_ID,
		.build_id = id,
		.build_id_size = sizeof(id),
	};

	ASSERT_TRUE(fixture_open());
	ASSERT_TRUE(fixture_run("mkdir root/boot && chmod 755 . && "
				"echo >root/boot/vmlinux-6.1"));
	expect_unread_of(&place, NULL, 0);
	ASSERT_TRUE(fixture_run("chmod 0 root/boot/vmlinux-6.1"));
	expect_unread_of(&place, "root/boot/vmlinux-6.1", EACCES);
	fixture_close();
}

/* Looks a place of this machine up without allowing open files. */
static void expect_none_open(const struct pmscope_place *place,
			     const char *name)
{
	const struct pmscope_symbols_options options = {.size = sizeof(options),
							.same_machine = true};
	struct pmscope_symbols *symbols = pmscope_symbols_new(&options);
	struct pmscope_symbol symbol;
	struct rlimit before;
	const char *path = NULL;

	ASSERT_TRUE(symbols);
	ASSERT_TRUE(limit_files(0, &before));
	pmscope_symbols_find(symbols, place, 0, &symbol);
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
	EXPECT_EQ(pmscope_symbols_unread(symbols, 0, &path), -EMFILE);
	EXPECT_STREQ(path, name);
	pmscope_symbols_free(symbols);
}

TEST(this_kernel_beyond_the_limit_of_open_files)
{
	struct pmscope_place place = {.pid = PMSCOPE_NO_ID, .dso = "[vdso]"};

	if (getauxval(AT_SYSINFO_EHDR))
		expect_none_open(&place, "[vdso]");
	place.dso = "[kernel.kallsyms]";
	place.kernel = true;
	expect_none_open(&place, "/proc/kallsyms");
}

KTAP_MAIN
