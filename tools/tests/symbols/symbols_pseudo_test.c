// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a file in /proc, sysfs or tracefs may have side effects, so none is
 * opened because a recording, or a file beside it, names it.
 */
#include "command.h"
#include "elf_fixture.h"
#include "ktap.h"
#include "recording_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Any user may read it, and no program that the tests run does. */
#define PSEUDO "/proc/misc"

static int watch;

/* Watches the file and builds a program, stripped or not. */
static bool set_up(bool strip)
{
	static const char source[] = "int main(void)\n{\n\treturn 0;\n}\n";

	watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch < 0 || inotify_add_watch(watch, PSEUDO, IN_OPEN) < 0 ||
	    !fixture_open() || !fixture_write_text("program.c", source) ||
	    !fixture_build("-g", "sha1"))
		return false;
	return strip ? fixture_strip() : fixture_run("cp program root/usr/bin");
}

static bool was_opened(void)
{
	char events[4096];

	return read(watch, events, sizeof(events)) > 0;
}

static void tear_down(void)
{
	EXPECT_TRUE(!was_opened());
	/* Check that the watch works. */
	EXPECT_TRUE(fixture_run("cat " PSEUDO " >out"));
	EXPECT_TRUE(was_opened());
	close(watch);
	fixture_close();
}

#define SET_UP(strip)                                                       \
	do {                                                                \
		if (!set_up(strip))                                         \
			SKIP("no compiler here, or no inotify of " PSEUDO); \
	} while (0)

/* Makes all kinds of lookups, and frees @symbols. */
static void look_up(struct pmscope_symbols *symbols,
		    const struct pmscope_place *place)
{
	struct pmscope_symbol symbol;
	struct pmscope_line line;

	ASSERT_TRUE(symbols);
	pmscope_symbols_find(symbols, place, 0x1000, &symbol);
	pmscope_symbols_find_data(symbols, place, 0x1000, &symbol);
	pmscope_symbols_line(symbols, place, 0x1000, &line);
	pmscope_symbols_free(symbols);
}

static struct pmscope_symbols *of_this_machine(void)
{
	const struct pmscope_symbols_options options = {.size = sizeof(options),
							.same_machine = true};

	return pmscope_symbols_new(&options);
}

TEST(pseudo_file_as_a_program)
{
	struct pmscope_place place = {.dso = PSEUDO, .pid = 10};

	SET_UP(false);
	look_up(of_this_machine(), &place);
	ASSERT_TRUE(fixture_run("ln -sf " PSEUDO " root/usr/bin/program"));
	place.dso = "/usr/bin/program";
	look_up(fixture_symbols(), &place);
	tear_down();
}

TEST(pseudo_file_by_a_build_id)
{
	static const char *const links[] = {
		"home/.debug/.build-id/%.2s/%s/elf",
		"root/usr/lib/debug/.build-id/%.2s/%s.debug",
		"home/.debug/.build-id/%.2s/%s/kallsyms",
	};
	struct pmscope_place place = {.dso = "/nowhere", .pid = 10};
	char path[128], home[128];
	const char *id;

	SET_UP(false);
	strcpy(home, fixture_path("home"));
	setenv("HOME", home, 1);
	id = fixture_build_id("program", &place);
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		snprintf(path, sizeof(path), links[i], id, id + 2);
		ASSERT_TRUE(fixture_run("mkdir -p $(dirname %s) && "
					"ln -s " PSEUDO " %s",
					path, path));
	}
	look_up(fixture_symbols(), &place);
	place.kernel = true;
	place.dso = "[kernel.kallsyms]";
	look_up(fixture_symbols(), &place);
	tear_down();
}

TEST(pseudo_file_as_debug_file)
{
	struct pmscope_place place = {.dso = "/usr/bin/program", .pid = 10};

	SET_UP(true);
	ASSERT_TRUE(fixture_run("ln -s " PSEUDO " root/usr/bin/d.dbg"));
	look_up(fixture_symbols(), &place);
	tear_down();
}

TEST(pseudo_file_as_units_apart)
{
	struct pmscope_place place;

	SET_UP(false);
	if (!fixture_build("-g -gsplit-dwarf", "sha1") ||
	    !fixture_run("cp program root/usr/bin && mv program.dwo kept && "
			 "ln -s " PSEUDO " program.dwo"))
		SKIP("a compiler without -gsplit-dwarf");
	place = fixture_place("main");
	look_up(fixture_symbols(), &place);
	tear_down();
}

TEST(pseudo_file_as_names_of_generated_code)
{
	struct pmscope_place place = {.pid = 10, .jitdump = PSEUDO};

	SET_UP(false);
	look_up(of_this_machine(), &place);
	ASSERT_TRUE(fixture_run("mkdir -p root/tmp && ln -s " PSEUDO
				" root/tmp/perf-10.map && ln -s " PSEUDO
				" root/tmp/jit.dump"));
	place.jitdump = "/tmp/jit.dump";
	look_up(fixture_symbols(), &place);
	tear_down();
}

TEST(pseudo_file_as_modules)
{
	struct pmscope_place place = {.dso = "[m]", .kernel = true};

	SET_UP(false);
	ASSERT_TRUE(fixture_run("to=root/lib/modules/6 && mkdir -p $to/vdso && "
				"ln -s " PSEUDO " $to/modules.dep && "
				"ln -s " PSEUDO " $to/vdso/vdso.so && "
				"ln -s " PSEUDO " $to/vmlinux && ln -s " PSEUDO
				" $to/m.ko"));
	look_up(fixture_symbols(), &place);
	place.dso = "/lib/modules/6/m.ko";
	look_up(fixture_symbols(), &place);
	place.build_id = (const uint8_t *)"01234567890123456789";
	place.build_id_size = 20;
	place.dso = "[kernel.kallsyms]";
	look_up(fixture_symbols(), &place);
	place.kernel = false;
	place.dso = "[vdso]";
	look_up(fixture_symbols(), &place);
	tear_down();
}

static void put_recording(void)
{
	struct bytes b = {};

	begin(&b);
	load_at(&b, 0, 10, 0xffff800008010100, 5);
	perfdata_end(&b);
	ASSERT_TRUE(fixture_write("perf.data", b.data, b.size));
	bytes_fini(&b);
}

/* Only a file that the user chose may be a pseudo file. */
TEST(pseudo_file_beside_a_recording)
{
	SET_UP(false);
	put_recording();
	ASSERT_TRUE(
		fixture_run("ln -s " PSEUDO " perf.data.kallsyms && "
			    "%s report --sort sym -i perf.data >out || true",
			    command_pmscope()));
	ASSERT_TRUE(fixture_run("mkdir d && mv perf.data d/data && "
				"ln -s " PSEUDO " d/data.0 && "
				"%s report --sort sym -i d >out || true",
				command_pmscope()));
	EXPECT_TRUE(!was_opened());
	ASSERT_TRUE(fixture_run("%s report --sort sym --kallsyms " PSEUDO
				" -i d/data >out || true",
				command_pmscope()));
	EXPECT_TRUE(was_opened());
	tear_down();
}

/* Returns the error of the only file that could not be read. */
static int unread(struct pmscope_symbols *symbols,
		  const struct pmscope_place *place, const char *name)
{
	struct pmscope_symbol symbol;
	const char *path = "";
	int err;

	pmscope_symbols_find(symbols, place, 0xffff800008010100, &symbol);
	err = pmscope_symbols_unread(symbols, 0, &path);
	EXPECT_TRUE(strstr(path, name));
	EXPECT_EQ(pmscope_symbols_unread(symbols, 1, &path), 0);
	pmscope_symbols_free(symbols);
	return err;
}

#define SECONDS 60 /* more than any test takes */

/* A sparse file may consist of any number of zeros. */
TEST(sparse_files_as_names_of_the_kernel)
{
	struct pmscope_place place = {.dso = "[m]", .kernel = true};
	struct pmscope_symbols_options options = {.size = sizeof(options)};
	char kallsyms[128];

	alarm(SECONDS);
	ASSERT_TRUE(fixture_open());
	if (!fixture_run("mkdir -p root/lib/modules/6 && truncate -s 1T "
			 "kallsyms root/lib/modules/6/modules.dep"))
		SKIP("no files with holes here");
	put_recording();
	strcpy(kallsyms, fixture_path("kallsyms"));
	options.kallsyms = kallsyms;
	EXPECT_TRUE(!pmscope_symbols_new(&options));
	EXPECT_EQ(errno, EFBIG);
	EXPECT_TRUE(
		fixture_run("mv kallsyms perf.data.kallsyms && "
			    "! %s report -i perf.data 2>error && "
			    "grep 'perf.data.kallsyms: File too large' error",
			    command_pmscope()));
	EXPECT_EQ(unread(fixture_symbols(), &place, "modules.dep"), -EFBIG);
	fixture_close();
}

/* Any number of processes may have a sparse file. */
TEST(sparse_files_as_names_of_many_processes)
{
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	const char *path = "";

	alarm(SECONDS);
	ASSERT_TRUE(fixture_open());
	if (!fixture_run("mkdir root/tmp && cd root/tmp && "
			 "for i in $(seq 1 100); do "
			 "truncate -s 1G perf-$i.map; done"))
		SKIP("no files with holes here");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	for (uint32_t pid = 1; pid <= 100; pid++) {
		struct pmscope_place place = {.pid = pid};

		EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0x1000,
					       &symbol),
			  -ENOENT);
	}
	EXPECT_EQ(pmscope_symbols_unread(symbols, 0, &path), -EFBIG);
	EXPECT_TRUE(strstr(path, "perf-2.map"));
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* A symbol takes more memory than its line takes in the file. */
TEST(kernel_of_too_many_names)
{
	struct pmscope_symbols_options options = {.size = sizeof(options)};
	char kallsyms[128];

	ASSERT_TRUE(fixture_open());
	ASSERT_TRUE(fixture_run("yes '1 T a' | head -n %u >kallsyms",
				(1 << 22) + 1));
	strcpy(kallsyms, fixture_path("kallsyms"));
	options.kallsyms = kallsyms;
	EXPECT_TRUE(!pmscope_symbols_new(&options));
	EXPECT_EQ(errno, EFBIG);
	fixture_close();
}

KTAP_MAIN
