// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Where the kernel loads a module's code. It puts executable sections first, in
 * the order of the file (layout_sections() in kernel/module/main.c). Before
 * that, arm64 sizes .plt: one stub for each function in another section that a
 * section calls (arch/arm64/kernel/module-plts.c).
 */
#include "elf.h"

#define STUB_SIZE	 12
#define STUBS_ALIGN	 64 /* L1_CACHE_BYTES */
#define TRAMPOLINE_ALIGN 4
/* The kernel's own modules have fewer than ten code sections. */
#define MAX_SEGMENTS 64

/* The places of all further sections are unknown. */
#define LAYOUT_ENDS 1

struct layout {
	Elf *file;
	struct elf_symbols *elf;
	uint64_t end;
	bool arm;
	bool stubs; /* .plt was placed */
};

static bool stays(const struct section *s)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;

	return (s->header.sh_flags & code) == code &&
	       strncmp(s->name, ".init", 5) != 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t count_different(uint64_t *keys, size_t nr)
{
	size_t count = 0;

	qsort(keys, nr, sizeof(*keys), compare);
	for (size_t i = 0; i < nr; i++)
		count += !i || keys[i] != keys[i - 1];
	return count;
}

/*
 * If all of a section's relocations are calls, the kernel does not sort the
 * last one, and notices only from its neighbour that it is a duplicate.
 */
static size_t count_all_but_last(uint64_t *keys, size_t nr)
{
	uint64_t last = keys[--nr];
	size_t count = count_different(keys, nr);

	return count + (!nr || last != keys[nr - 1]);
}

/* Returns true for a call into another section. */
static bool needs_stub(const GElf_Rela *rela, Elf_Data *symbols, size_t section)
{
	uint64_t type = GELF_R_TYPE(rela->r_info);
	GElf_Sym symbol;

	return (type == R_AARCH64_JUMP26 || type == R_AARCH64_CALL26) &&
	       gelf_getsym(symbols, GELF_R_SYM(rela->r_info), &symbol) &&
	       symbol.st_shndx != section;
}

/* Counts the stubs for the relocations in @s; returns -1 if out of memory. */
static ssize_t count_stubs(Elf *file, const struct section *s)
{
	Elf_Scn *linked = elf_getscn(file, s->header.sh_link);
	Elf_Data *symbols = linked ? elf_getdata(linked, NULL) : NULL;
	Elf_Data *data = elf_getdata(s->scn, NULL);
	size_t all = data ? data->d_size / sizeof(Elf64_Rela) : 0;
	size_t count = 0, nr = 0;
	GElf_Rela rela;
	uint64_t *keys;

	if (!symbols || !all)
		return 0;
	keys = calloc(all, sizeof(*keys));
	if (!keys)
		return -1;
	for (size_t i = 0; i < all; i++) {
		if (!gelf_getrela(data, i, &rela) ||
		    !needs_stub(&rela, symbols, s->header.sh_info))
			continue;
		if (rela.r_addend)
			count++;
		else
			keys[nr++] = GELF_R_TYPE(rela.r_info) << 32 |
				     GELF_R_SYM(rela.r_info);
	}
	count += nr == all ? count_all_but_last(keys, nr)
			   : count_different(keys, nr);
	free(keys);
	return count;
}

static ssize_t count_all_stubs(Elf *file)
{
	struct section s, of;
	ssize_t count = 0, more;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file, scn));) {
		if (!section_read(file, scn, &s) ||
		    s.header.sh_type != SHT_RELA ||
		    !section_read(file, elf_getscn(file, s.header.sh_info),
				  &of) ||
		    !stays(&of))
			continue;
		more = count_stubs(file, &s);
		if (more < 0)
			return -1;
		count += more;
	}
	return count;
}

/* Places @size bytes after everything so far; returns their address. */
static uint64_t append(struct layout *layout, uint64_t align, uint64_t size)
{
	uint64_t at = align ? (layout->end + align - 1) & -align : layout->end;

	layout->end = at + size;
	return at;
}

static int code_add(struct layout *layout, const struct section *s)
{
	const GElf_Shdr *h = &s->header;
	struct segment segment = {
		.offset = append(layout, h->sh_addralign, h->sh_size),
		.size = h->sh_size,
		.memory = h->sh_size,
		.section = elf_ndxscn(s->scn),
	};

	if (layout->elf->nr_segments == MAX_SEGMENTS)
		return LAYOUT_ENDS;
	return elf_add_segment(layout->elf, &segment);
}

/* A debug file does not tell the size of .plt, so the layout ends there. */
static int stubs_add(struct layout *layout, const struct section *s)
{
	ssize_t stubs;

	if (layout->stubs || s->header.sh_type == SHT_NOBITS)
		return LAYOUT_ENDS;
	layout->stubs = true;
	stubs = count_all_stubs(layout->file);
	if (stubs < 0)
		return -ENOMEM;
	append(layout, STUBS_ALIGN, (stubs + 1) * STUB_SIZE);
	return 0;
}

int module_layout(Elf *file, struct elf_symbols *elf)
{
	struct layout layout = {.file = file, .elf = elf};
	struct section s;
	GElf_Ehdr header;
	int ret = 0;

	if (!gelf_getehdr(file, &header) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64)
		return -ENOENT;
	layout.arm = header.e_machine == EM_AARCH64;
	for (Elf_Scn *scn = NULL; !ret && (scn = elf_nextscn(file, scn));)
		if (!section_read(file, scn, &s) || !stays(&s))
			continue;
		else if (layout.arm && !strcmp(s.name, ".plt"))
			ret = stubs_add(&layout, &s);
		else if (layout.arm &&
			 !strcmp(s.name, ".text.ftrace_trampoline"))
			append(&layout, TRAMPOLINE_ALIGN, STUB_SIZE);
		else
			ret = code_add(&layout, &s);
	if (ret < 0)
		return ret;
	return elf->nr_segments ? 0 : -ENOENT;
}
