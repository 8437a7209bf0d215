// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "kernel.h"
#include "kallsyms.h"
#include "module.h"
#include "perfdata/kernel_name.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SIZE UINT64_C(4096)

/*
 * Behind the last symbol of the kernel, or of a module, may be any memory: that
 * symbol has no more than the rest of its page and the next one, as in perf.
 */
static void end_last(struct symbol_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct symbol *s = &table->symbols[i];

		if (s->size ||
		    (i + 1 < table->count && s[0].module == s[1].module))
			continue;
		s->size = PAGE_SIZE + (-s->address & (PAGE_SIZE - 1));
	}
}

static int read_kallsyms(struct kernel_symbols *kernel, const char *path)
{
	int ret = kallsyms_read(path, kernel->kind, &kernel->table);

	if (!ret)
		end_last(&kernel->table);
	return ret;
}

int kernel_open(struct kernel_symbols *kernel,
		const struct pmscope_symbols_options *options)
{
	kernel->given_tried = true;
	if (!options->kallsyms)
		return 0;
	return read_kallsyms(kernel, options->kallsyms);
}

static int read_given(struct kernel_symbols *kernel,
		      const struct pmscope_symbols_options *options)
{
	int ret = kernel_open(kernel, options);

	return ret == -ENOMEM ? ret : 0;
}

/* Without the right to read it, there are no names. */
static int read_running(struct kernel_symbols *kernel)
{
	int ret = read_kallsyms(kernel, "/proc/kallsyms");

	return ret == -ENOMEM ? ret : 0;
}

/* perf keeps the kallsyms of kernels it recorded. */
static int read_cached(struct kernel_symbols *kernel,
		       const struct pmscope_place *place)
{
	const char *home = getenv("HOME");
	char dir[PATH_MAX - 128], path[PATH_MAX];
	int ret;

	if (!home ||
	    snprintf(dir, sizeof(dir), "%s/.debug/.build-id", home) >=
		    (int)sizeof(dir) ||
	    !dso_build_id_path(path, sizeof(path), dir, place, "/kallsyms"))
		return -ENOENT;
	ret = read_kallsyms(kernel, path);
	return ret == -ENOMEM ? ret : ret ? -ENOENT : 0;
}

/* A vmlinux with this build-id; of its file only the table stays. */
static int read_image(struct kernel_symbols *kernel, struct dso_search *search,
		      const struct pmscope_place *place)
{
	struct pmscope_place image = *place;
	struct dso_symbols dso = {.kind = kernel->kind};
	struct named others = search->files;
	int ret;

	image.dso = KERNEL_NAME;
	search->files = (struct named){};
	ret = dso_open(&dso, search, &image);
	if (!ret && dso.file) {
		kernel->table = dso.file->elf.table;
		dso.file->elf.table = (struct symbol_table){};
		end_last(&kernel->table);
	}
	dso_fini(&dso);
	dso_files_fini(&search->files);
	search->files = others;
	return ret;
}

/* The first kernel address asks; each way is tried once. */
static int read_table(struct kernel_symbols *kernel, struct dso_search *search,
		      const struct pmscope_place *place)
{
	int ret = 0;

	if (!kernel->given_tried)
		ret = read_given(kernel, search->options);
	if (ret || kernel->table.count)
		return ret;
	if (search->options->same_machine && !kernel->running_tried)
		ret = read_running(kernel);
	kernel->running_tried = true;
	if (ret || kernel->table.count || kernel->tried ||
	    !place->build_id_size || module_is(place->dso))
		return ret;
	kernel->tried = true;
	ret = read_cached(kernel, place);
	return ret == -ENOENT ? read_image(kernel, search, place) : ret;
}

/* Where the table has the symbol whose recorded address is known. */
static void set_shift(struct kernel_symbols *kernel,
		      const struct pmscope_place *place)
{
	if (kernel->placed || !place->reference)
		return;
	kernel->placed = true;
	for (size_t i = 0; i < kernel->table.count; i++) {
		const struct symbol *symbol = &kernel->table.symbols[i];

		if (symbol->module || strcmp(symbol->name, place->reference))
			continue;
		kernel->shift = place->reference_address - symbol->address;
		return;
	}
}

int kernel_find(struct kernel_symbols *kernel, struct dso_search *search,
		const struct pmscope_place *place, uint64_t address,
		struct pmscope_symbol *symbol)
{
	bool module = module_is(place->dso);
	const struct symbol *found;

	if (!kernel->table.count && read_table(kernel, search, place))
		return -ENOMEM;
	set_shift(kernel, place);
	if (!module)
		address -= kernel->shift;
	found = symbol_table_find(&kernel->table, address, &symbol->around);
	/* Of another boot, modules are anywhere. */
	if (found && kernel->shift && (module || found->module))
		found = NULL;
	/* A module is a file of its own; all other code is the kernel's. */
	if (module)
		symbol->dso = place->dso;
	else if (place->dso || kernel->kind == SYMBOL_CODE)
		symbol->dso = KERNEL_NAME;
	if (!found)
		return -ENOENT;
	symbol->dso = found->module ? found->module : KERNEL_NAME;
	symbol->name = found->name;
	symbol->offset = address - found->address;
	return 0;
}

void kernel_fini(struct kernel_symbols *kernel)
{
	symbol_table_fini(&kernel->table);
}
