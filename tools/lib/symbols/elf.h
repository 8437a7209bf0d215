/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The symbols of one ELF file. The child process of reader.h reads them and
 * hands them to the parent as an image.
 */
#pragma once

#include "base/space.h"
#include "table.h"

#include <libelf.h>

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

struct debug_search;

/* The file must have this build-id, unless @size is 0. */
struct elf_wanted {
	const uint8_t *build_id;
	size_t size;
};

/*
 * Reads the symbols of the file that is open as @fd, and of its debug file,
 * into @elf, which must be zeroed except for its kind and @is_module. Always
 * closes @fd, which must not be compressed (see elf_file.h). @path tells where
 * to look for the debug file, as does @search (see debug.h). If the code
 * symbols are stripped, functions are named after their address. Sets @id, also
 * if the file has another build-id than @wanted.
 *
 * Returns 0; -ENOENT if the file is not ELF or not the wanted one; or -ENOMEM.
 * elf_fini() frees @elf; after an error it is empty.
 */
int elf_read(int fd, const char *path, const struct debug_search *search,
	     const struct elf_wanted *wanted, struct elf_id *id,
	     struct elf_symbols *elf);

/*
 * module_layout.c: computes where the kernel loads the code of a
 * module, whose file has sections, but no addresses. Adds a segment for each
 * code section that stays after initialisation, as far as its place can be
 * known. Its offset counts from the start of the module in memory. Returns 0;
 * -ENOENT if no place is known; or -ENOMEM.
 */
int module_layout(Elf *file, struct elf_symbols *elf);
