// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "line_table.h"

#include <dwarf.h>
#include <limits.h>
#include <string.h>

#define MAX_FORMATS 255

/* DW_LNE_define_file: 0, its size, its number, a name, three numbers. */
#define DEFINED_FILE 8

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
static unsigned int begin(struct header *h, uint64_t offset)
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
	dwarf_skip(b, (version >= 5 ? 2 : 0) + h->offset_size + 1 +
			      (version >= 4 ? 1 : 0) + 3);
	dwarf_skip(b, (uint8_t)(dwarf_number(b, 1) - 1));
	return version;
}

bool line_table_read(const struct line_sections *sections, uint64_t offset,
		     size_t dir, struct line_table *table)
{
	struct header h = {.sections = sections, .longest = dir};
	unsigned int version = begin(&h, offset);

	if (version < 2 || version > 5 ||
	    !(version == 5 ? read_new(&h) : read_old(&h)))
		return false;
	table->bytes = h.bytes.end - (sections->line.data + offset);
	h.nr_files += dwarf_left(&h.bytes) / DEFINED_FILE;
	/* That of the unit may come before that of the file. */
	table->names = h.nr_files * 2 * (h.longest + 1);
	return true;
}
