// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inlined functions in DWARF of various compilers: each test assembles a DIE
 * tree and looks addresses up in it.
 */
#include "symbols_scenario.h"

#define OUTER 16 /* sizes of the functions in bytes */
#define MAIN  4

enum tag {
	UNIT = 1,
	NAMESPACE,
	FUNCTION,
	INLINED,
	BLOCK,
	STRUCTURE,
	LINKED,
	INLINED_LINKED,
	NAMELESS
};

struct die {
	unsigned int depth;
	enum tag tag;
	const char *name;
	unsigned int offset; /* of its code, from the start of "outer" */
	unsigned int size;
};

/* Abbreviations: with a name (3), code (0x11, 0x12), or both. */
static const char program[] =
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
	".uleb128 4, 0x1d\n.byte 1\n" /* inlined_subroutine */
	".uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	".uleb128 5, 0x0b\n.byte 1\n" /* lexical_block */
	".uleb128 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	".uleb128 6, 0x13\n.byte 1\n" /* structure_type */
	".uleb128 0, 0\n"
	".uleb128 7, 0x2e\n.byte 1\n" /* subprogram with a linkage name */
	".uleb128 0x6e, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	".uleb128 8, 0x1d\n.byte 1\n" /* same, inlined_subroutine */
	".uleb128 0x2007, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	".uleb128 9, 0x2e\n.byte 1\n" /* subprogram without a name */
	".uleb128 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	".byte 0\n"
	".section .debug_info,\"\",%progbits\n"
	".4byte 2f - 1f\n1: .2byte 4\n.4byte .debug_abbrev\n.byte 8\n";

static void write_tree(FILE *to, const struct die *tree, size_t nr)
{
	unsigned int open = 0; /* DIEs that still need an end */

	fputs(program, to);
	for (size_t i = 0; i < nr; i++) {
		for (; open > tree[i].depth; open--)
			fputs(".byte 0\n", to);
		fprintf(to, ".uleb128 %d\n", tree[i].tag);
		if (tree[i].name)
			fprintf(to, ".asciz \"%s\"\n", tree[i].name);
		if (tree[i].size)
			fprintf(to, ".8byte outer + %u, %u\n", tree[i].offset,
				tree[i].size);
		open++;
	}
	for (; open; open--)
		fputs(".byte 0\n", to);
	fputs("2:\n", to);
}

STEP_OF(build)
{
	FILE *to;

	open_dir(sc);
	to = fopen(fixture_path("tree.s"), "w");
	ASSERT_TRUE(to);
	write_tree(to, step->data, step->v[0]);
	EXPECT_EQ(fclose(to), 0);
	if (!fixture_run("cc -pie -Wl,-z,separate-code "
			 "-o root/usr/bin/program tree.s"))
		SKIP("no compiler here");
	sc->place.dso = "/usr/bin/program";
	sc->place.pid = 10;
}
#define TREE(tree) TELL_OF(build, NULL, tree, ARRAY_SIZE(tree))

STEP_OF(expect_frames)
{
	struct pmscope_line line = {};

	sc->place.file_offset =
		fixture_address("root/usr/bin/program", "outer") + step->v[0];
	pmscope_symbols_line(symbols_of(sc), &sc->place, 0, &line);
	EXPECT_STREQ(line.frames, step->text);
}
#define FRAMES(offset, words) CALL_SAY(expect_frames, words, offset)

/* Clang and rustc put all functions into namespaces. */
TEST(frames_of_functions_in_namespaces)
{
	static const struct die tree[] = {
		{0, UNIT, NULL, 0, OUTER},   {1, NAMESPACE, "a", 0, 0},
		{2, NAMESPACE, "b", 0, 0},   {3, FUNCTION, "outer", 0, OUTER},
		{4, INLINED, "inner", 0, 8},
	};

	PLAY(TREE(tree), NEW, FRAMES(7, "inner < outer"), NEW, FRAMES(8, NULL));
}

/* GCC may move code: the same address is in both blocks. */
TEST(frames_of_functions_in_blocks)
{
	static const struct die tree[] = {
		{0, UNIT, NULL, 0, OUTER}, {1, FUNCTION, "outer", 0, OUTER},
		{2, BLOCK, NULL, 0, 12},   {3, INLINED, "first", 0, 4},
		{2, BLOCK, NULL, 4, 8},	   {3, INLINED, "second", 4, 4},
	};

	PLAY(TREE(tree), NEW, FRAMES(3, "first < outer"), NEW,
	     FRAMES(7, "second < outer"), NEW, FRAMES(8, NULL));
}

/* A lambda is a function in a type within another function. */
TEST(frames_of_functions_in_functions)
{
	static const struct die tree[] = {
		{0, UNIT, NULL, 0, OUTER + MAIN},
		{1, FUNCTION, "main", OUTER, MAIN},
		{2, BLOCK, NULL, OUTER, MAIN},
		{3, STRUCTURE, NULL, 0, 0},
		{4, FUNCTION, "operator()", 0, OUTER},
		{5, INLINED, "inner", 0, 8},
	};

	PLAY(TREE(tree), NEW, FRAMES(7, "inner < operator()"), NEW,
	     FRAMES(8, NULL));
}

/* Template functions may have such names; the innermost ones are returned. */
TEST(frames_with_long_names)
{
	char name[9001] = "", frames[9100];
	const struct die tree[] = {
		{0, UNIT, NULL, 0, OUTER},   {1, FUNCTION, "outer", 0, OUTER},
		{2, INLINED, name, 0, 8},    {3, INLINED, name, 0, 8},
		{4, INLINED, "inner", 0, 8},
	};

	memset(name, 'x', sizeof(name) - 1);
	snprintf(frames, sizeof(frames), "inner < %s", name);
	PLAY(TREE(tree), NEW, FRAMES(7, frames));
}

/* Static initialisers and thunks have no name in the source. */
TEST(frames_of_functions_with_linkage_names)
{
	static const struct die tree[] = {
		{0, UNIT, NULL, 0, OUTER},
		{1, LINKED, "_GLOBAL__sub_I_a.cpp", 0, 8},
		{2, INLINED_LINKED, "_ZThn16_N1a5innerEv", 0, 4},
		{1, NAMELESS, NULL, 8, 8},
		{2, INLINED, "inner", 8, 4},
	};

	PLAY(TREE(tree), NEW,
	     FRAMES(3, "non-virtual thunk to a::inner() "
		       "< _GLOBAL__sub_I_a.cpp"),
	     NEW, FRAMES(11, "inner < ?"));
}
