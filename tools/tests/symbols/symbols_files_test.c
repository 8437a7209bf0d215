// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where symbols and lines of a program are found, for several ways to build it
 * and to keep its debug information. The host's compiler makes the programs.
 */
#include "elf_fixture.h"
#include "ktap.h"

#include <pmscope/symbols.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>

static void fill_in(void)
{
	static const char source[] =
		"volatile int sink;\n"
		"static inline __attribute__((always_inline)) int inner(int "
		"x)\n"
		"{\n"
		"	return x * 7 + sink;\n"
		"}\n"
		"__attribute__((noinline)) int outer(int x)\n"
		"{\n"
		"	return inner(x) + inner(x + sink);\n"
		"}\n"
		"int main(int argc, char **argv)\n"
		"{\n"
		"	return outer(argc) + !argv;\n"
		"}\n";

	ASSERT_TRUE(fixture_open());
	ASSERT_TRUE(fixture_write_text("program.c", source));
}

static bool build(const char *options)
{
	return fixture_build(options, "sha1");
}

static void expect_frames(void)
{
	struct pmscope_place place = fixture_place("outer");
	struct pmscope_symbols *symbols;
	struct pmscope_line line;

	ASSERT_TRUE(fixture_run("cp program root/usr/bin/program"));
	symbols = fixture_symbols();
	place.file_offset++;
	ASSERT_TRUE(symbols);
	EXPECT_EQ(pmscope_symbols_line(symbols, &place, 0, &line), 0);
	EXPECT_TRUE(line.file && strstr(line.file, "program.c"));
	EXPECT_STREQ(line.frames, "inner < outer");
	pmscope_symbols_free(symbols);
}

/* Clang and Rust do not write .debug_aranges. */
TEST(lines_without_debug_aranges)
{
	fill_in();
	if (!build("-g") ||
	    !fixture_run("objcopy --remove-section .debug_aranges program"))
		SKIP("no compiler here, or no objcopy");
	expect_frames();
	fixture_close();
}

TEST(frames_of_split_dwarf)
{
	fill_in();
	if (!build("-g -gsplit-dwarf") || !fixture_run("test -e program.dwo"))
		SKIP("no compiler here, or one without -gsplit-dwarf");
	expect_frames();
	fixture_close();
}

/* Puts the stripped program into the root, and its debug file into "d.dbg". */
static bool strip(void)
{
	fill_in();
	return build("-g") && fixture_strip();
}

#define NEED_STRIPPED()                                          \
	do {                                                     \
		if (!strip())                                    \
			SKIP("no compiler here, or no objcopy"); \
	} while (0)

/* Installs the debug file under its build-id. */
static bool keep_by_build_id(const char *id)
{
	return fixture_run("to=root/usr/lib/debug/.build-id/%.2s && "
			   "mkdir -p $to && cp d.dbg $to/%s.debug",
			   id, id + 2);
}

static void expect_names(const struct pmscope_place *place)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_symbol symbol;
	struct pmscope_line line;

	ASSERT_TRUE(symbols);
	EXPECT_EQ(pmscope_symbols_find(symbols, place, 0, &symbol), 0);
	EXPECT_STREQ(symbol.name, "outer");
	EXPECT_EQ(symbol.offset, 1U);
	EXPECT_EQ(pmscope_symbols_line(symbols, place, 0, &line), 0);
	EXPECT_TRUE(line.file && strstr(line.file, "program.c"));
	pmscope_symbols_free(symbols);
}

#define LINKED 0x400000

/* perf inject --jit wrote such files before Linux 6.1. */
TEST(program_without_program_headers)
{
	static const char drop[] = "head -c $1 /dev/zero | "
				   "dd of=root/usr/bin/program conv=notrunc "
				   "bs=1 seek=$2 2>dd.log";
	struct pmscope_place place;

	fill_in();
	if (!build("-g") ||
	    !fixture_run("cc -no-pie -Wl,-Ttext-segment=%#x -o program "
			 "program.o && cp program root/usr/bin",
			 LINKED))
		SKIP("no compiler here");
	place = fixture_place("outer");
	place.file_offset -= LINKED;
	/* clear e_phoff, then e_phentsize and e_phnum */
	ASSERT_TRUE(fixture_run("set -- 8 32 && %s", drop));
	ASSERT_TRUE(fixture_run("set -- 4 54 && %s", drop));
	expect_names(&place);
	fixture_close();
}

TEST(debug_file_of_another_machine_by_its_build_id)
{
	struct pmscope_place place;

	NEED_STRIPPED();
	place = fixture_place("outer");
	ASSERT_TRUE(keep_by_build_id(fixture_build_id("program", &place)));
	expect_names(&place);
	fixture_close();
}

/* The program has been replaced by one with another build-id. */
TEST(debug_file_without_its_program)
{
	struct pmscope_place place;

	NEED_STRIPPED();
	place = fixture_place("outer");
	ASSERT_TRUE(keep_by_build_id(fixture_build_id("program", &place)));
	ASSERT_TRUE(build("-DOTHER -O1"));
	ASSERT_TRUE(fixture_run("cp program root/usr/bin/program"));
	expect_names(&place);
	fixture_close();
}

TEST(debug_file_of_another_machine_by_its_link)
{
	struct pmscope_place place;

	NEED_STRIPPED();
	place = fixture_place("outer");
	ASSERT_TRUE(fixture_run("mkdir -p root/usr/lib/debug/usr/bin && "
				"cp d.dbg root/usr/lib/debug/usr/bin/d.dbg"));
	expect_names(&place);
	fixture_close();
}

TEST(debug_file_beside_what_a_link_leads_to)
{
	struct pmscope_place place;

	NEED_STRIPPED();
	place = fixture_place("outer");
	ASSERT_TRUE(fixture_run("mkdir -p root/opt/app && cd root/usr/bin && "
				"mv program ../../opt/app && "
				"ln -s ../../opt/app/program program && "
				"cp ../../../d.dbg ../../opt/app/d.dbg"));
	expect_names(&place);
	fixture_close();
}

TEST(debug_file_of_another_build_is_not_used)
{
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	NEED_STRIPPED();
	place = fixture_place("outer");
	ASSERT_TRUE(build("-g -DOTHER -O1"));
	ASSERT_TRUE(fixture_run("mkdir -p root/usr/lib/debug/usr/bin && "
				"cp program root/usr/lib/debug/usr/bin/d.dbg"));
	symbols = fixture_symbols();
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	EXPECT_TRUE(symbol.name && !strncmp(symbol.name, "fn_", 3));
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* A static program has no lazy binding, so its .plt has no header. */
TEST(stubs_of_a_static_program)
{
	struct pmscope_place place = {.dso = "/usr/bin/program", .pid = 10};
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;

	fill_in();
	if (!fixture_run("cc -static -o root/usr/bin/program program.c"))
		SKIP("no compiler here, or no libc.a");
	place.file_offset =
		strtoull(fixture_output("readelf -SW root/usr/bin/program | "
					"sed -n 's/.* \\.plt *PROGBITS *"
					"[0-9a-f]* *\\([0-9a-f]*\\).*/\\1/p'"),
			 NULL, 16);
	if (!place.file_offset)
		SKIP("no .plt, or no readelf");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	for (unsigned int i = 0; i < 32; i++, place.file_offset++)
		if (!pmscope_symbols_find(symbols, &place, 0, &symbol))
			EXPECT_TRUE(strcmp(symbol.name, ".plt") != 0);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* Expects that the program, which may have been rebuilt, is used or not. */
static void expect_names_if(bool used, struct pmscope_place *place)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_symbol symbol;

	ASSERT_TRUE(symbols);
	ASSERT_TRUE(fixture_run("cp program root/usr/bin"));
	EXPECT_EQ(!pmscope_symbols_find(symbols, place, 0, &symbol), used);
	pmscope_symbols_free(symbols);
}

TEST(program_without_the_recorded_build_id_is_not_used)
{
	struct pmscope_place place;

	fill_in();
	if (!build("-g"))
		SKIP("no compiler here");
	place = fixture_place("outer");
	fixture_build_id("program", &place);
	ASSERT_EQ(place.build_id_size, 20U);
	expect_names_if(true, &place);
	ASSERT_TRUE(fixture_run("objcopy -R .note.gnu.build-id program"));
	expect_names_if(false, &place);
	place.build_id_size = 0;
	expect_names_if(true, &place);
	fixture_close();
}

/* With several build-ids, as from several machines; only one is right. */
TEST(one_file_that_is_asked_for_again_and_again)
{
	/* Each needs a name at another address. */
	static char names[9][sizeof("/usr/bin/program")];
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_place place;
	uint8_t id[20];

	fill_in();
	if (!build("-g"))
		SKIP("no compiler here");
	ASSERT_TRUE(fixture_run("cp program root/usr/bin"));
	place = fixture_place("outer");
	fixture_build_id("program", &place);
	memcpy(id, place.build_id, sizeof(id));
	place.build_id = id;
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	for (unsigned int i = 0; i < 9; i++) {
		bool right = i == 4;

		place.dso = strcpy(names[i], "/usr/bin/program");
		id[19] ^= right ? 0 : i + 1;
		EXPECT_EQ(!pmscope_symbols_find(symbols, &place, 0, &symbol),
			  right);
		id[19] ^= right ? 0 : i + 1;
	}
	pmscope_symbols_free(symbols);
	fixture_close();
}

/*
 * Builds the program with a build-id of @bytes bytes; recordings have at most
 * 20.
 */
static void expect_names_with_id_of(size_t bytes)
{
	uint8_t id[24] = {}, recorded[20] = {};
	struct pmscope_place place;
	char hex[2 * sizeof(id) + 1];

	for (size_t i = 0; i < bytes; i++) {
		id[i] = 0x11 * (i + 1);
		sprintf(hex + 2 * i, "%02x", id[i]);
	}
	memcpy(recorded, id, sizeof(recorded));
	ASSERT_TRUE(fixture_run("cc -pie -Wl,--build-id=0x%s -Wl,-z,"
				"separate-code -o program program.o",
				hex));
	place = fixture_place("outer");
	place.build_id = recorded;
	place.build_id_size = sizeof(recorded);
	expect_names_if(true, &place);
	place.build_id_size = 3;
	expect_names_if(false, &place);
	place.build_id_size = sizeof(recorded);
	recorded[bytes < 20 ? bytes : 19] ^= 1;
	expect_names_if(false, &place);
}

TEST(build_ids_of_other_lengths)
{
	fill_in();
	if (!build("-g"))
		SKIP("no compiler here");
	for (size_t bytes = 4; bytes <= 24; bytes += 4)
		expect_names_with_id_of(bytes);
	fixture_close();
}

/*
 * `perf buildid-cache --add` stores the file as "elf" and its debug file beside
 * it.
 */
TEST(debug_file_that_perf_keeps)
{
	struct pmscope_place place;
	const char *id;

	NEED_STRIPPED();
	place = fixture_place("outer");
	id = fixture_build_id("program", &place);
	ASSERT_TRUE(fixture_run(
		"to=home/.debug/.build-id/%.2s/%s && mkdir -p $to && "
		"mv root/usr/bin/program $to/elf && cp d.dbg $to/debug",
		id, id + 2));
	setenv("HOME", fixture_path("home"), 1);
	expect_names(&place);
	fixture_close();
}

/* Puts the program, recorded as @dso, into perf's cache as @kept. */
static void expect_kept_names(const char *dso, const char *kept)
{
	struct pmscope_place place = fixture_place("outer");
	const char *id;

	place.dso = dso;
	place.pid = 42;
	id = fixture_build_id("program", &place);
	ASSERT_TRUE(fixture_run("to=home/.debug/.build-id/%.2s/%s && "
				"mkdir -p $to && cp program $to/%s",
				id, id + 2, kept));
	setenv("HOME", fixture_path("home"), 1);
	expect_names(&place);
}

TEST(vdso_that_perf_keeps)
{
	fill_in();
	if (!build("-g"))
		SKIP("no compiler here");
	expect_kept_names("[vdso]", "vdso");
	fixture_close();
}

/* Kernel packages install vdso.so. "r[o]ot" must not match "root". */
TEST(vdso_below_a_root_named_like_a_pattern)
{
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	fill_in();
	if (!build("-g"))
		SKIP("no compiler here");
	place = fixture_place("outer");
	place.dso = "[vdso]";
	ASSERT_TRUE(
		fixture_run("for to in 'r[o]ot' root; do "
			    "mkdir -p $to/lib/modules/6.1.0/vdso; done; "
			    "cp program root/lib/modules/6.1.0/vdso/vdso.so"));
	symbols = fixture_symbols_below("r[o]ot");
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), -ENOENT);
	pmscope_symbols_free(symbols);
	ASSERT_TRUE(fixture_run("mv root/lib/modules/*/vdso/vdso.so "
				"'r[o]ot/lib/modules/6.1.0/vdso'"));
	symbols = fixture_symbols_below("r[o]ot");
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	EXPECT_STREQ(symbol.name, "outer");
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* For example, a container runtime runs a copy of itself from a memfd. */
TEST(program_in_a_memfd)
{
	fill_in();
	if (!build("-g"))
		SKIP("no compiler here");
	expect_kept_names("/memfd:program (deleted)", "elf");
	fixture_close();
}

/* Uses the container's file, not the one with the same name here. */
TEST(program_in_a_container)
{
	struct pmscope_symbols_options options = {.size = sizeof(options),
						  .same_machine = true};
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_place place;
	pid_t pid, starter;

	fill_in();
	if (!build("-g"))
		SKIP("no compiler here");
	place = fixture_place("outer");
	fixture_build_id("program", &place);
	ASSERT_TRUE(fixture_run("cp program root/usr/bin/env"));
	place.dso = "/usr/bin/env";
	pid = fixture_container(&starter);
	if (pid > 0) {
		place.pid = pid;
		symbols = pmscope_symbols_new(&options);
		EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
		EXPECT_STREQ(symbol.name, "outer");
		pmscope_symbols_free(symbols);
		kill(pid, SIGKILL);
	}
	waitpid(starter, NULL, 0);
	fixture_close();
	if (pid < 0)
		SKIP("no right to make a container");
}

/* Returns true if a symbol of our vDSO contains @part. */
static bool names_own_vdso(bool same_machine, const char *part)
{
	struct pmscope_symbols_options options = {
		.size = sizeof(options),
		.same_machine = same_machine,
	};
	struct pmscope_symbols *symbols = pmscope_symbols_new(&options);
	struct pmscope_place place = {.dso = "[vdso]", .pid = 1};
	struct pmscope_symbol symbol;
	bool found = false;

	for (; place.file_offset < 8192 && !found; place.file_offset += 4)
		found = !pmscope_symbols_find(symbols, &place,
					      place.file_offset, &symbol) &&
			strstr(symbol.name, part);
	pmscope_symbols_free(symbols);
	return found;
}

/* Needs no file. */
TEST(vdso_of_the_running_kernel)
{
	if (!getauxval(AT_SYSINFO_EHDR))
		SKIP("no vDSO here");
	EXPECT_TRUE(names_own_vdso(true, "clock_gettime"));
	EXPECT_TRUE(!names_own_vdso(false, "clock_gettime"));
}

KTAP_MAIN
