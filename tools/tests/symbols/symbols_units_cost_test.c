// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug information that lies: units that have the same bytes, so that what is
 * read of them goes with the square of their size.
 */
#include "bytes.h"
#include "ktap.h"
#include "memory.h"
#include "workshop.h"

#include "symbols/lines.h"
#include "symbols/section.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Each address of a unit of very many functions. */
TEST(functions_of_one_unit)
{
	static const unsigned int many = 8000;
	uint64_t begin, end, found = 0;
	struct lines lines = {};
	struct bytes source = {};

	ASSERT_TRUE(workshop_open());
	for (unsigned int i = 0; i < many; i++) {
		char text[64];

		bytes_add(&source, text,
			  snprintf(text, sizeof(text),
				   "int f%u(int x) { return x * %u; }\n", i,
				   i));
	}
	if (!workshop_write("many.c", source.data, source.size) ||
	    !workshop_run("cc -g -O0 -shared -fPIC -o many many.c"))
		SKIP("no compiler for this machine");
	begin = workshop_address("many", "f0");
	end = workshop_address("many", "f7999");
	lines_open(&lines, workshop_path("many"), &workshop_search);
	for (uint64_t at = begin; at < end; at++) {
		struct pmscope_line line;

		if (!lines_find(&lines, at, &line))
			found++;
	}
	EXPECT_GT(begin, 0U);
	EXPECT_EQ(found, end - begin);
	EXPECT_LT(lines.units.budget.passed, lines.units.budget.passed_limit);
	lines_fini(&lines);
	bytes_fini(&source);
	workshop_close();
}

/* Units, their parts, and the ranges that all of these share. */
static const char sharing[] = ".text\n.globl f\n.type f, %%function\n"
			      "f: .skip 16\n.size f, 16\n"
			      ".section .debug_abbrev, \"\", %%progbits\n"
			      ".byte 1, 0x11, 1, 0x11, 1, 0x55, 0x17, 0, 0\n"
			      ".byte 2, 0x2e, 0, 0x55, 0x17, 0, 0\n"
			      ".byte 0\n"
			      ".section .debug_info, \"\", %%progbits\n"
			      ".rept %u\n"
			      ".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
			      ".byte 1\n.quad f\n.long 0\n"
			      ".rept %u\n.byte 2\n.long 0\n.endr\n"
			      ".byte 0\n2:\n"
			      ".endr\n"
			      ".section .debug_ranges, \"\", %%progbits\n"
			      ".rept %u\n.quad 1, 2\n.endr\n"
			      ".quad 0, 0\n";

static bool make_sharing(unsigned int units, unsigned int parts,
			 unsigned int ranges)
{
	char source[sizeof(sharing) + 32];

	snprintf(source, sizeof(source), sharing, units, parts, ranges);
	return workshop_assemble(source);
}

/* Reads them, which finds no line. */
static void read_sharing(struct lines *lines)
{
	struct pmscope_line line;
	uint64_t address = workshop_address("sharing", "f");

	EXPECT_GT(address, 0U);
	lines_open(lines, workshop_path("sharing"), &workshop_search);
	EXPECT_EQ(lines_find(lines, address + 1, &line), -ENOENT);
}

TEST(ranges_that_units_share)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_sharing(400, 0, 40000))
		SKIP("no assembler for this machine");
	read_sharing(&lines);
	EXPECT_GT(lines.units.nr_ranges, 0U);
	EXPECT_LE(lines.units.nr_ranges, 1U << 22);
	lines_fini(&lines);
	workshop_close();
}

/* The table of ranges is as full as it can be. */
TEST(ranges_that_parts_share)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_sharing(1, 1100, 4096))
		SKIP("no assembler for this machine");
	read_sharing(&lines);
	EXPECT_EQ(lines.parts.nr_all, 1U << 22);
	EXPECT_EQ(lines.parts.max_ranges, 1U << 22);
	lines_fini(&lines);
	workshop_close();
}

/* Namespaces, each of which says that its child is its sibling, too. */
static const char crossed[] =
	".text\n.globl f\n.type f, %function\n"
	"f: .skip 16\n.size f, 16\n"
	".section .debug_abbrev, \"\", %progbits\n"
	".byte 1, 0x11, 1, 0x11, 1, 0x55, 0x17, 0, 0\n"
	".byte 2, 0x39, 1, 0x01, 0x13, 0, 0\n" /* DW_AT_sibling */
	".byte 3, 0x2e, 0, 0x55, 0x17, 0, 0\n"
	".byte 0\n"
	".section .debug_info, \"\", %progbits\n"
	"unit: .long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	".byte 1\n.quad f\n.long 0\n"
	".rept 16\n.byte 2\n.long 3f - unit\n3:\n.endr\n"
	".byte 3\n.long 0\n"
	".zero 17\n2:\n"
	".section .debug_ranges, \"\", %progbits\n"
	".quad 1, 2\n.quad 0, 0\n";

TEST(siblings_that_are_children)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!workshop_assemble(crossed))
		SKIP("no assembler for this machine");
	read_sharing(&lines);
	EXPECT_EQ(lines.parts.nr_all, 1U);
	lines_fini(&lines);
	workshop_close();
}

/* Functions that say where the next is, and have it within them. */
static const char endless[] =
	".text\n.globl f\n.type f, %%function\n"
	"f: .skip 16 * %1$u\n.size f, . - f\n"
	".section .debug_abbrev, \"\", %%progbits\n"
	".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	".byte 2, 0x2e, 1, 0x11, 1, 0x12, 0xb, 0x01, 0x13, 0, 0\n"
	".byte 0\n"
	".section .debug_info, \"\", %%progbits\n"
	"3: .long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	".byte 1\n.quad f, 16 * %1$u\n"
	".set i, 0\n.rept %1$u\n"
	".byte 2\n.quad f + 16 * i\n.byte 16\n.long 1f - 3b\n1:\n"
	".set i, i + 1\n.endr\n2:\n";

/* Says whether all were asked for theirs. */
static bool read_endless(unsigned int nr)
{
	char source[sizeof(endless) + 32];
	struct lines lines = {};
	bool all;

	snprintf(source, sizeof(source), endless, nr);
	EXPECT_TRUE(workshop_assemble(source));
	workshop_read_lines(&lines, nr);
	all = budget_admits_passing(&lines.units.budget);
	lines_fini(&lines);
	return all;
}

TEST(functions_within_functions)
{
	ASSERT_TRUE(workshop_open());
	if (!workshop_assemble(""))
		SKIP("no assembler for this machine");
	EXPECT_TRUE(read_endless(100));
	EXPECT_FALSE(read_endless(4000));
	workshop_close();
}

/* Units whose abbreviation is behind as many others as there are units. */
static const char abbreviations[] =
	".text\n.globl f\n.type f, %%function\n"
	"f: .skip 16\n.size f, 16\n"
	".section .debug_abbrev, \"\", %%progbits\n"
	".set c, 2\n.rept %u\n"
	".uleb128 c, 0x34\n.byte 0, 0, 0\n.set c, c + 1\n.endr\n"
	".byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0, 0, 0\n"
	".section .debug_info, \"\", %%progbits\n"
	".rept %u\n.long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	".byte 1\n.quad f, 16\n2:\n.endr\n";

/* Only the last unit is told of: to find it libdw takes in all. */
static const char told[] = ".section .debug_aranges, \"\", %%progbits\n"
			   ".long 2f - 1f\n1: .short 2\n.long %u * 28\n"
			   ".byte 8, 0, 0, 0, 0, 0\n.quad f, 16, 0, 0\n2:\n";

static bool make_abbreviations(unsigned int nr, unsigned int units)
{
	char source[sizeof(abbreviations) + 32];

	snprintf(source, sizeof(source), abbreviations, nr, units);
	return workshop_assemble(source);
}

static bool make_told_abbreviations(unsigned int nr, unsigned int units)
{
	char source[sizeof(abbreviations) + sizeof(told) + 64];
	int n = snprintf(source, sizeof(source), abbreviations, nr, units);

	snprintf(source + n, sizeof(source) - n, told, units - 1);
	return workshop_assemble(source);
}

TEST(abbreviations_that_units_share)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_abbreviations(8000, 8000))
		SKIP("no assembler for this machine");
	read_sharing(&lines);
	EXPECT_LE(lines.units.nr_ranges, 8000U / 7);
	EXPECT_LE(memory_in_use() >> 20, 600U);
	lines_fini(&lines);
	workshop_close();
}

static uint32_t has_unit(struct lines *lines)
{
	Dwarf_Addr bias;
	Dwarf_Die unit;

	return lines->module &&
	       units_find(&lines->units, lines->module,
			  lines->bias + workshop_address("sharing", "f"), &unit,
			  &bias);
}

TEST(abbreviations_of_units_that_are_told_of)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_told_abbreviations(400, 10000))
		SKIP("no assembler for this machine");
	read_sharing(&lines);
	EXPECT_TRUE(has_unit(&lines));
	EXPECT_EQ(lines.units.nr_ranges, 0U);
	lines_fini(&lines);
	ASSERT_TRUE(make_told_abbreviations(8000, 8000));
	read_sharing(&lines);
	EXPECT_FALSE(has_unit(&lines));
	EXPECT_LE(memory_in_use() >> 20, 50U);
	lines_fini(&lines);
	workshop_close();
}

/* As of a program of Clang's -flto. */
TEST(abbreviations_that_units_may_share)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_abbreviations(400, 10000))
		SKIP("no assembler for this machine");
	read_sharing(&lines);
	EXPECT_EQ(lines.units.nr_ranges, 10000U);
	lines_fini(&lines);
	workshop_close();
}

/* Functions inlined in each other, each of which another unit has. */
static const char origins[] =
	".text\n.globl f\n.type f, %%function\n"
	"f: .skip 16\n.size f, 16\n"
	".section .debug_abbrev, \"\", %%progbits\n"
	"3: .byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	".byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	".byte 3, 0x1d, 1, 0x11, 1, 0x12, 7, 0x31, 0x10, 0, 0, 0\n"
	"4: .byte 1, 0x11, 1, 0, 0\n.set c, 3\n.rept %1$u\n"
	".uleb128 c, 0x34\n.byte 0, 0, 0\n.set c, c + 1\n.endr\n"
	".byte 2, 0x2e, 0, 0x03, 8, 0, 0, 0\n"
	".section .debug_info, \"\", %%progbits\n"
	"5: .long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	".byte 1\n.quad f, 16\n.byte 2\n.quad f, 16\n"
	".set i, 0\n.rept 100\n"
	".byte 3\n.quad f, 16\n.long 2f - 5b + 16 * i + 12\n"
	".set i, i + 1\n.endr\n.zero 102\n2:\n"
	".rept 100\n.long 12\n.short 4\n.long 4b - 3b\n.byte 8\n"
	".byte 1, 2, 'g', 0, 0\n.endr\n"
	".section .debug_line, \"\", %%progbits\n.byte 0\n";

static void read_origins(struct lines *lines, unsigned int nr)
{
	char source[sizeof(origins) + 32];

	snprintf(source, sizeof(source), origins, nr);
	EXPECT_TRUE(workshop_assemble(source));
	read_sharing(lines);
}

TEST(abbreviations_of_units_that_are_referred_to)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_abbreviations(1, 1))
		SKIP("no assembler for this machine");
	read_origins(&lines, 1000);
	EXPECT_EQ(lines.nr_items, 1U);
	EXPECT_TRUE(lines.items[0].frames && lines.items[0].frames[0] == 'g');
	EXPECT_EQ(lines.units.budget.abbrevs, 3 + 100 * 1002);
	lines_fini(&lines);
	read_origins(&lines, 200000);
	EXPECT_EQ(lines.units.budget.abbrevs, UINT64_MAX);
	EXPECT_LE(memory_in_use() >> 20, 600U);
	lines_fini(&lines);
	workshop_close();
}

/* Functions of a byte each, whose abbreviation has as many attributes. */
static const char attributes[] =
	".text\n.globl f\n.type f, %%function\n"
	"f: .skip 16\n.size f, 16\n"
	".section .debug_abbrev, \"\", %%progbits\n"
	".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	".byte 2, 0x2e, 0\n.rept %u\n.byte 0x3f, 0x19\n.endr\n"
	".byte %s 0x11, 1, 0, 0, 0\n"
	".section .debug_info, \"\", %%progbits\n"
	".long 2f - 1f\n1: .short 4\n.long 0\n.byte 8\n"
	".byte 1\n.quad f, 16\n.rept 8\n.byte 2\n.quad f\n.endr\n"
	".byte 0\n2:\n"
	".bss\n.skip 16\n"
	".section .rodata, \"a\"\n"
	".byte 1, 0x11, 1, 0, 0, 2, 0x2e, 0, 0, 0, 0\n";

/* How many are looked at; those without an end are no parts. */
static bool parts_are_read(void)
{
	struct lines lines = {};
	bool read;

	read_sharing(&lines);
	EXPECT_EQ(lines.units.nr_ranges, 1U);
	read = lines.parts.last;
	lines_fini(&lines);
	return read;
}

static bool are_read(unsigned int nr, const char *more)
{
	char source[sizeof(attributes) + 64];

	snprintf(source, sizeof(source), attributes, nr, more);
	EXPECT_TRUE(workshop_assemble(source));
	return parts_are_read();
}

/* The section is called .zdebug_abbrev then, and another that has no bytes. */
static bool are_read_packed(unsigned int nr)
{
	are_read(nr, "");
	EXPECT_TRUE(workshop_run(
		"objcopy --compress-debug-sections=zlib-gnu sharing packed && "
		"objcopy --rename-section .bss=.debug_abbrev packed sharing"));
	return parts_are_read();
}

/* The first section "sharing" calls so. */
static bool change_section(const char *name, uint64_t flags, uint64_t size)
{
	int fd = open(workshop_path("sharing"), O_RDWR);
	Elf *elf = elf_begin(fd, ELF_C_RDWR, NULL);
	struct section section;
	bool done = false;

	if (elf && section_find(elf, name, &section)) {
		section.header.sh_flags |= flags;
		if (section.header.sh_size > size)
			section.header.sh_size = size;
		elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
		done = gelf_update_shdr(section.scn, &section.header) &&
		       elf_update(elf, ELF_C_WRITE) > 0;
	}
	elf_end(elf);
	close(fd);
	return done;
}

/* What is before the section has its name, but libdw does not take that. */
static bool are_read_behind(unsigned int nr, uint64_t flags, uint64_t size)
{
	are_read(nr, "");
	EXPECT_TRUE(workshop_run("objcopy --rename-section "
				 ".rodata=.debug_abbrev sharing"));
	EXPECT_TRUE(change_section(".debug_abbrev", flags, size));
	return parts_are_read();
}

TEST(attributes_behind_what_is_not_taken)
{
	ASSERT_TRUE(workshop_open());
	if (!make_abbreviations(1, 1))
		SKIP("no assembler for this machine");
	EXPECT_TRUE(are_read_behind(100, SHF_GROUP, 100));
	EXPECT_FALSE(are_read_behind(50000, SHF_GROUP, 100));
	EXPECT_TRUE(are_read_behind(100, SHF_COMPRESSED, 100));
	EXPECT_FALSE(are_read_behind(50000, SHF_COMPRESSED, 100));
	EXPECT_TRUE(are_read_behind(100, 0, 0));
	EXPECT_FALSE(are_read_behind(50000, 0, 0));
	workshop_close();
}

TEST(attributes_of_entries_without_bytes)
{
	ASSERT_TRUE(workshop_open());
	if (!make_abbreviations(1, 1))
		SKIP("no assembler for this machine");
	EXPECT_TRUE(are_read(100, ""));
	EXPECT_FALSE(are_read(50000, ""));
	EXPECT_FALSE(are_read(1, "0, 0x19, "));
	EXPECT_FALSE(are_read(1, "0x3f, 0, "));
	EXPECT_TRUE(are_read_packed(100));
	EXPECT_FALSE(are_read_packed(50000));
	workshop_close();
}

static bool make_sharing_of(unsigned int units, unsigned int ranges,
			    const char *range)
{
	return make_sharing(units, 0, ranges) &&
	       workshop_run("sed 's/^.quad 1, 2/.quad %s/' sharing.s >other.s "
			    "&& cc -shared -nostdlib -o sharing other.s",
			    range);
}

/* None of them has an address. */
TEST(empty_ranges_that_units_share)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_sharing_of(40000, 40000, "2, 2"))
		SKIP("no assembler for this machine");
	read_sharing(&lines);
	EXPECT_EQ(lines.units.nr_ranges, 0U);
	EXPECT_GT(lines.units.nr_read, 1U << 22);
	EXPECT_LE(lines.units.nr_read, (1U << 22) + 40000);
	lines_fini(&lines);
	workshop_close();
}

/*
 * Units, or parts of one, that share a list of no ranges: its entries are but
 * new bases.
 */
static const char bases[] =
	".text\n.globl f\n.type f, %%function\n"
	"f: .skip 16\n.size f, 16\n"
	".section .debug_abbrev, \"\", %%progbits\n"
	".byte 1, 0x11, 1, 0x11, 1, 0x55, 0x17, 0x73, 0x17, 0, 0\n"
	".byte 2, 0x2e, 0, 0x55, 0x17, 0, 0\n"
	".byte 3, 0x11, 1, 0x11, 1, 0x12, 7, 0x73, 0x17, 0, 0, 0\n"
	".section .debug_addr, \"\", %%progbits\n"
	".long 12\n.short 5\n.byte 8, 0\n.quad f\n"
	".section .debug_info, \"\", %%progbits\n"
	".rept %u\n.long 2f - 1f\n1: .short 5\n.byte 1, 8\n.long 0\n"
	".byte 1\n.quad f\n.long 12, 8\n.byte 0\n2:\n.endr\n"
	".long 2f - 1f\n1: .short 5\n.byte 1, 8\n.long 0\n"
	".byte 3\n.quad f, 16\n.long 8\n"
	".rept %u\n.byte 2\n.long 12\n.endr\n.byte 0\n2:\n"
	".section .debug_rnglists, \"\", %%progbits\n"
	".long 2f - 1f\n1: .short 5\n.byte 8, 0\n.long 0\n"
	".rept %u\n.byte 1, 0\n.endr\n%s\n.byte 0\n2:\n";

static void read_bases(struct lines *lines, unsigned int units,
		       unsigned int parts, unsigned int nr, const char *range)
{
	char source[sizeof(bases) + 64];

	snprintf(source, sizeof(source), bases, units, parts, nr, range);
	EXPECT_TRUE(workshop_assemble(source));
	read_sharing(lines);
	EXPECT_EQ(lines->units.budget.base_run, nr);
}

TEST(bases_of_dwarf_4)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_sharing_of(4000, 40000, "-1, 2"))
		SKIP("no assembler for this machine");
	read_sharing(&lines);
	EXPECT_EQ(lines.units.budget.base_run, 40000U);
	EXPECT_EQ(lines.units.budget.steps, UINT64_MAX);
	lines_fini(&lines);
	workshop_close();
}

/* The unit behind them is found: it has no list. */
TEST(bases_that_units_share)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_abbreviations(1, 1))
		SKIP("no assembler for this machine");
	read_bases(&lines, 4000, 0, 200000, "");
	EXPECT_EQ(lines.units.budget.steps, UINT64_MAX);
	EXPECT_EQ(lines.units.nr_ranges, 1U);
	lines_fini(&lines);
	workshop_close();
}

TEST(bases_that_parts_share)
{
	struct lines lines = {};

	ASSERT_TRUE(workshop_open());
	if (!make_abbreviations(1, 1))
		SKIP("no assembler for this machine");
	read_bases(&lines, 0, 4000, 200000, ".byte 7, 0x80, 0x80, 0, 1");
	EXPECT_EQ(lines.units.budget.steps, UINT64_MAX);
	EXPECT_EQ(lines.parts.nr_all, 0U);
	lines_fini(&lines);
	workshop_close();
}
KTAP_MAIN
