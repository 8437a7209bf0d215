// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "line_table.h"

#include <dwarf.h>
#include <limits.h>
#include <string.h>

#define MAX_FORMATS 255

/* DW_LNE_define_file: 0, its size, its number, a name, three numbers. */
#define DEFINED_FILE 8

/* Of ULEB128 and SLEB128: libdw ends there, and takes the next as an opcode. */
#define MAX_LEB128 10

/* Older headers of elfutils lack them. */
#define DW_LNE_NVIDIA_inlined_call	0x90
#define DW_LNE_NVIDIA_set_function_name 0x91

struct header {
	const struct line_sections *sections;
	struct dwarf_bytes bytes;
	unsigned int offset_size;
	size_t longest; /* name of a directory */
	uint64_t nr_files;
};

/* Of a path; false where none is as long. */
static bool skip_string(struct dwarf_bytes *b, size_t *length)
{
	*length = strnlen((const char *)b->at, dwarf_left(b));
	dwarf_skip(b, *length + 1);
	return *length < PATH_MAX;
}

static bool string_at(const struct dwarf_section *section, uint64_t offset,
		      size_t *length)
{
	struct dwarf_bytes b = dwarf_at(section, offset);

	if (offset >= section->size)
		return false;
	if (dwarf_left(&b) > PATH_MAX)
		b.end = b.at + PATH_MAX;
	return skip_string(&b, length);
}

/* What takes as many bytes whatever it is; 0: no such form. */
static unsigned int data_size(uint64_t form)
{
	switch (form) {
	case DW_FORM_data1:
		return 1;
	case DW_FORM_data2:
		return 2;
	case DW_FORM_data4:
		return 4;
	case DW_FORM_data8:
		return 8;
	case DW_FORM_data16:
		return 16;
	}
	return 0;
}

/* @length is of a string, and else as it was. */
static bool skip_form(struct header *h, uint64_t form, size_t *length)
{
	struct dwarf_bytes *b = &h->bytes;

	switch (form) {
	case DW_FORM_string:
		return skip_string(b, length);
	case DW_FORM_line_strp:
		return string_at(&h->sections->line_str,
				 dwarf_number(b, h->offset_size), length);
	case DW_FORM_strp:
		return string_at(&h->sections->str,
				 dwarf_number(b, h->offset_size), length);
	case DW_FORM_udata:
		dwarf_uleb128(b);
		return true;
	case DW_FORM_block:
		dwarf_skip(b, dwarf_uleb128(b));
		return true;
	}
	dwarf_skip(b, data_size(form));
	return data_size(form);
}

/* Entries of version 5: says how many, and how long the longest name is. */
static bool read_entries(struct header *h, uint64_t *nr, size_t *longest)
{
	uint64_t type[MAX_FORMATS], form[MAX_FORMATS];
	unsigned int nr_formats = dwarf_number(&h->bytes, 1);

	for (unsigned int i = 0; i < nr_formats; i++) {
		type[i] = dwarf_uleb128(&h->bytes);
		form[i] = dwarf_uleb128(&h->bytes);
	}
	*nr = dwarf_uleb128(&h->bytes);
	if (*nr && !nr_formats)
		return false;
	for (uint64_t i = 0; i < *nr; i++)
		for (unsigned int j = 0; j < nr_formats; j++) {
			size_t length = 0;

			if (!dwarf_left(&h->bytes) ||
			    !skip_form(h, form[j], &length))
				return false;
			if (type[j] == DW_LNCT_path && length > *longest)
				*longest = length;
		}
	return true;
}

static bool read_new(struct header *h)
{
	size_t name = 0;
	uint64_t nr_dirs;

	if (!read_entries(h, &nr_dirs, &h->longest) ||
	    !read_entries(h, &h->nr_files, &name))
		return false;
	h->longest += name;
	return true;
}

/* Names, each behind the other, up to an empty one. */
static bool read_old(struct header *h)
{
	struct dwarf_bytes *b = &h->bytes;
	size_t length, name = 0;

	while (skip_string(b, &length) && length)
		if (length > h->longest)
			h->longest = length;
	if (length)
		return false;
	while (skip_string(b, &length) && length) {
		h->nr_files++;
		if (length > name)
			name = length;
		for (int i = 0; i < 3; i++)
			dwarf_uleb128(b);
	}
	h->longest += name;
	return !length;
}

/* Past what is of no concern. Says the version, or 0. */
static unsigned int begin(struct header *h, uint64_t offset,
			  struct line_table *table)
{
	const struct dwarf_section *line = &h->sections->line;
	struct dwarf_bytes *b = &h->bytes;
	unsigned int version;
	uint64_t length;

	if (offset >= line->size)
		return 0;
	*b = dwarf_at(line, offset);
	b->big_endian = h->sections->big_endian;
	h->offset_size = 4;
	length = dwarf_number(b, 4);
	if (length == UINT32_MAX) {
		h->offset_size = 8;
		length = dwarf_number(b, 8);
	}
	if (length > dwarf_left(b))
		return 0;
	b->end = b->at + length;
	version = dwarf_number(b, 2);
	if (version >= 5) {
		table->address_size = dwarf_number(b, 1);
		dwarf_skip(b, 1);
	}
	dwarf_skip(b, h->offset_size + 1 + (version >= 4 ? 1 : 0) + 3);
	table->opcode_base = dwarf_number(b, 1);
	table->operands = b->at;
	dwarf_skip(b, (uint8_t)(table->opcode_base - 1));
	return version;
}

bool line_table_read(const struct line_sections *sections, uint64_t offset,
		     size_t dir, struct line_table *table)
{
	struct header h = {.sections = sections, .longest = dir};
	unsigned int version;

	*table = (struct line_table){};
	version = begin(&h, offset, table);
	if (version < 2 || version > 5 ||
	    !(version == 5 ? read_new(&h) : read_old(&h)))
		return false;
	table->program = h.bytes;
	table->bytes = h.bytes.end - (sections->line.data + offset);
	h.nr_files += dwarf_left(&h.bytes) / DEFINED_FILE;
	/* That of the unit may come before that of the file. */
	table->names = h.nr_files * 2 * (h.longest + 1);
	return true;
}

static bool skip_leb128(struct dwarf_bytes *b, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		const uint8_t *from = b->at;

		dwarf_uleb128(b);
		if (b->at == from || b->at - from > MAX_LEB128 ||
		    b->at[-1] & 0x80)
			return false;
	}
	return true;
}

/* libdw goes by the opcode, and not by the size: they must agree. */
static bool skip_extended(struct dwarf_bytes *b, unsigned int address_size,
			  uint64_t *rows)
{
	struct dwarf_bytes size = *b, op;
	size_t length;
	bool known = true;

	if (!skip_leb128(b, 1))
		return false;
	op = *b;
	dwarf_skip(b, dwarf_uleb128(&size));
	op.end = b->at;
	switch (dwarf_number(&op, 1)) {
	case DW_LNE_end_sequence:
		++*rows;
		break;
	case DW_LNE_set_address:
		known = dwarf_left(&op) == address_size;
		dwarf_skip(&op, address_size);
		break;
	case DW_LNE_define_file:
		known = skip_string(&op, &length) && skip_leb128(&op, 3);
		break;
	case DW_LNE_set_discriminator:
	case DW_LNE_NVIDIA_set_function_name:
		known = skip_leb128(&op, 1);
		break;
	case DW_LNE_NVIDIA_inlined_call:
		known = skip_leb128(&op, 2);
		break;
	default:
		dwarf_skip(&op, dwarf_left(&op));
	}
	return known && op.at == op.end && op.at != size.at;
}

static bool skip_standard(const struct line_table *table, unsigned int opcode,
			  struct dwarf_bytes *b, uint64_t *rows)
{
	/* Of those that DWARF has, from DW_LNS_copy to DW_LNS_set_isa. */
	static const uint8_t operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	unsigned int nr = table->operands[opcode - 1];

	if (opcode <= sizeof(operands) && nr != operands[opcode - 1])
		return false;
	if (opcode == DW_LNS_fixed_advance_pc) {
		dwarf_skip(b, 2);
		return true;
	}
	*rows += opcode == DW_LNS_copy;
	return skip_leb128(b, nr);
}

bool line_table_rows(const struct line_table *table, unsigned int address_size,
		     uint64_t *rows)
{
	struct dwarf_bytes b = table->program;

	if (table->address_size)
		address_size = table->address_size;
	*rows = 0;
	while (dwarf_left(&b)) {
		unsigned int opcode = *b.at++;
		bool sound = true;

		if (opcode >= table->opcode_base)
			++*rows;
		else if (!opcode)
			sound = skip_extended(&b, address_size, rows);
		else
			sound = skip_standard(table, opcode, &b, rows);
		if (!sound)
			return false;
	}
	return true;
}
