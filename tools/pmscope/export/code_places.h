/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in code: each instruction of a file has one number, in all processes
 * and mappings.
 */
#pragma once

#include "base/build_id.h"
#include "base/map.h"
#include "read/thread_cache.h"

/**
 * struct code_binary - a file with code, or other memory
 * @dso: its name; NULL: nothing known is mapped there
 * @name: the name that symbols give it, or NULL: the kernel and its modules
 *	  have another one in recordings
 * @build_id: its build-id, @build_id_size bytes
 * @kernel: it is the kernel, or a module
 * @reference_name: the kernel: a symbol that says where it was in this boot;
 *		    NULL: not known
 * @reference: the address of that symbol; else 0
 * @pid: process whose memory it is, if no file is known; else PMSCOPE_NO_ID
 * @samples: of operations there; for those who count them
 */
struct code_binary {
	const char *dso;
	const char *name;
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_size;
	bool kernel;
	const char *reference_name;
	uint64_t reference;
	uint32_t pid;
	uint64_t samples;
};

/**
 * struct code_place - an instruction
 * @binary: number of its file
 * @offset: in the file; if that is not a file, the address
 * @address: where it was mapped first
 * @link: address that the linker gave it; only if @linked
 * @symbol: name of the function, or NULL
 * @changes: there may be another function at the same address later
 * @into: offset in the function
 */
struct code_place {
	uint32_t binary;
	bool linked;
	bool changes;
	uint64_t offset;
	uint64_t address;
	uint64_t link;
	const char *symbol;
	uint64_t into;
};

struct code_numbers;

/* Initialize to zeros. */
struct places {
	struct code_binary *binaries;
	size_t nr_binaries;
	size_t max_binaries;
	KEYED(struct code_place, items, nr, of_hash);
	struct code_numbers *numbers; /* of the items, and 1 */
	bool bare; /* without names, until places_resolve() */
};

/* Finds the number of @address, in code of the newest sample. 0 or -ENOMEM. */
int places_find(struct places *places, const struct load *load,
		const struct thread_cache *current, uint64_t address,
		uint32_t *number);

/*
 * Looks up the names and link addresses of all places in files, and of the
 * kernel's @with_kernel. Returns 0 or -ENOMEM.
 */
int places_resolve(struct places *places, struct pmscope_symbols *symbols,
		   bool with_kernel);

/*
 * Adds all of @from. @numbers gets the number here of each place there. Returns
 * 0 or -ENOMEM.
 */
int places_join(struct places *places, const struct places *from,
		uint32_t *numbers);

/*
 * Puts them in an order that does not depend on what was found first; after
 * that, nothing more can be found. @numbers gets the new number of each old
 * one. Returns 0 or -ENOMEM.
 */
int places_sort(struct places *places, uint32_t *numbers);
void places_fini(struct places *places);

/* Is it a file that another tool can open by its name or its build-id? */
bool binary_is_file(const struct code_binary *binary);

/* Is it the kernel or a module? Not code that it made. */
bool binary_is_kernel(const struct code_binary *binary);

/* Do both have the same contents, whatever their names? */
bool binary_same(const struct code_binary *a, const struct code_binary *b);

/*
 * An offset in the file, for lookups of symbols and frames. It is valid as long
 * as @binary.
 */
struct pmscope_place binary_place(const struct code_binary *binary,
				  uint64_t offset);
