/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The symbols of one ELF file. The child process of reader.h reads them (see
 * elf_read.h) and hands them to the parent as an image.
 */
#pragma once

#include "base/space.h"
#include "table.h"

/*
 * Maps a range of the file to memory: a loadable segment or, in a file without
 * program headers, a section.
 */
struct segment {
	uint64_t offset;
	uint64_t size;
	uint64_t memory; /* size in memory; zeros follow the file's bytes */
	uint64_t address;
	uint32_t section; /* number of a module's section; else 0 */
};

/* Symbols sorted by link address, and the map from file offsets to these. */
struct elf_symbols {
	enum symbol_kind kind;
	bool is_module; /* kernel module: offsets count from its load address */
	struct symbol_table table;
	struct segment *segments;
	size_t nr_segments;
	size_t max_segments;
	struct space_pool pool;
	struct space in_file;	/* segments by file offset */
	struct space in_memory; /* data only: segments including their .bss */
};

/* A file's build-id. Real ones are shorter than this. */
#define ELF_ID_MAX 64

struct elf_id {
	bool known; /* the file was read; it may have no build-id */
	uint8_t size;
	uint8_t bytes[ELF_ID_MAX];
};

/*
 * What an image contains, one after the other: the symbols, whose names are
 * offsets; the segments; the names, each with its NUL.
 */
struct elf_image {
	uint64_t nr_symbols; /* in order */
	uint64_t nr_aside;
	uint64_t nr_segments;
	uint64_t names; /* bytes */
};

/*
 * Writes @elf as an image to a new memfd. The symbols' names are lost. Returns
 * the file descriptor or -errno.
 */
int elf_save(struct elf_symbols *elf, struct elf_image *image);

/*
 * Reads an image from @fd into @elf, which must be zeroed except for its kind
 * and @is_module. Trusts neither @image nor the file: whatever these contain,
 * all functions below are safe. Returns 0; -EFBIG if the image is larger than
 * any file's; -EBADMSG if it is malformed; or -ENOMEM. After an error @elf is
 * empty.
 */
int elf_load(int fd, const struct elf_image *image, struct elf_symbols *elf);

/*
 * Converts @file_offset to a link address. Returns false if no segment contains
 * it. For data, the offset may be past the segment's bytes in the file, as in
 * .bss. Narrows @around to bytes of the same segment, or of none.
 */
bool elf_address(const struct elf_symbols *elf, uint64_t file_offset,
		 uint64_t *address, struct pmscope_around *around);

/*
 * Tells where the code at @file_offset is in the file: at a link address or, if
 * @section is not 0, so far into a module's section. Returns false if no
 * segment contains it.
 */
bool elf_code_at(const struct elf_symbols *elf, uint64_t file_offset,
		 uint64_t *address, uint32_t *section);

/*
 * Finds the symbol at @file_offset, or NULL; sets @offset from its start. See
 * table.h for @around.
 */
const struct symbol *elf_find(const struct elf_symbols *elf,
			      uint64_t file_offset, uint64_t *offset,
			      struct pmscope_around *around);

/*
 * Return 0 or -ENOMEM. Call elf_place_segments() after adding all segments,
 * before looking up offsets; elf_load() does so.
 */
int elf_add_segment(struct elf_symbols *elf, const struct segment *segment);
int elf_place_segments(struct elf_symbols *elf);
void elf_fini(struct elf_symbols *elf);
