// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Chooses the table that has the symbols of a place; each is read once.
 *
 * elfutils and libiberty do most of the work, in a child process (reader). The
 * other files make up for what they lack:
 * - debug: they ignore another machine's root and perf's cache, accept a debug
 *   file of another build, and open whatever a .gnu_debugaltlink names;
 * - debuginfod: libdwfl asks servers for each file, however many fail;
 * - elf_file: libdwfl unpacks without a limit, and crashes on some symbol
 * tables;
 * - elf_read: no symbol table has names for PLT stubs, and in stripped files
 * only unwind tables tell where functions are;
 * - code: libelf maps a whole file, but /proc/kcore cannot be mapped;
 * - table: if an address has several names, we choose as perf does;
 * - module: libdwfl places a module's sections differently from Linux;
 * - units: they find only units that are in .debug_aranges, and open a .dwo
 * file once for each of its units;
 * - lines: dwarf_getscopes() skips functions in namespaces, and reads the tree
 *   again for each address;
 * - jit, jit_dump: no library reads perf-PID.map or jitdumps.
 */
#include <pmscope/symbols.h>

#include "address_base.h"
#include "base/names.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/options.h"
#include "base/strings.h"
#include "demangle.h"
#include "files.h"
#include "dso.h"
#include "jit.h"
#include "kernel.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One per symbol kind, so that code lookups need not read data symbols. */
struct tables {
	struct kernel_symbols kernel;
	/* A recording interns its names, so the pointer is the key. */
	KEYED(struct dso_symbols, dsos, nr_dsos, dso_of_name);
};

/* A call that allocates something whose type is known. */
struct block_call {
	const char *dso;
	uint64_t address;
	uint64_t passes;
};

struct pmscope_symbols {
	struct pmscope_symbols_options options;
	pthread_mutex_t lock; /* protects all members below */
	struct dso_search search;
	struct tables tables[SYMBOL_KINDS];
	/* Empty for a process without files; by jit_key(). */
	KEYED(struct jit_symbols, jits, nr_jits, jit_of_process);
	struct strings jitdump_names;
	struct jit_index jitdumps;
	struct demangled demangled;
	struct strings paths; /* of members */
	KEYED(struct block_call, calls, nr_calls, call_of_hash);
	struct reader demangler; /* a child of its own: may be slow */
};

struct pmscope_symbols *
pmscope_symbols_new(const struct pmscope_symbols_options *options)
{
	struct pmscope_symbols *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	for (int kind = 0; kind < SYMBOL_KINDS; kind++)
		s->tables[kind].kernel.kind = kind;
	s->search.options = &s->options;
	s->search.reader = (struct reader){.options = &s->options,
					   .missing = &s->search.missing};
	s->demangler = s->search.reader;
	s->demangled.ask = reader_demangle;
	s->demangled.reader = &s->demangler;
	ret = options_read(&s->options, sizeof(s->options), options);
	s->search.missing.force = s->options.force;
	if (!ret)
		ret = kernel_open(&s->tables[SYMBOL_CODE].kernel, &s->search);
	if (!ret)
		return s;
	pmscope_symbols_free(s);
	errno = -ret;
	return NULL;
}

static void tables_fini(struct tables *tables)
{
	for (size_t i = 0; i < tables->nr_dsos; i++)
		dso_fini(&tables->dsos[i]);
	keyed_fini(&tables->dso_of_name);
	kernel_fini(&tables->kernel);
}

void pmscope_symbols_free(struct pmscope_symbols *s)
{
	if (!s)
		return;
	for (int kind = 0; kind < SYMBOL_KINDS; kind++)
		tables_fini(&s->tables[kind]);
	for (size_t i = 0; i < s->nr_jits; i++)
		jit_fini(&s->jits[i]);
	keyed_fini(&s->jit_of_process);
	strings_fini(&s->jitdump_names);
	jit_index_fini(&s->jitdumps);
	demangled_fini(&s->demangled);
	strings_fini(&s->paths);
	keyed_fini(&s->call_of_hash);
	reader_fini(&s->demangler);
	debuginfod_fini(&s->search.debuginfod);
	dso_files_fini(&s->search);
	module_index_fini(&s->search.modules);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Returns NULL if out of memory. */
static struct dso_symbols *dso_get(struct pmscope_symbols *s,
				   enum symbol_kind kind,
				   const struct pmscope_place *place)
{
	struct tables *t = &s->tables[kind];
	struct dso_symbols dso = {.kind = kind};
	uint32_t index;

	if (keyed_find(&t->dso_of_name, (uintptr_t)place->dso, &index))
		return &t->dsos[index];
	if (!dso_open(&dso, &s->search, place) &&
	    !keyed_add(&t->dso_of_name, sizeof(dso), (uintptr_t)place->dso,
		       &dso, &index))
		return &t->dsos[index];
	dso_fini(&dso);
	return NULL;
}

/*
 * The key of a process's table. It includes the jitdump, because a process may
 * get one later, and another program may reuse its PID. Returns 0 or -ENOMEM.
 */
static int jit_key(struct pmscope_symbols *s, const struct pmscope_place *place,
		   uint64_t *key)
{
	uint32_t number;

	*key = place->pid;
	if (!place->jitdump)
		return 0;
	if (strings_intern(&s->jitdump_names, place->jitdump,
			   strlen(place->jitdump), &number))
		return -ENOMEM;
	*key |= (number + UINT64_C(1)) << 32;
	return 0;
}

static struct jit_symbols *jit_get(struct pmscope_symbols *s,
				   const struct pmscope_place *place)
{
	struct jit_symbols jit = {.missing = &s->search.missing};
	uint32_t index;
	uint64_t key;

	if (jit_key(s, place, &key))
		return NULL;
	if (keyed_find(&s->jit_of_process, key, &index))
		return &s->jits[index];
	if (!jit_files_read(&s->options, &s->jitdumps, place, &jit) &&
	    !keyed_add(&s->jit_of_process, sizeof(jit), key, &jit, &index))
		return &s->jits[index];
	jit_fini(&jit);
	return NULL;
}

static int find_jit(struct pmscope_symbols *s,
		    const struct pmscope_place *place, uint64_t address,
		    struct pmscope_symbol *symbol)
{
	struct jit_symbols *jit = jit_get(s, place);
	const struct symbol *found;

	if (!jit)
		return -ENOMEM;
	found = jit_find_at(jit, address, place->time, &symbol->around,
			    &symbol->changes);
	if (!found)
		return -ENOENT;
	symbol->name = found->name;
	symbol->offset = address - found->address;
	return 0;
}

/* Looks @place's file offset up in its ELF file. */
static int find_in_file(const struct dso_symbols *dso,
			const struct pmscope_place *place,
			struct pmscope_symbol *symbol)
{
	const struct symbol *found = NULL;

	if (dso->file)
		found = elf_find(&dso->file->elf, place->file_offset,
				 &symbol->offset, &symbol->around);
	if (!found)
		return -ENOENT;
	symbol->name = found->name;
	return 0;
}

/* A mapping with a build-id is an ELF file, even in a memfd. */
static bool is_generated(const struct pmscope_place *place)
{
	return jit_is_mapping(place->dso) && !place->build_id_size;
}

static int find_user(struct pmscope_symbols *s, enum symbol_kind kind,
		     const struct pmscope_place *place, uint64_t address,
		     struct pmscope_symbol *symbol)
{
	const struct dso_symbols *dso;

	symbol->dso = place->dso;
	if (kind == SYMBOL_CODE && is_generated(place) &&
	    place->pid != PMSCOPE_NO_ID)
		return find_jit(s, place, address, symbol);
	if (!place->dso)
		return -ENOENT;
	dso = dso_get(s, kind, place);
	if (!dso)
		return -ENOMEM;
	if (find_in_file(dso, place, symbol))
		return -ENOENT;
	if (!s->options.mangled)
		symbol->name = demangle(&s->demangled, &s->search.missing,
					symbol->name);
	return 0;
}

/* Kernel names are not demangled. kallsyms takes precedence. */
static int find_kernel(struct pmscope_symbols *s, enum symbol_kind kind,
		       const struct pmscope_place *place, uint64_t address,
		       struct pmscope_symbol *symbol)
{
	const struct dso_symbols *dso;
	int ret = kernel_find(&s->tables[kind].kernel, &s->search, place,
			      address, symbol);

	if (ret != -ENOENT || !module_is(place->dso))
		return ret;
	dso = dso_get(s, kind, place);
	if (!dso)
		return -ENOMEM;
	symbol->dso = dso->module;
	return find_in_file(dso, place, symbol);
}

static int find(struct pmscope_symbols *s, enum symbol_kind kind,
		const struct pmscope_place *place, uint64_t address,
		struct pmscope_symbol *symbol)
{
	*symbol = (struct pmscope_symbol){.around = place->around};
	if (place->symbol) {
		symbol->name = place->symbol;
		symbol->offset = place->symbol_offset;
		symbol->dso = place->dso;
		return 0;
	}
	if (place->kernel)
		return find_kernel(s, kind, place, address, symbol);
	return find_user(s, kind, place, address, symbol);
}

/* After ENOMEM a miss is unreliable, so keep failing. */
static int settle(struct pmscope_symbols *s, int ret)
{
	s->search.missing.memory |= ret == -ENOMEM;
	return s->search.missing.memory ? -ENOMEM : ret;
}

static int find_locked(struct pmscope_symbols *s, enum symbol_kind kind,
		       const struct pmscope_place *place, uint64_t address,
		       struct pmscope_symbol *symbol)
{
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = settle(s, find(s, kind, place, address, symbol));
	pthread_mutex_unlock(&s->lock);
	return ret;
}

int pmscope_symbols_find(struct pmscope_symbols *s,
			 const struct pmscope_place *place, uint64_t address,
			 struct pmscope_symbol *symbol)
{
	return find_locked(s, SYMBOL_CODE, place, address, symbol);
}

int pmscope_symbols_find_data(struct pmscope_symbols *s,
			      const struct pmscope_place *place,
			      uint64_t address, struct pmscope_symbol *symbol)
{
	return find_locked(s, SYMBOL_DATA, place, address, symbol);
}

static int find_jit_line(struct pmscope_symbols *s,
			 const struct pmscope_place *place, uint64_t address,
			 struct pmscope_line *line)
{
	struct jit_symbols *jit;

	if (place->pid == PMSCOPE_NO_ID)
		return -ENOENT;
	jit = jit_get(s, place);
	return jit ? jit_line_at(jit, address, place->time, line) : -ENOMEM;
}

/* The link address of the kernel's own code; -ENOENT for anything else. */
static int find_in_image(struct pmscope_symbols *s,
			 const struct pmscope_place *place, uint64_t *address)
{
	return place->kernel && place->dso && !module_is(place->dso)
		       ? kernel_link_address(&s->tables[SYMBOL_CODE].kernel,
					     &s->search, place, address)
		       : -ENOENT;
}

/* The file of a variable, and its link address. */
static int find_variable(struct pmscope_symbols *s,
			 const struct pmscope_place *place,
			 const struct pmscope_symbol *symbol,
			 const struct dso_symbols **dso, uint64_t *link)
{
	struct pmscope_place of_image = *place;
	int ret;

	*dso = &s->tables[SYMBOL_CODE].kernel.image;
	if (place->kernel) {
		/* The kernel's data is in no mapping. */
		of_image.dso = symbol->dso;
		ret = find_in_image(s, &of_image, link);
	} else {
		*dso = dso_get(s, SYMBOL_DATA, place);
		if (!*dso)
			return -ENOMEM;
		ret = (*dso)->file && elf_address(&(*dso)->file->elf,
						  place->file_offset, link,
						  NULL)
			      ? 0
			      : -ENOENT;
	}
	*link -= ret ? 0 : symbol->offset;
	return ret;
}

/* Larger than the names of any program's members. */
#define MAX_PATHS (UINT64_C(64) << 20)

static int keep_path(struct pmscope_symbols *s, const char *path,
		     const char **kept)
{
	uint32_t number;

	if (s->paths.bytes > MAX_PATHS)
		return -ENOENT;
	if (strings_intern(&s->paths, path, strlen(path), &number))
		return -ENOMEM;
	*kept = strings_get(&s->paths, number);
	return 0;
}

static int find_member(struct pmscope_symbols *s,
		       const struct pmscope_place *place, uint64_t address,
		       struct pmscope_member *member)
{
	const struct dso_symbols *dso;
	struct pmscope_symbol symbol;
	char path[MEMBER_PATH];
	uint64_t link;
	int ret = find(s, SYMBOL_DATA, place, address, &symbol);

	if (ret)
		return ret;
	ret = place->symbol ? -ENOENT
			    : find_variable(s, place, &symbol, &dso, &link);
	if (!ret)
		ret = dso_member(dso, link, symbol.offset, symbol.name, path,
				 &member->stride);
	member->typed = !ret;
	if (ret == -ENOENT)
		snprintf(path, sizeof(path),
			 symbol.offset ? "%s+%#" PRIx64 : "%s", symbol.name,
			 symbol.offset);
	else if (ret)
		return ret;
	return keep_path(s, path, &member->path);
}

int pmscope_symbols_member(struct pmscope_symbols *s,
			   const struct pmscope_place *place, uint64_t address,
			   struct pmscope_member *member)
{
	int ret;

	*member = (struct pmscope_member){};
	pthread_mutex_lock(&s->lock);
	ret = settle(s, find_member(s, place, address, member));
	pthread_mutex_unlock(&s->lock);
	return ret;
}

static int find_line(struct pmscope_symbols *s,
		     const struct pmscope_place *place, uint64_t address,
		     struct pmscope_line *line)
{
	struct dso_symbols *image = &s->tables[SYMBOL_CODE].kernel.image;
	const struct dso_symbols *dso;
	uint64_t link;
	int ret;

	*line = (struct pmscope_line){};
	if (!place->kernel && is_generated(place))
		return find_jit_line(s, place, address, line);
	if (!place->dso)
		return -ENOENT;
	ret = find_in_image(s, place, &link);
	if (!ret)
		return dso_line_at(image, link, line);
	if (ret == -ENOMEM || (place->kernel && !module_is(place->dso)))
		return ret;
	dso = dso_get(s, SYMBOL_CODE, place);
	return dso ? dso_line(dso, place->file_offset, line) : -ENOMEM;
}

int pmscope_symbols_line(struct pmscope_symbols *s,
			 const struct pmscope_place *place, uint64_t address,
			 struct pmscope_line *line)
{
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = settle(s, find_line(s, place, address, line));
	pthread_mutex_unlock(&s->lock);
	return ret;
}

static int read_code(struct pmscope_symbols *s,
		     const struct pmscope_place *place, uint64_t address,
		     const struct code_request *request)
{
	const struct dso_symbols *dso;
	struct jit_symbols *jit;
	int ret = -ENOENT;

	if (place->symbol || (!place->kernel && !place->dso))
		return -ENOENT;
	if (!place->kernel && is_generated(place)) {
		if (place->pid == PMSCOPE_NO_ID)
			return -ENOENT;
		jit = jit_get(s, place);
		return jit ? jit_code_at(jit, address, place->time, request)
			   : -ENOMEM;
	}
	if (place->kernel)
		ret = kernel_code(&s->tables[SYMBOL_CODE].kernel, &s->search,
				  place, address, request);
	if (!ret || ret == -ENOMEM || (place->kernel && !module_is(place->dso)))
		return ret;
	dso = dso_get(s, SYMBOL_CODE, place);
	return dso ? dso_code(dso, &s->search, place, place->file_offset,
			      request)
		   : -ENOMEM;
}

int pmscope_symbols_code(struct pmscope_symbols *s,
			 const struct pmscope_place *place, uint64_t address,
			 void *bytes, size_t size, struct pmscope_code *code)
{
	const struct code_request request = {bytes, size, code};
	int ret;

	*code = (struct pmscope_code){};
	pthread_mutex_lock(&s->lock);
	ret = settle(s, read_code(s, place, address, &request));
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/* So many instructions are read before a load or store. */
#define WORDS_BEFORE 256

/* Those of its function, up to it; none if they are not of arm64. */
static size_t read_before(struct pmscope_symbols *s,
			  const struct pmscope_place *place, uint64_t address,
			  uint32_t words[WORDS_BEFORE])
{
	struct pmscope_place first = *place;
	struct pmscope_symbol symbol;
	struct pmscope_code code = {};
	struct code_request request = {words, 4, &code};

	if (find(s, SYMBOL_CODE, place, address, &symbol))
		symbol.offset = 0;
	if (symbol.offset > 4 * (WORDS_BEFORE - 1))
		symbol.offset = 4 * (WORDS_BEFORE - 1);
	first.file_offset -= symbol.offset;
	request.size += symbol.offset;
	if (read_code(s, &first, address - symbol.offset, &request) ||
	    code.machine != EM_AARCH64 || code.size < request.size)
		return 0;
	return request.size / sizeof(*words);
}

static int find_memory(struct pmscope_symbols *s,
		       const struct pmscope_place *place, uint64_t address,
		       const char **path)
{
	uint32_t words[WORDS_BEFORE];
	size_t nr = read_before(s, place, address, words);
	uint64_t offset;
	const struct dso_symbols *dso;
	char text[MEMBER_PATH];
	int ret;

	switch (address_base(words, nr, &offset)) {
	case BASE_STACK:
		return PMSCOPE_MEMORY_STACK;
	case BASE_THREAD:
		return PMSCOPE_MEMORY_THREAD;
	case BASE_THREAD_OFFSET:
		dso = dso_get(s, SYMBOL_DATA, place);
		ret = dso ? dso_thread_member(dso, offset, text) : -ENOMEM;
		ret = ret ?: keep_path(s, text, path);
		return ret == -ENOMEM ? ret : PMSCOPE_MEMORY_THREAD;
	default:
		return PMSCOPE_MEMORY_UNKNOWN;
	}
}

int pmscope_symbols_memory(struct pmscope_symbols *s,
			   const struct pmscope_place *place, uint64_t address,
			   const char **path)
{
	int ret;

	*path = NULL;
	pthread_mutex_lock(&s->lock);
	ret = place->kernel || place->symbol || !place->dso ||
			      is_generated(place)
		      ? PMSCOPE_MEMORY_UNKNOWN
		      : find_memory(s, place, address, path);
	s->search.missing.memory |= ret == -ENOMEM;
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/* The file of @place, which is a program's or a module's; else NULL. */
static int file_of(struct pmscope_symbols *s, const struct pmscope_place *place,
		   const struct dso_symbols **dso)
{
	if (!place->dso || place->symbol || is_generated(place) ||
	    (place->kernel && !module_is(place->dso)))
		return -ENOENT;
	*dso = dso_get(s, SYMBOL_CODE, place);
	return *dso ? 0 : -ENOMEM;
}

int pmscope_symbols_frames(struct pmscope_symbols *s,
			   const struct pmscope_place *place,
			   struct pmscope_frame *frames, uint64_t *behind)
{
	struct dso_symbols *image = &s->tables[SYMBOL_CODE].kernel.image;
	const struct dso_symbols *dso;
	uint64_t link;
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = find_in_image(s, place, &link);
	if (!ret)
		ret = dso_frames_at(image, link, frames, behind);
	else if (ret == -ENOENT)
		ret = file_of(s, place, &dso)
			      ?: dso_frames(dso, place->file_offset, frames,
					    behind);
	ret = settle(s, ret);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

int pmscope_symbols_link_address(struct pmscope_symbols *s,
				 const struct pmscope_place *place,
				 uint64_t *address)
{
	const struct dso_symbols *dso;
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = find_in_image(s, place, address);
	if (ret == -ENOENT) {
		ret = file_of(s, place, &dso);
		if (!ret && (!dso->file ||
			     !elf_address(&dso->file->elf, place->file_offset,
					  address, NULL)))
			ret = -ENOENT;
	}
	ret = settle(s, ret);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

int pmscope_symbols_unread(struct pmscope_symbols *s, size_t nr,
			   const char **path)
{
	const struct unreadable_files *missing = &s->search.missing;
	int ret = 0;

	pthread_mutex_lock(&s->lock);
	if (nr < missing->files.count) {
		*path = strings_get(&missing->files, nr);
		ret = missing->errors[nr];
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

int symbols_file(struct pmscope_symbols *s, const struct pmscope_place *place,
		 const char **path, dev_t *device, ino_t *inode)
{
	const struct dso_symbols *dso;
	int ret;

	*path = NULL;
	pthread_mutex_lock(&s->lock);
	ret = settle(s, file_of(s, place, &dso));
	if (!ret && dso->file) {
		*path = dso->file->path;
		*device = dso->file->device;
		*inode = dso->file->inode;
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

int symbols_keep(struct pmscope_symbols *s, const char *text, const char **kept)
{
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = settle(s, keep_path(s, text, kept));
	pthread_mutex_unlock(&s->lock);
	return ret;
}

static int find_block_type(struct pmscope_symbols *s,
			   const struct pmscope_place *place, bool passes,
			   struct pmscope_site *site)
{
	struct block_call call = {.dso = place->dso, .passes = passes};
	const struct dso_symbols *dso;
	char path[MEMBER_PATH];
	uint64_t hash, stride;
	int ret = place->kernel ? -ENOENT : file_of(s, place, &dso);

	if (!ret &&
	    (!dso->file || !elf_address(&dso->file->elf, place->file_offset,
					&call.address, NULL)))
		ret = -ENOENT;
	if (ret)
		return ret == -ENOENT && passes ? 0 : ret;
	ret = dso_block_member(dso, call.address, passes, 0, path, &stride);
	if (ret == -ENOENT && passes && stride != UINT64_MAX) {
		site->start += stride;
		return 0;
	}
	if (ret)
		return ret;
	hash = hash_bytes(0, &call, sizeof(call));
	if (!keyed_find_same(&s->call_of_hash, sizeof(call), &hash, &call,
			     sizeof(call), &site->type) &&
	    keyed_add(&s->call_of_hash, sizeof(call), hash, &call, &site->type))
		return -ENOMEM;
	site->type++;
	return 0;
}

int symbols_block_type(struct pmscope_symbols *s,
		       const struct pmscope_place *place, bool passes,
		       struct pmscope_site *site)
{
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = settle(s, find_block_type(s, place, passes, site));
	pthread_mutex_unlock(&s->lock);
	return ret;
}

static int find_block_member(struct pmscope_symbols *s,
			     const struct pmscope_site *site, uint64_t size,
			     uint64_t offset, struct pmscope_member *member)
{
	char path[MEMBER_PATH + 32], *brackets;
	const struct block_call *call;
	uint32_t index;
	int ret = -ENOENT;

	if (site->type && site->type <= s->nr_calls && offset >= site->start) {
		call = &s->calls[site->type - 1];
		if (keyed_find(&s->tables[SYMBOL_CODE].dso_of_name,
			       (uintptr_t)call->dso, &index))
			ret = dso_block_member(
				&s->tables[SYMBOL_CODE].dsos[index],
				call->address, call->passes,
				offset - site->start, path, &member->stride);
	}
	if (ret == -ENOMEM)
		return ret;
	size -= site->start;
	if (member->stride > size)
		ret = -ENOENT;
	member->typed = !ret;
	member->stride = ret ? 0 : member->stride;
	brackets = ret ? NULL : strstr(path, "[]");
	if (brackets && size < 2 * member->stride)
		memmove(brackets, brackets + 2, strlen(brackets + 2) + 1);
	if (ret)
		snprintf(path, sizeof(path), offset ? "%s+%#" PRIx64 : "%s",
			 site->name, offset);
	return keep_path(s, path, &member->path);
}

int pmscope_symbols_site_member(struct pmscope_symbols *s,
				const struct pmscope_site *site, uint64_t size,
				uint64_t offset, struct pmscope_member *member)
{
	int ret;

	*member = (struct pmscope_member){};
	pthread_mutex_lock(&s->lock);
	ret = settle(s, find_block_member(s, site, size, offset, member));
	pthread_mutex_unlock(&s->lock);
	return ret;
}

const char *symbols_kallsyms(const struct pmscope_symbols *s)
{
	return s->tables[SYMBOL_CODE].kernel.kallsyms_path;
}

const char *symbols_image(const struct pmscope_symbols *s)
{
	const struct dso_symbols *image = &s->tables[SYMBOL_CODE].kernel.image;

	return image->file ? image->file->path : NULL;
}

const char *symbols_debug_file(const struct pmscope_symbols *s, size_t nr)
{
	const struct strings *found = &s->search.missing.found;

	return nr < found->count ? strings_get(found, nr) : NULL;
}
