// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "elf.h"
#include "base/a64.h"
#include "base/io.h"

#define MRS_TPIDR_EL0 0xd53bd040

/* Is another way to here more likely than the instruction before? */
static bool ends_flow(uint32_t code, size_t behind)
{
	/* A loop that is entered at its condition, behind. */
	if ((code & 0xfc000000) == 0x14000000)
		return a64_immediate(code, 0, 26) <= (int64_t)behind;
	/* BR, RET and what authenticates before that, but not BLR */
	return (code & 0xfe000000) == 0xd6000000 && (code >> 21 & 3) != 1;
}

/* Follows @reg back from before code[@at]. @added_to: the last step did that */
static enum address_base follow(const uint32_t *code, size_t at,
				unsigned int reg, bool added_to,
				uint64_t *offset)
{
	enum address_base base;
	uint64_t before;

	for (size_t i = at; i-- > 0 && reg != A64_SP;) {
		uint32_t c = code[i];

		if (ends_flow(c, at - i))
			return BASE_UNKNOWN;
		if (!a64_writes(c, reg))
			continue;
		if ((c & ~31U) == MRS_TPIDR_EL0)
			return added_to ? BASE_THREAD_OFFSET : BASE_THREAD;
		if (a64_is_add_immediate(c)) {
			*offset += a64_added(c);
			reg = a64_rn(c);
			added_to = true;
			continue;
		}
		if (a64_is_move(c)) {
			reg = a64_rm(c);
			if (reg == A64_SP)
				return BASE_UNKNOWN;
			continue;
		}
		/*
		 * ADD of registers: the index may be either, if not shifted.
		 * Only the extended form has the stack pointer.
		 */
		if ((c & 0xff000000) != 0x8b000000)
			return BASE_UNKNOWN;
		if (a64_rn(c) == A64_SP)
			return c >> 21 & 1 ? BASE_STACK : BASE_UNKNOWN;
		before = *offset;
		base = follow(code, i, a64_rn(c), false, offset);
		if (base != BASE_UNKNOWN || c & 0xfc00)
			return base;
		*offset = before;
		return a64_rm(c) == A64_SP
			       ? BASE_UNKNOWN
			       : follow(code, i, a64_rm(c), false, offset);
	}
	return reg == A64_SP ? BASE_STACK : BASE_UNKNOWN;
}

enum address_base address_base(const uint32_t *code, size_t nr,
			       uint64_t *offset)
{
	uint32_t access = nr ? code[nr - 1] : 0;

	if (!a64_is_memory(access))
		return BASE_UNKNOWN;
	*offset = a64_offset(access);
	return follow(code, nr - 1, a64_rn(access), false, offset);
}

int elf_add_segment(struct elf_symbols *elf, const struct segment *segment)
{
	return array_add(elf->segments, elf->nr_segments, elf->max_segments,
			 *segment);
}

/* Larger than the symbols of any program. */
#define IMAGE_MAX (UINT64_C(2) << 30)

/* The names come after all else, and are replaced with their offsets. */
static void save(FILE *file, struct elf_symbols *elf, struct elf_image *image)
{
	struct symbol *symbols = elf->table.symbols;
	size_t nr = image->nr_symbols + image->nr_aside;

	fseek(file,
	      nr * sizeof(*symbols) +
		      image->nr_segments * sizeof(*elf->segments),
	      SEEK_SET);
	for (size_t i = 0; i < nr; i++) {
		size_t size = strlen(symbols[i].name) + 1;

		fwrite(symbols[i].name, size, 1, file);
		symbols[i].name = (const char *)(uintptr_t)image->names;
		image->names += size;
	}
	rewind(file);
	if (symbols)
		fwrite(symbols, sizeof(*symbols), nr, file);
	if (elf->segments)
		fwrite(elf->segments, sizeof(*elf->segments), elf->nr_segments,
		       file);
}

int elf_save(struct elf_symbols *elf, struct elf_image *image)
{
	int fd = memfd_create("symbols", MFD_CLOEXEC), ret = 0;
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "w");

	*image = (struct elf_image){.nr_symbols = elf->table.count,
				    .nr_aside = elf->table.aside,
				    .nr_segments = elf->nr_segments};
	if (file)
		save(file, elf, image);
	if (!file || ferror(file))
		ret = file ? -ENOSPC : -errno;
	if (file ? fclose(file) : copy >= 0 && close(copy))
		ret = -errno;
	if (ret && fd >= 0)
		close(fd);
	return ret ?: fd;
}

/* Makes names of the offsets. Checks what lookups rely on. */
static bool take_symbols(struct symbol_table *table, const char *names,
			 uint64_t size)
{
	struct symbol *s = table->symbols;

	if (size && names[size - 1])
		return false;
	for (size_t i = 0; i < table->count + table->aside; i++) {
		uint64_t name = (uintptr_t)s[i].name;

		if (name >= size || (i < table->count && s[i].around > i) ||
		    (i && i < table->count && s[i].address <= s[i - 1].address))
			return false;
		s[i].name = names + name;
		s[i].module = NULL;
	}
	return true;
}

/* The file may be shorter than it says. One allocation has all of it. */
static int load(int fd, const struct elf_image *image, size_t symbols,
		size_t segments, struct elf_symbols *elf)
{
	size_t size = symbols + segments + image->names;
	char *data = malloc(size + 1);

	elf->table.symbols = (void *)data;
	elf->segments = malloc(segments + 1);
	if (!data || !elf->segments)
		return -ENOMEM;
	if (io_read_at(fd, data, size, 0) != (ssize_t)size)
		return -EBADMSG;
	elf->table.count = image->nr_symbols;
	elf->table.aside = image->nr_aside;
	memcpy(elf->segments, data + symbols, segments);
	elf->nr_segments = elf->max_segments = image->nr_segments;
	return take_symbols(&elf->table, data + symbols + segments,
			    image->names)
		       ? elf_place_segments(elf)
		       : -EBADMSG;
}

int elf_load(int fd, const struct elf_image *image, struct elf_symbols *elf)
{
	unsigned __int128 symbols = sizeof(*elf->table.symbols);
	unsigned __int128 segments = sizeof(*elf->segments);
	int ret = -EFBIG;

	symbols *= (unsigned __int128)image->nr_symbols + image->nr_aside;
	segments *= image->nr_segments;
	if (symbols + segments + image->names <= IMAGE_MAX)
		ret = load(fd, image, symbols, segments, elf);
	if (ret)
		elf_fini(elf);
	return ret;
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
