// SPDX-License-Identifier: GPL-2.0-or-later
/* What headers of line tables say (DWARF 5, 6.2.4). */
#include "bytes.h"
#include "ktap.h"

#include "symbols/line_table.h"
#include "symbols/section.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM 80 /* bytes, which could define ten files more */

static bool big_endian;

static void put_number(struct bytes *b, uint64_t value, unsigned int size)
{
	put(b, big_endian ? __builtin_bswap64(value) >> (64 - 8 * size) : value,
	    size);
}

static void put_text(struct bytes *b, const char *text)
{
	bytes_add(b, text, strlen(text) + 1);
}

/* All before the names; the length is set at the end. */
static void begin(struct bytes *b, unsigned int version, bool is_64)
{
	if (is_64)
		put_number(b, UINT32_MAX, 4);
	put_number(b, 0, is_64 ? 8 : 4);
	put_number(b, version, 2);
	if (version >= 5)
		put(b, 8, 2);
	put_number(b, 0, is_64 ? 8 : 4);
	put_zeros(b, version >= 4 ? 5 : 4);
	put(b, 4, 1);
	put_zeros(b, 3);
}

static void end(struct bytes *b, bool is_64)
{
	unsigned int field = is_64 ? 12 : 4;
	struct bytes length = {};

	put_zeros(b, PROGRAM);
	put_number(&length, b->size - field, is_64 ? 8 : 4);
	memcpy(b->data + field - length.size, length.data, length.size);
	bytes_fini(&length);
}

/* Directories of up to 4 bytes, two files of up to 6. */
static void put_old(struct bytes *b, unsigned int version)
{
	begin(b, version, false);
	put_text(b, "/dir");
	put_text(b, "d2");
	put(b, 0, 1);
	put_text(b, "a.c");
	put(b, 0x010101, 3);
	put_text(b, "long.c");
	put(b, 0x81010101, 4);
	put(b, 0, 2);
	end(b, false);
}

static const char line_str[] = "/dir\0d2\0a.c\0long.c";

/* The same in strings of a section; each file has a number of 16 bytes. */
static void put_new(struct bytes *b, bool is_64)
{
	unsigned int size = is_64 ? 8 : 4;

	begin(b, 5, is_64);
	put(b, 1 | DW_LNCT_path << 8 | DW_FORM_line_strp << 16 | 2 << 24, 4);
	put_number(b, 0, size);
	put_number(b, 5, size);
	put(b, 3 | DW_LNCT_path << 8 | DW_FORM_line_strp << 16, 3);
	put(b, DW_LNCT_directory_index | DW_FORM_udata << 8, 2);
	put(b, DW_LNCT_MD5 | DW_FORM_data16 << 8 | 2 << 16, 3);
	put_number(b, 8, size);
	put_zeros(b, 17);
	put_number(b, 12, size);
	put_zeros(b, 17);
	end(b, is_64);
}

static bool read_table(const struct bytes *b, size_t dir,
		       struct line_table *table)
{
	const struct line_sections sections = {
		.line = {b->data, b->size},
		.line_str = {(const uint8_t *)line_str, sizeof(line_str)},
		.big_endian = big_endian,
	};

	return line_table_read(&sections, 0, dir, table);
}

static void expect_table(struct bytes *b)
{
	struct line_table table;

	EXPECT_TRUE(read_table(b, 0, &table));
	EXPECT_EQ(table.bytes, b->size);
	EXPECT_EQ(table.names, (2 + 10) * 2 * (4 + 6 + 1));
	EXPECT_TRUE(read_table(b, 20, &table));
	EXPECT_EQ(table.names, (2 + 10) * 2 * (20 + 6 + 1));
	bytes_fini(b);
	*b = (struct bytes){};
}

TEST(tables_of_each_version)
{
	struct bytes b = {};

	for (int i = 0; i < 2; i++) {
		big_endian = i;
		for (unsigned int version = 2; version <= 4; version++) {
			put_old(&b, version);
			expect_table(&b);
		}
		put_new(&b, false);
		expect_table(&b);
		put_new(&b, true);
		expect_table(&b);
	}
	big_endian = false;
}

/* Also where the length says that it is whole. */
static void cut(const struct bytes *whole)
{
	for (size_t size = 0; size < whole->size; size++) {
		uint8_t *data = malloc(size ? size : 1);
		const struct bytes b = {.data = data, .size = size};
		struct line_table table;

		ASSERT_TRUE(data);
		memcpy(data, whole->data, size);
		EXPECT_TRUE(!read_table(&b, 0, &table));
		if (size >= 4) {
			uint32_t length = size - 4;

			memcpy(data, &length, sizeof(length));
			if (read_table(&b, 0, &table))
				EXPECT_LE(table.names, 12U * 2 * 11);
		}
		free(data);
	}
}

TEST(tables_that_are_cut)
{
	struct bytes b = {};

	put_old(&b, 4);
	cut(&b);
	bytes_fini(&b);
	b = (struct bytes){};
	put_new(&b, false);
	cut(&b);
	bytes_fini(&b);
}

static void expect_refused(struct bytes *b)
{
	struct line_table table;

	end(b, false);
	EXPECT_TRUE(!read_table(b, 0, &table));
	bytes_fini(b);
	*b = (struct bytes){};
}

TEST(tables_that_no_compiler_writes)
{
	struct bytes b = {};
	char name[PATH_MAX + 1] = "";

	memset(name, 'd', PATH_MAX);
	begin(&b, 4, false);
	put_text(&b, name);
	expect_refused(&b);
	begin(&b, 4, false);
	put(&b, 0, 1);
	put_text(&b, name);
	expect_refused(&b);
	begin(&b, 1, false);
	expect_refused(&b);
	begin(&b, 6, false);
	expect_refused(&b);
	/* Entries of nothing, of an unknown form, of a string elsewhere. */
	begin(&b, 5, false);
	put(&b, 0x0500, 2);
	expect_refused(&b);
	begin(&b, 5, false);
	put(&b, 1 | DW_LNCT_path << 8 | DW_FORM_flag_present << 16 | 1 << 24,
	    4);
	expect_refused(&b);
	begin(&b, 5, false);
	put(&b, 1 | DW_LNCT_path << 8 | DW_FORM_line_strp << 16 | 1 << 24, 4);
	put(&b, sizeof(line_str), 4);
	expect_refused(&b);
}

/* A program of one byte a row has as many rows; its end makes one, too. */
static void expect_rows(const char *program, size_t size, bool sound,
			uint64_t expected)
{
	struct bytes b = {};
	struct line_table table;
	uint64_t rows = 0;

	put_old(&b, 4);
	EXPECT_TRUE(read_table(&b, 0, &table));
	table.opcode_base = 13;
	table.operands = (const uint8_t *)"\0\1\1\1\1\0\0\0\1\0\0\1";
	table.program.at = (const uint8_t *)program;
	table.program.end = table.program.at + size;
	EXPECT_EQ(line_table_rows(&table, 8, &rows), sound);
	if (sound)
		EXPECT_EQ(rows, expected);
	bytes_fini(&b);
}

#define EXPECT_ROWS(program, expected) \
	expect_rows(program, sizeof(program) - 1, true, expected)
#define EXPECT_NO_ROWS(program) \
	expect_rows(program, sizeof(program) - 1, false, 0)

/* What libdw would take otherwise is refused: the rest would be no opcodes. */
TEST(rows_of_programs)
{
	EXPECT_ROWS("", 0U);
	EXPECT_ROWS("\x10\xff\x0d\x01", 4U);
	EXPECT_ROWS("\x02\xff\x01\x03\x7f\x09\x01\x01\x06\x01", 1U);
	EXPECT_ROWS("\0\x09\x02\x10\x10\x10\x10\x10\x10\x10\x10", 0U);
	EXPECT_ROWS("\0\x01\x01\0\x02\x04\x10\0\x03\x80\x10\x10", 1U);
	EXPECT_ROWS("\0\x06\x03"
		    "a\0\x01\x02\x03\x10",
		    1U);
	EXPECT_NO_ROWS("\0\0\x10");
	EXPECT_NO_ROWS("\0\x02\x01\x10");
	EXPECT_NO_ROWS("\0\x05\x02\x10\x10\x10\x10");
	EXPECT_NO_ROWS("\0\x03\x04\x10\x10");
	EXPECT_NO_ROWS("\0\x09\x04");
	EXPECT_NO_ROWS("\x02\x80");
	EXPECT_NO_ROWS("\x02\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
}

static void expect_rows_as_libdw(const struct line_sections *sections,
				 Dwarf_Die *unit)
{
	uint8_t address_size = 0;
	struct line_table table;
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	Dwarf_Lines *lines;
	Dwarf_Die die;
	uint64_t rows;
	size_t nr;

	if (dwarf_getsrclines(unit, &lines, &nr) ||
	    dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attribute),
			    &offset))
		return;
	dwarf_diecu(unit, &die, &address_size, NULL);
	EXPECT_TRUE(line_table_read(sections, offset, 0, &table));
	EXPECT_TRUE(line_table_rows(&table, address_size, &rows));
	EXPECT_EQ(rows, nr);
}

/* Of what compilers write libdw has as many. */
TEST(rows_of_this_program)
{
	const char *path = getenv("LINES_OF");
	int fd = open(path ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	struct line_sections sections = {};
	Dwarf_Off next = 0, at;
	Dwarf_Die unit;
	unsigned int units = 0;
	size_t header;

	if (!dwarf)
		SKIP("no debug information in this program");
	section_find_dwarf(dwarf_getelf(dwarf), ".debug_line", &sections.line);
	section_find_dwarf(dwarf_getelf(dwarf), ".debug_line_str",
			   &sections.line_str);
	section_find_dwarf(dwarf_getelf(dwarf), ".debug_str", &sections.str);
	while (at = next,
	       !dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL)) {
		if (!dwarf_offdie(dwarf, at + header, &unit))
			continue;
		expect_rows_as_libdw(&sections, &unit);
		units++;
	}
	EXPECT_GT(units, 0U);
	dwarf_end(dwarf);
	close(fd);
}

KTAP_MAIN
