// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "records.h"
#include "base/io.h"
#include "base/names.h"

#include <elf.h>

/* At most so many bytes of so many notes are read of a file. */
#define NOTES_MAX 8192
#define NOTES_NR  64

static bool set_id(struct pmscope_build_id *id, const void *bytes, size_t size)
{
	if (!size || size > sizeof(id->id))
		return false;
	memcpy(id->id, bytes, size);
	id->size = size;
	return true;
}

/* Searches ELF notes that are aligned to @align bytes. */
static bool find_note(const char *buf, size_t size, size_t align,
		      struct pmscope_build_id *id)
{
	size_t at = 0;
	Elf64_Nhdr note;

	while (at < size && size - at >= sizeof(note)) {
		size_t name_at = at + sizeof(note), desc_at;

		memcpy(&note, buf + at, sizeof(note));
		desc_at = (name_at + note.n_namesz + align - 1) & -align;
		if (desc_at + note.n_descsz > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(buf + name_at, "GNU", 4))
			return set_id(id, buf + desc_at, note.n_descsz);
		at = (desc_at + note.n_descsz + align - 1) & -align;
	}
	return false;
}

/* What of a segment or a section is read here. */
struct notes {
	uint64_t offset;
	uint64_t size;
	uint64_t align;
	bool are_notes;
};

#define NOTES_OF(entry, type, wanted, offset, size, align)              \
	((struct notes){(entry)->offset, (entry)->size, (entry)->align, \
			(entry)->type == (wanted)})

static struct notes notes_of(const void *entry, bool is_64, bool of_segment)
{
	const Elf64_Phdr *p64 = entry;
	const Elf32_Phdr *p32 = entry;
	const Elf64_Shdr *s64 = entry;
	const Elf32_Shdr *s32 = entry;

	if (of_segment)
		return is_64 ? NOTES_OF(p64, p_type, PT_NOTE, p_offset,
					p_filesz, p_align)
			     : NOTES_OF(p32, p_type, PT_NOTE, p_offset,
					p_filesz, p_align);
	return is_64 ? NOTES_OF(s64, sh_type, SHT_NOTE, sh_offset, sh_size,
				sh_addralign)
		     : NOTES_OF(s32, sh_type, SHT_NOTE, sh_offset, sh_size,
				sh_addralign);
}

static bool find_in_table(int fd, uint64_t table, size_t nr, bool is_64,
			  bool of_segments, struct pmscope_build_id *id)
{
	union {
		Elf64_Phdr p64;
		Elf32_Phdr p32;
		Elf64_Shdr s64;
		Elf32_Shdr s32;
	} entry;
	size_t size = of_segments
			      ? is_64 ? sizeof(entry.p64) : sizeof(entry.p32)
		      : is_64 ? sizeof(entry.s64)
			      : sizeof(entry.s32);
	size_t nr_notes = 0;
	char buf[NOTES_MAX];

	for (size_t i = 0; i < nr && nr_notes < NOTES_NR; i++) {
		struct notes notes;
		ssize_t got;

		if (io_read_at(fd, &entry, size, table + i * size) !=
		    (ssize_t)size)
			return false;
		notes = notes_of(&entry, is_64, of_segments);
		if (!notes.are_notes)
			continue;
		nr_notes++;
		got = io_read_at(fd, buf,
				 notes.size < sizeof(buf) ? notes.size
							  : sizeof(buf),
				 notes.offset);
		if (got > 0 &&
		    find_note(buf, got, notes.align == 8 ? 8 : 4, id))
			return true;
	}
	return false;
}

/* Its owner may change and cut it meanwhile: a mapping would raise SIGBUS. */
static bool find_in_elf(int fd, struct pmscope_build_id *id)
{
	union {
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} head = {};
	bool is_64;

	if (io_read_at(fd, &head, sizeof(head), 0) <
		    (ssize_t)sizeof(head.e32) ||
	    memcmp(head.e32.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e32.e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	is_64 = head.e32.e_ident[EI_CLASS] == ELFCLASS64;
	return is_64 ? find_in_table(fd, head.e64.e_phoff, head.e64.e_phnum,
				     true, true, id) ||
			       find_in_table(fd, head.e64.e_shoff,
					     head.e64.e_shnum, true, false, id)
		     : find_in_table(fd, head.e32.e_phoff, head.e32.e_phnum,
				     false, true, id) ||
			       find_in_table(fd, head.e32.e_shoff,
					     head.e32.e_shnum, false, false,
					     id);
}

bool buildid_of_file(const char *path, struct pmscope_build_id *id)
{
	struct stat st;
	CLOSED int fd = regular_open(path, 0, &st);

	return fd >= 0 && find_in_elf(fd, id);
}

/* Notes without an ELF file around them, as in sysfs. */
static bool find_in_notes(const char *path, struct pmscope_build_id *id)
{
	char buf[NOTES_MAX];
	size_t size;
	FILE *file;

	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(buf, 1, sizeof(buf), file);
	fclose(file);
	return find_note(buf, size, 4, id);
}

/* Finds the loaded module of ".../a-b.ko.xz" or "[a_b]": a_b. */
static bool find_module(const char *name, struct pmscope_build_id *id)
{
	char module[MODULE_NAME_SIZE], path[128];

	module_name_of(name, module);
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id",
		 module);
	return find_in_notes(path, id);
}

bool buildid_find(const char *name, struct pmscope_build_id *id)
{
	id->name = name;
	if (is_kernel_name(name)) {
		id->name = KERNEL_NAME;
		return find_in_notes("/sys/kernel/notes", id);
	}
	if (name[0] == '[')
		return find_module(name, id);
	if (name[0] != '/')
		return false;
	if (module_file_end(name) && find_module(name, id))
		return true;
	return buildid_of_file(name, id);
}
