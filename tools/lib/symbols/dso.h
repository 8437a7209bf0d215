/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include "base/names.h"
#include "reader.h"

#include <elf.h>

/* What the child told of one file, which is asked for once. */

/* Functions and lines. Empty when zeroed, except for path and name of @file. */
struct line_cache {
	struct reader_file file;
	struct space ranges; /* by address: numbers of @items */
	struct space_pool pool;
	struct code_range *items;
	size_t nr_items;
	size_t max_items;
	struct pmscope_frame *frames; /* of all items */
	size_t nr_frames;
	size_t max_frames;
	struct strings texts;
	struct map asked; /* how often, of each READER_AHEAD bytes of code */
};

/*
 * Finds the source line at the link address @address. Returns 0; -ENOENT if it
 * is unknown; or -ENOMEM. The strings of @line stay valid until
 * line_cache_fini().
 */
int line_cache_find(struct line_cache *cache, struct reader *reader,
		    uint64_t address, struct pmscope_line *line);

/* The same of the functions there, as pmscope_symbols_frames(). */
int line_cache_frames(struct line_cache *cache, struct reader *reader,
		      uint64_t address, struct pmscope_frame *frames,
		      uint64_t *behind);
void line_cache_fini(struct line_cache *cache);

/* The members of variables of one kind, by their place in the variable. */
struct members {
	KEYED(struct reader_layout *, layouts, nr_layouts, layout_of_start);
};

/* Room for a path; a longer one ends there. */
#define MEMBER_PATH 1024

/*
 * Writes the path of the member that is @offset bytes behind @address, which is
 * as @kind says and of @file, called @name or, if that is NULL, as DWARF does.
 * Sets @stride if the paths repeat, and to the size if nothing else is known.
 * Returns 0; -ENOENT if the variable or its type is unknown; or -ENOMEM.
 */
int members_path(struct members members[READER_KINDS], struct reader *reader,
		 struct reader_file *file, enum reader_kind kind,
		 uint64_t address, uint64_t offset, const char *name,
		 char path[MEMBER_PATH], uint64_t *stride);
void members_fini(struct members *members);

/* A mapped file: the file here that has its symbols, and these symbols. */

/* A file and its symbols, read once, whatever names recordings have for it. */
struct dso_file {
	struct elf_symbols elf;
	dev_t device; /* of the file that was read */
	ino_t inode;
	char *path; /* NULL: only in memory (our own vDSO) */
	char *name; /* path on the recorded machine */
	struct line_cache lines;
	struct members members[READER_KINDS];
};

/* Where to look for files, and what was read so far. */
struct dso_search {
	struct unreadable_files missing;
	struct unread unread; /* first file that dso_open() could not read */
	const struct pmscope_symbols_options *options;
	struct debuginfod debuginfod;
	struct reader reader;
	struct named files; /* dso_file by key; NULL: not the wanted file */
	struct named ids;   /* elf_id by device and inode */
	struct module_index modules;
};

/*
 * Finds and reads the file of @place, for symbols of a kind. @file is NULL if
 * none was found. Returns 0 or -ENOMEM.
 */
int dso_open(struct dso_search *search, enum symbol_kind kind,
	     const struct pmscope_place *place, struct dso_file **file);

/*
 * Reads the code at @file_offset of the file of @place: from the one that has
 * its symbols or, if that has no code, from a debuginfod server. Returns 0;
 * -ENOENT if there is no @file; or as reader_read_code().
 */
int dso_code(const struct dso_file *file, struct dso_search *search,
	     const struct pmscope_place *place, uint64_t file_offset,
	     const struct code_request *request);

/* As dso_code(), but with a link address, as the code then has. */
int dso_code_at(const struct dso_file *file, struct dso_search *search,
		const struct pmscope_place *place, uint64_t address,
		const struct code_request *request);

void dso_files_fini(struct dso_search *search);

/* Functions made at run time, as /tmp/perf-PID.map or jit-PID.dump tell. */

/*
 * All jitdumps read so far; empty when zeroed. Each is read only once: forked
 * children have their parent's jitdump mapped, too.
 */
struct jit_index {
	struct named dumps; /* by device and inode */
};

void jit_index_fini(struct jit_index *index);

struct jit_code {
	uint64_t time;	/* CLOCK_MONOTONIC; 0: unknown */
	uint64_t at;	/* offset of its record in the jitdump; 0: none */
	uint32_t lines; /* number of a source from 1; 0: none */
};

/* Zeroed but for @missing: empty. New code replaces what it overlaps. */
struct jit_symbols {
	struct unreadable_files *missing;
	struct symbol_table table; /* in the order of the file */
	struct jit_code *codes;	   /* parallel to the symbols */
	size_t max_codes;
	struct space space; /* final state: address to symbol */
	struct space_pool pool;
	bool replaced;		     /* some code replaced other code */
	struct history *history;     /* built when first needed */
	const struct jit_dump *dump; /* the file to read what follows from */
	struct jit_source *sources;  /* of code that has lines */
	size_t nr_sources;
	size_t max_sources;
	struct strings files;
};

/*
 * Adds what the file at @path says of the process to @jit. A file of another
 * user (unless forced), a symlink or a malformed file adds nothing; of a
 * truncated file the complete records count. Returns 0 or -ENOMEM. @index must
 * stay valid until jit_fini().
 */
int jit_read_map(const char *path, struct jit_symbols *jit);
int jit_read_dump(struct jit_index *index, const char *path, uint32_t pid,
		  struct jit_symbols *jit);

/* Finds a symbol in the final state, or NULL. See table.h for @around. */
const struct symbol *jit_find(const struct jit_symbols *jit, uint64_t address,
			      struct pmscope_around *around);

/*
 * Finds the symbol at @time; sets @changes if others were there at other times.
 */
const struct symbol *jit_find_at(struct jit_symbols *jit, uint64_t address,
				 uint64_t time, struct pmscope_around *around,
				 bool *changes);

/* Finds the source line at @time. Returns 0, -ENOENT or -ENOMEM. */
int jit_line_at(struct jit_symbols *jit, uint64_t address, uint64_t time,
		struct pmscope_line *line);

/*
 * Reads the code at @time. Returns 0; -ENODATA if no jitdump has it; -ENOMEM;
 * or another error of the jitdump.
 */
int jit_code_at(struct jit_symbols *jit, uint64_t address, uint64_t time,
		const struct code_request *request);

/*
 * Reads the perf-PID.map and the jitdump of @place's process into @jit, below
 * symfs or on the recorded machine. Returns 0 or -ENOMEM.
 */
int jit_files_read(const struct pmscope_symbols_options *options,
		   struct jit_index *index, const struct pmscope_place *place,
		   struct jit_symbols *jit);

void jit_fini(struct jit_symbols *jit);

/* Symbols of the recorded kernel and its modules. */

/*
 * Distance from the kernel's addresses in a symbol table to the recorded ones.
 */
struct kernel_shift {
	bool tried;
	bool known;
	uint64_t by;
};

struct kernel_symbols {
	enum symbol_kind kind;
	struct symbol_table kallsyms;
	char *kallsyms_path;	/* the file that they are from; NULL: none */
	struct dso_file *image; /* lines; names if no kallsyms; or NULL */
	bool given_tried;	/* kallsyms copy in the options */
	bool running_tried;	/* kallsyms of the running kernel */
	bool kept_tried;	/* kallsyms in perf's cache */
	bool image_tried;
	struct kernel_shift shift;
	struct kernel_shift image_shift;
};

/*
 * Reads the copy of kallsyms in the options, if any. A table that was not
 * opened is read when first needed. Returns 0 or -errno, see
 * pmscope_symbols_new().
 */
int kernel_open(struct kernel_symbols *kernel, struct dso_search *search);

/*
 * Finds the symbol at @address; fills in @symbol. Returns 0, -ENOENT, -ENOMEM.
 */
int kernel_find(struct kernel_symbols *kernel, struct dso_search *search,
		const struct pmscope_place *place, uint64_t address,
		struct pmscope_symbol *symbol);

/*
 * Finds the link address of @place in the image, and reads that. Returns 0;
 * -ENOENT if there is no image or the recording does not tell where the kernel
 * was; or -ENOMEM.
 */
int kernel_link_address(struct kernel_symbols *kernel,
			struct dso_search *search,
			const struct pmscope_place *place, uint64_t *address);

/*
 * Reads the code of the kernel or a module: from the vmlinux or the copy of
 * /proc/kcore in the options, from /proc/kcore if it has the recorded boot, or
 * from the image. Returns as dso_code().
 */
int kernel_code(struct kernel_symbols *kernel, struct dso_search *search,
		const struct pmscope_place *place, uint64_t address,
		const struct code_request *request);
void kernel_fini(struct kernel_symbols *kernel);

/*
 * Reads the symbols of a kind from a kallsyms file, open as @fd, into the empty
 * @table. Closes @fd; if it is negative, returns it as the error. Returns 0 or
 * -errno: -ENODATA if all addresses are 0; -EFBIG if the file is larger than
 * any kernel's. On error @table is empty.
 */
int kallsyms_read(int fd, enum symbol_kind kind, struct symbol_table *table);
