// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions as LLVM and as objdump print them. */
#include "ktap.h"

#include "code/code.h"

#define AT 0x400000

struct known {
	uint32_t word;
	const char *text;
	uint64_t target; /* 0: it is not a direct branch */
};

/* The same text from both. */
static const struct known common[] = {
	{0xd503201f, "nop", 0},
	{0xf9400020, "ldr x0, [x1]", 0},
	{0x14000002, "b 0x400010", 0x400010},
	{0x97ffffff, "bl 0x400008", 0x400008},
	{0x54ffff81, "b.ne 0x400000", 0x400000},
	{0xb4000040, "cbz x0, 0x40001c", 0x40001c},
	{0x3707ffe0, "tbnz w0, #0, 0x400014", 0x400014},
	{0xd63f0020, "blr x1", 0},
	{0x3dc00000, "ldr q0, [x0]", 0},
	{0xd65f03c0, "ret", 0},
};

/* Both know these extensions; LLVM prints some operands in other ways. */
static const struct known extensions[] = {
	{0x04a10000, "add z0.s", 0},	  /* SVE */
	{0x44407000, "sqrdmlah z0.h", 0}, /* SVE2 */
	{0xd503477f, "smstart", 0},	  /* SME */
	{0x9ac01000, "irg x0", 0},	  /* MTE */
	{0xd9200800, "stg x0", 0},	  /* MTE */
};

#define NR(table) ARRAY_SIZE(table)

static void read_all(const char *objdump, const struct known *known, size_t nr,
		     struct insns *insns)
{
	uint8_t bytes[256];

	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < INSN_SIZE; j++)
			bytes[INSN_SIZE * i + j] = known[i].word >> 8 * j;
	ASSERT_EQ(disassemble(objdump, bytes, INSN_SIZE * nr, AT, insns), 0);
	ASSERT_EQ(insns->nr, nr);
}

static void expect_common(const char *objdump)
{
	struct insns insns;

	read_all(objdump, common, NR(common), &insns);
	for (size_t i = 0; i < NR(common); i++) {
		const struct insn *insn = &insns.all[i];

		EXPECT_STREQ(insn->text, common[i].text);
		EXPECT_EQ(insn->address, AT + INSN_SIZE * i);
		EXPECT_EQ(insn->word, common[i].word);
		EXPECT_EQ(insn->branches, common[i].target != 0);
		if (insn->branches)
			EXPECT_EQ(insn->target, common[i].target);
	}
	insns_fini(&insns);
}

static void expect_extensions(const char *objdump)
{
	struct insns insns;

	read_all(objdump, extensions, NR(extensions), &insns);
	for (size_t i = 0; i < NR(extensions); i++) {
		const char *text = extensions[i].text;

		ktap_note("%s", insns.all[i].text);
		EXPECT_EQ(strncmp(insns.all[i].text, text, strlen(text)), 0);
	}
	insns_fini(&insns);
}

#define NEED_LLVM()                                             \
	do {                                                    \
		struct llvm *llvm = llvm_open();                \
		if (!llvm)                                      \
			SKIP("no library of LLVM 14 or later"); \
		llvm_close(llvm);                               \
	} while (0)

#define NEED_OBJDUMP()                                              \
	do {                                                        \
		if (!objdump_find(NULL))                            \
			SKIP("no objdump here that knows AArch64"); \
	} while (0)

CASE(instructions_by_LLVM, NEED_LLVM(); expect_common(NULL));

TEST(instructions_by_objdump)
{
	NEED_OBJDUMP();
	expect_common(objdump_find(NULL));
}

CASE(extensions_by_LLVM, NEED_LLVM(); expect_extensions(NULL));

TEST(extensions_by_objdump)
{
	NEED_OBJDUMP();
	expect_extensions(objdump_find(NULL));
}

/* Data among code, such as a literal pool. */
static void expect_words(const char *objdump)
{
	const uint8_t bytes[] = {0xff, 0xff, 0xff, 0xff, 0x1f,
				 0x20, 3,    0xd5, 1};
	struct insns insns;

	ASSERT_EQ(disassemble(objdump, bytes, sizeof(bytes), AT, &insns), 0);
	ASSERT_EQ(insns.nr, 2U);
	EXPECT_STREQ(insns.all[0].text, ".word 0xffffffff");
	EXPECT_TRUE(!insns.all[0].branches);
	EXPECT_STREQ(insns.all[1].text, "nop");
	insns_fini(&insns);
}

CASE(words_that_are_not_instructions_by_LLVM, NEED_LLVM(); expect_words(NULL));

TEST(words_that_are_not_instructions_by_objdump)
{
	NEED_OBJDUMP();
	expect_words(objdump_find(NULL));
}

/* More than a pipe holds, and no code at all. */
TEST(a_large_function_by_objdump)
{
	static uint8_t bytes[1 << 18];
	struct insns insns;
	size_t bad = 0;

	NEED_OBJDUMP();
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (const uint8_t[]){0x1f, 0x20, 3, 0xd5}[i % 4];
	ASSERT_EQ(disassemble(objdump_find(NULL), bytes, sizeof(bytes), AT,
			      &insns),
		  0);
	for (size_t i = 0; i < insns.nr; i++)
		bad += !insns.all[i].text || strcmp(insns.all[i].text, "nop");
	EXPECT_EQ(bad, 0U);
	EXPECT_EQ(insns.nr, sizeof(bytes) / INSN_SIZE);
	insns_fini(&insns);
	ASSERT_EQ(disassemble(NULL, bytes, 3, AT, &insns), 0);
	EXPECT_EQ(insns.nr, 0U);
	insns_fini(&insns);
}

/* Neither is an error: there are words and no texts. */
TEST(an_objdump_that_does_not_exist)
{
	static const uint8_t nop[] = {0x1f, 0x20, 3, 0xd5};
	char name[DISASSEMBLER_NAME];
	struct insns insns;

	ASSERT_EQ(disassemble("/nowhere/objdump", nop, sizeof(nop), AT, &insns),
		  0);
	EXPECT_EQ(insns.all[0].word, 0xd503201fU);
	EXPECT_TRUE(!insns.all[0].text);
	EXPECT_STREQ(disassembler_name("/nowhere/objdump", name), "none");
	insns_fini(&insns);
	ASSERT_EQ(disassemble("/bin/true", nop, sizeof(nop), AT, &insns), 0);
	EXPECT_TRUE(!insns.all[0].text);
	insns_fini(&insns);
}
