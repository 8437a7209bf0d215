/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Reads the symbols of an ELF file, in the child process (see reader.h). */
#pragma once

#include "debug.h"
#include "elf.h"

#include <gelf.h>

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
