/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A mapped file: the file here that has its symbols, and these symbols. */
#pragma once

#include <pmscope/symbols.h>

#include "base/module_index.h"
#include "base/strings.h"
#include "debuginfod.h"
#include "elf.h"
#include "line_cache.h"
#include "members.h"

#include <elf.h>
#include <glob.h>
#include <sys/stat.h>

/*
 * A file and its symbols. It is read only once, although a recording may use
 * several names for it.
 */
struct dso_file {
	struct elf_symbols elf;
	dev_t device; /* of the file that was read */
	ino_t inode;
	char *path; /* NULL: only in memory (our own vDSO) */
	char *name; /* path on the recorded machine */
	struct line_cache lines;
	struct members members;
	struct members of_threads;
	struct members of_blocks;
	struct members of_passed;
};

struct dso_symbols {
	enum symbol_kind kind;
	bool is_module;
	const char *name;      /* see dso_file */
	struct dso_file *file; /* NULL: none was found */
	struct reader *reader; /* shared by all files */
	char *module;	       /* "[name]" of a kernel module; else NULL */
	char *indexed; /* the module's path, from modules.dep; else NULL */
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
 * Finds and reads the file of @place. @dso must be zeroed except for its kind.
 * Returns 0, even if no file was found, or -ENOMEM.
 */
int dso_open(struct dso_symbols *dso, struct dso_search *search,
	     const struct pmscope_place *place);
int dso_line(const struct dso_symbols *dso, uint64_t file_offset,
	     struct pmscope_line *line);

/* As pmscope_symbols_frames(). */
int dso_frames(const struct dso_symbols *dso, uint64_t file_offset,
	       struct pmscope_frame *frames, uint64_t *behind);

/* As dso_line(), but with a link address. There must be a file. */
int dso_line_at(const struct dso_symbols *dso, uint64_t address,
		struct pmscope_line *line);

/* As dso_frames(), likewise. */
int dso_frames_at(const struct dso_symbols *dso, uint64_t address,
		  struct pmscope_frame *frames, uint64_t *behind);

/* As members_path(), of the file of @dso. */
int dso_member(const struct dso_symbols *dso, uint64_t address, uint64_t offset,
	       const char *name, char path[MEMBER_PATH], uint64_t *stride);

/*
 * The same of an array that a call at the link address @address allocates, in a
 * function that only @passes it on. If there is none, @stride is how far behind
 * its start that passes it.
 */
int dso_block_member(const struct dso_symbols *dso, uint64_t address,
		     bool passes, uint64_t offset, char path[MEMBER_PATH],
		     uint64_t *stride);

/* The same of a variable that each thread has, @offset from TPIDR_EL0. */
int dso_thread_member(const struct dso_symbols *dso, uint64_t offset,
		      char path[MEMBER_PATH]);

/*
 * Reads the code at @file_offset of the file of @place: from the file that has
 * its symbols or, if that has no code, from a debuginfod server. Returns 0;
 * -ENOENT if no file was found; or as reader_read_code().
 */
int dso_code(const struct dso_symbols *dso, struct dso_search *search,
	     const struct pmscope_place *place, uint64_t file_offset,
	     const struct code_request *request);

/* As dso_code(), but with a link address, as the code then has. */
int dso_code_at(const struct dso_symbols *dso, struct dso_search *search,
		const struct pmscope_place *place, uint64_t address,
		const struct code_request *request);

void dso_fini(struct dso_symbols *dso);
void dso_files_fini(struct dso_search *search);

/*
 * Tries the file at @path, for callers that know where to look. Returns 0;
 * -ENOENT if it is missing or not the file of @place; or -ENOMEM.
 */
int dso_try(struct dso_symbols *dso, struct dso_search *search,
	    const char *path, const struct pmscope_place *place);

/* The same, of the file whose @st is known; without @path our own vDSO. */
int dso_try_known(struct dso_symbols *dso, struct dso_search *search,
		  const char *path, const struct stat *st,
		  const struct pmscope_place *place);

/* The running kernel maps its vDSO into this process, too. */
const Elf64_Ehdr *dso_own_vdso(void);
#define VDSO "[vdso]"

/*
 * Returns true if a file may be used because of its name: without symfs, the
 * same machine or a build-id, a name proves nothing.
 */
bool dso_may_be_named(const struct dso_search *search,
		      const struct pmscope_place *place);

/*
 * Finds the files that match @pattern below @root, which is taken literally;
 * NULL means "/". Returns false if there are none; otherwise free @found with
 * globfree().
 */
bool root_glob(const char *root, const char *pattern, glob_t *found);
