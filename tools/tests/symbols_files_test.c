// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where names and lines of a program are found, however it was built and
 * whatever was kept of it. The programs are made here, by this host's tools.
 */
#include "ktap.h"

#include <pmscope/symbols.h>

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/* A root directory; what is built is kept beside it. */
static char dir[32];

/* Runs a command in @dir. */
__attribute__((format(printf, 1, 2))) static bool run(const char *fmt, ...)
{
	char command[1024];
	va_list args;
	int n;

	n = snprintf(command, sizeof(command), "cd %s && exec 2>/dev/null; ",
		     dir);
	va_start(args, fmt);
	vsnprintf(command + n, sizeof(command) - n, fmt, args);
	va_end(args);
	return !system(command);
}

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
	char path[64];
	FILE *file;

	strcpy(dir, "/tmp/pmscope-files-XXXXXX");
	ASSERT_TRUE(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/program.c", dir);
	file = fopen(path, "w");
	ASSERT_TRUE(file);
	ASSERT_EQ(fputs(source, file) < 0, false);
	fclose(file);
	ASSERT_TRUE(run("mkdir -p root/usr/bin home"));
}

static void remove_all(void)
{
	EXPECT_TRUE(run("rm -r %s", dir));
}

/* Builds "program", whose code is in the file where it is in memory. */
static bool build(const char *options)
{
	return run("cc -O2 -fPIE -pie -Wl,--build-id=sha1 -Wl,-z,separate-code "
		   "%s -c program.c -o program.o && "
		   "cc -pie -Wl,--build-id=sha1 -Wl,-z,separate-code "
		   "-o program program.o",
		   options);
}

/* The first line that a command prints; "" without. */
static const char *output(const char *command)
{
	static char line[256];
	char whole[512];
	FILE *pipe;

	snprintf(whole, sizeof(whole), "cd %s && %s 2>/dev/null", dir, command);
	pipe = popen(whole, "r");
	if (!pipe || !fgets(line, sizeof(line), pipe))
		*line = '\0';
	if (pipe)
		pclose(pipe);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static struct pmscope_place place_of(const char *function)
{
	char command[128];

	snprintf(command, sizeof(command), "nm program | sed -n 's/ T %s$//p'",
		 function);
	return (struct pmscope_place){
		.dso = "/usr/bin/program",
		.pid = 10,
		.file_offset = strtoull(output(command), NULL, 16) + 1,
	};
}

static const char *build_id(struct pmscope_place *place)
{
	static uint8_t id[20];
	const char *hex =
		output("readelf -n program | sed -n 's/.*Build ID: //p'");

	for (place->build_id_size = 0;
	     place->build_id_size < 20 && hex[2 * place->build_id_size];
	     place->build_id_size++)
		sscanf(hex + 2 * place->build_id_size, "%2hhx",
		       &id[place->build_id_size]);
	place->build_id = id;
	return hex;
}

static struct pmscope_symbols *symbols_new(const char *root)
{
	struct pmscope_symbols_options options = {.size = sizeof(options)};
	static char path[64]; /* it stays with the symbols */

	snprintf(path, sizeof(path), "%s/%s", dir, root);
	options.symfs = path;
	return pmscope_symbols_new(&options);
}

static void expect_frames(void)
{
	struct pmscope_place place = place_of("outer");
	struct pmscope_symbols *symbols;
	struct pmscope_line line;

	ASSERT_TRUE(run("cp program root/usr/bin/program"));
	symbols = symbols_new("root");
	place.file_offset++;
	ASSERT_TRUE(symbols);
	EXPECT_EQ(pmscope_symbols_line(symbols, &place, &line), 0);
	EXPECT_TRUE(line.file && strstr(line.file, "program.c"));
	EXPECT_STREQ(line.frames, "inner < outer");
	pmscope_symbols_free(symbols);
}

/* Clang and Rust write none. */
TEST(lines_without_debug_aranges)
{
	fill_in();
	if (!build("-g") ||
	    !run("objcopy --remove-section .debug_aranges program"))
		SKIP("no compiler here, or no objcopy");
	expect_frames();
	remove_all();
}

TEST(frames_of_split_dwarf)
{
	fill_in();
	if (!build("-g -gsplit-dwarf") || !run("test -e program.dwo"))
		SKIP("no compiler here, or one without -gsplit-dwarf");
	expect_frames();
	remove_all();
}

/* What Clang and rustc write for an inlined function in namespaces. */
static const char in_namespaces[] =
	".text\n.globl outer\n.type outer, %function\n"
	"outer: .zero 16\n.size outer, 16\n"
	".globl main\nmain: .zero 4\n"
	".section .debug_abbrev,\"\",%progbits\n"
	".uleb128 1, 0x11\n.byte 1\n" /* compile_unit */
	".uleb128 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	".uleb128 2, 0x39\n.byte 1\n" /* namespace */
	".uleb128 0x03, 0x08, 0, 0\n"
	".uleb128 3, 0x2e\n.byte 1\n" /* subprogram */
	".uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	".uleb128 4, 0x1d\n.byte 0\n" /* inlined_subroutine */
	".uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	".byte 0\n"
	".section .debug_info,\"\",%progbits\n"
	".4byte 2f - 1f\n1: .2byte 4\n.4byte .debug_abbrev\n.byte 8\n"
	".uleb128 1\n.8byte outer, 16\n"
	".uleb128 2\n.asciz \"a\"\n"
	".uleb128 2\n.asciz \"b\"\n"
	".uleb128 3\n.asciz \"outer\"\n.8byte outer, 16\n"
	".uleb128 4\n.asciz \"inner\"\n.8byte outer, 8\n"
	".byte 0, 0, 0, 0\n2:\n";

static void expect_frames_at(struct pmscope_place place, uint64_t offset,
			     const char *frames)
{
	struct pmscope_symbols *symbols = symbols_new("root");
	struct pmscope_line line = {};

	ASSERT_TRUE(symbols);
	place.file_offset += offset - 1;
	pmscope_symbols_line(symbols, &place, &line);
	EXPECT_STREQ(line.frames, frames);
	pmscope_symbols_free(symbols);
}

TEST(frames_of_functions_in_namespaces)
{
	struct pmscope_place place;
	char path[64];
	FILE *file;

	fill_in();
	snprintf(path, sizeof(path), "%s/spaces.s", dir);
	file = fopen(path, "w");
	ASSERT_TRUE(file);
	ASSERT_EQ(fputs(in_namespaces, file) < 0, false);
	fclose(file);
	if (!run("cc -pie -Wl,-z,separate-code -o program spaces.s"))
		SKIP("no compiler here");
	ASSERT_TRUE(run("cp program root/usr/bin/program"));
	place = place_of("outer");
	expect_frames_at(place, 7, "inner < outer");
	expect_frames_at(place, 8, NULL);
	remove_all();
}

/* The program is in the root without its names; they are in "d.dbg". */
static bool strip(void)
{
	fill_in();
	return build("-g") &&
	       run("objcopy --only-keep-debug program d.dbg && "
		   "objcopy --strip-all --add-gnu-debuglink=d.dbg program "
		   "root/usr/bin/program");
}

#define NEED_STRIPPED()                                          \
	do {                                                     \
		if (!strip())                                    \
			SKIP("no compiler here, or no objcopy"); \
	} while (0)

/* The debug file is where its build-id tells. */
static bool keep_by_build_id(const char *id)
{
	return run("to=root/usr/lib/debug/.build-id/%.2s && "
		   "mkdir -p $to && cp d.dbg $to/%s.debug",
		   id, id + 2);
}

static void expect_names(const struct pmscope_place *place)
{
	struct pmscope_symbols *symbols = symbols_new("root");
	struct pmscope_symbol symbol;
	struct pmscope_line line;

	ASSERT_TRUE(symbols);
	EXPECT_EQ(pmscope_symbols_find(symbols, place, 0, &symbol), 0);
	EXPECT_STREQ(symbol.name, "outer");
	EXPECT_EQ(symbol.offset, 1U);
	EXPECT_EQ(pmscope_symbols_line(symbols, place, &line), 0);
	EXPECT_TRUE(line.file && strstr(line.file, "program.c"));
	pmscope_symbols_free(symbols);
}

TEST(debug_file_of_another_machine_by_its_build_id)
{
	struct pmscope_place place;

	NEED_STRIPPED();
	place = place_of("outer");
	ASSERT_TRUE(keep_by_build_id(build_id(&place)));
	expect_names(&place);
	remove_all();
}

/* The program itself was replaced since: its build-id is another. */
TEST(debug_file_without_its_program)
{
	struct pmscope_place place;

	NEED_STRIPPED();
	place = place_of("outer");
	ASSERT_TRUE(keep_by_build_id(build_id(&place)));
	ASSERT_TRUE(build("-DOTHER -O1"));
	ASSERT_TRUE(run("cp program root/usr/bin/program"));
	expect_names(&place);
	remove_all();
}

TEST(debug_file_of_another_machine_by_its_link)
{
	struct pmscope_place place;

	NEED_STRIPPED();
	place = place_of("outer");
	ASSERT_TRUE(run("mkdir -p root/usr/lib/debug/usr/bin && "
			"cp d.dbg root/usr/lib/debug/usr/bin/d.dbg"));
	expect_names(&place);
	remove_all();
}

TEST(debug_file_of_another_build_is_not_used)
{
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	NEED_STRIPPED();
	place = place_of("outer");
	ASSERT_TRUE(build("-g -DOTHER -O1"));
	ASSERT_TRUE(run("mkdir -p root/usr/lib/debug/usr/bin && "
			"cp program root/usr/lib/debug/usr/bin/d.dbg"));
	symbols = symbols_new("root");
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	EXPECT_TRUE(symbol.name && !strncmp(symbol.name, "fn_", 3));
	pmscope_symbols_free(symbols);
	remove_all();
}

/* `perf buildid-cache --add` keeps the file as "elf", its debug file beside it.
 */
TEST(debug_file_that_perf_keeps)
{
	struct pmscope_place place;
	char home[64];
	const char *id;

	NEED_STRIPPED();
	place = place_of("outer");
	id = build_id(&place);
	ASSERT_TRUE(run("to=home/.debug/.build-id/%.2s/%s && mkdir -p $to && "
			"mv root/usr/bin/program $to/elf && cp d.dbg $to/debug",
			id, id + 2));
	snprintf(home, sizeof(home), "%s/home", dir);
	setenv("HOME", home, 1);
	expect_names(&place);
	remove_all();
}

KTAP_MAIN
