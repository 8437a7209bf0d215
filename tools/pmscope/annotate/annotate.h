/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of pmscope annotate. */
#pragma once

#include "base/containers.h"
#include "code/code.h"
#include "print/table.h"
#include "rows/rows.h"

/* The text of source lines, from the files that debug information names. */

/* Initialize to zeros, except for @symfs. */
struct source_files {
	const char *symfs; /* root of the recorded machine, or NULL */
	struct named files;
};

/*
 * Finds line @line of @file, as the compiler named it: below symfs, or on this
 * machine. Returns its text, which is not terminated, and its length; NULL if
 * there is no such file or line. The text stays valid until source_fini().
 */
const char *source_line(struct source_files *source, const char *file,
			unsigned int line, size_t *length);
void source_fini(struct source_files *source);

/* Everything that printers need */
struct annotate_output {
	const struct row_table *table;
	const struct load *load;
	size_t nr_functions;	     /* functions to print */
	size_t more;		     /* functions that are left out */
	const char *disassembler;    /* its name */
	struct source_files *source; /* NULL: source text is not wanted */
};

/* One of the formats; function() returns 0 or -ENOMEM. */
struct annotate_printer {
	void (*begin)(const struct annotate_output *out);
	int (*function)(const struct annotate_output *out,
			const struct annotated_function *function);
	void (*end)(const struct annotate_output *out);
	bool codes; /* data sources have codes, too */
};

/* An instruction, and what was sampled there. */
struct insn_view {
	struct row_view row;
	const struct annotated_function *function;
	const struct annotated *a;
	struct row_costliest data;
};

/* The name of the data's object, or of the member in it; NULL without. */
const char *insn_object(const struct insn_view *v, char *room);
const char *insn_member(const struct insn_view *v, char *room);

struct insn_view insn_view(const struct annotate_output *out,
			   const struct annotated_function *function,
			   const struct annotated *a);

/* rows.c: the instructions of a function. Returns 0 or -ENOMEM. */
int annotate_rows(const struct annotate_output *out,
		  const struct annotated_function *function,
		  enum print_format format);

extern const struct annotate_printer annotate_text;
extern const struct annotate_printer annotate_jsonl;
extern const struct annotate_printer annotate_csv;
