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
 * - code: libdwfl maps a whole file, but /proc/kcore cannot be mapped;
 * - table: if an address has several names, we choose as perf does;
 * - module_layout: libdwfl places a module's sections differently from Linux;
 * - units: they find only units that are in .debug_aranges, and open a .dwo
 * file once for each of its units;
 * - source_lines: dwarf_getscopes() skips functions in namespaces, and reads
 * the tree again for each address;
 * - jit: no library reads perf-PID.map or jitdumps.
 */
#include <pmscope/symbols.h>

#include "base/hash.h"
#include "base/options.h"
#include "dso.h"

#include <pthread.h>

/* One per symbol kind, so that code lookups need not read data symbols. */
struct tables {
	struct kernel_symbols kernel;
	/* A recording interns its names, so the pointer is the key. */
	KEYED(struct dso_file *, files, nr_files, file_of_name);
};

/* A call that allocates something whose type is known. */
struct block_call {
	struct dso_file *file;
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
	struct strings names; /* of jitdumps and modules */
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

void pmscope_symbols_free(struct pmscope_symbols *s)
{
	if (!s)
		return;
	for (struct tables *t = s->tables; t < s->tables + SYMBOL_KINDS; t++) {
		keyed_fini(&t->file_of_name);
		kernel_fini(&t->kernel);
	}
	for (size_t i = 0; i < s->nr_jits; i++)
		jit_fini(&s->jits[i]);
	keyed_fini(&s->jit_of_process);
	strings_fini(&s->names);
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

/* NULL: none was found. Returns 0 or -ENOMEM. */
static int file_get(struct pmscope_symbols *s, enum symbol_kind kind,
		    const struct pmscope_place *place, struct dso_file **file)
{
	struct tables *t = &s->tables[kind];
	uint32_t index;

	if (!keyed_find(&t->file_of_name, (uintptr_t)place->dso, &index))
		return dso_open(&s->search, kind, place, file) ||
				       keyed_add(&t->file_of_name,
						 sizeof(*file),
						 (uintptr_t)place->dso, file,
						 &index)
			       ? -ENOMEM
			       : 0;
	*file = t->files[index];
	return 0;
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
	if (strings_intern(&s->names, place->jitdump, strlen(place->jitdump),
			   &number))
		return -ENOMEM;
	*key |= (number + UINT64_C(1)) << 32;
	return 0;
}

/* Returns 0; -ENOENT if the process is not known; or -ENOMEM. */
static int jit_get(struct pmscope_symbols *s, const struct pmscope_place *place,
		   struct jit_symbols **found)
{
	struct jit_symbols jit = {.missing = &s->search.missing};
	uint32_t index;
	uint64_t key;

	if (place->pid == PMSCOPE_NO_ID)
		return -ENOENT;
	if (jit_key(s, place, &key))
		return -ENOMEM;
	if (!keyed_find(&s->jit_of_process, key, &index) &&
	    (jit_files_read(&s->options, &s->jitdumps, place, &jit) ||
	     keyed_add(&s->jit_of_process, sizeof(jit), key, &jit, &index))) {
		jit_fini(&jit);
		return -ENOMEM;
	}
	*found = &s->jits[index];
	return 0;
}

static int find_jit(struct pmscope_symbols *s,
		    const struct pmscope_place *place, uint64_t address,
		    struct pmscope_symbol *symbol)
{
	struct jit_symbols *jit;
	const struct symbol *found;
	int ret = jit_get(s, place, &jit);

	if (ret)
		return ret;
	found = jit_find_at(jit, address, place->time, &symbol->around,
			    &symbol->changes);
	if (!found)
		return -ENOENT;
	symbol->name = found->name;
	symbol->offset = address - found->address;
	return 0;
}

/* Looks @place's file offset up in its ELF file. */
static int find_in_file(struct pmscope_symbols *s, enum symbol_kind kind,
			const struct pmscope_place *place,
			struct pmscope_symbol *symbol)
{
	const struct symbol *found = NULL;
	struct dso_file *file;

	if (file_get(s, kind, place, &file))
		return -ENOMEM;
	if (file)
		found = elf_find(&file->elf, place->file_offset,
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
	int ret;

	symbol->dso = place->dso;
	if (kind == SYMBOL_CODE && is_generated(place) &&
	    place->pid != PMSCOPE_NO_ID)
		return find_jit(s, place, address, symbol);
	if (!place->dso)
		return -ENOENT;
	ret = find_in_file(s, kind, place, symbol);
	if (!ret && !s->options.mangled)
		symbol->name = demangle(&s->demangled, &s->search.missing,
					symbol->name);
	return ret;
}

/* Kernel names are not demangled. kallsyms takes precedence. */
static int find_kernel(struct pmscope_symbols *s, enum symbol_kind kind,
		       const struct pmscope_place *place, uint64_t address,
		       struct pmscope_symbol *symbol)
{
	char module[MODULE_NAME_SIZE], name[MODULE_NAME_SIZE + 2];
	uint32_t number;
	int ret = kernel_find(&s->tables[kind].kernel, &s->search, place,
			      address, symbol);

	if (ret != -ENOENT || !module_is(place->dso))
		return ret;
	module_name_of(place->dso, module);
	snprintf(name, sizeof(name), "[%s]", module);
	if (strings_intern(&s->names, name, strlen(name), &number))
		return -ENOMEM;
	symbol->dso = strings_get(&s->names, number);
	return find_in_file(s, kind, place, symbol);
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

/* What the public functions do, one at a time. */
#define LOCKED(s, call)                           \
	({                                        \
		int ret_;                         \
                                                  \
		pthread_mutex_lock(&(s)->lock);   \
		ret_ = settle(s, call);           \
		pthread_mutex_unlock(&(s)->lock); \
		ret_;                             \
	})

int pmscope_symbols_find(struct pmscope_symbols *s,
			 const struct pmscope_place *place, uint64_t address,
			 struct pmscope_symbol *symbol)
{
	return LOCKED(s, find(s, SYMBOL_CODE, place, address, symbol));
}

int pmscope_symbols_find_data(struct pmscope_symbols *s,
			      const struct pmscope_place *place,
			      uint64_t address, struct pmscope_symbol *symbol)
{
	return LOCKED(s, find(s, SYMBOL_DATA, place, address, symbol));
}

/* The file of @place, which is a program's or a module's. */
static int file_of(struct pmscope_symbols *s, enum symbol_kind kind,
		   const struct pmscope_place *place, struct dso_file **file)
{
	if (!place->dso || place->symbol || is_generated(place) ||
	    (place->kernel && !module_is(place->dso)))
		return -ENOENT;
	return file_get(s, kind, place, file);
}

/* The same, or the kernel's image, and the link address of @place there. */
static int link_of(struct pmscope_symbols *s, enum symbol_kind kind,
		   const struct pmscope_place *place, struct dso_file **file,
		   uint64_t *address)
{
	struct kernel_symbols *kernel = &s->tables[SYMBOL_CODE].kernel;
	int ret;

	if (place->kernel && place->dso && !place->symbol &&
	    !module_is(place->dso)) {
		ret = kernel_link_address(kernel, &s->search, place, address);
		*file = kernel->image;
		return ret;
	}
	return file_of(s, kind, place, file)
		       ?: *file &&
				  elf_address(&(*file)->elf, place->file_offset,
					      address, NULL)
			  ? 0
			  : -ENOENT;
}

/* The same of a file that may have DWARF: our own vDSO has none. */
static int dwarf_of(struct pmscope_symbols *s, enum symbol_kind kind,
		    const struct pmscope_place *place, struct dso_file **file,
		    uint64_t *address)
{
	return link_of(s, kind, place, file, address)
		       ?: (*file)->path ? 0
					: -ENOENT;
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
	struct pmscope_place of_image = *place;
	struct pmscope_symbol symbol;
	struct dso_file *file;
	char path[MEMBER_PATH];
	uint64_t link;
	int ret = find(s, SYMBOL_DATA, place, address, &symbol);

	*member = (struct pmscope_member){};
	if (ret)
		return ret;
	/* The kernel's data is in no mapping; modules' is not known. */
	if (place->kernel)
		of_image.dso = symbol.dso;
	ret = place->kernel && module_is(symbol.dso)
		      ? -ENOENT
		      : dwarf_of(s, SYMBOL_DATA, &of_image, &file, &link);
	if (!ret)
		ret = members_path(file->members, &s->search.reader,
				   &file->lines.file, READER_OF_VARIABLES,
				   link - symbol.offset, symbol.offset,
				   symbol.name, path, &member->stride);
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
	return LOCKED(s, find_member(s, place, address, member));
}

int pmscope_symbols_line(struct pmscope_symbols *s,
			 const struct pmscope_place *place, uint64_t address,
			 struct pmscope_line *line)
{
	struct jit_symbols *jit;
	struct dso_file *file;
	uint64_t link;

	*line = (struct pmscope_line){};
	return LOCKED(
		s, !place->kernel && is_generated(place)
			   ? jit_get(s, place, &jit)
				     ?: jit_line_at(jit, address, place->time,
						    line)
			   : dwarf_of(s, SYMBOL_CODE, place, &file, &link)
				     ?: line_cache_find(&file->lines,
							&s->search.reader, link,
							line));
}

static int read_code(struct pmscope_symbols *s,
		     const struct pmscope_place *place, uint64_t address,
		     const struct code_request *request)
{
	struct jit_symbols *jit;
	struct dso_file *file;
	int ret = -ENOENT;

	if (place->symbol || (!place->kernel && !place->dso))
		return -ENOENT;
	if (!place->kernel && is_generated(place))
		return jit_get(s, place, &jit)
			       ?: jit_code_at(jit, address, place->time,
					      request);
	if (place->kernel)
		ret = kernel_code(&s->tables[SYMBOL_CODE].kernel, &s->search,
				  place, address, request);
	if (!ret || ret == -ENOMEM || (place->kernel && !module_is(place->dso)))
		return ret;
	return file_get(s, SYMBOL_CODE, place, &file)
		       ?: dso_code(file, &s->search, place, place->file_offset,
				   request);
}

int pmscope_symbols_code(struct pmscope_symbols *s,
			 const struct pmscope_place *place, uint64_t address,
			 void *bytes, size_t size, struct pmscope_code *code)
{
	const struct code_request request = {bytes, size, code};

	*code = (struct pmscope_code){};
	return LOCKED(s, read_code(s, place, address, &request));
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
	uint64_t offset, stride;
	struct dso_file *file;
	char text[MEMBER_PATH];
	int ret;

	*path = NULL;
	if (place->kernel || place->symbol || !place->dso ||
	    is_generated(place))
		return PMSCOPE_MEMORY_UNKNOWN;
	switch (address_base(words, read_before(s, place, address, words),
			     &offset)) {
	case BASE_STACK:
		return PMSCOPE_MEMORY_STACK;
	case BASE_THREAD:
		return PMSCOPE_MEMORY_THREAD;
	case BASE_THREAD_OFFSET:
		ret = file_get(s, SYMBOL_DATA, place, &file)
			      ?: !file || !file->path
				 ? -ENOENT
				 : members_path(file->members,
						&s->search.reader,
						&file->lines.file,
						READER_OF_THREADS, offset, 0,
						NULL, text, &stride);
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
	return LOCKED(s, find_memory(s, place, address, path));
}

int pmscope_symbols_frames(struct pmscope_symbols *s,
			   const struct pmscope_place *place,
			   struct pmscope_frame *frames, uint64_t *behind)
{
	struct dso_file *file;
	uint64_t link;

	return LOCKED(s, dwarf_of(s, SYMBOL_CODE, place, &file, &link)
				 ?: line_cache_frames(&file->lines,
						      &s->search.reader, link,
						      frames, behind));
}

int pmscope_symbols_link_address(struct pmscope_symbols *s,
				 const struct pmscope_place *place,
				 uint64_t *address)
{
	struct dso_file *file;

	return LOCKED(s, link_of(s, SYMBOL_CODE, place, &file, address));
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

static int find_file(struct pmscope_symbols *s,
		     const struct pmscope_place *place, const char **path,
		     dev_t *device, ino_t *inode)
{
	struct dso_file *file;
	int ret = file_of(s, SYMBOL_CODE, place, &file);

	*path = NULL;
	if (ret || !file)
		return ret;
	*path = file->path;
	*device = file->device;
	*inode = file->inode;
	return 0;
}

int symbols_file(struct pmscope_symbols *s, const struct pmscope_place *place,
		 const char **path, dev_t *device, ino_t *inode)
{
	return LOCKED(s, find_file(s, place, path, device, inode));
}

int symbols_keep(struct pmscope_symbols *s, const char *text, const char **kept)
{
	return LOCKED(s, keep_path(s, text, kept));
}

/* The member of what the call allocates; see members_path(). */
static int block_member(struct pmscope_symbols *s,
			const struct block_call *call, uint64_t offset,
			char path[MEMBER_PATH], uint64_t *stride)
{
	return members_path(call->file->members, &s->search.reader,
			    &call->file->lines.file,
			    call->passes ? READER_OF_PASSED : READER_OF_BLOCKS,
			    call->address, offset, NULL, path, stride);
}

static int find_block_type(struct pmscope_symbols *s,
			   const struct pmscope_place *place, bool passes,
			   struct pmscope_site *site)
{
	struct block_call call = {.passes = passes};
	char path[MEMBER_PATH];
	uint64_t hash, stride = 0;
	int ret = place->kernel ? -ENOENT
				: dwarf_of(s, SYMBOL_CODE, place, &call.file,
					   &call.address);

	if (ret)
		return ret == -ENOENT && passes ? 0 : ret;
	ret = block_member(s, &call, 0, path, &stride);
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
	return LOCKED(s, find_block_type(s, place, passes, site));
}

static int find_block_member(struct pmscope_symbols *s,
			     const struct pmscope_site *site, uint64_t size,
			     uint64_t offset, struct pmscope_member *member)
{
	char path[MEMBER_PATH + 32], *brackets;
	int ret = -ENOENT;

	*member = (struct pmscope_member){};
	if (site->type && site->type <= s->nr_calls && offset >= site->start)
		ret = block_member(s, &s->calls[site->type - 1],
				   offset - site->start, path, &member->stride);
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
	return LOCKED(s, find_block_member(s, site, size, offset, member));
}

const char *symbols_kallsyms(const struct pmscope_symbols *s)
{
	return s->tables[SYMBOL_CODE].kernel.kallsyms_path;
}

const char *symbols_image(const struct pmscope_symbols *s)
{
	const struct dso_file *image = s->tables[SYMBOL_CODE].kernel.image;

	return image ? image->path : NULL;
}

const char *symbols_debug_file(const struct pmscope_symbols *s, size_t nr)
{
	const struct strings *found = &s->search.missing.found;

	return nr < found->count ? strings_get(found, nr) : NULL;
}
