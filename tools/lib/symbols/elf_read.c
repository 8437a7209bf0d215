// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Reads symbols with libdwfl, which combines those of the file, of its debug
 * file and of .gnu_debugdata. It names neither PLT stubs nor, in a stripped
 * file, functions.
 */
#include "elf_read.h"
#include "base/build_id.h"
#include "base/little_endian.h"
#include "base/notes.h"
#include "base/text.h"
#include "module.h"
#include "elf_file.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>

static bool is_wanted(const GElf_Sym *sym, GElf_Word section,
		      enum symbol_kind kind)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (section == SHN_UNDEF || section == SHN_ABS)
		return false;
	if (type == STT_OBJECT)
		return kind == SYMBOL_DATA;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* Returns true for AAELF64 mapping symbols ($x, $d) and empty names. */
static bool is_unnamed(const char *name)
{
	return !name || !*name || *name == '$';
}

/* Ranks aliases as perf does, but prefers any name to an untyped label. */
static uint8_t rank_of(const GElf_Sym *sym)
{
	static const uint8_t ranks[] = {
		[STB_GLOBAL] = 0, [STB_LOCAL] = 1, [STB_WEAK] = 2};
	unsigned int bind = GELF_ST_BIND(sym->st_info);
	uint8_t rank = bind < sizeof(ranks) ? ranks[bind] : 1;

	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		rank += 4;
	return sym->st_size ? rank : rank + 8;
}

/*
 * In a malformed file all symbols may share one name that is as long as the
 * file, or be suffixes of it. In other files names are a small part.
 */
#define NAMES_MAX 4 /* times the size of the file that has them */

struct names {
	Elf *file; /* file of the last symbol */
	uint64_t room;
};

static bool names_have_room(struct names *names, Elf *file, const char *name)
{
	size_t length = strlen(name) + 1, size;

	if (file != names->file && elf_rawfile(file, &size))
		names->room += NAMES_MAX * (uint64_t)size;
	names->file = file;
	if (length > names->room)
		return false;
	names->room -= length;
	return true;
}

static int read_symbols(Dwfl_Module *module, GElf_Addr bias,
			struct names *names, struct elf_symbols *elf)
{
	int count = dwfl_module_getsymtab(module);

	for (int i = 1; i < count; i++) {
		struct symbol symbol = {};
		GElf_Word section;
		GElf_Addr address;
		GElf_Sym sym;
		Elf *file;

		symbol.name = dwfl_module_getsym_info(module, i, &sym, &address,
						      &section, &file, NULL);
		if (is_unnamed(symbol.name) ||
		    !is_wanted(&sym, section, elf->kind))
			continue;
		if (!names_have_room(names, file, symbol.name))
			break;
		symbol.address = address - bias;
		symbol.size = sym.st_size;
		symbol.rank = rank_of(&sym);
		if (symbol_table_add(&elf->table, &symbol))
			return -ENOMEM;
	}
	return 0;
}

/*
 * A debug file has no code, so its headers do not tell the code's offset in the
 * program. If the linker aligned segments to pages, offsets differ by as much
 * as addresses do; otherwise the offset is unknown.
 */
static struct segment segment_of(const GElf_Phdr *phdr, uint64_t base)
{
	struct segment s = {phdr->p_offset, phdr->p_filesz, phdr->p_memsz,
			    phdr->p_vaddr, 0};
	bool first = phdr->p_vaddr == base;

	if (phdr->p_flags & PF_X && (first || !s.size) && s.size < s.memory &&
	    phdr->p_align && phdr->p_vaddr % phdr->p_align == 0) {
		s.offset = s.address - base;
		s.size = s.memory;
	}
	return s;
}

/* A file without program headers was mapped as it is, so nothing has .bss. */
static int read_sections(Elf *file, struct elf_symbols *elf)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file, scn));) {
		struct segment segment;
		GElf_Shdr h;

		if (!gelf_getshdr(scn, &h) || !(h.sh_flags & SHF_ALLOC) ||
		    h.sh_type == SHT_NOBITS)
			continue;
		segment = (struct segment){h.sh_offset, h.sh_size, h.sh_size,
					   h.sh_addr, 0};
		if (elf_add_segment(elf, &segment))
			return -ENOMEM;
	}
	return 0;
}

/* perf inject --jit wrote no program headers before Linux 6.1. */
static int read_segments(Elf *file, struct elf_symbols *elf)
{
	uint64_t base = 0;
	size_t count;

	if (elf_getphdrnum(file, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		struct segment segment;
		GElf_Phdr phdr;

		if (!gelf_getphdr(file, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		if (!elf->nr_segments)
			base = phdr.p_vaddr;
		segment = segment_of(&phdr, base);
		if (elf_add_segment(elf, &segment))
			return -ENOMEM;
	}
	return elf->nr_segments ? 0 : read_sections(file, elf);
}

static void read_build_id(Elf *file, struct elf_id *id)
{
	const void *bytes;
	ssize_t size = notes_build_id(file, &bytes);

	*id = (struct elf_id){.known = true};
	if (size <= 0)
		return;
	id->size = size < ELF_ID_MAX ? size : ELF_ID_MAX;
	memcpy(id->bytes, bytes, id->size);
}

/* Must run before libdwfl opens the file, because that relocates modules. */
static int read_layout(int fd, const struct elf_wanted *wanted,
		       struct elf_id *id, struct elf_symbols *elf)
{
	GElf_Ehdr header = {};
	Elf *file;
	int ret = 0;

	elf_version(EV_CURRENT);
	file = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	read_build_id(file, id);
	if (!gelf_getehdr(file, &header) ||
	    elf->is_module != (header.e_type == ET_REL) ||
	    (wanted->size &&
	     !build_id_is(wanted->build_id, wanted->size, id->bytes, id->size)))
		ret = -ENOENT;
	if (!ret && elf->is_module)
		ret = module_layout(file, elf);
	elf_end(file);
	return ret;
}

/* Sets the addresses that libdwfl chose. */
static void place_sections(Elf *file, struct elf_symbols *elf)
{
	for (size_t i = 0; i < elf->nr_segments; i++) {
		Elf_Scn *scn = elf_getscn(file, elf->segments[i].section);
		GElf_Shdr header = {};

		gelf_getshdr(scn, &header);
		elf->segments[i].address = header.sh_addr;
	}
}

/*
 * PLT stubs are in the order of the relocations in .rela.plt. They follow a
 * header whose size the ABI defines. The size of a stub depends on linker
 * options (BTI, PAC), so the rest of the section is divided evenly.
 */
#define RANK_STUB	16 /* after all symbols, before bare addresses */
#define NAME_MAX_LENGTH 4095

/* Bytes of the header before the first stub, and the minimum for a stub. */
static const struct shape {
	GElf_Half machine;
	unsigned int header;
	unsigned int stub;
} shapes[] = {
	{EM_AARCH64, 32, 16},
	{EM_X86_64, 16, 8},
};

static const struct shape *shape_of(Elf *file)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(file, &header))
		return NULL;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (header.e_machine == shapes[i].machine)
			return &shapes[i];
	return NULL;
}

/* Static programs have no header, because there is no lazy binding. */
static unsigned int header_size(const struct shape *shape,
				const struct section *plt, size_t count)
{
	return plt->header.sh_size < shape->header + count * shape->stub
		       ? 0
		       : shape->header;
}

/*
 * Finds the stubs that code calls: in .plt.sec with x86-64 IBT, else in .plt.
 */
static bool stubs_find(Elf *file, const struct shape *shape, size_t count,
		       uint64_t *start, uint64_t *size)
{
	unsigned int before = 0;
	struct section plt;

	if (!section_find(file, ".plt.sec", &plt)) {
		if (!section_find(file, ".plt", &plt))
			return false;
		before = header_size(shape, &plt, count);
	}
	if (plt.header.sh_size < before + count * shape->stub)
		return false;
	*start = plt.header.sh_addr + before;
	*size = (plt.header.sh_size - before) / count;
	return true;
}

/* Stubs whose names are in the symbol table @symbols. */
struct stubs {
	Elf *file;
	GElf_Shdr symbols;
	Elf_Data *data;
	uint64_t start;
	uint64_t size; /* of each */
	struct names *names;
	struct symbol_table *table;
};

static int stub_add(const struct stubs *stubs, size_t number, size_t index)
{
	char name[NAME_MAX_LENGTH + sizeof("@plt")];
	struct symbol symbol = {.address = stubs->start + number * stubs->size,
				.size = stubs->size,
				.name = name,
				.rank = RANK_STUB};
	const char *text;
	GElf_Sym sym;

	if (!index || !gelf_getsym(stubs->data, index, &sym))
		return 0;
	text = elf_strptr(stubs->file, stubs->symbols.sh_link, sym.st_name);
	if (!text || !*text)
		return 0;
	snprintf(name, sizeof(name), "%.*s@plt", NAME_MAX_LENGTH, text);
	return names_have_room(stubs->names, stubs->file, name)
		       ? symbol_table_add(stubs->table, &symbol)
		       : 0;
}

static int stubs_add(struct stubs *stubs, const struct section *relocs,
		     const struct shape *shape, size_t count)
{
	Elf_Scn *scn = elf_getscn(stubs->file, relocs->header.sh_link);
	Elf_Data *entries = elf_getdata(relocs->scn, NULL);
	int ret = 0;

	stubs->data = scn ? elf_getdata(scn, NULL) : NULL;
	if (!count || !stubs->data || !entries ||
	    !gelf_getshdr(scn, &stubs->symbols) ||
	    !stubs_find(stubs->file, shape, count, &stubs->start, &stubs->size))
		return 0;
	for (size_t i = 0; i < count && !ret; i++) {
		GElf_Rela rela;

		if (gelf_getrela(entries, i, &rela))
			ret = stub_add(stubs, i, GELF_R_SYM(rela.r_info));
	}
	return ret;
}

/*
 * Names the header, which unbound stubs jump to: otherwise it would seem to be
 * part of _init, which precedes it.
 */
static int header_add(Elf *file, const struct shape *shape, size_t count,
		      struct symbol_table *table)
{
	struct symbol symbol = {.name = ".plt", .rank = RANK_STUB};
	struct section plt, called;

	if (!section_find(file, ".plt", &plt))
		return 0;
	symbol.address = plt.header.sh_addr;
	symbol.size = section_find(file, ".plt.sec", &called)
			      ? plt.header.sh_size
			      : header_size(shape, &plt, count);
	return symbol.size ? symbol_table_add(table, &symbol) : 0;
}

static int plt_read(Elf *file, struct names *names, struct symbol_table *table)
{
	struct stubs stubs = {.file = file, .names = names, .table = table};
	const struct shape *shape = shape_of(file);
	struct section relocs;
	size_t count;
	int ret;

	/* Another type could have any size without having the bytes. */
	if (!shape || !section_find(file, ".rela.plt", &relocs) ||
	    relocs.header.sh_type != SHT_RELA || !relocs.header.sh_entsize)
		return 0;
	count = relocs.header.sh_size / relocs.header.sh_entsize;
	ret = header_add(file, shape, count, table);
	return ret ? ret : stubs_add(&stubs, &relocs, shape, count);
}

/*
 * .eh_frame_hdr (Linux Standard Base Core, 10.6.2): a header, then a sorted
 * table of pairs: address of a function, address of its unwind entry.
 */
#define RANK_LAST 255

/* The only encodings (DW_EH_PE_*) that linkers write. */
enum {
	POINTER_ENCODING = 0x1b, /* pcrel | sdata4 */
	COUNT_ENCODING = 0x03,	 /* udata4 */
	TABLE_ENCODING = 0x3b,	 /* datarel | sdata4 */
};

enum {
	HEADER_SIZE = 12,
	COUNT_AT = 8,
	PAIR_SIZE = 8
};

static bool header_find(Elf *file, GElf_Phdr *found)
{
	size_t count;

	if (elf_getphdrnum(file, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(file, i, found) &&
		    found->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

static int function_add(struct symbol_table *table, uint64_t address)
{
	char name[32];
	struct symbol symbol = {
		.address = address, .name = name, .rank = RANK_LAST};
	char *end = text_hex(text_string(name, "fn_"), address, 1);

	*end = '\0';
	return symbol_table_add(table, &symbol);
}

static int table_read(const Elf_Data *data, uint64_t base,
		      struct symbol_table *table)
{
	const uint8_t *p = data->d_buf;
	uint64_t count = get32(p + COUNT_AT);

	if (p[0] != 1 || p[1] != POINTER_ENCODING || p[2] != COUNT_ENCODING ||
	    p[3] != TABLE_ENCODING)
		return 0;
	if (count > (data->d_size - HEADER_SIZE) / PAIR_SIZE)
		count = (data->d_size - HEADER_SIZE) / PAIR_SIZE;
	for (uint64_t i = 0; i < count; i++) {
		int32_t offset = get32(p + HEADER_SIZE + PAIR_SIZE * i);
		int ret = function_add(table, base + offset);

		if (ret)
			return ret;
	}
	return 0;
}

static int eh_frame_read(Elf *file, struct symbol_table *table)
{
	const char *ident = elf_getident(file, NULL);
	Elf_Data *data;
	GElf_Phdr phdr;

	if (!ident || ident[EI_DATA] != ELFDATA2LSB ||
	    !header_find(file, &phdr))
		return 0;
	data = elf_getdata_rawchunk(file, phdr.p_offset, phdr.p_filesz,
				    ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size < HEADER_SIZE)
		return 0;
	return table_read(data, phdr.p_vaddr, table);
}

static int read_module(Dwfl_Module *module, struct elf_symbols *elf)
{
	struct names names = {};
	GElf_Addr bias;
	Elf *file;
	int ret;

	file = dwfl_module_getelf(module, &bias);
	if (!file)
		return -ENOENT;
	if (elf->is_module)
		place_sections(file, elf);
	ret = elf->is_module ? 0 : read_segments(file, elf);
	if (!ret)
		ret = read_symbols(module, bias, &names, elf);
	if (!ret && elf->kind == SYMBOL_CODE && !elf->is_module)
		ret = plt_read(file, &names, &elf->table);
	if (!ret && elf->kind == SYMBOL_CODE && !elf->is_module)
		ret = eh_frame_read(file, &elf->table);
	symbol_table_sort(&elf->table);
	return ret;
}

static int read_modules(int fd, const char *path,
			const struct debug_search *search,
			struct elf_symbols *elf)
{
	Dwfl_Module *module;
	int ret = -ENOENT;
	Dwfl *dwfl;

	dwfl = debug_begin(fd, path, search, &module);
	if (!dwfl)
		return -ENOMEM;
	if (module)
		ret = read_module(module, elf);
	dwfl_end(dwfl);
	return ret;
}

int elf_read(int fd, const char *path, const struct debug_search *search,
	     const struct elf_wanted *wanted, struct elf_id *id,
	     struct elf_symbols *elf)
{
	int ret = read_layout(fd, wanted, id, elf);

	if (ret)
		close(fd);
	else
		ret = read_modules(fd, path, search, elf);
	if (ret)
		elf_fini(elf);
	return ret;
}
