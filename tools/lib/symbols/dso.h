/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A mapped file: which file here has its symbols, and what they are. */
#ifndef PMSCOPE_SYMBOLS_DSO_H
#define PMSCOPE_SYMBOLS_DSO_H

#include <pmscope/symbols.h>

#include "debuginfod.h"
#include "elf.h"
#include "lines.h"

/* Empty where no file was found. */
struct dso_symbols {
	struct elf_symbols elf;
	char *path;   /* of the file */
	char *module; /* "[name]" of the kernel's; NULL: a program's file */
	char *file;   /* where the recorded machine had that, if it was found */
	struct debug_search debug;
	bool lines_open;
	struct lines lines;
};

/* Where to look. */
struct dso_search {
	const struct pmscope_symbols_options *options;
	struct debuginfod debuginfod;
};

/* Fills in @dso, from zeros. Returns 0, also without a file, or -ENOMEM. */
int dso_open(struct dso_symbols *dso, struct dso_search *search,
	     const struct pmscope_place *place);
int dso_line(struct dso_symbols *dso, uint64_t file_offset,
	     struct pmscope_line *line);
void dso_fini(struct dso_symbols *dso);

/*
 * For those who know where to look. Returns 0, -ENOENT when that is not the
 * file, or -ENOMEM.
 */
int dso_try(struct dso_symbols *dso, const char *path,
	    const struct pmscope_place *place);

/* Without a build-id, a name alone proves nothing. */
bool dso_may_be_named(const struct dso_search *search,
		      const struct pmscope_place *place);

/* "DIR/xx/yyyy..." and @suffix, as debug directories arrange build-ids. */
bool dso_build_id_path(char *path, size_t size, const char *dir,
		       const struct pmscope_place *place, const char *suffix);

#endif /* PMSCOPE_SYMBOLS_DSO_H */
