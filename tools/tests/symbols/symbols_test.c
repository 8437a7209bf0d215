// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks up addresses in the test program itself. */
#include "symbols_scenario.h"

/* A function to find; .symtab has its name and size. */
int symbols_test_target(int x);

__attribute__((noinline)) int symbols_test_target(int x)
{
	return x * 3 + 1;
}

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

STEP_IS(place_of_own, EXPECT_TRUE(own_place((const void *)(uintptr_t)step->v[0],
					    &sc->place)));
#define OWN(function) CALL(place_of_own, (uintptr_t)(function))
#define TARGET	      OWN(symbols_test_target)

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

static const char *kept;

static const char *found_name(struct scenario *sc)
{
	struct pmscope_symbol symbol = {};

	pmscope_symbols_find(symbols_of(sc), &sc->place, 0, &symbol);
	return symbol.name;
}

STEP_IS(keep_name, kept = found_name(sc));

/* The same string. */
STEP_IS(expect_name_kept, EXPECT_TRUE(found_name(sc) == kept));

SCENARIO(names_of_other_languages, SAME_MACHINE, OWN(of_namespace),
	 FIND(0, "space::function", 0), CALL(keep_name), OWN(of_overload),
	 CALL(expect_name_kept), OWN(of_template),
	 FIND(0, "Box<double, 4>::sum", 0), OWN(of_old_rust),
	 FIND(0, "core::fmt::write", 0), OWN(of_rust), FIND(0, "demo::main", 0),
	 OWN(of_c), FIND(0, "_Zebra", 0), OWN(of_bomb), FIND(0, TOO_LONG, 0));

SCENARIO(names_as_compilers_made_them, SAME_MACHINE, WITH(mangled, true),
	 OWN(of_namespace), FIND(0, "_ZN5space8functionEi", 0), OWN(of_c),
	 FIND(0, "_Zebra", 0));

STEP_OF(expect_around)
{
	struct pmscope_symbol symbol;

	sc->place.around = (struct pmscope_around){1000, 1};
	ASSERT_EQ(pmscope_symbols_find(symbols_of(sc), &sc->place, 0, &symbol),
		  0);
	EXPECT_EQ(symbol.around.before, 2U);
	EXPECT_EQ(symbol.around.behind, 1U);
}

SCENARIO(function_of_this_program, SAME_MACHINE, TARGET,
	 FIND(0, "symbols_test_target", 0), PLUS(2),
	 FIND(0, "symbols_test_target", 2), CALL(expect_around));

static uint64_t section_offset(const char *path, const char *name)
{
	return strtoull(fixture_output("start %s %s", path, name), NULL, 16);
}

/* Behind the header of such a section; from the one after it on. */
STEP_OF(place_in_plt)
{
	uint64_t stub = 0;

	open_dir(sc);
	EXPECT_TRUE(own_place((const void *)symbols_test_target, &sc->place));
	if (!step->v[0])
		stub = section_offset(sc->place.dso, "plt.sec");
	if (!stub) {
		stub = section_offset(sc->place.dso, "plt");
		if (!stub)
			SKIP("no .plt, or no readelf");
		stub += step->v[0] ? step->v[0] : 32; /* in any case */
	}
	sc->place.file_offset = stub;
}

STEP_OF(expect_plt_name)
{
	struct pmscope_symbol symbol = {};

	EXPECT_EQ(pmscope_symbols_find(symbols_of(sc), &sc->place, 0, &symbol),
		  0);
	expect_words(symbol.name, "*@plt");
	EXPECT_EQ(symbol.offset, 0U);
}

SCENARIO(stubs_have_the_names_of_what_they_call, SAME_MACHINE,
	 CALL(place_in_plt, 0), CALL(expect_plt_name));

SCENARIO(what_binds_stubs_has_a_name, SAME_MACHINE, CALL(place_in_plt, 12),
	 FIND(0, ".plt", 12));

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

SCENARIO(frames_of_an_inlined_function, SAME_MACHINE, OWN(symbols_test_outer()),
	 LINE(0, "*.c", ANY_LINE, "inlined < symbols_test_outer"), TARGET,
	 LINE(0, "*.c", ANY_LINE, NULL));

STEP_OF(expect_line)
{
	struct pmscope_line line;

	for (int turn = 0; turn < 2; turn++) {
		ASSERT_EQ(pmscope_symbols_line(symbols_of(sc), &sc->place, 0,
					       &line),
			  0);
		expect_words(line.file, "*symbols_test.c");
		EXPECT_GT(line.line, 5U);
		EXPECT_LT(line.line, 15U);
	}
}

SCENARIO(line_of_this_program, SAME_MACHINE, TARGET, CALL(expect_line),
	 SET(file_offset, UINT64_MAX), LINE(0, NULL, ANY_LINE, ANY));

/* A server may be a directory: file:///DIR/buildid/ID/executable. */
STEP_OF(serve_own)
{
	setenv("OWN", sc->place.dso, 1);
	fixture_run("cp $OWN own");
	fixture_build_id("own", &sc->place);
	if (!sc->place.build_id_size)
		SKIP("no build-id");
	EXPECT_TRUE(fixture_run("serve own executable && rm own"));
	sc->place.dso = "/no/such/file";
	if (!found_name(sc))
		SKIP("no libdebuginfod, or one without file URLs");
}

TEST(file_from_debuginfod)
{
	PLAY(SERVER, NO_ROOT, TARGET, CALL(serve_own),
	     FIND(0, "symbols_test_target", ANY_OFFSET));
	unsetenv("DEBUGINFOD_URLS");
}

STEP_OF(expect_own_dso)
{
	struct pmscope_symbol symbol;

	EXPECT_EQ(pmscope_symbols_find(symbols_of(sc), &sc->place, 0, &symbol),
		  -ENOENT);
	EXPECT_STREQ(symbol.dso, sc->place.dso);
}

TEST(another_build_id_is_not_used)
{
	static const uint8_t wrong[20] = {1, 2, 3};

	PLAY(SAME_MACHINE, TARGET, OTHER_ID(wrong), CALL(expect_own_dso),
	     FIND(0, NULL, 0));
}

/* For another machine's recording, a path proves nothing about a file here. */
SCENARIO(file_of_another_machine_is_not_used_without_build_id, TARGET,
	 FIND(0, NULL, 0));

STEP_OF(split_path)
{
	static char dir[4096], name[256], *slash;

	slash = strrchr(strcpy(dir, sc->place.dso), '/');
	sc->place.dso = strcpy(name, slash);
	*slash = '\0';
	sc->with.symfs = dir;
}

SCENARIO(symfs_is_the_root, TARGET, CALL(split_path),
	 FIND(0, "symbols_test_target", 0));

STEP_OF(strip_own)
{
	setenv("OWN", sc->place.dso, 1);
	open_dir(sc);
	if (!fixture_run("strip -o root/stripped $OWN"))
		SKIP("no strip");
	sc->place.dso = "/stripped";
}

/* In a stripped file, unwind tables still tell where functions start. */
SCENARIO(stripped_file_names_functions_by_address, TARGET, CALL(strip_own),
	 FIND(0, "fn_*", 0), PLUS(2), FIND(0, "fn_*", 2));

#define NO_PROGRAM(name) AT(name, 64), SET(pid, 0), FIND(64, NULL, 0)

SCENARIO(files_that_are_no_programs, SAME_MACHINE, NO_PROGRAM("/dev/zero"),
	 NO_PROGRAM("/proc/self/maps"), NO_PROGRAM("/nonexistent"),
	 NO_PROGRAM("[vdso]"), NO_PROGRAM("//anon"), NO_PROGRAM("/"));
