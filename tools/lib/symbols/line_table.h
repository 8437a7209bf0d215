/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What a line table costs to be read (DWARF 5, 6.2.4): from its header. */
#ifndef PMSCOPE_SYMBOLS_LINE_TABLE_H
#define PMSCOPE_SYMBOLS_LINE_TABLE_H

#include "dwarf_bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_sections {
	struct dwarf_section line;
	struct dwarf_section line_str;
	struct dwarf_section str;
	bool big_endian;
};

struct line_table {
	uint64_t bytes; /* of its section */
	uint64_t names; /* bytes of files with their directories, at most */
	struct dwarf_bytes program;
	unsigned int opcode_base;
	unsigned int address_size; /* 0: that of the unit */
	const uint8_t *operands;   /* of its standard opcodes, from 1 on */
};

/*
 * The table at @offset of a unit in a directory whose name has @dir bytes.
 * False of one that is cut, or that no compiler writes.
 */
bool line_table_read(const struct line_sections *sections, uint64_t offset,
		     size_t dir, struct line_table *table);

/*
 * Counts the rows that its program makes for libdw, which keeps all; addresses
 * of the unit have @address_size bytes. False of a program that no compiler
 * writes, and which libdw may take otherwise.
 */
bool line_table_rows(const struct line_table *table, unsigned int address_size,
		     uint64_t *rows);

#endif /* PMSCOPE_SYMBOLS_LINE_TABLE_H */
