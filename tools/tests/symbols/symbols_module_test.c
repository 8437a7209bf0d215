// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of kernel modules from their files, as distributions install them. */
#include "symbols_scenario.h"

#define KERNEL	"lib/modules/6.1.0/"
#define MODULE	KERNEL "kernel/a-b.ko"
#define ADDRESS 0xffff80007a000000

/*
 * A module with code in three sections. The kernel frees .init.text after
 * initialisation.
 */
static const char source[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) int inner(int x)\n"
	"{ return x * 7 + sink; }\n"
	"int first(int x) { return inner(x) + inner(x + sink); }\n"
	"int second(int x) { return x + sink; }\n"
	"__attribute__((section(\".init.text\"))) int begin(int x)\n"
	"{ return x - sink; }\n"
	"__attribute__((section(\".exit.text\"), aligned(64)))\n"
	"int end(int x) { return x * sink; }\n";

#define BUILD(options)                                           \
	NEED("cc -O2 -g " options " -c module.c -o module.o && " \
	     "ld -r --build-id=sha1 module.o -o a-b.ko && "      \
	     "mkdir -p root/" KERNEL "kernel",                   \
	     "no compiler here, or no objcopy")
#define MADE  WRITE("module.c", source), BUILD("")
#define KEPT  MADE, RUN("cp a-b.ko root/" MODULE)
#define INDEX WRITE("root/" KERNEL "modules.dep", "kernel/a-b.ko:\n")

/* The offset of the function in the loaded module, plus 1. */
STEP_OF(in_module)
{
	uint64_t at = fixture_address("a-b.ko", step->text) + 1;

	if (strcmp(step->text, "end") == 0)
		at += (strtoull(fixture_output("size -A -d a-b.ko | sed -n "
					       "'s/^[.]text  *//p'"),
				NULL, 10) +
		       63) &
		      -64ULL;
	sc->place.around = (struct pmscope_around){1 << 20, 1 << 20};
	sc->place.file_offset = at;
}
#define PLACE_IN(dso, function) \
	KERNEL_AT(dso, 0), CALL_SAY(in_module, function, 0)

STEP_OF(find_loaded)
{
	struct step find =
		FIND_IN(ADDRESS + sc->place.file_offset, step->text,
			step->v[0] ? sc->place.file_offset : 1, "[a_b]");

	find.run(sc, &find);
}
#define IS_AT(name)		    CALL_SAY(find_loaded, name, 0)
#define IS_TOLD(name)		    CALL_SAY(find_loaded, name, true)
#define EXPECT(dso, function, name) PLACE_IN(dso, function), NEW, IS_AT(name)

SCENARIO(functions_of_all_sections_that_stay, KEPT,
	 EXPECT("/" MODULE, "first", "first"),
	 EXPECT("/" MODULE, "second", "second"),
	 EXPECT("/" MODULE, "end", "end"), NEW, PLUS(4096), IS_AT(NULL));

/* The file may be compressed differently now from when it was recorded. */
TEST(file_that_is_compressed)
{
	static const char *const packs[][2] = {
		{"command -v xz", "xz -c a-b.ko >root/" MODULE ".xz"},
		{"command -v zstd", "zstd -c a-b.ko >root/" MODULE ".zst"},
		{"command -v gzip", "gzip -c a-b.ko >root/" MODULE ".gz"}};

	for (size_t i = 0; i < 3; i++)
		PLAY(MADE, NEED(packs[i][0], "no such packer"),
		     RUN(packs[i][1]),
		     EXPECT("/" MODULE ".xz", "second", "second"),
		     EXPECT("/" MODULE, "second", "second"));
}

/* A recording has "[name]" for a module if perf did not find its file. */
SCENARIO(file_by_the_name_of_the_module, KEPT, EXPECT("[a_b]", "second", NULL),
	 WRITE("root/" KERNEL "modules.dep", "kernel/b.ko.xz: kernel/a-b.ko\n"
					     "kernel/a-b.koala:\n"
					     "kernel/a-b.ko: kernel/b.ko.xz\n"),
	 EXPECT("[a_b]", "second", "second"),
	 RUN("mkdir root/usr/lib && mv root/lib/modules root/usr/lib"),
	 EXPECT("[a_b]", "second", "second"));

#define BELOW_ROOT(root, name) \
	WITH_FILE(symfs, root), PLACE_IN("[a_b]", "second"), IS_AT(name)

#define ROOT(name)                                       \
	RUN("mkdir '" name "'"), BELOW_ROOT(name, NULL), \
		RUN("cp -r root/lib '" name "'"), BELOW_ROOT(name, "second")

/* The root's name is taken literally, not as a pattern. */
SCENARIO(root_named_like_a_pattern, KEPT, INDEX, ROOT("r[o]ot"), ROOT("r*t"),
	 ROOT("roo?"), ROOT("r\\oot"),
	 ROOT("r[oooooooooooooooooooooooooooooooooooooooooo]ot"));

SCENARIO(root_of_more_than_one_slash, KEPT, INDEX, RUN("cp -r root 'r[o]ot'"),
	 BELOW_ROOT("root//", "second"), BELOW_ROOT("/r[o]ot//", "second"));

SCENARIO(file_of_one_of_several_kernels, KEPT, INDEX,
	 PLACE_IN("[a_b]", "second"), BUILD_ID("a-b.ko"), BUILD("-DOTHER -O1"),
	 RUN("cp -r root/" KERNEL " root/lib/modules/5.10.0 && "
	     "cp a-b.ko root/lib/modules/5.10.0/kernel/a-b.ko"),
	 IS_AT("second"),
	 /* both have their first function here */
	 SET(dso, (char[]){"[a_b]"}), NO_BUILD_ID, SET(file_offset, 1),
	 IS_AT(NULL));

SCENARIO(file_of_another_build_is_not_used, MADE,
	 PLACE_IN("/" MODULE, "second"), BUILD_ID("a-b.ko"),
	 BUILD("-DOTHER -O1"), RUN("cp a-b.ko root/" MODULE), IS_AT(NULL));

#define DEBUG(path)                                           \
	RUN("put debug root/" path),                          \
		EXPECT("/" MODULE ".xz", "second", "second"), \
		EXPECT("/" MODULE ".xz", "end", "end"), RUN("rm root/" path)

/* Debian's and Fedora's paths; the module itself is missing. */
SCENARIO(debug_file, MADE, RUN("objcopy --only-keep-debug a-b.ko debug"),
	 DEBUG("usr/lib/debug/" MODULE),
	 DEBUG("usr/lib/debug/usr/" MODULE ".debug"));

#define LINE_OF_FIRST                           \
	PLACE_IN("/" MODULE, "first"), PLUS(3), \
		LINE(0, "*module.c", ANY_LINE, "inner < first")

SCENARIO(lines_and_what_was_inlined, MADE,
	 RUN("xz -c a-b.ko >root/" MODULE ".xz"), LINE_OF_FIRST);

SCENARIO(lines_of_a_debug_file, MADE,
	 RUN("to=root/usr/lib/debug/" KERNEL "kernel && "
	     "mkdir -p $to && objcopy --only-keep-debug a-b.ko $to/a-b.ko "
	     "&& strip --strip-debug a-b.ko && objcopy "
	     "--add-gnu-debuglink=$to/a-b.ko a-b.ko root/" MODULE),
	 LINE_OF_FIRST);

/* kallsyms has what was loaded, but says nothing about another boot. */
SCENARIO(file_where_kallsyms_does_not_tell, KEPT,
	 KALLSYMS("ffff800010000000 T _text\n"
		  "ffff80007a000000 t told\t[a_b]\n"),
	 PLACE_IN("/" MODULE, "second"), SET(reference, "_text"),
	 SET(reference_address, 0xffff800010000000), IS_TOLD("told"), NEW,
	 SET(reference_address, 0xffff800010010000), IS_AT("second"));

/* Opening a pipe would wait for a writer. */
SCENARIO(index_that_is_no_file, MADE, RUN("mkfifo root/" KERNEL "modules.dep"),
	 EXPECT("[a_b]", "second", NULL));

STEP_OF(arm_module)
{
	if (step->v[0])
		put_arm_module_of_calls(&sc->file);
	else
		put_arm_module(&sc->file, step->v[1]);
}
#define ARM_MODULE(of_calls, debug) \
	CALL(arm_module, of_calls, debug), STORE("root/" MODULE)
#define ARM(offset, name) KERNEL_AT("/" MODULE, (offset) + 1), NEW, IS_AT(name)

/* On arm64 the kernel places stubs before the code, as some linkers do. */
SCENARIO(functions_behind_stubs, ARM_MODULE(false, false), ARM(0, NULL),
	 ARM(ARM_MODULE_TEXT - 2, NULL), ARM(ARM_MODULE_TEXT, NULL),
	 ARM(ARM_MODULE_TEXT + ARM_MODULE_START, ARM_MODULE_FIRST),
	 ARM(ARM_MODULE_TEXT + ARM_MODULE_START + ARM_MODULE_SIZE,
	     ARM_MODULE_SECOND),
	 ARM(ARM_MODULE_TEXT + ARM_MODULE_CODE, NULL),
	 /* A debug file does not tell the number of stubs. */
	 ARM_MODULE(false, true),
	 ARM(ARM_MODULE_TEXT + ARM_MODULE_START, NULL));

SCENARIO(functions_behind_stubs_for_nothing_but_calls, ARM_MODULE(true, false),
	 ARM(ARM_MODULE_OF_CALLS_TEXT, NULL),
	 ARM(ARM_MODULE_OF_CALLS_TEXT + ARM_MODULE_START, ARM_MODULE_FIRST));

SCENARIO(module_that_is_changed, CALL(arm_module, false, false),
	 KERNEL_AT("/" MODULE, ARM_MODULE_TEXT),
	 DAMAGED("root/" MODULE, 1, 2, ADDRESS));

/*
 * Returns 1 if a symbol starts at this offset according to the module's file, 0
 * if it starts elsewhere, or -1 if there is none.
 */
static int begins_in_file(struct pmscope_symbols *symbols, const char *dso,
			  uint64_t offset)
{
	struct pmscope_place place = {.kernel = true,
				      .dso = dso,
				      .pid = PMSCOPE_NO_ID,
				      .file_offset = offset};
	struct pmscope_symbol symbol;

	if (pmscope_symbols_find(symbols, &place, ADDRESS + offset, &symbol))
		return -1;
	return !symbol.offset;
}

/*
 * Compares the code of a module in kallsyms with its file: count[1] symbols
 * start at the same offset, count[0] do not.
 */
static void compare_module(const char *module, uint64_t start, uint64_t size,
			   unsigned int count[2])
{
	struct pmscope_symbols_options options = {.size = sizeof(options),
						  .symfs = "/"};
	struct pmscope_symbols *symbols = pmscope_symbols_new(&options);
	char line[512], name[64], dso[66], type;
	FILE *file = fopen("/proc/kallsyms", "r");
	uint64_t address;

	snprintf(dso, sizeof(dso), "[%s]", module);
	while (file && fgets(line, sizeof(line), file)) {
		int begins;

		if (sscanf(line, "%" SCNx64 " %c %*s [%63[^]]", &address, &type,
			   name) != 3 ||
		    !strchr("tT", type) || strcmp(name, module) != 0 ||
		    address - start >= size)
			continue;
		begins = begins_in_file(symbols, dso, address - start);
		if (begins >= 0)
			count[begins]++;
	}
	if (file)
		fclose(file);
	pmscope_symbols_free(symbols);
}

/* Checks only some of the loaded modules, to save time. */
TEST(functions_where_this_kernel_has_them)
{
	FILE *file = fopen("/proc/modules", "r");
	unsigned int count[2] = {};
	char line[4096], name[64];
	uint64_t start, size;

	for (int i = 0; file && i < 20 && fgets(line, sizeof(line), file); i++)
		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, name,
			   &size, &start) == 3 &&
		    start)
			compare_module(name, start, size, count);
	if (file)
		fclose(file);
	if (!count[0] && !count[1])
		SKIP("no module here whose file is, or addresses are hidden");
	ktap_note("%u of %u", count[1], count[0] + count[1]);
	/* Assembly code has labels in kallsyms that are not functions. */
	EXPECT_LT(count[0] * 20, count[1]);
}
