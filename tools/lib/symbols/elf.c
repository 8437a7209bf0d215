// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Reads symbols with libdwfl, which combines those of the file, of its debug
 * file and of .gnu_debugdata.
 */
#include "elf.h"
#include "base/array.h"
#include "base/build_id.h"
#include "base/little_endian.h"
#include "base/text.h"
#include "module_layout.h"
#include "plt.h"
#include "unpack.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
			struct elf_symbols *elf)
{
	int count = dwfl_module_getsymtab(module);
	struct names names = {};

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
		if (!names_have_room(&names, file, symbol.name))
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

int elf_add_segment(struct elf_symbols *elf, const struct segment *segment)
{
	struct segment *segments =
		array_reserve(elf->segments, elf->nr_segments,
			      &elf->max_segments, sizeof(*segments));

	if (!segments)
		return -ENOMEM;
	elf->segments = segments;
	segments[elf->nr_segments++] = *segment;
	return 0;
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

/* Must run before libdwfl opens the file, because that relocates modules. */
static int read_layout(int fd, struct elf_symbols *elf)
{
	GElf_Ehdr header = {};
	Elf *file;
	int ret = 0;

	elf_version(EV_CURRENT);
	file = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!gelf_getehdr(file, &header) ||
	    elf->is_module != (header.e_type == ET_REL))
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

static bool is_wanted_module(Dwfl_Module *module, const uint8_t *wanted,
			     size_t size)
{
	const unsigned char *bits;
	GElf_Addr address;
	int n;

	if (!size)
		return true;
	n = dwfl_module_build_id(module, &bits, &address);
	return n > 0 && build_id_is(wanted, size, bits, n);
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

static int read_module(Dwfl_Module *module, const uint8_t *build_id,
		       size_t build_id_size, struct elf_symbols *elf)
{
	GElf_Addr bias;
	Elf *file;
	int ret;

	file = dwfl_module_getelf(module, &bias);
	if (!file || !is_wanted_module(module, build_id, build_id_size))
		return -ENOENT;
	if (elf->is_module)
		place_sections(file, elf);
	ret = elf->is_module ? 0 : read_segments(file, elf);
	if (!ret)
		ret = read_symbols(module, bias, elf);
	if (!ret && elf->kind == SYMBOL_CODE && !elf->is_module)
		ret = plt_read(file, &elf->table);
	if (!ret && elf->kind == SYMBOL_CODE && !elf->is_module)
		ret = eh_frame_read(file, &elf->table);
	symbol_table_sort(&elf->table);
	return ret;
}

static int read_modules(int fd, const char *path,
			const struct debug_search *search,
			const uint8_t *build_id, size_t build_id_size,
			struct elf_symbols *elf)
{
	Dwfl_Module *module;
	int ret = -ENOENT;
	Dwfl *dwfl;

	dwfl = debug_begin(fd, path, search, &module);
	if (!dwfl)
		return -ENOMEM;
	if (module)
		ret = read_module(module, build_id, build_id_size, elf);
	dwfl_end(dwfl);
	return ret;
}

int elf_read_file(int fd, const char *path, const struct debug_search *search,
		  const uint8_t *build_id, size_t build_id_size,
		  struct elf_symbols *elf)
{
	int ret;

	if (fd < 0)
		return -ENOENT;
	ret = read_layout(fd, elf);
	if (ret)
		close(fd);
	else
		ret = read_modules(fd, path, search, build_id, build_id_size,
				   elf);
	if (!ret)
		ret = elf_place_segments(elf);
	if (ret)
		elf_fini(elf);
	return ret;
}

int elf_read(const char *path, const struct debug_search *search,
	     const uint8_t *build_id, size_t build_id_size,
	     struct elf_symbols *elf)
{
	return elf_read_file(unpack_open(path), path, search, build_id,
			     build_id_size, elf);
}

static struct mapping segment_mapping(const struct elf_symbols *elf,
				      size_t index, uint64_t size)
{
	uint64_t start = elf->segments[index].offset, end = start + size;

	return (struct mapping){.start = start,
				.end = end < start ? UINT64_MAX : end,
				.dso = index};
}

/*
 * If segments overlap in the file, the first one wins. If they only have .bss
 * at an offset, the last one wins, because earlier segments may be padded to
 * the end of their page.
 */
int elf_place_segments(struct elf_symbols *elf)
{
	size_t nr = elf->nr_segments;
	struct mapping m;

	for (size_t i = nr; i-- > 0;) {
		m = segment_mapping(elf, i, elf->segments[i].size);
		if (space_map(&elf->pool, &elf->in_file, &m))
			return -ENOMEM;
	}
	for (size_t i = 0; i < nr && elf->kind != SYMBOL_CODE; i++) {
		m = segment_mapping(elf, i, elf->segments[i].memory);
		if (space_map(&elf->pool, &elf->in_memory, &m))
			return -ENOMEM;
	}
	return 0;
}

/* Prefers a segment with the byte itself to one with .bss at that offset. */
static const struct segment *find_segment(const struct elf_symbols *elf,
					  uint64_t file_offset,
					  struct pmscope_around *around)
{
	const struct mapping *m;

	m = space_find(&elf->in_file, file_offset, around);
	if (!m && elf->kind != SYMBOL_CODE)
		m = space_find(&elf->in_memory, file_offset, around);
	return m ? &elf->segments[m->dso] : NULL;
}

static uint64_t address_in(const struct segment *s, uint64_t file_offset)
{
	return file_offset - s->offset + s->address;
}

bool elf_address(const struct elf_symbols *elf, uint64_t file_offset,
		 uint64_t *address, struct pmscope_around *around)
{
	const struct segment *s = find_segment(elf, file_offset, around);

	if (!s)
		return false;
	*address = address_in(s, file_offset);
	return true;
}

bool elf_code_at(const struct elf_symbols *elf, uint64_t file_offset,
		 uint64_t *address, uint32_t *section)
{
	const struct segment *s = find_segment(elf, file_offset, NULL);

	if (!s)
		return false;
	*section = s->section;
	*address = s->section ? file_offset - s->offset
			      : address_in(s, file_offset);
	return true;
}

const struct symbol *elf_find(const struct elf_symbols *elf,
			      uint64_t file_offset, uint64_t *offset,
			      struct pmscope_around *around)
{
	const struct segment *s = find_segment(elf, file_offset, around);
	const struct symbol *symbol;
	uint64_t address;

	if (!s)
		return NULL;
	address = address_in(s, file_offset);
	symbol = symbol_table_find(&elf->table, address, around);
	/* In a module, a symbol does not extend into the next section. */
	if (!symbol || (elf->is_module && symbol->address < s->address))
		return NULL;
	*offset = address - symbol->address;
	return symbol;
}

void elf_fini(struct elf_symbols *elf)
{
	symbol_table_fini(&elf->table);
	free(elf->segments);
	space_pool_fini(&elf->pool);
	*elf = (struct elf_symbols){.kind = elf->kind,
				    .is_module = elf->is_module};
}
