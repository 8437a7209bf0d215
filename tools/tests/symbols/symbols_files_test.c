// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where symbols and lines of a program are found, for several ways to build it
 * and to keep its debug information. The host's compiler makes the programs.
 */
#include "symbols_scenario.h"

#include <sys/auxv.h>

#define FRAMES \
	IN("outer"), PLUS(1), LINE(0, "*program.c", ANY_LINE, "inner < outer")

/* Clang and Rust do not write .debug_aranges. */
SCENARIO(lines_without_debug_aranges, PROGRAM(INNER_IN_OUTER, "-g"),
	 NEED("objcopy --remove-section .debug_aranges program && "
	      "cp program root/usr/bin",
	      "no objcopy here"),
	 FRAMES);

SCENARIO(frames_of_split_dwarf, PROGRAM(INNER_IN_OUTER, "-g -gsplit-dwarf"),
	 NEED("test -e program.dwo", "a compiler without -gsplit-dwarf"),
	 FRAMES);

#define NAMES FIND(0, "outer", 1), LINE(0, "*program.c", ANY_LINE, ANY)

/* perf inject --jit wrote such files before Linux 6.1. */
TEST(program_without_program_headers)
{
	/* clear e_phoff, then e_phentsize and e_phnum */
	PLAY(PROGRAM(INNER_IN_OUTER, "-g"),
	     RUN("cc -no-pie -Wl,-Ttext-segment=0x400000 -o program program.o "
		 "&& cp program root/usr/bin && clear() { head -c $1 /dev/zero "
		 "| dd of=root/usr/bin/program conv=notrunc bs=1 seek=$2; } && "
		 "clear 8 32 && clear 4 54"),
	     IN("outer"), PLUS(-0x400000), NAMES);
}

SCENARIO(debug_file_of_another_machine_by_its_build_id,
	 STRIPPED(INNER_IN_OUTER), IN("outer"), BUILD_ID("program"),
	 RUN("keep d.dbg program"), NAMES);

/* The program has been replaced by one with another build-id. */
SCENARIO(debug_file_without_its_program, STRIPPED(INNER_IN_OUTER), IN("outer"),
	 BUILD_ID("program"), RUN("keep d.dbg program"),
	 PROGRAM(INNER_IN_OUTER, "-DOTHER -O1"), NAMES);

SCENARIO(debug_file_of_another_machine_by_its_link, STRIPPED(INNER_IN_OUTER),
	 IN("outer"), RUN("put d.dbg root/usr/lib/debug/usr/bin/d.dbg"), NAMES);

SCENARIO(debug_file_beside_what_a_link_leads_to, STRIPPED(INNER_IN_OUTER),
	 IN("outer"),
	 RUN("mkdir -p root/opt/app && cd root/usr/bin && "
	     "mv program ../../opt/app && "
	     "ln -s ../../opt/app/program program && "
	     "cp ../../../d.dbg ../../opt/app/d.dbg"),
	 NAMES);

SCENARIO(debug_file_of_another_build_is_not_used, STRIPPED(INNER_IN_OUTER),
	 IN("outer"), RUN("mv root/usr/bin/program stripped"),
	 PROGRAM(INNER_IN_OUTER, "-g -DOTHER -O1"),
	 RUN("put program root/usr/lib/debug/usr/bin/d.dbg && "
	     "mv stripped root/usr/bin/program"),
	 FIND(0, "fn_*", ANY_OFFSET));

/* Its .plt begins with a stub. */
STEP_OF(expect_stubs)
{
	struct pmscope_symbol symbol;

	sc->place.file_offset = strtoull(
		fixture_output("start root/usr/bin/program plt"), NULL, 16);
	if (!sc->place.file_offset)
		SKIP("no .plt, or no readelf");
	for (unsigned int i = 0; i < 32; i++, sc->place.file_offset++)
		if (!pmscope_symbols_find(symbols_of(sc), &sc->place, 0,
					  &symbol))
			EXPECT_TRUE(strcmp(symbol.name, ".plt") != 0);
}

/* A static program has no lazy binding, so its .plt has no header. */
SCENARIO(stubs_of_a_static_program, WRITE("program.c", INNER_IN_OUTER),
	 NEED("cc -static -o root/usr/bin/program program.c",
	      "no compiler here, or no libc.a"),
	 AT("/usr/bin/program", 0), CALL(expect_stubs));

#define USED	 NEW, FIND(0, ANY, ANY_OFFSET)
#define NOT_USED NEW, FIND(0, NULL, 0)

SCENARIO(program_without_the_recorded_build_id_is_not_used,
	 PROGRAM(INNER_IN_OUTER, "-g"), IN("outer"), BUILD_ID("program"),
	 IS(place.build_id_size, 20), USED,
	 RUN("objcopy -R .note.gnu.build-id root/usr/bin/program"), NOT_USED,
	 NO_BUILD_ID, USED);

/* With several build-ids, as from several machines; only one is right. */
STEP_OF(ask_again_and_again)
{
	/* Each needs a name at another address. */
	static char names[9][sizeof("/usr/bin/program")];
	struct pmscope_symbol symbol;

	for (unsigned int i = 0; i < 9; i++) {
		bool right = i == 4;

		sc->place.dso = strcpy(names[i], "/usr/bin/program");
		sc->build_id[19] ^= right ? 0 : i + 1;
		EXPECT_EQ(!pmscope_symbols_find(symbols_of(sc), &sc->place, 0,
						&symbol),
			  right);
		sc->build_id[19] ^= right ? 0 : i + 1;
	}
}

SCENARIO(one_file_that_is_asked_for_again_and_again,
	 PROGRAM(INNER_IN_OUTER, "-g"), IN("outer"), BUILD_ID("program"),
	 CALL(ask_again_and_again));

/*
 * A build-id of @bytes bytes; recordings have at most 20. The place has its
 * first @size, and the last of them is changed by @change.
 */
STEP_OF(record_id)
{
	static uint8_t id[24];

	for (size_t i = 0; i < sizeof(id); i++)
		id[i] = i < step->v[0] ? 0x11 * (i + 1) : 0;
	id[step->v[0] < 20 ? step->v[0] : 19] ^= step->v[2];
	sc->place.build_id = id;
	sc->place.build_id_size = step->v[1];
}
#define ID_OF(bytes, size, change) CALL(record_id, bytes, size, change)

TEST(build_ids_of_other_lengths)
{
	static const char hex[] =
		"112233445566778899aabbccddeeff102132435465768798";
	char link[256];

	for (unsigned int bytes = 4; bytes <= 24; bytes += 4) {
		snprintf(link, sizeof(link),
			 "cc -pie -Wl,--build-id=0x%.*s -Wl,-z,separate-code "
			 "-o program program.o && cp program root/usr/bin",
			 2 * bytes, hex);
		PLAY(PROGRAM(INNER_IN_OUTER, "-g"), RUN(link), IN("outer"),
		     ID_OF(bytes, 20, 0), USED, ID_OF(bytes, 3, 0), NOT_USED,
		     ID_OF(bytes, 20, 1), NOT_USED);
	}
}

/*
 * `perf buildid-cache --add` stores the file as "elf" and its debug file beside
 * it.
 */
SCENARIO(debug_file_that_perf_keeps, STRIPPED(INNER_IN_OUTER), IN("outer"),
	 BUILD_ID("program"), HOME,
	 RUN("cache d.dbg debug program && "
	     "cache root/usr/bin/program elf && rm root/usr/bin/program"),
	 NAMES);

/* Only perf's cache has the program, recorded as @name, as @kept. */
#define KEPT(name, kept)                                            \
	PROGRAM(INNER_IN_OUTER, "-g"), IN("outer"), SET(dso, name), \
		SET(pid, 42), BUILD_ID("program"), HOME,            \
		RUN("cache program " kept)

SCENARIO(vdso_that_perf_keeps, KEPT("[vdso]", "vdso"), NAMES);

/* Kernel packages install vdso.so. "r[o]ot" must not match "root". */
SCENARIO(vdso_below_a_root_named_like_a_pattern, PROGRAM(INNER_IN_OUTER, "-g"),
	 IN("outer"), SET(dso, "[vdso]"),
	 RUN("for to in 'r[o]ot' root; do "
	     "mkdir -p $to/lib/modules/6.1.0/vdso; done; "
	     "cp program root/lib/modules/6.1.0/vdso/vdso.so"),
	 WITH_FILE(symfs, "r[o]ot"), FIND(0, NULL, 0),
	 RUN("mv root/lib/modules/*/vdso/vdso.so "
	     "'r[o]ot/lib/modules/6.1.0/vdso'"),
	 FIND(0, "outer", ANY_OFFSET));

/* For example, a container runtime runs a copy of itself from a memfd. */
SCENARIO(program_in_a_memfd, KEPT("/memfd:program (deleted)", "elf"), NAMES);

/* Uses the container's file, not the one with the same name here. */
SCENARIO(program_in_a_container, PROGRAM(INNER_IN_OUTER, "-g"), IN("outer"),
	 BUILD_ID("program"), RUN("cp program root/usr/bin/env"),
	 SET(dso, "/usr/bin/env"), SAME_MACHINE, CONTAINER,
	 FIND(0, "outer", ANY_OFFSET));

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
