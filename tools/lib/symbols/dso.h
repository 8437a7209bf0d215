/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A mapped file: which file here has its symbols, and what they are. */
#ifndef PMSCOPE_SYMBOLS_DSO_H
#define PMSCOPE_SYMBOLS_DSO_H

#include <pmscope/symbols.h>

#include "base/module_index.h"
#include "base/named.h"
#include "debuginfod.h"
#include "elf.h"
#include "line_cache.h"

#include <glob.h>

/*
 * A file and its symbols, read once, because a recording may have many names
 * for it.
 */
struct dso_file {
	struct elf_symbols elf;
	char *path; /* NULL: it is in memory only */
	char *name; /* of the recorded machine, for @debug */
	struct debug_search debug;
	struct line_cache lines;
};

struct dso_symbols {
	enum symbol_kind kind;
	bool is_module;
	const char *name;      /* see dso_file */
	struct dso_file *file; /* NULL where none was found */
	struct reader *reader; /* of all files */
	char *module;  /* "[name]" of the kernel's; NULL: a program's file */
	char *indexed; /* where the recorded machine had that, if it was found
			*/
};

/* Where to look, and the results. */
struct dso_search {
	struct missing missing;
	struct unread unread; /* keys of dso_open() */
	const struct pmscope_symbols_options *options;
	struct debuginfod debuginfod;
	struct reader reader;
	struct named files; /* each a dso_file, or NULL: not that one */
	struct named ids;   /* each a file_id, see file_id.h */
	struct module_index modules;
};

/*
 * Fills in @dso, from zeros but for its kind. Returns 0, also without a file,
 * or -ENOMEM.
 */
int dso_open(struct dso_symbols *dso, struct dso_search *search,
	     const struct pmscope_place *place);
int dso_line(const struct dso_symbols *dso, uint64_t file_offset,
	     struct pmscope_line *line);

/* The link address, if there is a file. */
int dso_line_at(const struct dso_symbols *dso, uint64_t address,
		struct pmscope_line *line);
void dso_fini(struct dso_symbols *dso);
void dso_files_fini(struct dso_search *search);

/*
 * For callers that know where to look. Returns 0, -ENOENT if it is the wrong
 * file, or -ENOMEM.
 */
int dso_try(struct dso_symbols *dso, struct dso_search *search,
	    const char *path, const struct pmscope_place *place);

/* Without a build-id, a name alone proves nothing. */
bool dso_may_be_named(const struct dso_search *search,
		      const struct pmscope_place *place);

/* "DIR/xx/yyyy..." and @suffix, as debug directories arrange build-ids. */
bool dso_build_id_path(char *path, size_t size, const char *dir,
		       const struct pmscope_place *place, const char *suffix);

/*
 * Files that match @pattern below @root, which itself is no pattern; NULL is
 * the root directory of this machine. Free with globfree(), unless it returns
 * false: no match.
 */
bool root_glob(const char *root, const char *pattern, glob_t *found);

#endif /* PMSCOPE_SYMBOLS_DSO_H */
