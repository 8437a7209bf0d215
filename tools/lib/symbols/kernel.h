/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Symbols of the recorded kernel and its modules. */
#pragma once

#include <pmscope/symbols.h>

#include "dso.h"
#include "table.h"

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
