// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Reads symbols with libdwfl, which combines those of the file, of its debug
 * file and of .gnu_debugdata. It names neither PLT stubs nor, in a stripped
 * file, functions.
 */
#include "elf.h"
#include "base/names.h"
#include "base/record.h"
#include "base/notes.h"
#include "files.h"

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
		/* AAELF64 mapping symbols ($x, $d) are no names. */
		if (!symbol.name || strchr("$", *symbol.name) ||
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

	if (gelf_getehdr(file, &header))
		for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
			if (header.e_machine == shapes[i].machine)
				return &shapes[i];
	return NULL;
}

static int stub_add(Elf *file, const char *text, struct symbol symbol,
		    struct names *names, struct symbol_table *table)
{
	char name[NAME_MAX_LENGTH + sizeof("@plt")];

	if (!text || !*text)
		return 0;
	snprintf(name, sizeof(name), "%.*s@plt", NAME_MAX_LENGTH, text);
	symbol.name = name;
	return names_have_room(names, file, name)
		       ? symbol_table_add(table, &symbol)
		       : 0;
}

/*
 * Code calls the stubs in .plt.sec with x86-64 IBT, else in .plt. The header is
 * named, which unbound stubs jump to: otherwise it would seem to be part of
 * _init, which precedes it. Static programs have none, because there is no lazy
 * binding.
 */
static int plt_read(Elf *file, struct names *names, struct symbol_table *table)
{
	const struct shape *shape = shape_of(file);
	struct symbol symbol = {.name = ".plt", .rank = RANK_STUB};
	struct section relocs, symbols, plt, called;
	Elf_Data *entries, *data;
	size_t count, before = 0;
	bool has_plt = section_find(file, ".plt", &plt);
	bool has_sec = section_find(file, ".plt.sec", &called);
	int ret = 0;

	/* Another type could have any size without having the bytes. */
	if (!shape || !section_find(file, ".rela.plt", &relocs) ||
	    relocs.header.sh_type != SHT_RELA || !relocs.header.sh_entsize)
		return 0;
	count = relocs.header.sh_size / relocs.header.sh_entsize;
	if (has_plt) {
		if (plt.header.sh_size >= shape->header + count * shape->stub)
			before = shape->header;
		symbol.address = plt.header.sh_addr;
		symbol.size = has_sec ? plt.header.sh_size : before;
		if (symbol.size && symbol_table_add(table, &symbol))
			return -ENOMEM;
	}
	if (has_sec) {
		plt = called;
		before = 0;
	}
	entries = elf_getdata(relocs.scn, NULL);
	if (!count || (!has_plt && !has_sec) || !entries ||
	    plt.header.sh_size < before + count * shape->stub ||
	    !section_read(file, elf_getscn(file, relocs.header.sh_link),
			  &symbols) ||
	    !(data = elf_getdata(symbols.scn, NULL)))
		return 0;
	symbol.size = (plt.header.sh_size - before) / count;
	symbol.address = plt.header.sh_addr + before;
	for (size_t i = 0; i < count && !ret;
	     i++, symbol.address += symbol.size) {
		GElf_Rela rela;
		GElf_Sym sym;

		if (gelf_getrela(entries, i, &rela) &&
		    GELF_R_SYM(rela.r_info) &&
		    gelf_getsym(data, GELF_R_SYM(rela.r_info), &sym))
			ret = stub_add(file,
				       elf_strptr(file, symbols.header.sh_link,
						  sym.st_name),
				       symbol, names, table);
	}
	return ret;
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
		char name[32];
		struct symbol symbol = {.address = base + offset,
					.name = name,
					.rank = RANK_LAST};

		*text_hex(text_string(name, "fn_"), symbol.address, 1) = '\0';
		if (symbol_table_add(table, &symbol))
			return -ENOMEM;
	}
	return 0;
}

static int eh_frame_read(Elf *file, struct symbol_table *table)
{
	const char *ident = elf_getident(file, NULL);
	size_t nr = 0, i = 0;
	Elf_Data *data;
	GElf_Phdr phdr;

	if (!ident || ident[EI_DATA] != ELFDATA2LSB ||
	    elf_getphdrnum(file, &nr))
		return 0;
	while (i < nr && (!gelf_getphdr(file, i, &phdr) ||
			  phdr.p_type != PT_GNU_EH_FRAME))
		i++;
	if (i == nr)
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

int elf_read(int fd, const char *path, const struct debug_search *search,
	     const struct elf_wanted *wanted, struct elf_id *id,
	     struct elf_symbols *elf)
{
	int ret = read_layout(fd, wanted, id, elf);
	Dwfl_Module *module;
	Dwfl *dwfl;

	if (ret) {
		close(fd);
	} else {
		dwfl = debug_begin(fd, path, search, &module);
		ret = !dwfl    ? -ENOMEM
		      : module ? read_module(module, elf)
			       : -ENOENT;
		dwfl_end(dwfl);
	}
	if (ret)
		elf_fini(elf);
	return ret;
}
