// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of generated code, from perf-PID.map and jitdumps, here or in a
 * container.
 */
#include "bytes.h"
#include "elf_fixture.h"
#include "jitdump.h"
#include "ktap.h"

#include <pmscope/symbols.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Writes a file to the /tmp of the recorded machine. */
static void make(const char *name, const void *data, size_t size)
{
	char path[64];

	ASSERT_TRUE(fixture_open() && fixture_run("mkdir root/tmp"));
	snprintf(path, sizeof(path), "root/tmp/%s", name);
	ASSERT_TRUE(fixture_write(path, data, size));
}

static void expect(struct pmscope_symbols *symbols,
		   const struct pmscope_place *place, uint64_t address,
		   const char *name, uint64_t offset)
{
	struct pmscope_symbol symbol;

	EXPECT_EQ(pmscope_symbols_find(symbols, place, address, &symbol),
		  name ? 0 : -ENOENT);
	EXPECT_STREQ(symbol.name, name);
	if (name)
		EXPECT_EQ(symbol.offset, offset);
}

TEST(perf_map)
{
	static const char map[] = "7f0000001000 40 first function\n"
				  "garbage\n"
				  "7f0000002000 0 empty\n"
				  "7f0000001040 10 second\n"
				  "7f0000003000 10";
	struct pmscope_place place = {.dso = "//anon", .pid = 42};
	struct pmscope_symbols *symbols;

	make("perf-42.map", map, sizeof(map) - 1);
	symbols = fixture_symbols();
	expect(symbols, &place, 0x7f000000103f, "first function", 0x3f);
	expect(symbols, &place, 0x7f0000001040, "second", 0);
	expect(symbols, &place, 0x7f0000001050, NULL, 0);
	expect(symbols, &place, 0x7f0000003000, NULL, 0);
	place.pid = 43;
	expect(symbols, &place, 0x7f0000001040, NULL, 0);
	place.pid = 42;
	place.dso = "/a/program";
	expect(symbols, &place, 0x7f0000001040, NULL, 0);
	pmscope_symbols_free(symbols);
	fixture_close();
}

TEST(memory_that_generated_code_is_in)
{
	static const char *const names[] = {"//anon",
					    "[anon:v8]",
					    "[heap]",
					    "[stack]",
					    "[stack:123]",
					    "/SYSV00000000 (deleted)",
					    "/anon_hugepage (deleted)",
					    "/dev/zero (deleted)",
					    "/memfd:jit (deleted)"};
	static const char map[] = "7f0000001000 40 function\n";
	struct pmscope_place place = {.pid = 42};
	struct pmscope_symbols *symbols;

	make("perf-42.map", map, sizeof(map) - 1);
	symbols = fixture_symbols();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		place.dso = names[i];
		expect(symbols, &place, 0x7f0000001001, "function", 1);
	}
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* Programs reuse the memory of code that they discarded. */
TEST(newer_code_replaces_what_was_there)
{
	static const char map[] = "7f0000001000 40 zzz first\n"
				  "7f0000001000 20 second\n"
				  "7f0000001030 4 within\n"
				  "7f0000002010 10 inner\n"
				  "7f0000002000 40 outer\n";
	struct pmscope_place place = {.dso = "//anon", .pid = 42};
	struct pmscope_symbols *symbols;

	make("perf-42.map", map, sizeof(map) - 1);
	symbols = fixture_symbols();
	expect(symbols, &place, 0x7f0000001000, "second", 0);
	expect(symbols, &place, 0x7f000000101f, "second", 0x1f);
	expect(symbols, &place, 0x7f0000001020, "zzz first", 0x20);
	expect(symbols, &place, 0x7f0000001033, "within", 3);
	expect(symbols, &place, 0x7f0000001034, "zzz first", 0x34);
	expect(symbols, &place, 0x7f0000002018, "outer", 0x18);
	expect(symbols, &place, 0x7f0000002030, "outer", 0x30);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* Handles "\r\n" and names longer than 4096 bytes. */
TEST(perf_map_with_long_names_and_other_ends_of_lines)
{
	static const char first[] = "7f0000001000 40 ",
			  next[] = "\r\n7f0000002000 40 next\r\n";
	struct pmscope_place place = {.dso = "//anon", .pid = 42};
	struct pmscope_symbols *symbols;
	struct bytes map = {};
	char name[4097] = "";

	memset(name, 'x', sizeof(name) - 1);
	bytes_add(&map, first, sizeof(first) - 1);
	bytes_add(&map, name, sizeof(name) - 1);
	bytes_add(&map, name, sizeof(name) - 1);
	bytes_add(&map, next, sizeof(next) - 1);
	make("perf-42.map", map.data, map.size);
	symbols = fixture_symbols();
	expect(symbols, &place, 0x7f0000001001, name, 1);
	expect(symbols, &place, 0x7f0000002002, "next", 2);
	pmscope_symbols_free(symbols);
	bytes_fini(&map);
	fixture_close();
}

/* Anybody may put a symlink into /tmp. */
TEST(perf_map_that_is_a_link)
{
	static const char map[] = "7f0000001000 40 function\n";
	struct pmscope_place place = {.dso = "//anon", .pid = 42};
	struct pmscope_symbols *symbols;

	make("other", map, sizeof(map) - 1);
	ASSERT_TRUE(fixture_run("ln -s other root/tmp/perf-42.map"));
	symbols = fixture_symbols();
	expect(symbols, &place, 0x7f0000001000, NULL, 0);
	pmscope_symbols_free(symbols);
	fixture_close();
}

static void put_jitdump(struct bytes *b)
{
	put_jit_header(b, 0);
	put_jit_load(b, 1, 42, 0x7f0000001000, "one");
	put(b, 3, 4); /* another type of record */
	put(b, 16 + 8, 4);
	put_zeros(b, 16);
	put_jit_load(b, 1, 43, 0x7f0000001000, "of another process");
	put_jit_load(b, 1, 42, 0x7f0000001004, "two");
	put_jit_move(b, 2, 42, 0x7f0000001004, 0x7f0000002000);
	put_jit_move(b, 2, 43, 0x7f0000001004, 0x7f0000003000);
	put_jit_move(b, 2, 42, 0x7f0000004000, 0x7f0000005000);
}

/* Writes the jitdump below the root and opens symbols for it. */
static struct pmscope_symbols *symbols_with_jitdump(void)
{
	struct bytes b = {};

	put_jitdump(&b);
	make("jit-42.dump", b.data, b.size);
	bytes_fini(&b);
	return fixture_symbols();
}

TEST(jitdump)
{
	struct pmscope_place place = {
		.dso = "//anon", .pid = 42, .jitdump = "/tmp/jit-42.dump"};
	struct pmscope_symbols *symbols;

	symbols = symbols_with_jitdump();
	expect(symbols, &place, 0x7f0000001002, "one", 2);
	expect(symbols, &place, 0x7f0000001004, "two", 0);
	expect(symbols, &place, 0x7f0000001008, NULL, 0);
	expect(symbols, &place, 0x7f0000002001, "two", 1);
	expect(symbols, &place, 0x7f0000003001, NULL, 0);
	expect(symbols, &place, 0x7f0000005001, NULL, 0);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* A process may run before it maps its jitdump. */
TEST(jitdump_that_is_told_later)
{
	struct pmscope_place place = {.dso = "//anon", .pid = 42};
	struct pmscope_symbols *symbols;

	symbols = symbols_with_jitdump();
	expect(symbols, &place, 0x7f0000001002, NULL, 0);
	place.jitdump = "/tmp/jit-42.dump";
	expect(symbols, &place, 0x7f0000001002, "one", 2);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* A forked process may have its parent's jitdump, and its own after an exec. */
TEST(jitdumps_of_two_programs_with_one_number)
{
	struct pmscope_place before = {
		.dso = "//anon", .pid = 42, .jitdump = "/tmp/jit-42.dump"};
	struct pmscope_place after = {
		.dso = "//anon", .pid = 42, .jitdump = "/run/jit-42.dump"};
	struct pmscope_symbols *symbols;
	struct bytes b = {};

	put_jit_header(&b, 0);
	put_jit_load(&b, 1, 42, 0x7f0000001000, "other");
	symbols = symbols_with_jitdump();
	ASSERT_TRUE(fixture_run("mkdir root/run"));
	ASSERT_TRUE(fixture_write("root/run/jit-42.dump", b.data, b.size));
	bytes_fini(&b);
	expect(symbols, &before, 0x7f0000001002, "one", 2);
	expect(symbols, &after, 0x7f0000001002, "other", 2);
	expect(symbols, &before, 0x7f0000001002, "one", 2);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* Truncates and damages the file: lookups must not crash. */
TEST(jitdump_cut_and_changed)
{
	struct pmscope_place place = {
		.dso = "//anon", .pid = 42, .jitdump = "/tmp/jit-42.dump"};
	struct bytes b = {};

	put_jitdump(&b);
	for (size_t at = 0; at < b.size; at += 3) {
		struct pmscope_symbols *symbols;
		struct pmscope_symbol symbol;
		struct bytes bad = {};

		bytes_add(&bad, b.data, b.size);
		bad.data[at] ^= 0xff;
		make("jit-42.dump", bad.data, at % 2 ? at : b.size);
		symbols = fixture_symbols();
		pmscope_symbols_find(symbols, &place, 0x7f0000001000, &symbol);
		pmscope_symbols_free(symbols);
		fixture_close();
		bytes_fini(&bad);
	}
	bytes_fini(&b);
}

TEST(perf_map_in_a_container)
{
	static const char map[] = "7f0000001000 40 function\n";
	struct pmscope_symbols_options options = {.size = sizeof(options),
						  .same_machine = true};
	struct pmscope_place place = {.dso = "//anon"};
	struct pmscope_symbols *symbols;
	pid_t pid, starter;

	make("perf-1.map", map, sizeof(map) - 1);
	pid = fixture_container(&starter);
	if (pid > 0) {
		place.pid = pid;
		symbols = pmscope_symbols_new(&options);
		expect(symbols, &place, 0x7f0000001004, "function", 4);
		pmscope_symbols_free(symbols);
		kill(pid, SIGKILL);
	}
	waitpid(starter, NULL, 0);
	fixture_close();
	if (pid < 0)
		SKIP("no right to make a container");
}

KTAP_MAIN
