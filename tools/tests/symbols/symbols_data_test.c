// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols of data: of a program from a small ELF file, of kernels from
 * kallsyms.
 */
#include "symbols_scenario.h"

static const struct program_symbol all[] = {
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

#define MADE ELF("root/program", all), AT("/program", 0)

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
STEP_OF(expect_in_file)
{
	for (size_t i = 0; i < ARRAY_SIZE(in_file); i++) {
		const struct in_file *f = &in_file[i];
		struct pmscope_symbol symbol;

		sc->place.file_offset = f->at;
		pmscope_symbols_find(symbols_of(sc), &sc->place, 0, &symbol);
		if (step->v[0])
			EXPECT_STREQ(symbol.name, f->code);
		pmscope_symbols_find_data(sc->symbols, &sc->place, 0, &symbol);
		EXPECT_STREQ(symbol.name, f->data);
		EXPECT_STREQ(symbol.dso, "/program");
		pmscope_symbols_find(sc->symbols, &sc->place, 0, &symbol);
		EXPECT_STREQ(symbol.name, f->code);
	}
}

SCENARIO(variables_of_a_program, MADE, CALL(expect_in_file, true), NEW,
	 CALL(expect_in_file, false));

/* All bytes around an address have the same answer, and no others. */
STEP_OF(expect_all_around)
{
	struct pmscope_symbols *symbols = symbols_of(sc);
	struct pmscope_place *place = &sc->place;
	struct pmscope_symbol symbol, other;
	uint64_t end = PROGRAM_BSS + PROGRAM_BSS_SIZE + 0x100, first, next;

	for (uint64_t at = 0; at < end; at = next) {
		place->file_offset = at;
		place->around = (struct pmscope_around){at, end - 1 - at};
		pmscope_symbols_find_data(symbols, place, 0, &symbol);
		first = at - symbol.around.before;
		next = at + symbol.around.behind + 1;
		for (uint64_t i = first; i < next; i++) {
			place->file_offset = i;
			pmscope_symbols_find_data(symbols, place, 0, &other);
			ASSERT_TRUE(other.name == symbol.name);
			if (symbol.name)
				ASSERT_EQ(i - other.offset, at - symbol.offset);
		}
	}
}

SCENARIO(bytes_around_are_of_the_same_variable, MADE, CALL(expect_all_around));

#define NONE_IN(name) SET(dso, name), DATA(0x200, NULL, 0, name)

SCENARIO(memory_without_a_file, WITH(symfs, "/nonexistent"), AT(NULL, 0x200),
	 NONE_IN("[heap]"), NONE_IN("[stack]"), NONE_IN("//anon"),
	 NONE_IN("/dev/zero"), NONE_IN("/SYSV00000000"), NONE_IN(NULL));

static const char names[] =
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

SCENARIO(variables_of_the_kernel, KALLSYMS(names), KERNEL_AT(NULL, 0),
	 DATA(0xffff000000001000, NULL, 0, NULL), /* the linear map */
	 DATA(0xffff80007a001010, "module_variable", 16, "[some_module]"),
	 DATA(0xffff80007a001fff, "module_variable", 0xfff, "[some_module]"),
	 DATA(0xffff80007a002000, NULL, 0, NULL),
	 DATA(0xffff80007b001000, "other_variable", 0, "[other_module]"),
	 DATA(0xffff800080010004, "a_function", 4, KERNEL_DSO),
	 DATA(0xffff800081000008, "constants_of_kernel", 8, KERNEL_DSO),
	 DATA(0xffff800082000008, "its_global_name", 8, KERNEL_DSO),
	 DATA(0xffff800082001800, "zeros", 0x800, KERNEL_DSO),
	 DATA(0xffff800082005000, NULL, 0, NULL), /* vmalloc'ed */
	 FIND(0xffff800080010008, "a_function", 8),
	 FIND(0xffff800082000008, NULL, 0));

/* Another boot had the kernel elsewhere; no mapping record covers its data. */
TEST(variables_of_a_kernel_that_was_elsewhere)
{
	const uint64_t moved = 0x1230000, text = 0xffff800080000000 + moved,
		       data = 0xffff800082000008 + moved;

	PLAY(KALLSYMS(names),
	     KERNEL_MAP(text, 0x20000, text, KERNEL_DSO "_text"),
	     LOAD(50, 0, 10), NEXT(50), PLACE(data),
	     DATA(data, "its_global_name", 8, KERNEL_DSO), PLACE(text),
	     DATA(text, "_text", 0, KERNEL_DSO));
}
