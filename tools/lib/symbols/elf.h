/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Symbols of ELF files. */
#pragma once

#include "base/space.h"

#include <gelf.h>
#include <libelf.h>

/* A sorted table of symbols, from any source. */

/* What to look for. Data tables have code, too, as it may contain data. */
enum symbol_kind {
	SYMBOL_CODE,
	SYMBOL_DATA,
	SYMBOL_KINDS
};

struct symbol {
	uint64_t address;
	uint64_t size; /* 0: up to the next symbol */
	const char *name;
	const char *module; /* kernel module; else NULL */
	uint8_t rank;	    /* of aliases the lowest wins */
	uint32_t around;    /* index + 1 of the enclosing symbol; or 0 */
};

/* Empty when zeroed. */
struct symbol_table {
	struct symbol *symbols;
	size_t count;
	size_t aside; /* after @count: aliases and labels */
	size_t capacity;
	struct arena names;
};

/* Adds a symbol. Copies its name. Returns 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *table, const struct symbol *symbol);

/* The same, but keeps the pointer to a name that the table has already. */
int symbol_table_add_named(struct symbol_table *table,
			   const struct symbol *symbol);

/* Sorts the table; call it once, after adding all symbols. */
void symbol_table_sort(struct symbol_table *table);

/*
 * Finds the symbol that covers @address, or NULL. Narrows @around to addresses
 * that have the same symbol, or none.
 */
const struct symbol *symbol_table_find(const struct symbol_table *table,
				       uint64_t address,
				       struct pmscope_around *around);

/* The first symbol called @name outside modules, aliases too, or NULL. */
const struct symbol *symbol_table_named(const struct symbol_table *table,
					const char *name);
void symbol_table_fini(struct symbol_table *table);

/* Which symbols of a table an address had over time. */
struct history;

/*
 * Builds the history of @table, whose symbols must be in time order. Returns
 * NULL if out of memory. Free with history_free().
 */
struct history *history_new(const struct symbol_table *table);
void history_free(struct history *history);

/*
 * The symbol that an address had at a time. @history: the history. @address:
 * the address. @limit: number of symbols that existed then; a later one is
 * returned only if the address had none before. @around: narrowed to addresses
 * that had the same symbols. @changes: set to whether the address had several
 * symbols. Returns the index of the symbol in the table, or -1 if there is
 * none.
 */
long history_find(const struct history *history, uint64_t address,
		  uint32_t limit, struct pmscope_around *around, bool *changes);

/*
 * The symbols of one ELF file. The child process of reader.h reads them and
 * hands them to the parent as an image.
 */

/* What a file maps to memory: a loadable segment, or else a section. */
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

/* Writes @elf as an image, without names. Returns a new memfd or -errno. */
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

/* The symbol at @file_offset, or NULL; @offset is from its start. */
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
 * closes @fd, which must not be compressed (see files.h). @path tells where
 * to look for the debug file, as does @search (see files.h). If the code
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

/*
 * Opens ELF files, including compressed ones (gzip, xz, zstd) such as kernel
 * modules, and checks them for what libelf and libdw do not survive. The
 * uncompressed size is limited.
 */

/*
 * Opens the file at @path and uncompresses it if necessary. Returns a file
 * descriptor; -ENOENT if there is no such file or no ELF file in it; or -errno
 * of open(2), read(2) or mmap(2).
 */
int unpack_open(const char *path);

/*
 * As unpack_open(), for a file that is open as @fd. Closes @fd unless it
 * returns it. A negative @fd is returned as the error.
 */
int unpack_file(int fd);

/*
 * Uncompresses xz or .lzma data. Returns a file descriptor; -EFBIG if the
 * result is too large; -EBADMSG if the data is malformed; or -errno of
 * memfd_create(2).
 */
int unpack_symbols(const void *data, size_t size);

struct section {
	Elf_Scn *scn;
	GElf_Shdr header;
	const char *name;
};

/* False if there is no @scn, or it has no name. */
bool section_read(Elf *file, Elf_Scn *scn, struct section *section);

/*
 * Checks that each string table ends with a NUL, as ELF requires; otherwise
 * libelf scans the whole table for each name.
 */
bool sections_strings_end(Elf *file);

/* Bytes of compressed sections unpacked, or UINT64_MAX: over @limit. */
uint64_t sections_unpacked(Elf *file, uint64_t limit);

/*
 * Returns true if libdw may read @file: its string tables end with a NUL, its
 * notes are valid, and its compressed sections, which libdw unpacks all, are
 * not larger than a compiler would make them.
 */
bool sections_are_sound(Elf *file);

/* False if a section is compressed as libelf does not know (all know zlib). */
bool sections_are_readable(Elf *file);

/*
 * Replaces *@fd by a copy in which the sections that are compressed with zstd
 * are not: not every libdw has zstd. Returns 0 or, leaving *@fd, -EBADMSG for
 * damaged data, -EFBIG, -EOPNOTSUPP for another compression that libelf cannot
 * read, or -errno.
 */
int sections_unpack(int *fd);

/* Checks the symbol tables, because libdwfl trusts their headers. */
bool sections_symbols_are_sound(Elf *file);

/* Finds the first section called @name. Returns false if there is none. */
bool section_find(Elf *file, const char *name, struct section *found);

/*
 * Returns true if part of @elf's debug information is in a file that it shares
 * with others (.gnu_debugaltlink, made by dwz).
 */
bool link_shares(Elf *elf);

/*
 * Returns true if libdw may open this .dwo file itself: it is sound and has no
 * .gnu_debugaltlink, which libdw would follow to the next file.
 */
bool link_is_sound(Elf *elf);

/* What a load or store of arm64 counts its address from. */
enum address_base {
	BASE_UNKNOWN,
	BASE_STACK,	   /* the stack pointer */
	BASE_THREAD,	   /* TPIDR_EL0 */
	BASE_THREAD_OFFSET /* the same, and how far from it is known */
};

/*
 * Follows the register that @code[@nr - 1] has its address in back to where it
 * comes from, in the order of the addresses. Sets @offset to the constants that
 * were added, for BASE_THREAD_OFFSET; the index of an array is not known.
 */
enum address_base address_base(const uint32_t *code, size_t nr,
			       uint64_t *offset);
