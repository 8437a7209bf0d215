/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Symbols of the recorded kernel and its modules. */
#ifndef PMSCOPE_SYMBOLS_KERNEL_H
#define PMSCOPE_SYMBOLS_KERNEL_H

#include <pmscope/symbols.h>

#include "dso.h"

/* From where a table has the kernel to where it was. */
struct kernel_shift {
	bool tried;
	bool known;
	uint64_t by;
};

struct kernel_symbols {
	enum symbol_kind kind;
	struct symbol_table kallsyms;
	struct dso_symbols image; /* vmlinux: names without kallsyms; lines */
	bool given_tried;	  /* the copy of kallsyms in the options */
	bool running_tried;	  /* the kernel that runs here */
	bool kept_tried;	  /* what perf kept */
	bool image_tried;
	struct kernel_shift shift;
	struct kernel_shift image_shift;
};

/*
 * Reads the copy of kallsyms in the options, which else is read when it is
 * needed. Returns 0 or a negative errno, see pmscope_symbols_new().
 */
int kernel_open(struct kernel_symbols *kernel, struct dso_search *search);

/* Fills in @symbol. Returns 0, -ENOENT, -ENOMEM. */
int kernel_find(struct kernel_symbols *kernel, struct dso_search *search,
		const struct pmscope_place *place, uint64_t address,
		struct pmscope_symbol *symbol);

/* Only for an image whose place is recorded. */
int kernel_line(struct kernel_symbols *kernel, struct dso_search *search,
		const struct pmscope_place *place, struct pmscope_line *line);
void kernel_fini(struct kernel_symbols *kernel);

#endif /* PMSCOPE_SYMBOLS_KERNEL_H */
