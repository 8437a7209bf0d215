// SPDX-License-Identifier: GPL-2.0-or-later
/* What headers of line tables say (DWARF 5, 6.2.4). */
#include "bytes.h"
#include "ktap.h"

#include "symbols/line_table.h"

#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

KTAP_MAIN
