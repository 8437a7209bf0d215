// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols of data: of a program from a small ELF file, of kernels from
 * kallsyms.
 */
#include "elf_fixture.h"
#include "ktap.h"
#include "program.h"
#include "recording_fixture.h"
#include "symbol_expect.h"

#include <pmscope/symbols.h>

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define KERNEL_DSO "[kernel.kallsyms]"

static const struct program_symbol symbols_of_program[] = {
	{"code", PROGRAM_TEXT, 0x40, STT_FUNC, STB_GLOBAL, false},
	{"constants", PROGRAM_TEXT + 0x80, 0x10, STT_OBJECT, STB_LOCAL, false},
	{"weak_alias", PROGRAM_TEXT + 0xc0, 0x10, STT_FUNC, STB_WEAK, false},
	{"__local", PROGRAM_TEXT + 0xc0, 0x10, STT_FUNC, STB_LOCAL, false},
	{"no_size", PROGRAM_TEXT + 0xc0, 0, STT_FUNC, STB_GLOBAL, false},
	{"label", PROGRAM_TEXT + 0xc8, 0, STT_NOTYPE, STB_GLOBAL, false},
	{"counters", PROGRAM_DATA, 0x80, STT_OBJECT, STB_GLOBAL, false},
	{"absolute", PROGRAM_DATA + 0x100, 8, STT_OBJECT, STB_GLOBAL, true},
	{"of_thread", PROGRAM_DATA + 0x180, 8, STT_TLS, STB_GLOBAL, false},
	{"__bss_start", PROGRAM_BSS, 0, STT_NOTYPE, STB_GLOBAL, false},
	{"other_name", PROGRAM_BSS, 0x1000, STT_OBJECT, STB_WEAK, false},
	{"buffer", PROGRAM_BSS, 0x1000, STT_OBJECT, STB_GLOBAL, false},
	{"small", PROGRAM_BSS + 0x1800, 4, STT_OBJECT, STB_LOCAL, false},
};

#define NR_SYMBOLS (sizeof(symbols_of_program) / sizeof(symbols_of_program[0]))

/* Opens the fixture, which the caller closes, and writes root/program. */
static void make_program(void)
{
	struct bytes b = {};

	ASSERT_TRUE(fixture_open());
	put_program(&b, symbols_of_program, NR_SYMBOLS);
	EXPECT_TRUE(fixture_write("root/program", b.data, b.size));
	bytes_fini(&b);
}

static struct pmscope_symbols *symbols_below(const char *dir,
					     const char *kallsyms)
{
	struct pmscope_symbols_options options = {
		.size = sizeof(options), .symfs = dir, .kallsyms = kallsyms};

	return pmscope_symbols_new(&options);
}

static void expect_data(struct pmscope_symbols *symbols,
			const struct pmscope_place *place, uint64_t address,
			const char *name, uint64_t offset, const char *dso)
{
	struct pmscope_symbol symbol;
	int ret = pmscope_symbols_find_data(symbols, place, address, &symbol);

	expect_symbol(ret, &symbol, name, offset, dso);
}

static const struct in_file {
	uint64_t at;
	const char *data;
	const char *code;
} in_file[] = {
	{PROGRAM_TEXT + 8, "code", "code"},
	{PROGRAM_TEXT + 0x40, NULL, NULL},
	{PROGRAM_TEXT + 0x8f, "constants", NULL},
	{PROGRAM_TEXT + 0xc0, "__local", "__local"},
	{PROGRAM_TEXT + 0xcc, "__local", "__local"},
	{PROGRAM_DATA, "counters", NULL},
	{PROGRAM_DATA + 0x7f, "counters", NULL},
	{PROGRAM_DATA + 0x80, NULL, NULL},
	{PROGRAM_DATA + 0x100, NULL, NULL},
	{PROGRAM_DATA + 0x180, NULL, NULL},
	{PROGRAM_BSS, "buffer", NULL},
	{PROGRAM_BSS + 0xfff, "buffer", NULL},
	{PROGRAM_BSS + 0x1000, NULL, NULL},
	{PROGRAM_BSS + 0x1800, "small", NULL},
	{PROGRAM_BSS + PROGRAM_BSS_SIZE, NULL, NULL},
};

/* Code and data lookups do not affect each other. */
TEST(variables_of_a_program)
{
	struct pmscope_place place = {.dso = "/program", .pid = 10};
	struct pmscope_symbols *symbols;
	struct pmscope_symbol symbol;

	make_program();
	for (int data_first = 0; data_first < 2; data_first++) {
		symbols = fixture_symbols();
		for (size_t i = 0; i < sizeof(in_file) / sizeof(in_file[0]);
		     i++) {
			const struct in_file *f = &in_file[i];

			place.file_offset = f->at;
			pmscope_symbols_find(symbols, &place, 0, &symbol);
			if (!data_first)
				EXPECT_STREQ(symbol.name, f->code);
			pmscope_symbols_find_data(symbols, &place, 0, &symbol);
			EXPECT_STREQ(symbol.name, f->data);
			EXPECT_STREQ(symbol.dso, "/program");
			pmscope_symbols_find(symbols, &place, 0, &symbol);
			EXPECT_STREQ(symbol.name, f->code);
		}
		pmscope_symbols_free(symbols);
	}
	fixture_close();
}

/* All bytes around an address have the same answer, and no others. */
TEST(bytes_around_are_of_the_same_variable)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;
	struct pmscope_symbol symbol, other;
	uint64_t end = PROGRAM_BSS + PROGRAM_BSS_SIZE + 0x100, first, next;

	make_program();
	symbols = fixture_symbols();
	place = (struct pmscope_place){.dso = "/program", .pid = 10};
	for (uint64_t at = 0; at < end; at = next) {
		place.file_offset = at;
		place.around = (struct pmscope_around){at, end - 1 - at};
		pmscope_symbols_find_data(symbols, &place, 0, &symbol);
		first = at - symbol.around.before;
		next = at + symbol.around.behind + 1;
		for (uint64_t i = first; i < next; i++) {
			place.file_offset = i;
			pmscope_symbols_find_data(symbols, &place, 0, &other);
			ASSERT_TRUE(other.name == symbol.name);
			if (symbol.name)
				ASSERT_EQ(i - other.offset, at - symbol.offset);
		}
	}
	pmscope_symbols_free(symbols);
	fixture_close();
}

TEST(memory_without_a_file)
{
	static const char *const names[] = {"[heap]", "[stack]", "//anon",
					    "/dev/zero", "/SYSV00000000"};
	struct pmscope_symbols *symbols = symbols_below("/nonexistent", NULL);
	struct pmscope_place place = {.pid = 10, .file_offset = 0x200};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		place.dso = names[i];
		expect_data(symbols, &place, 0x200, NULL, 0, names[i]);
	}
	place.dso = NULL;
	expect_data(symbols, &place, 0x200, NULL, 0, NULL);
	pmscope_symbols_free(symbols);
}

static struct pmscope_symbols *with_kallsyms(char *path)
{
	static const char text[] =
		"ffff800080000000 T _text\n"
		"ffff800080010000 t a_function\n"
		"ffff800081000000 R constants_of_kernel\n"
		"ffff800082000000 d a_variable\n"
		"ffff800082000000 D its_global_name\n"
		"ffff800082001000 b zeros\n"
		"ffff800082003000 B _end\n"
		"ffff80007a000000 t module_function\t[some_module]\n"
		"ffff80007a001000 d module_variable\t[some_module]\n"
		"ffff80007b001000 b other_variable\t[other_module]\n";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return NULL;
	close(fd);
	return symbols_below(NULL, path);
}

TEST(variables_of_the_kernel)
{
	static const struct {
		uint64_t address;
		const char *name;
		uint64_t offset;
		const char *dso;
	} expected[] = {
		{0xffff000000001000, NULL, 0, NULL}, /* the linear map */
		{0xffff80007a001010, "module_variable", 16, "[some_module]"},
		{0xffff80007a001fff, "module_variable", 0xfff, "[some_module]"},
		{0xffff80007a002000, NULL, 0, NULL},
		{0xffff80007b001000, "other_variable", 0, "[other_module]"},
		{0xffff800080010004, "a_function", 4, KERNEL_DSO},
		{0xffff800081000008, "constants_of_kernel", 8, KERNEL_DSO},
		{0xffff800082000008, "its_global_name", 8, KERNEL_DSO},
		{0xffff800082001800, "zeros", 0x800, KERNEL_DSO},
		{0xffff800082005000, NULL, 0, NULL}, /* vmalloc'ed */
	};
	char path[] = "/tmp/pmscope-kallsyms-XXXXXX";
	struct pmscope_symbols *symbols = with_kallsyms(path);
	struct pmscope_place place = {.kernel = true, .pid = PMSCOPE_NO_ID};
	struct pmscope_symbol code;

	ASSERT_TRUE(symbols);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		expect_data(symbols, &place, expected[i].address,
			    expected[i].name, expected[i].offset,
			    expected[i].dso);
	pmscope_symbols_find(symbols, &place, 0xffff800080010008, &code);
	EXPECT_STREQ(code.name, "a_function");
	pmscope_symbols_find(symbols, &place, 0xffff800082000008, &code);
	EXPECT_TRUE(!code.name);
	pmscope_symbols_free(symbols);
	unlink(path);
}

/* Another boot had the kernel elsewhere; no mapping record covers its data. */
TEST(variables_of_a_kernel_that_was_elsewhere)
{
	const uint64_t moved = 0x1230000, text = 0xffff800080000000;
	char path[] = "/tmp/pmscope-kallsyms-XXXXXX";
	struct pmscope_symbols *symbols = with_kallsyms(path);
	struct where where = at(0, UINT32_MAX, UINT32_MAX);
	struct pmscope_recording *recording;
	struct pmscope_sample sample;
	struct pmscope_place place;
	struct bytes b = {};

	begin(&b);
	put_mmap2(&b, text + moved, 0x20000, text + moved, KERNEL_DSO "_text",
		  &where);
	load_at(&b, 0, 10, 0x5000, 50);
	recording = open_bytes(&b);
	expect_next(recording, &sample, 50);
	pmscope_recording_place(recording, &sample, 0xffff800082000008 + moved,
				&place);
	expect_data(symbols, &place, 0xffff800082000008 + moved,
		    "its_global_name", 8, KERNEL_DSO);
	pmscope_recording_place(recording, &sample, text + moved, &place);
	expect_data(symbols, &place, text + moved, "_text", 0, KERNEL_DSO);
	pmscope_symbols_free(symbols);
	pmscope_recording_free(recording);
	bytes_fini(&b);
	unlink(path);
}

KTAP_MAIN
