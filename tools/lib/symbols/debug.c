// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Finds debug files: in /usr/lib/debug here and below symfs, beside the
 * program, in perf's cache, and on debuginfod servers.
 */
#include "files.h"
#include "base/io.h"
#include "elf.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <endian.h>
#include <zlib.h>

#define DEBUG_DIR "/usr/lib/debug"

/*
 * The debug file to look for. It is identified by its build-id; if the program
 * has none, by its CRC; if there is none either, only by its name.
 */
struct wanted {
	struct pmscope_place id;
	GElf_Word crc;
	const char *link;    /* its name in .gnu_debuglink, or NULL */
	const char *program; /* its program; NULL if shared by several */
	bool shared;	     /* named by .gnu_debugaltlink (dwz) */
	struct unread *unread;
};

/* A sparse file may have any size; no debug file is this large. */
#define SIZE_LIMIT (UINT64_C(8) << 30)

/* Returns true if the file open as @fd has the CRC in .gnu_debuglink. */
static bool link_crc_is(int fd, uint32_t crc)
{
	const uint8_t *data;
	size_t size;
	bool is;

	if (regular_map(fd, &data, &size))
		return false;
	is = data && size <= SIZE_LIMIT && crc32_z(0, data, size) == crc;
	regular_unmap(data, size);
	return is;
}

/*
 * Returns true if libdw may use @fd as a shared debug file. If libdw finds no
 * DWARF in it, it opens other files by itself, so refuse such a file.
 */
static bool may_be_shared(int fd)
{
	int plain = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	bool has_any = false;
	Elf *elf;

	if (plain < 0)
		return false;
	sections_unpack(&plain);
	elf = elf_begin(plain, ELF_C_READ_MMAP, NULL);
	if (elf && !link_shares(elf)) {
		Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);

		has_any = dwarf;
		dwarf_end(dwarf);
	}
	elf_end(elf);
	close(plain);
	return has_any;
}

static bool is_wanted(int fd, const struct wanted *wanted)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const struct pmscope_place *told = &wanted->id;
	bool is = elf && sections_are_sound(elf);
	const void *id;

	if (is && told->build_id_size)
		is = dwelf_elf_gnu_build_id(elf, &id) ==
			     (ssize_t)told->build_id_size &&
		     !memcmp(id, told->build_id, told->build_id_size);
	else if (is && wanted->crc)
		is = link_crc_is(fd, wanted->crc);
	is = is && (!wanted->shared || may_be_shared(fd));
	elf_end(elf);
	return is;
}

/* Is it the program itself? A debug file may have its name and build-id. */
static bool is_program(const struct stat *st, const char *program)
{
	struct stat other;

	return program && !stat(program, &other) &&
	       st->st_dev == other.st_dev && st->st_ino == other.st_ino;
}

/*
 * Opens the file at @path. Returns a file descriptor, or -1 if the file does
 * not exist or is not the wanted one.
 */
static int open_file(const char *path, const struct wanted *wanted)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || is_program(&st, wanted->program))
		return -1;
	/* perf's cache has directories named like programs. */
	if (S_ISDIR(st.st_mode) && wanted->program && !wanted->link)
		return -1;
	fd = unpack_open(path);
	unread_file(wanted->unread, path, fd);
	if (fd >= 0)
		limits_raise(path);
	if (fd >= 0 && !is_wanted(fd, wanted)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_by_id(const char *root, const char *below, const char *suffix,
		      const struct wanted *wanted, char *path)
{
	return build_id_path(path, root, below, &wanted->id, suffix)
		       ? open_file(path, wanted)
		       : -1;
}

/*
 * Opens a debug file of /usr/bin/NAME in ROOT/DIR/usr/bin/BELOW: by the name in
 * .gnu_debuglink or, without one, the program's own, which without a build-id
 * may be that of another build.
 */
static int open_named(const char *root, const char *dir, const char *name,
		      const char *below, const struct wanted *wanted,
		      char *path)
{
	const char *slash = name ? strrchr(name, '/') : NULL;
	const char *const ends[] = {wanted->link ? "" : ".debug", ""};
	size_t nr = wanted->link || !wanted->id.build_id_size ? 1 : 2;
	int fd = -1;

	for (size_t i = 0; slash && i < nr && fd < 0; i++)
		if (snprintf(path, PATH_MAX, "%s%s%.*s%s/%s%s", root, dir,
			     (int)(slash - name), name, below,
			     wanted->link ?: slash + 1, ends[i]) < PATH_MAX)
			fd = open_file(path, wanted);
	return fd;
}

/* Also where gdb looks. Packages from before the /usr merge use /lib. */
static int open_any(const struct debug_search *search, const char *file_name,
		    const struct wanted *wanted, char *path)
{
	const char *root = search->symfs ?: "", *name = search->name;
	bool is_told = wanted->id.build_id_size || wanted->crc;
	char room[PATH_MAX], *target = realpath(file_name, room);
	const struct {
		const char *root, *dir, *name, *below;
	} places[] = {
		{root, DEBUG_DIR, name, ""},
		{root, DEBUG_DIR,
		 name && !strncmp(name, "/usr/", 5) && is_told ? name + 4
							       : NULL,
		 ""},
		{"", "", file_name, ""},
		{"", "", file_name, "/.debug"},
		{"", DEBUG_DIR, file_name, ""},
		{"", "", target, ""},
		{"", "", target, "/.debug"},
		{"", DEBUG_DIR, target, ""},
	};
	int fd = open_by_id(root, DEBUG_DIR, ".debug", wanted, path);

	for (size_t i = 0; i < ARRAY_SIZE(places) && fd < 0; i++)
		fd = open_named(places[i].root, places[i].dir, places[i].name,
				places[i].below, wanted, path);
	if (fd < 0)
		fd = open_by_id(getenv("HOME"), "/.debug", "/debug", wanted,
				path);
	if (fd < 0 && *root)
		fd = open_by_id("", DEBUG_DIR, ".debug", wanted, path);
	return fd;
}

/* Opens a relative @link from the directory of @file_name's real path. */
static int open_relative(const char *file_name, const char *link,
			 const struct wanted *wanted, char *path)
{
	char target[PATH_MAX];

	if (*link == '/' || !realpath(file_name, target))
		return -1;
	*strrchr(target, '/') = '\0';
	return snprintf(path, PATH_MAX, "%s/%s", target, link) < PATH_MAX
		       ? open_file(path, wanted)
		       : -1;
}

static int open_shared_below(const char *root, const char *link,
			     const struct wanted *wanted, char *path)
{
	int fd = open_by_id(root, DEBUG_DIR, ".debug", wanted, path);

	if (fd < 0 && *link == '/' &&
	    snprintf(path, PATH_MAX, "%s%s", root, link) < PATH_MAX)
		fd = open_file(path, wanted);
	return fd;
}

/*
 * Returns the name in the .gnu_debugaltlink of @module's debug file, and its
 * build-id in @wanted; NULL if it has none.
 */
static const char *shared_link(Dwfl_Module *module, struct wanted *wanted)
{
	const char *link;
	const void *id;
	Dwarf_Addr bias;
	ssize_t size;

	size = dwelf_dwarf_gnu_debugaltlink(dwfl_module_getdwarf(module, &bias),
					    &link, &id);
	if (size <= 0)
		return NULL;
	wanted->id.build_id = id;
	wanted->id.build_id_size = size;
	return link;
}

/* Opens the file that @file_name shares with other debug files (dwz). */
static int open_shared(const struct debug_search *search, const char *file_name,
		       const char *link, const struct wanted *wanted,
		       char *path)
{
	const char *root = search->symfs ? search->symfs : "";
	int fd = open_shared_below(root, link, wanted, path);

	if (fd < 0)
		fd = open_relative(file_name, link, wanted, path);
	if (fd < 0 && *root)
		fd = open_shared_below("", link, wanted, path);
	return fd;
}

/* What is open, at @path, or a file from a server, which is checked likewise */
static int take(const struct debug_search *search, const struct wanted *wanted,
		int fd, const char *path, char **found)
{
	struct unreadable_files *missing = search->missing;

	if (fd < 0 && search->servers) {
		path = debuginfod_path(search->servers, missing,
				       DEBUGINFOD_DEBUGINFO,
				       wanted->id.build_id,
				       wanted->id.build_id_size);
		fd = path ? open_file(path, wanted) : -1;
	}
	if (fd < 0) {
		unreadable_add(missing, wanted->unread->path,
			       wanted->unread->error);
		return fd;
	}
	*found = strdup(path);
	missing->memory |= !*found;
	unreadable_found(missing, path);
	unreadable_add(missing, path, sections_unpack(&fd));
	return fd;
}

/*
 * If we give libdw no shared file, it opens whatever has that name: another
 * build, a pipe, or a file that links to the next one. So give it an empty
 * file.
 */
#define NAMES "\0.shstrtab\0.debug_info"

enum {
	NOTHING,
	STRINGS,
	INFO,
	NR_SECTIONS
};

/* libdw rejects a file whose .debug_info is empty; one byte is enough. */
static const struct image {
	Elf64_Ehdr header;
	Elf64_Shdr section[NR_SECTIONS];
	char names[sizeof(NAMES)];
	uint8_t info;
} image = {
	.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			       BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB
							   : ELFDATA2MSB,
			       EV_CURRENT},
		   .e_type = ET_REL,
		   .e_version = EV_CURRENT,
		   .e_shoff = offsetof(struct image, section),
		   .e_ehsize = sizeof(Elf64_Ehdr),
		   .e_shentsize = sizeof(Elf64_Shdr),
		   .e_shnum = NR_SECTIONS,
		   .e_shstrndx = STRINGS},
	.section[STRINGS] = {.sh_name = 1,
			     .sh_type = SHT_STRTAB,
			     .sh_offset = offsetof(struct image, names),
			     .sh_size = sizeof(NAMES),
			     .sh_addralign = 1},
	.section[INFO] = {.sh_name = sizeof("\0.shstrtab"),
			  .sh_type = SHT_PROGBITS,
			  .sh_offset = offsetof(struct image, info),
			  .sh_size = 1,
			  .sh_addralign = 1},
	.names = NAMES,
};

static int empty_open(void)
{
	int fd = memfd_create("pmscope", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, &image, sizeof(image)) != sizeof(image)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int find_shared(Dwfl_Module *module, const struct debug_search *search,
		       const char *file_name, char **found)
{
	struct unread unread = {};
	struct wanted wanted = {.shared = true, .unread = &unread};
	const char *link = shared_link(module, &wanted);
	char path[PATH_MAX];
	int fd;

	if (!link)
		return empty_open();
	fd = take(search, &wanted,
		  open_shared(search, file_name, link, &wanted, path), path,
		  found);
	return fd < 0 ? empty_open() : fd;
}

static int find_debuginfo(Dwfl_Module *module, void **userdata,
			  const char *name __attribute__((unused)),
			  Dwarf_Addr base __attribute__((unused)),
			  const char *file_name, const char *link,
			  GElf_Word crc, char **found)
{
	const struct debug_search *search = *userdata;
	struct unread unread = {};
	struct wanted wanted = {.crc = crc,
				.link = link,
				.program = file_name,
				.unread = &unread};
	char path[PATH_MAX];
	GElf_Addr address;
	int size;

	/* Only for a shared file (.gnu_debugaltlink) is the CRC 0. */
	if (link && !crc)
		return find_shared(module, search, file_name, found);
	size = dwfl_module_build_id(module, &wanted.id.build_id, &address);
	wanted.id.build_id_size = size > 0 ? size : 0;
	return take(search, &wanted, open_any(search, file_name, &wanted, path),
		    path, found);
}

static int check_symbols(int fd)
{
	Elf *file = elf_begin(fd, ELF_C_READ, NULL);
	bool sound = file && sections_strings_end(file) &&
		     sections_symbols_are_sound(file);

	elf_end(file);
	close(fd);
	return sound ? 0 : -ENOENT;
}

/*
 * libdw unpacks .gnu_debugdata without a size limit, and keeps using its symbol
 * count after it discarded the symbols, so check them first. Data that cannot
 * be unpacked is harmless.
 */
static int check_packed(Elf *file)
{
	struct section symbols;
	Elf_Data *data;
	int fd;

	if (!section_find(file, ".gnu_debugdata", &symbols))
		return 0;
	data = elf_rawdata(symbols.scn, NULL);
	if (!data || !data->d_buf)
		return 0;
	fd = unpack_symbols(data->d_buf, data->d_size);
	if (fd >= 0)
		return check_symbols(fd);
	return fd == -EBADMSG ? 0 : fd == -EFBIG ? -ENOENT : fd;
}

/*
 * Returns @fd; or, having closed it, -ENOENT for a file that libdw must not
 * read, or another -errno if the check itself failed.
 */
static int refuse_unsound(int fd)
{
	Elf *file = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	GElf_Word crc;
	int ret = 0;

	/* find_debuginfo() would take CRC 0 for a .gnu_debugaltlink. */
	if (file)
		ret = sections_are_sound(file) &&
				      (!dwelf_elf_gnu_debuglink(file, &crc) ||
				       crc)
			      ? check_packed(file)
			      : -ENOENT;
	elf_end(file);
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

Dwfl *debug_begin(int fd, const char *path, const struct debug_search *search,
		  Dwfl_Module **module)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	void **userdata;

	*module = NULL;
	if (fd >= 0) {
		fd = refuse_unsound(fd);
		unreadable_add(search->missing, path,
			       fd < 0 ? fd : sections_unpack(&fd));
	}
	if (dwfl && fd >= 0)
		*module = dwfl_report_offline(dwfl, path, path, fd);
	if (!*module && fd >= 0)
		close(fd);
	search->missing->memory |= !dwfl;
	if (!dwfl)
		return NULL;
	dwfl_report_end(dwfl, NULL, NULL);
	if (*module && dwfl_module_info(*module, &userdata, NULL, NULL, NULL,
					NULL, NULL, NULL))
		*userdata = (void *)search;
	return dwfl;
}
