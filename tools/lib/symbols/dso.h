/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A mapped file: the file here that has its symbols, and these symbols. */
#pragma once

#include <pmscope/symbols.h>

#include "answers.h"
#include "base/module_index.h"
#include "debuginfod.h"
#include "elf.h"

#include <elf.h>
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
