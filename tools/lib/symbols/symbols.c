// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Which file has the symbols of a place, and its table, read once. */
#include <pmscope/symbols.h>

#include "elf.h"
#include "kallsyms.h"
#include "table/array.h"
#include "table/map.h"
#include "text/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define KERNEL_DSO  "[kernel.kallsyms]"
#define KSYMBOL_DSO "[bpf]"

struct pmscope_symbols {
	struct pmscope_symbols_options options;
	struct symbol_table kernel;
	struct elf_symbols *dsos; /* empty where no file was found */
	size_t nr_dsos;
	size_t max_dsos;
	/* Names of one recording are interned: the pointer is the key. */
	struct map dso_of_name;
};

static int copy_options(struct pmscope_symbols *s,
			const struct pmscope_symbols_options *options)
{
	const uint8_t *bytes = (const uint8_t *)options;
	size_t size = sizeof(s->options);

	if (!options)
		return 0;
	for (size_t i = size; i < options->size; i++)
		if (bytes[i])
			return -EINVAL;
	memcpy(&s->options, options,
	       options->size < size ? options->size : size);
	return 0;
}

static int read_kernel(struct pmscope_symbols *s)
{
	int ret;

	if (s->options.kallsyms)
		return kallsyms_read(s->options.kallsyms, &s->kernel);
	if (!s->options.same_machine)
		return 0;
	/* Not asked for: without the right to read it, there are no names. */
	ret = kallsyms_read("/proc/kallsyms", &s->kernel);
	return ret == -ENOMEM ? ret : 0;
}

struct pmscope_symbols *
pmscope_symbols_new(const struct pmscope_symbols_options *options)
{
	struct pmscope_symbols *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return NULL;
	ret = copy_options(s, options);
	if (!ret)
		ret = read_kernel(s);
	if (!ret)
		return s;
	pmscope_symbols_free(s);
	errno = -ret;
	return NULL;
}

void pmscope_symbols_free(struct pmscope_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr_dsos; i++)
		elf_fini(&s->dsos[i]);
	free(s->dsos);
	map_fini(&s->dso_of_name);
	symbol_table_fini(&s->kernel);
	free(s);
}

/* "DIR/xx/yyyy..." + @suffix, as debug directories arrange build-ids. */
static bool build_id_path(char *path, size_t size, const char *dir,
			  const struct pmscope_place *place, const char *suffix)
{
	char hex[64], *p = hex;

	if (place->build_id_size < 2 || place->build_id_size > 20)
		return false;
	for (size_t i = 0; i < place->build_id_size; i++)
		p = text_hex(p, place->build_id[i], 2);
	*p = '\0';
	return snprintf(path, size, "%s/%.2s/%s%s", dir, hex, hex + 2, suffix) <
	       (int)size;
}

static int try_path(struct elf_symbols *dso, const char *path,
		    const struct pmscope_place *place)
{
	return elf_read(path, place->build_id, place->build_id_size, dso);
}

/* The file itself. Without a build-id, a name alone proves nothing. */
static int try_name(struct pmscope_symbols *s, struct elf_symbols *dso,
		    const struct pmscope_place *place)
{
	char path[PATH_MAX];

	if (*place->dso != '/')
		return -ENOENT;
	if (!s->options.symfs && !s->options.same_machine &&
	    !place->build_id_size)
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s%s",
		     s->options.symfs ? s->options.symfs : "",
		     place->dso) >= (int)sizeof(path))
		return -ENOENT;
	return try_path(dso, path, place);
}

static int try_build_id(struct elf_symbols *dso,
			const struct pmscope_place *place)
{
	const char *home = getenv("HOME");
	char dir[PATH_MAX - 128], path[PATH_MAX];
	int ret = -ENOENT;

	if (home &&
	    snprintf(dir, sizeof(dir), "%s/.debug/.build-id", home) <
		    (int)sizeof(dir) &&
	    build_id_path(path, sizeof(path), dir, place, "/elf"))
		ret = try_path(dso, path, place);
	if (ret == -ENOENT &&
	    build_id_path(path, sizeof(path), "/usr/lib/debug/.build-id", place,
			  ".debug"))
		ret = try_path(dso, path, place);
	return ret;
}

static int dso_add(struct pmscope_symbols *s, const struct pmscope_place *place,
		   uint32_t *index)
{
	struct elf_symbols *dsos, *dso;
	int ret;

	dsos = array_reserve(s->dsos, s->nr_dsos, &s->max_dsos, sizeof(*dsos));
	if (!dsos)
		return -ENOMEM;
	s->dsos = dsos;
	dso = &dsos[s->nr_dsos];
	*dso = (struct elf_symbols){};
	ret = try_name(s, dso, place);
	if (ret == -ENOENT)
		ret = try_build_id(dso, place);
	if (ret == -ENOMEM)
		return ret;
	*index = s->nr_dsos++;
	return map_set(&s->dso_of_name, (uintptr_t)place->dso, *index);
}

static int find_user(struct pmscope_symbols *s,
		     const struct pmscope_place *place,
		     struct pmscope_symbol *symbol)
{
	const struct symbol *found;
	uint32_t index;

	symbol->dso = place->dso;
	if (!place->dso)
		return -ENOENT;
	if (!map_get(&s->dso_of_name, (uintptr_t)place->dso, &index) &&
	    dso_add(s, place, &index))
		return -ENOENT;
	found = elf_find(&s->dsos[index], place->file_offset, &symbol->offset);
	if (!found)
		return -ENOENT;
	symbol->name = found->name;
	return 0;
}

static int find_kernel(struct pmscope_symbols *s,
		       const struct pmscope_place *place, uint64_t address,
		       struct pmscope_symbol *symbol)
{
	const struct symbol *found = symbol_table_find(&s->kernel, address);

	/* A module is a file of its own; all else is the kernel. */
	symbol->dso =
		place->dso && *place->dso == '/' ? place->dso : KERNEL_DSO;
	if (!found)
		return -ENOENT;
	symbol->dso = found->module ? found->module : KERNEL_DSO;
	symbol->name = found->name;
	symbol->offset = address - found->address;
	return 0;
}

int pmscope_symbols_find(struct pmscope_symbols *s,
			 const struct pmscope_place *place, uint64_t address,
			 struct pmscope_symbol *symbol)
{
	*symbol = (struct pmscope_symbol){};
	if (place->symbol) {
		*symbol = (struct pmscope_symbol){
			place->symbol, place->symbol_offset, KSYMBOL_DSO};
		return 0;
	}
	if (place->kernel)
		return find_kernel(s, place, address, symbol);
	return find_user(s, place, symbol);
}
