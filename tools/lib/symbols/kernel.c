// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "dso.h"
#include "base/io.h"

#define KCORE	  "/proc/kcore"
#define PAGE_SIZE UINT64_C(4096)

/*
 * A line of kallsyms: address, type, name and, for modules, [module]. Real
 * kernels with all their modules have 30 MB and 500,000 symbols.
 */
#define MAX_BYTES   (1 << 27)
#define MAX_SYMBOLS (1U << 22)

/* Splits the next word off @line; returns "" at the end. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t\n");

	*line = word + strcspn(word, " \t\n");
	if (**line)
		*(*line)++ = '\0';
	return word;
}

/* Symbols of a module are adjacent, so compare with the last name first. */
static const char *intern_module(struct symbol_table *table, const char *name)
{
	const char *last =
		table->count ? table->symbols[table->count - 1].module : NULL;

	if (last && !strcmp(last, name))
		return last;
	return arena_copy(&table->names, name, strlen(name) + 1);
}

/*
 * Types are as in nm. Code has its name in data tables, too, since it may
 * contain data. Before Linux 6.19 very long names may show a wrong type: the
 * last four of CODE, which perf accepts, too.
 */
#define LONG_NAME 127
#define CODE	  "tTwWulN1"

static bool is_wanted(char type, enum symbol_kind kind, const char *name,
		      bool of_module)
{
	if (!type || !*name)
		return false;
	return strchr(kind == SYMBOL_CODE ? CODE : CODE "dDbBrRvV", type) ||
	       (!of_module && strlen(name) >= LONG_NAME);
}

static int read_line(struct symbol_table *table, enum symbol_kind kind,
		     char *line)
{
	struct symbol symbol = {};
	char *type, *name, *module;

	symbol.address = strtoull(next_word(&line), NULL, 16);
	type = next_word(&line);
	name = next_word(&line);
	module = next_word(&line);
	if (!symbol.address || !is_wanted(*type, kind, name, *module))
		return 0;
	/* AAELF64 mapping symbols mark code and data; they are not names. */
	if (*name == '$')
		return 0;
	symbol.name = name;
	symbol.rank =
		strchr("wWvV", *type) ? 2 : !isupper((unsigned char)*type);
	if (*module) {
		symbol.module = intern_module(table, module);
		if (!symbol.module)
			return -ENOMEM;
	}
	return symbol_table_add(table, &symbol);
}

static int read_lines(FILE *file, enum symbol_kind kind,
		      struct symbol_table *table)
{
	char line[LINE_ROOM];
	struct stat st;
	int ret = fstat(fileno(file), &st) ? -errno
		  : st.st_size > MAX_BYTES ? -EFBIG
					   : 0;

	while (!ret && line_next(file, line))
		ret = table->count < MAX_SYMBOLS ? read_line(table, kind, line)
						 : -EFBIG;
	return ret || feof(file) ? ret : -errno;
}

int kallsyms_read(int fd, enum symbol_kind kind, struct symbol_table *table)
{
	FILE *file;
	int ret = fd < 0 ? fd : regular_stream(fd, &file);

	if (ret)
		return ret;
	ret = read_lines(file, kind, table);
	fclose(file);
	if (ret) {
		symbol_table_fini(table);
		*table = (struct symbol_table){};
		return ret;
	}
	symbol_table_sort(table);
	return table->count ? 0 : -ENODATA;
}

/*
 * Anything may follow the last symbol of the kernel or of a module, so it
 * extends only to the end of the next page, as in perf.
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

static int read_kallsyms(struct kernel_symbols *kernel,
			 struct dso_search *search, const char *path, int fd)
{
	int ret = kallsyms_read(fd, kernel->kind, &kernel->kallsyms);

	if (!ret) {
		end_last(&kernel->kallsyms);
		kernel->kallsyms_path = strdup(path);
		search->missing.memory |= !kernel->kallsyms_path;
	}
	/* kptr_restrict hides addresses, not the file. */
	if (ret != -ENODATA)
		unreadable_add(&search->missing, path, ret);
	return ret;
}

/* Opens any kind of file: /proc/kallsyms, or what the user chose. */
static int read_chosen(struct kernel_symbols *kernel, struct dso_search *search,
		       const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return read_kallsyms(kernel, search, path, fd < 0 ? -errno : fd);
}

int kernel_open(struct kernel_symbols *kernel, struct dso_search *search)
{
	kernel->given_tried = true;
	if (!search->options->kallsyms)
		return 0;
	return read_chosen(kernel, search, search->options->kallsyms);
}

/* Reads the kallsyms that perf record kept in its cache. */
static int read_cached(struct kernel_symbols *kernel, struct dso_search *search,
		       const struct pmscope_place *place)
{
	char path[PATH_MAX];
	struct stat st;
	int ret;

	if (!build_id_path(path, getenv("HOME"), "/.debug", place, "/kallsyms"))
		return -ENOENT;
	ret = read_kallsyms(kernel, search, path, regular_open(path, 0, &st));
	return ret == -ENOMEM ? ret : ret ? -ENOENT : 0;
}

/* Reads the vmlinux of @place's build-id. 0, also without one, or -ENOMEM. */
static int read_image(struct kernel_symbols *kernel, struct dso_search *search,
		      const struct pmscope_place *place)
{
	struct pmscope_place image = *place;
	int ret;

	if (kernel->image_tried)
		return 0;
	kernel->image_tried = true;
	image.dso = KERNEL_NAME;
	ret = dso_open(search, kernel->kind, &image, &kernel->image);
	if (!ret && kernel->image)
		end_last(&kernel->image->elf.table);
	return ret;
}

/* Finds a table, unless there is one. Each source is tried only once. */
static int read_names(struct kernel_symbols *kernel, struct dso_search *search,
		      const struct pmscope_place *place)
{
	int ret;

	if (!kernel->given_tried && kernel_open(kernel, search) == -ENOMEM)
		return -ENOMEM;
	if (kernel->kallsyms.count)
		return 0;
	if (search->options->same_machine && !kernel->running_tried &&
	    read_chosen(kernel, search, "/proc/kallsyms") == -ENOMEM)
		return -ENOMEM;
	kernel->running_tried = true;
	if (kernel->kallsyms.count || kernel->kept_tried ||
	    !place->build_id_size || module_is(place->dso))
		return 0;
	kernel->kept_tried = true;
	ret = read_cached(kernel, search, place);
	return ret == -ENOENT ? read_image(kernel, search, place) : ret;
}

/* Computes the shift from a symbol whose recorded address is known. */
static void find_shift(struct kernel_shift *shift,
		       const struct symbol_table *table,
		       const struct pmscope_place *place)
{
	const struct symbol *symbol;

	if (shift->tried || !place->reference || !table->count)
		return;
	shift->tried = true;
	symbol = symbol_table_named(table, place->reference);
	if (!symbol)
		return;
	shift->by = place->reference_address - symbol->address;
	shift->known = true;
}

/*
 * Looks @address up in names that are of the recorded kernel; one without the
 * recorded symbol is another. In another boot, modules were at other addresses.
 */
static const struct symbol *look_up(struct kernel_shift *shift,
				    const struct symbol_table *table,
				    const struct pmscope_place *place,
				    uint64_t address,
				    struct pmscope_symbol *symbol)
{
	bool module = module_is(place->dso);
	const struct symbol *found;

	find_shift(shift, table, place);
	if (shift->tried && !shift->known)
		return NULL;
	if (!module)
		address -= shift->by;
	found = symbol_table_find(table, address, &symbol->around);
	if (!found || (shift->by && (module || found->module)))
		return NULL;
	symbol->offset = address - found->address;
	return found;
}

static const struct symbol *look_up_image(struct kernel_symbols *kernel,
					  const struct pmscope_place *place,
					  uint64_t address,
					  struct pmscope_symbol *symbol)
{
	return kernel->image ? look_up(&kernel->image_shift,
				       &kernel->image->elf.table, place,
				       address, symbol)
			     : NULL;
}

int kernel_find(struct kernel_symbols *kernel, struct dso_search *search,
		const struct pmscope_place *place, uint64_t address,
		struct pmscope_symbol *symbol)
{
	bool module = module_is(place->dso);
	const struct symbol *found = NULL;
	struct kernel_shift *shift = &kernel->shift;

	/* What the user chose is preferred to kallsyms, that to the image. */
	if (search->options->vmlinux && !module) {
		if (read_image(kernel, search, place))
			return -ENOMEM;
		found = look_up_image(kernel, place, address, symbol);
	}
	if (!found && !kernel->kallsyms.count &&
	    read_names(kernel, search, place))
		return -ENOMEM;
	if (!found && kernel->kallsyms.count)
		found = look_up(shift, &kernel->kallsyms, place, address,
				symbol);
	if (!found &&
	    (!kernel->kallsyms.count || (shift->tried && !shift->known))) {
		if (shift->tried && place->build_id_size && !module &&
		    read_image(kernel, search, place))
			return -ENOMEM;
		found = look_up_image(kernel, place, address, symbol);
	}
	/* A module has its own file; all other code is in the kernel image. */
	if (module)
		symbol->dso = place->dso;
	else if (place->dso || kernel->kind == SYMBOL_CODE)
		symbol->dso = KERNEL_NAME;
	if (!found)
		return -ENOENT;
	symbol->dso = found->module ? found->module : KERNEL_NAME;
	symbol->name = found->name;
	return 0;
}

int kernel_link_address(struct kernel_symbols *kernel,
			struct dso_search *search,
			const struct pmscope_place *place, uint64_t *address)
{
	if (!place->dso || (!place->build_id_size && !search->options->vmlinux))
		return -ENOENT;
	if (read_image(kernel, search, place))
		return -ENOMEM;
	if (!kernel->image)
		return -ENOENT;
	find_shift(&kernel->image_shift, &kernel->image->elf.table, place);
	if (!kernel->image_shift.known)
		return -ENOENT;
	*address = place->file_offset - kernel->image_shift.by;
	return 0;
}

/*
 * Does /proc/kcore have this code? If the kernel is where it was, its own code
 * is; a module may have been loaded elsewhere.
 */
static bool still_runs(struct kernel_symbols *kernel, struct dso_search *search,
		       const struct pmscope_place *place, uint64_t address)
{
	struct pmscope_symbol symbol = {};
	char module[MODULE_NAME_SIZE], of[MODULE_NAME_SIZE];

	if (!search->options->same_machine ||
	    kernel_find(kernel, search, place, address, &symbol) ||
	    !kernel->shift.known || kernel->shift.by)
		return false;
	if (!module_is(place->dso))
		return true;
	module_name_of(place->dso, module);
	module_name_of(symbol.dso, of);
	return !strcmp(module, of);
}

/* Opens a copy of /proc/kcore, or that file itself. */
static int open_kcore(const char *path)
{
	struct stat st;
	int fd;

	if (strcmp(path, KCORE) != 0)
		return regular_open(path, 0, &st);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int code_in_kcore(struct kernel_symbols *kernel,
			 struct dso_search *search,
			 const struct pmscope_place *place, uint64_t address,
			 const struct code_request *request)
{
	const char *path = search->options->kcore;

	if (!path && still_runs(kernel, search, place, address))
		path = KCORE;
	return path ? reader_read_code(&search->reader, path, open_kcore, 0,
				       address, request)
		    : -ENOENT;
}

static int code_in_image(struct kernel_symbols *kernel,
			 struct dso_search *search,
			 const struct pmscope_place *place,
			 const struct code_request *request)
{
	uint64_t address;
	int ret = kernel_link_address(kernel, search, place, &address);

	return ret ? ret
		   : dso_code_at(kernel->image, search, place, address,
				 request);
}

int kernel_code(struct kernel_symbols *kernel, struct dso_search *search,
		const struct pmscope_place *place, uint64_t address,
		const struct code_request *request)
{
	bool module = module_is(place->dso);
	bool chosen = search->options->vmlinux && !module;
	int ret = -ENOENT;

	if (chosen)
		ret = code_in_image(kernel, search, place, request);
	if (ret && ret != -ENOMEM)
		ret = code_in_kcore(kernel, search, place, address, request);
	if (ret && ret != -ENOMEM && !module && !chosen)
		ret = code_in_image(kernel, search, place, request);
	/* As /proc/kallsyms and samples have it. */
	request->code->address = address;
	return ret;
}

void kernel_fini(struct kernel_symbols *kernel)
{
	symbol_table_fini(&kernel->kallsyms);
	free(kernel->kallsyms_path);
}
