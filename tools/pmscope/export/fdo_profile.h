/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample profile for a compiler: for each function the counts of its lines,
 * and of the functions inlined in it, as a tree.
 */
#pragma once

#include "base/map.h"

#include <pmscope/symbols.h>

struct fdo_call {
	const char *name;
	uint64_t count;
};

/*
 * A line, counted from the one where its function is declared; @guessed:
 * nothing of it is known but what compilers place anywhere.
 */
struct fdo_line {
	uint32_t offset;
	uint32_t discriminator;
	bool guessed;
	uint64_t count;
	struct fdo_call *calls;
	size_t nr_calls;
	size_t max_calls;
};

struct fdo_function {
	const char *name;
	uint32_t offset; /* of the call that was inlined; else 0, and next */
	uint32_t discriminator;
	uint64_t head;	/* how often it was called */
	uint64_t total; /* of its bytes, and of those inlined in it */
	KEYED(struct fdo_line, lines, nr_lines, line_of_place);
	struct fdo_function **inlined;
	size_t nr_inlined;
	size_t max_inlined;
};

/*
 * The root: its inlined functions are the functions of the program. @of_gcc:
 * discriminators are numbers; LLVM packs three into one.
 */
struct fdo_profile {
	struct fdo_function root;
	bool of_gcc;
};

/**
 * struct fdo_code - instructions of one line
 * @bytes: their size
 * @executed: how often
 * @cheap: they are such as compilers place anywhere (a64_cheap.h)
 */
struct fdo_code {
	size_t bytes;
	uint64_t executed;
	bool cheap;
};

/*
 * Adds @code of the line of @frames. Of code in several places, a line has the
 * largest count, but that of cheap ones only if there is nothing else.
 * Functions have the sum over all bytes, as llvm-profgen does, which LLVM
 * compares with the counts of hot lines to tell whether a call is hot. Returns
 * 0 or -ENOMEM.
 */
int fdo_code_add(struct fdo_profile *profile,
		 const struct pmscope_frame *frames, size_t nr,
		 const struct fdo_code *code);

/*
 * Finds the line of the innermost of @frames, and adds what is missing. Returns
 * NULL if out of memory.
 */
struct fdo_line *fdo_line_of(struct fdo_profile *profile,
			     const struct pmscope_frame *frames, size_t nr);

/* Finds the function of the outermost of @frames; NULL if out of memory. */
struct fdo_function *fdo_function_of(struct fdo_profile *profile,
				     const struct pmscope_frame *frames,
				     size_t nr);

/* Adds calls to @name. Returns 0 or -ENOMEM. */
int fdo_call_add(struct fdo_line *line, const char *name, uint64_t count);

/* By place, so that what is written does not depend on the order of samples. */
void fdo_sort(struct fdo_profile *profile);

/*
 * Sorts all of it and writes it without functions that were never executed: as
 * text for LLVM, and in the form of gcov's files for GCC, which returns 0 or
 * -ENOMEM.
 */
void fdo_write(struct fdo_profile *profile, FILE *out);
int fdo_write_gcov(struct fdo_profile *profile, FILE *out);
void fdo_fini(struct fdo_profile *profile);
