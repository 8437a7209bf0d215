// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks up addresses in the test program itself. */
#include "ktap.h"

#include <pmscope/symbols.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A function to find; .symtab has its name and size. */
int symbols_test_target(int x);

__attribute__((noinline)) int symbols_test_target(int x)
{
	return x * 3 + 1;
}

/* Finds the file offset of a function in this program. */
static bool own_place(const void *function, struct pmscope_place *place)
{
	uint64_t address = (uintptr_t)function, start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	static char path[4096];
	bool found = false;
	char line[4352];

	while (maps && !found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &start,
			       &end, &offset, path) == 4 &&
			address >= start && address < end;
	if (maps)
		fclose(maps);
	*place = (struct pmscope_place){
		.dso = path,
		.file_offset = address - start + offset,
	};
	return found;
}

static struct pmscope_symbols *symbols_new(const char *symfs, bool same)
{
	struct pmscope_symbols_options options = {
		.size = sizeof(options), .symfs = symfs, .same_machine = same};

	return pmscope_symbols_new(&options);
}

/* Functions with mangled names: C++, legacy Rust and Rust. */
#define FUNCTION(function, name)                      \
	int function(int x) __asm__(name);            \
	__attribute__((noinline)) int function(int x) \
	{                                             \
		return x * 5 + __COUNTER__;           \
	}

FUNCTION(of_namespace, "_ZN5space8functionEi")
FUNCTION(of_overload, "_ZN5space8functionEd")
FUNCTION(of_template, "_ZNK3BoxIdLi4EE3sumEi.cold")
FUNCTION(of_old_rust, "_ZN4core3fmt5write17h0123456789abcdefE")
FUNCTION(of_rust, "_RNvC4demo4main")
FUNCTION(of_c, "_Zebra")
/* Each part contains the one before twice: 1.7 GB when demangled. */
#define TOO_LONG                                                       \
	"_Z1fI1AIiiES0_IS1_S1_ES0_IS2_S2_ES0_IS3_S3_ES0_IS4_S4_ES0_IS" \
	"5_S5_ES0_IS6_S6_ES0_IS7_S7_ES0_IS8_S8_ES0_IS9_S9_ES0_ISA_SA_" \
	"ES0_ISB_SB_ES0_ISC_SC_ES0_ISD_SD_ES0_ISE_SE_ES0_ISF_SF_ES0_I" \
	"SG_SG_ES0_ISH_SH_ES0_ISI_SI_ES0_ISJ_SJ_ES0_ISK_SK_ES0_ISL_SL" \
	"_ES0_ISM_SM_ES0_ISN_SN_ES0_ISO_SO_EEvv"
FUNCTION(of_bomb, TOO_LONG)

static const char *name_of(struct pmscope_symbols *symbols,
			   int (*function)(int))
{
	struct pmscope_symbol symbol = {};
	struct pmscope_place place;

	EXPECT_TRUE(own_place((const void *)function, &place));
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	return symbol.name;
}

TEST(names_of_other_languages)
{
	struct pmscope_symbols *symbols = symbols_new(NULL, true);

	ASSERT_TRUE(symbols);
	EXPECT_STREQ(name_of(symbols, of_namespace), "space::function");
	EXPECT_TRUE(name_of(symbols, of_overload) ==
		    name_of(symbols, of_namespace));
	EXPECT_STREQ(name_of(symbols, of_template), "Box<double, 4>::sum");
	EXPECT_STREQ(name_of(symbols, of_old_rust), "core::fmt::write");
	EXPECT_STREQ(name_of(symbols, of_rust), "demo::main");
	EXPECT_STREQ(name_of(symbols, of_c), "_Zebra");
	EXPECT_STREQ(name_of(symbols, of_bomb), TOO_LONG);
	pmscope_symbols_free(symbols);
}

TEST(names_as_compilers_made_them)
{
	struct pmscope_symbols_options options = {
		.size = sizeof(options), .same_machine = true, .mangled = true};
	struct pmscope_symbols *symbols = pmscope_symbols_new(&options);

	ASSERT_TRUE(symbols);
	EXPECT_STREQ(name_of(symbols, of_namespace), "_ZN5space8functionEi");
	EXPECT_STREQ(name_of(symbols, of_c), "_Zebra");
	pmscope_symbols_free(symbols);
}

TEST(function_of_this_program)
{
	struct pmscope_symbols *symbols = symbols_new(NULL, true);
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	ASSERT_TRUE(symbols);
	ASSERT_TRUE(own_place(symbols_test_target, &place));
	ASSERT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	EXPECT_STREQ(symbol.name, "symbols_test_target");
	EXPECT_EQ(symbol.offset, 0U);
	place.file_offset += 2;
	place.around = (struct pmscope_around){1000, 1};
	ASSERT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	EXPECT_STREQ(symbol.name, "symbols_test_target");
	EXPECT_EQ(symbol.offset, 2U);
	EXPECT_EQ(symbol.around.before, 2U);
	EXPECT_EQ(symbol.around.behind, 1U);
	pmscope_symbols_free(symbols);
}

/* Returns the file offset of a section, or 0 if there is none. */
static uint64_t section_offset(const char *path, const char *name)
{
	char command[4400], line[64] = "";
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "readelf -SW %s 2>/dev/null | "
		 "sed -n 's/.* \\%s  *[A-Z]* *[0-9a-f]* \\([0-9a-f]*\\) "
		 ".*/\\1/p'",
		 path, name);
	pipe = popen(command, "r");
	if (pipe && !fgets(line, sizeof(line), pipe))
		*line = '\0';
	if (pipe)
		pclose(pipe);
	return strtoull(line, NULL, 16);
}

TEST(stubs_have_the_names_of_what_they_call)
{
	struct pmscope_symbols *symbols = symbols_new(NULL, true);
	struct pmscope_symbol symbol;
	struct pmscope_place place;
	uint64_t stub;

	ASSERT_TRUE(own_place(symbols_test_target, &place));
	stub = section_offset(place.dso, ".plt.sec");
	if (!stub) {
		stub = section_offset(place.dso, ".plt");
		if (!stub)
			SKIP("no .plt, or no readelf");
		stub += 32; /* after the header, in any case */
	}
	place.file_offset = stub;
	ASSERT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	EXPECT_TRUE(strstr(symbol.name, "@plt") != NULL);
	EXPECT_EQ(symbol.offset, 0U);
	pmscope_symbols_free(symbols);
}

TEST(what_binds_stubs_has_a_name)
{
	struct pmscope_symbols *symbols = symbols_new(NULL, true);
	struct pmscope_symbol symbol;
	struct pmscope_place place;
	uint64_t header;

	ASSERT_TRUE(own_place(symbols_test_target, &place));
	header = section_offset(place.dso, ".plt");
	if (!header)
		SKIP("no .plt, or no readelf");
	place.file_offset = header + 12;
	ASSERT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	EXPECT_STREQ(symbol.name, ".plt");
	EXPECT_EQ(symbol.offset, 12U);
	pmscope_symbols_free(symbols);
}

static __attribute__((noinline)) const char *call_site(void)
{
	return (const char *)__builtin_return_address(0) - 1;
}

static inline __attribute__((always_inline)) const char *inlined(void)
{
	const char *site = call_site();

	__asm__ volatile("" : "+r"(site));
	return site;
}

__attribute__((noinline)) const char *symbols_test_outer(void);
__attribute__((noinline)) const char *symbols_test_outer(void)
{
	const char *site = inlined();

	__asm__ volatile("" : "+r"(site));
	return site;
}

TEST(frames_of_an_inlined_function)
{
	struct pmscope_symbols *symbols = symbols_new(NULL, true);
	struct pmscope_place place;
	struct pmscope_line line;

	ASSERT_TRUE(own_place((const void *)symbols_test_outer(), &place));
	ASSERT_EQ(pmscope_symbols_line(symbols, &place, 0, &line), 0);
	EXPECT_STREQ(line.frames, "inlined < symbols_test_outer");
	ASSERT_TRUE(own_place(symbols_test_target, &place));
	ASSERT_EQ(pmscope_symbols_line(symbols, &place, 0, &line), 0);
	EXPECT_TRUE(!line.frames);
	pmscope_symbols_free(symbols);
}

TEST(line_of_this_program)
{
	struct pmscope_symbols *symbols = symbols_new(NULL, true);
	struct pmscope_place place;
	struct pmscope_line line;

	ASSERT_TRUE(own_place(symbols_test_target, &place));
	for (int turn = 0; turn < 2; turn++) {
		ASSERT_EQ(pmscope_symbols_line(symbols, &place, 0, &line), 0);
		EXPECT_TRUE(strstr(line.file, "symbols_test.c") != NULL);
		EXPECT_GT(line.line, 10U);
		EXPECT_LT(line.line, 40U);
	}
	place.file_offset = UINT64_MAX;
	EXPECT_EQ(pmscope_symbols_line(symbols, &place, 0, &line), -ENOENT);
	pmscope_symbols_free(symbols);
}

/* Reads this program's build-id, also as hexadecimal digits; "" if none. */
static void own_build_id(const char *path, uint8_t *id, size_t *size, char *hex)
{
	char command[4200], line[256] = "";
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "readelf -n %s 2>/dev/null | sed -n 's/.*Build ID: //p'",
		 path);
	pipe = popen(command, "r");
	if (!pipe || !fgets(line, sizeof(line), pipe))
		*line = '\0';
	if (pipe)
		pclose(pipe);
	line[strcspn(line, "\n")] = '\0';
	snprintf(hex, 64, "%.60s", line);
	for (*size = 0; *size < 20 && line[2 * *size]; ++*size)
		sscanf(line + 2 * *size, "%2hhx", &id[*size]);
}

/* A server may be a directory: file:///DIR/buildid/ID/executable. */
TEST(file_from_debuginfod)
{
	char dir[] = "/tmp/pmscope-debuginfod-XXXXXX", command[9000], hex[64];
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_place place;
	uint8_t id[20];

	ASSERT_TRUE(own_place(symbols_test_target, &place));
	own_build_id(place.dso, id, &place.build_id_size, hex);
	if (!place.build_id_size)
		SKIP("no build-id");
	ASSERT_TRUE(mkdtemp(dir));
	snprintf(command, sizeof(command),
		 "mkdir -p %s/buildid/%s && cp %s %s/buildid/%s/executable",
		 dir, hex, place.dso, dir, hex);
	ASSERT_EQ(system(command), 0);
	snprintf(command, sizeof(command), "file://%s/", dir);
	setenv("DEBUGINFOD_URLS", command, 1);
	snprintf(command, sizeof(command), "%s/cache", dir);
	setenv("DEBUGINFOD_CACHE_PATH", command, 1);
	place.build_id = id;
	place.dso = "/no/such/file";
	symbols = symbols_new(NULL, false);
	if (pmscope_symbols_find(symbols, &place, 0, &symbol) == -ENOENT) {
		pmscope_symbols_free(symbols);
		SKIP("no libdebuginfod, or one without file URLs");
	}
	EXPECT_STREQ(symbol.name, "symbols_test_target");
	pmscope_symbols_free(symbols);
	unsetenv("DEBUGINFOD_URLS");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	EXPECT_EQ(system(command), 0);
}

TEST(another_build_id_is_not_used)
{
	static const uint8_t wrong[20] = {1, 2, 3};
	struct pmscope_symbols *symbols = symbols_new(NULL, true);
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	ASSERT_TRUE(own_place(symbols_test_target, &place));
	place.build_id = wrong;
	place.build_id_size = sizeof(wrong);
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), -ENOENT);
	EXPECT_STREQ(symbol.dso, place.dso);
	EXPECT_TRUE(!symbol.name);
	pmscope_symbols_free(symbols);
}

/* For another machine's recording, a path proves nothing about a file here. */
TEST(file_of_another_machine_is_not_used_without_build_id)
{
	struct pmscope_symbols *symbols = symbols_new(NULL, false);
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	ASSERT_TRUE(own_place(symbols_test_target, &place));
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), -ENOENT);
	pmscope_symbols_free(symbols);
}

TEST(symfs_is_the_root)
{
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_place place;
	char dir[4096], *slash;

	ASSERT_TRUE(own_place(symbols_test_target, &place));
	strcpy(dir, place.dso);
	slash = strrchr(dir, '/');
	place.dso = strdup(slash);
	*slash = '\0';
	symbols = symbols_new(dir, false);
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	EXPECT_STREQ(symbol.name, "symbols_test_target");
	pmscope_symbols_free(symbols);
	free((char *)place.dso);
}

/* In a stripped file, unwind tables still tell where functions start. */
TEST(stripped_file_names_functions_by_address)
{
	char dir[] = "/tmp/pmscope-symfs-XXXXXX", command[8448], path[64];
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	ASSERT_TRUE(own_place(symbols_test_target, &place));
	ASSERT_TRUE(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/stripped", dir);
	snprintf(command, sizeof(command), "strip -o %s %s 2>/dev/null", path,
		 place.dso);
	if (system(command))
		SKIP("no strip");
	place.dso = "/stripped";
	symbols = symbols_new(dir, false);
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	EXPECT_TRUE(symbol.name && !strncmp(symbol.name, "fn_", 3));
	EXPECT_EQ(symbol.offset, 0U);
	place.file_offset += 2;
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
	EXPECT_EQ(symbol.offset, 2U);
	pmscope_symbols_free(symbols);
	unlink(path);
	rmdir(dir);
}

TEST(files_that_are_no_programs)
{
	static const char *const names[] = {"/dev/zero",    "/proc/self/maps",
					    "/nonexistent", "[vdso]",
					    "//anon",	    "/"};
	struct pmscope_symbols *symbols = symbols_new(NULL, true);
	struct pmscope_symbol symbol;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct pmscope_place place = {.dso = names[i],
					      .file_offset = 64};

		EXPECT_EQ(pmscope_symbols_find(symbols, &place, 64, &symbol),
			  -ENOENT);
	}
	pmscope_symbols_free(symbols);
}

KTAP_MAIN
