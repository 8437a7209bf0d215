/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_ELF_H
#define PMSCOPE_SYMBOLS_ELF_H

#include "base/space.h"
#include "debug.h"
#include "table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * Reads the symbols of the file at @path, and of its debug file, into @elf,
 * which must be zeroed except for its kind and @is_module. @search: see
 * debug.h. If the code symbols are stripped, functions are named after their
 * address. Unless @build_id_size is 0, a file with another build-id is refused.
 *
 * Returns 0; -ENOENT if the file is missing, not ELF or not the wanted one; or
 * -ENOMEM. elf_fini() frees @elf; after an error it is empty.
 */
int elf_read(const char *path, const struct debug_search *search,
	     const uint8_t *build_id, size_t build_id_size,
	     struct elf_symbols *elf);

/*
 * As elf_read(), but reads @fd and always closes it. @path tells where to look
 * for the debug file.
 */
int elf_read_file(int fd, const char *path, const struct debug_search *search,
		  const uint8_t *build_id, size_t build_id_size,
		  struct elf_symbols *elf);

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
 * before looking up offsets; elf_read() does so.
 */
int elf_add_segment(struct elf_symbols *elf, const struct segment *segment);
int elf_place_segments(struct elf_symbols *elf);
void elf_fini(struct elf_symbols *elf);

#endif /* PMSCOPE_SYMBOLS_ELF_H */
