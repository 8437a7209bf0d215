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
 * A loadable segment, or a section of a file without them: where bytes of the
 * file are in memory.
 */
struct segment {
	uint64_t offset;
	uint64_t size;
	uint64_t
		memory; /* size there: behind the bytes of the file are zeros */
	uint64_t address;
};

/* Symbols by address as linked, and how to get there from a file offset. */
struct elf_symbols {
	enum symbol_kind kind;
	bool is_module; /* of the kernel: offsets are from where it begins */
	struct symbol_table table;
	struct segment *segments;
	size_t nr_segments;
	size_t max_segments;
	struct space_pool pool;
	struct space in_file; /* segments by offset, see elf_place_segments() */
	struct space in_memory; /* of data: with the zeros behind */
};

/*
 * Reads the symbols of @path and of the debug file that belongs to it into
 * @elf, which is zeros but for its kind and @is_module; for @search see
 * debug.h; where those of code are stripped, functions are named by their
 * address. With
 * @build_id_size not 0, a file with another build-id is refused.
 *
 * Return: 0; -ENOENT when there is no such file, or it is no ELF file, or
 * not that one; -ENOMEM.
 */
int elf_read(const char *path, const struct debug_search *search,
	     const uint8_t *build_id, size_t build_id_size,
	     struct elf_symbols *elf);

/* The same of @fd, which is closed; its debug file is looked for as @path's. */
int elf_read_file(int fd, const char *path, const struct debug_search *search,
		  const uint8_t *build_id, size_t build_id_size,
		  struct elf_symbols *elf);

/*
 * Where the byte at @file_offset is as linked; false: nowhere. Data may be
 * behind the file's bytes of a segment, as .bss is. Narrows @around to bytes
 * that are as far from there, or nowhere.
 */
bool elf_address(const struct elf_symbols *elf, uint64_t file_offset,
		 uint64_t *address, struct pmscope_around *around);

/* See table.h for @around. */
const struct symbol *elf_find(const struct elf_symbols *elf,
			      uint64_t file_offset, uint64_t *offset,
			      struct pmscope_around *around);
/*
 * Each returns 0 or -ENOMEM. Offsets can be looked up after all segments were
 * added; elf_read() does so.
 */
int elf_add_segment(struct elf_symbols *elf, const struct segment *segment);
int elf_place_segments(struct elf_symbols *elf);
void elf_fini(struct elf_symbols *elf);

#endif /* PMSCOPE_SYMBOLS_ELF_H */
