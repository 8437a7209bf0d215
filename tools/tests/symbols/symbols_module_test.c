// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of kernel modules from their files, as distributions install them. */
#include "arm_module.h"
#include "elf_fixture.h"
#include "ktap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define KERNEL	"lib/modules/6.1.0/"
#define MODULE	KERNEL "kernel/a-b.ko"
#define ADDRESS 0xffff80007a000000

/*
 * Builds a module with code in three sections. The kernel frees .init.text
 * after initialisation.
 */
static bool build(const char *options)
{
	static const char source[] =
		"volatile int sink;\n"
		"static inline __attribute__((always_inline)) int inner(int "
		"x)\n"
		"{ return x * 7 + sink; }\n"
		"int first(int x) { return inner(x) + inner(x + sink); }\n"
		"int second(int x) { return x + sink; }\n"
		"__attribute__((section(\".init.text\"))) int begin(int x)\n"
		"{ return x - sink; }\n"
		"__attribute__((section(\".exit.text\"), aligned(64)))\n"
		"int end(int x) { return x * sink; }\n";

	return fixture_write_text("module.c", source) &&
	       fixture_run("cc -O2 -g %s -c module.c -o module.o && "
			   "ld -r --build-id=sha1 module.o -o a-b.ko && "
			   "mkdir -p root/" KERNEL "kernel",
			   options);
}

#define NEED_MODULE()                                            \
	do {                                                     \
		if (!fixture_open() || !build(""))               \
			SKIP("no compiler here, or no objcopy"); \
	} while (0)

/* Returns the offset of the function in the loaded module, plus 1. */
static uint64_t offset_of(const char *function)
{
	uint64_t at = fixture_address("a-b.ko", function) + 1;

	if (strcmp(function, "end") == 0)
		at += (strtoull(fixture_output("size -A -d a-b.ko | sed -n "
					       "'s/^[.]text  *//p'"),
				NULL, 10) +
		       63) &
		      -64ULL;
	return at;
}

static struct pmscope_place place_of(const char *dso, const char *function)
{
	return (struct pmscope_place){
		.kernel = true,
		.dso = dso,
		.pid = PMSCOPE_NO_ID,
		.file_offset = offset_of(function),
		.around = {1 << 20, 1 << 20},
	};
}

static void expect_at(struct pmscope_symbols *symbols,
		      const struct pmscope_place *place, const char *name)
{
	struct pmscope_symbol symbol;

	EXPECT_EQ(pmscope_symbols_find(symbols, place,
				       ADDRESS + place->file_offset, &symbol),
		  name ? 0 : -ENOENT);
	EXPECT_STREQ(symbol.name, name);
	EXPECT_STREQ(symbol.dso, "[a_b]");
	if (name)
		EXPECT_EQ(symbol.offset, 1U);
}

static void expect(const char *dso, const char *function, const char *name)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_place place = place_of(dso, function);

	ASSERT_TRUE(symbols);
	expect_at(symbols, &place, name);
	pmscope_symbols_free(symbols);
}

TEST(functions_of_all_sections_that_stay)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;

	NEED_MODULE();
	ASSERT_TRUE(fixture_run("cp a-b.ko root/" MODULE));
	expect("/" MODULE, "first", "first");
	expect("/" MODULE, "second", "second");
	expect("/" MODULE, "end", "end");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	place = place_of("/" MODULE, "end");
	place.file_offset += 4096;
	expect_at(symbols, &place, NULL);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* The file may be compressed differently now from when it was recorded. */
TEST(file_that_is_compressed)
{
	static const char *const packers[][2] = {
		{"xz", "xz"}, {"zst", "zstd"}, {"gz", "gzip"}};

	NEED_MODULE();
	for (size_t i = 0; i < 3; i++) {
		if (!fixture_run("command -v %s >here", packers[i][1]))
			continue;
		ASSERT_TRUE(fixture_run("%s -c a-b.ko >root/" MODULE ".%s",
					packers[i][1], packers[i][0]));
		expect("/" MODULE ".xz", "second", "second");
		expect("/" MODULE, "second", "second");
		ASSERT_TRUE(
			fixture_run("rm root/" MODULE ".%s", packers[i][0]));
	}
	fixture_close();
}

/* A recording has "[name]" for a module if perf did not find its file. */
TEST(file_by_the_name_of_the_module)
{
	NEED_MODULE();
	ASSERT_TRUE(fixture_run("cp a-b.ko root/" MODULE));
	expect("[a_b]", "second", NULL);
	ASSERT_TRUE(fixture_write_text("root/" KERNEL "modules.dep",
				       "kernel/b.ko.xz: kernel/a-b.ko\n"
				       "kernel/a-b.koala:\n"
				       "kernel/a-b.ko: kernel/b.ko.xz\n"));
	expect("[a_b]", "second", "second");
	ASSERT_TRUE(fixture_run("mkdir root/usr/lib && "
				"mv root/lib/modules root/usr/lib"));
	expect("[a_b]", "second", "second");
	fixture_close();
}

static void expect_below(const char *root, const char *name)
{
	struct pmscope_symbols *symbols = fixture_symbols_below(root);
	struct pmscope_place place = place_of("[a_b]", "second");

	ASSERT_TRUE(symbols);
	expect_at(symbols, &place, name);
	pmscope_symbols_free(symbols);
}

/* The root's name is taken literally, not as a pattern. */
TEST(root_named_like_a_pattern)
{
	static const char *const roots[] = {"r[o]ot", "r*t", "roo?", "r\\oot",
					    ("r[oooooooooooooooooooo"
					     "oooooooooooooooooooooo]ot")};

	NEED_MODULE();
	ASSERT_TRUE(fixture_run("cp a-b.ko root/" MODULE));
	ASSERT_TRUE(fixture_write_text("root/" KERNEL "modules.dep",
				       "kernel/a-b.ko:\n"));
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		ASSERT_TRUE(fixture_run("mkdir '%s'", roots[i]));
		expect_below(roots[i], NULL);
		ASSERT_TRUE(fixture_run("cp -r root/lib '%s'", roots[i]));
		expect_below(roots[i], "second");
	}
	fixture_close();
}

TEST(root_of_more_than_one_slash)
{
	NEED_MODULE();
	ASSERT_TRUE(fixture_run("cp a-b.ko root/" MODULE));
	ASSERT_TRUE(fixture_write_text("root/" KERNEL "modules.dep",
				       "kernel/a-b.ko:\n"));
	ASSERT_TRUE(fixture_run("cp -r root 'r[o]ot'"));
	expect_below("root//", "second");
	expect_below("/r[o]ot//", "second");
	fixture_close();
}

TEST(file_of_one_of_several_kernels)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;

	NEED_MODULE();
	ASSERT_TRUE(fixture_run("cp a-b.ko root/" MODULE));
	ASSERT_TRUE(fixture_write_text("root/" KERNEL "modules.dep",
				       "kernel/a-b.ko:\n"));
	place = place_of("[a_b]", "second");
	fixture_build_id("a-b.ko", &place);
	ASSERT_TRUE(build("-DOTHER -O1"));
	ASSERT_TRUE(
		fixture_run("cp -r root/" KERNEL " root/lib/modules/5.10.0 && "
			    "cp a-b.ko root/lib/modules/5.10.0/kernel/a-b.ko"));
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	expect_at(symbols, &place, "second");
	place.dso = strdup("[a_b]");
	place.build_id_size = 0;
	place.file_offset = 1; /* both have their first function here */
	expect_at(symbols, &place, NULL);
	pmscope_symbols_free(symbols);
	free((char *)place.dso);
	fixture_close();
}

TEST(file_of_another_build_is_not_used)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;

	NEED_MODULE();
	place = place_of("/" MODULE, "second");
	fixture_build_id("a-b.ko", &place);
	ASSERT_TRUE(build("-DOTHER -O1"));
	ASSERT_TRUE(fixture_run("cp a-b.ko root/" MODULE));
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	expect_at(symbols, &place, NULL);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* Debian's and Fedora's paths; the module itself is missing. */
TEST(debug_file)
{
	static const char *const files[] = {
		"usr/lib/debug/lib/modules/6.1.0/kernel/a-b.ko",
		"usr/lib/debug/usr/lib/modules/6.1.0/kernel/a-b.ko.debug"};

	NEED_MODULE();
	ASSERT_TRUE(fixture_run("objcopy --only-keep-debug a-b.ko debug"));
	for (size_t i = 0; i < 2; i++) {
		ASSERT_TRUE(fixture_run(
			"mkdir -p $(dirname root/%s) && cp debug root/%s",
			files[i], files[i]));
		expect("/" MODULE ".xz", "second", "second");
		expect("/" MODULE ".xz", "end", "end");
		ASSERT_TRUE(fixture_run("rm root/%s", files[i]));
	}
	fixture_close();
}

static void expect_line(void)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_place place = place_of("/" MODULE, "first");
	struct pmscope_line line;

	ASSERT_TRUE(symbols);
	place.file_offset += 3;
	EXPECT_EQ(pmscope_symbols_line(symbols, &place, 0, &line), 0);
	EXPECT_TRUE(line.file && strstr(line.file, "module.c"));
	EXPECT_STREQ(line.frames, "inner < first");
	pmscope_symbols_free(symbols);
}

TEST(lines_and_what_was_inlined)
{
	NEED_MODULE();
	ASSERT_TRUE(fixture_run("xz -c a-b.ko >root/" MODULE ".xz"));
	expect_line();
	fixture_close();
}

TEST(lines_of_a_debug_file)
{
	NEED_MODULE();
	ASSERT_TRUE(fixture_run(
		"to=root/usr/lib/debug/lib/modules/6.1.0/kernel && "
		"mkdir -p $to && objcopy --only-keep-debug a-b.ko $to/a-b.ko "
		"&& strip --strip-debug a-b.ko && objcopy "
		"--add-gnu-debuglink=$to/a-b.ko a-b.ko root/" MODULE));
	expect_line();
	fixture_close();
}

/* kallsyms has what was loaded, but says nothing about another boot. */
TEST(file_where_kallsyms_does_not_tell)
{
	struct pmscope_symbols_options options = {.size = sizeof(options)};
	struct pmscope_place place;
	char root[64], kallsyms[64];

	NEED_MODULE();
	ASSERT_TRUE(fixture_run("cp a-b.ko root/" MODULE));
	ASSERT_TRUE(fixture_write_text("kallsyms",
				       "ffff800010000000 T _text\n"
				       "ffff80007a000000 t told\t[a_b]\n"));
	place = place_of("/" MODULE, "second");
	options.symfs = strcpy(root, fixture_path("root"));
	options.kallsyms = strcpy(kallsyms, fixture_path("kallsyms"));
	place.reference = "_text";
	place.reference_address = 0xffff800010000000;
	for (int boot = 0; boot < 2; boot++) {
		struct pmscope_symbols *symbols = pmscope_symbols_new(&options);
		struct pmscope_symbol symbol;

		ASSERT_TRUE(symbols);
		EXPECT_EQ(pmscope_symbols_find(symbols, &place,
					       ADDRESS + place.file_offset,
					       &symbol),
			  0);
		EXPECT_STREQ(symbol.name, boot ? "second" : "told");
		EXPECT_STREQ(symbol.dso, "[a_b]");
		pmscope_symbols_free(symbols);
		place.reference_address += 0x10000;
	}
	fixture_close();
}

/* Opening a pipe would wait for a writer. */
TEST(index_that_is_no_file)
{
	NEED_MODULE();
	ASSERT_TRUE(fixture_run("mkfifo root/" KERNEL "modules.dep"));
	expect("[a_b]", "second", NULL);
	fixture_close();
}

static bool keep_arm_module(bool debug)
{
	struct bytes b = {};
	bool kept;

	put_arm_module(&b, debug);
	kept = fixture_write("root/" MODULE, b.data, b.size);
	bytes_fini(&b);
	return kept;
}

static void expect_in_arm_module(uint64_t offset, const char *name)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_place place = {.kernel = true,
				      .dso = "/" MODULE,
				      .pid = PMSCOPE_NO_ID,
				      .file_offset = offset + 1};

	ASSERT_TRUE(symbols);
	expect_at(symbols, &place, name);
	pmscope_symbols_free(symbols);
}

/* On arm64 the kernel places stubs before the code, as some linkers do. */
TEST(functions_behind_stubs)
{
	ASSERT_TRUE(fixture_open() &&
		    fixture_run("mkdir -p root/" KERNEL "kernel"));
	ASSERT_TRUE(keep_arm_module(false));
	expect_in_arm_module(0, NULL);
	expect_in_arm_module(ARM_MODULE_TEXT - 2, NULL);
	expect_in_arm_module(ARM_MODULE_TEXT, NULL);
	expect_in_arm_module(ARM_MODULE_TEXT + ARM_MODULE_START,
			     ARM_MODULE_FIRST);
	expect_in_arm_module(ARM_MODULE_TEXT + ARM_MODULE_START +
				     ARM_MODULE_SIZE,
			     ARM_MODULE_SECOND);
	expect_in_arm_module(ARM_MODULE_TEXT + ARM_MODULE_CODE, NULL);
	/* A debug file does not tell the number of stubs. */
	ASSERT_TRUE(keep_arm_module(true));
	expect_in_arm_module(ARM_MODULE_TEXT + ARM_MODULE_START, NULL);
	fixture_close();
}

TEST(functions_behind_stubs_for_nothing_but_calls)
{
	struct bytes b = {};

	ASSERT_TRUE(fixture_open() &&
		    fixture_run("mkdir -p root/" KERNEL "kernel"));
	put_arm_module_of_calls(&b);
	ASSERT_TRUE(fixture_write("root/" MODULE, b.data, b.size));
	bytes_fini(&b);
	expect_in_arm_module(ARM_MODULE_OF_CALLS_TEXT, NULL);
	expect_in_arm_module(ARM_MODULE_OF_CALLS_TEXT + ARM_MODULE_START,
			     ARM_MODULE_FIRST);
	fixture_close();
}

/* Damages each byte of the file: lookups must not crash. */
TEST(module_that_is_changed)
{
	struct pmscope_place place = {.kernel = true,
				      .dso = "/" MODULE,
				      .pid = PMSCOPE_NO_ID,
				      .file_offset = ARM_MODULE_TEXT};
	struct bytes b = {};

	ASSERT_TRUE(fixture_open() &&
		    fixture_run("mkdir -p root/" KERNEL "kernel"));
	put_arm_module(&b, false);
	for (size_t at = 0; at < b.size; at++) {
		struct pmscope_symbols *symbols = fixture_symbols();
		struct pmscope_symbol symbol;
		struct pmscope_line line;

		b.data[at] ^= 0xff;
		ASSERT_TRUE(fixture_write("root/" MODULE, b.data, b.size));
		pmscope_symbols_find(symbols, &place, ADDRESS, &symbol);
		pmscope_symbols_line(symbols, &place, 0, &line);
		pmscope_symbols_free(symbols);
		b.data[at] ^= 0xff;
	}
	bytes_fini(&b);
	fixture_close();
}

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

KTAP_MAIN
