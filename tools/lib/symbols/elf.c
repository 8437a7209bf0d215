// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "elf.h"
#include "base/array.h"
#include "base/io.h"

#include <fcntl.h>
#include <sys/mman.h>

int elf_add_segment(struct elf_symbols *elf, const struct segment *segment)
{
	return array_add(elf->segments, elf->nr_segments, elf->max_segments,
			 *segment);
}

/* Larger than the symbols of any program. */
#define IMAGE_MAX (UINT64_C(2) << 30)

/* Writes the names after all else, and replaces them with their offsets. */
static void save_names(FILE *file, struct symbol_table *table,
		       struct elf_image *image)
{
	size_t nr = table->count + table->aside;

	fseek(file,
	      nr * sizeof(*table->symbols) +
		      image->nr_segments * sizeof(struct segment),
	      SEEK_SET);
	for (size_t i = 0; i < nr; i++) {
		const char *name = table->symbols[i].name;
		size_t size = strlen(name) + 1;

		fwrite(name, size, 1, file);
		table->symbols[i].name = (const char *)(uintptr_t)image->names;
		image->names += size;
	}
}

static void save_rest(FILE *file, const struct elf_symbols *elf)
{
	const struct symbol_table *table = &elf->table;

	rewind(file);
	if (table->symbols)
		fwrite(table->symbols, sizeof(*table->symbols),
		       table->count + table->aside, file);
	if (elf->segments)
		fwrite(elf->segments, sizeof(*elf->segments), elf->nr_segments,
		       file);
}

/* Returns a stream that writes to @fd and leaves it open, or NULL. */
static FILE *stream_to(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "w");

	if (!file && copy >= 0)
		close(copy);
	return file;
}

int elf_save(struct elf_symbols *elf, struct elf_image *image)
{
	int fd = memfd_create("symbols", MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : stream_to(fd);
	int ret = file ? 0 : -errno;

	*image = (struct elf_image){.nr_symbols = elf->table.count,
				    .nr_aside = elf->table.aside,
				    .nr_segments = elf->nr_segments};
	if (file) {
		save_names(file, &elf->table, image);
		save_rest(file, elf);
		ret = ferror(file) ? -ENOSPC : 0;
		if (fclose(file))
			ret = -errno;
	}
	if (!ret)
		return fd;
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Reads all @size bytes at @offset. The file may be shorter than it says. */
static int read_all(int fd, void *data, size_t size, off_t offset)
{
	return io_read_at(fd, data, size, offset) == (ssize_t)size ? 0
								   : -EBADMSG;
}

static bool is_bounded(const struct elf_image *image)
{
	uint64_t left = IMAGE_MAX;

	if (image->nr_symbols > left / sizeof(struct symbol) ||
	    image->nr_aside > left / sizeof(struct symbol) ||
	    image->nr_segments > left / sizeof(struct segment) ||
	    image->names > left)
		return false;
	return (image->nr_symbols + image->nr_aside) * sizeof(struct symbol) +
		       image->nr_segments * sizeof(struct segment) +
		       image->names <=
	       left;
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

static int load_symbols(int fd, const struct elf_image *image,
			struct symbol_table *table)
{
	size_t size =
		(image->nr_symbols + image->nr_aside) * sizeof(*table->symbols);
	off_t names = size + image->nr_segments * sizeof(struct segment);
	char *data = malloc(size + image->names + 1);
	int ret;

	if (!data)
		return -ENOMEM;
	/* One allocation, which symbol_table_fini() frees. */
	table->symbols = (void *)data;
	ret = read_all(fd, data, size, 0);
	if (!ret)
		ret = read_all(fd, data + size, image->names, names);
	if (ret)
		return ret;
	table->count = image->nr_symbols;
	table->aside = image->nr_aside;
	return take_symbols(table, data + size, image->names) ? 0 : -EBADMSG;
}

static int load_segments(int fd, const struct elf_image *image,
			 struct elf_symbols *elf)
{
	size_t size = image->nr_segments * sizeof(*elf->segments);
	off_t at =
		(image->nr_symbols + image->nr_aside) * sizeof(struct symbol);
	int ret;

	elf->segments = malloc(size + 1);
	if (!elf->segments)
		return -ENOMEM;
	ret = read_all(fd, elf->segments, size, at);
	if (ret)
		return ret;
	elf->nr_segments = elf->max_segments = image->nr_segments;
	return elf_place_segments(elf);
}

int elf_load(int fd, const struct elf_image *image, struct elf_symbols *elf)
{
	int ret = is_bounded(image) ? 0 : -EFBIG;

	if (!ret)
		ret = load_symbols(fd, image, &elf->table);
	if (!ret)
		ret = load_segments(fd, image, elf);
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
