// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Finds debug files: in /usr/lib/debug here and below symfs, beside the
 * program, in perf's cache, and on debuginfod servers.
 */
#include "debug.h"
#include "base/regular.h"
#include "dso.h"
#include "process_limits.h"
#include "elf_file.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <endian.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

/* Returns false if only the file name identifies the debug file. */
static bool is_told(const struct wanted *wanted)
{
	return wanted->id.build_id_size || wanted->crc;
}

static bool has_build_id(Elf *elf, const struct pmscope_place *wanted)
{
	const void *id;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &id);

	return size >= 0 && (size_t)size == wanted->build_id_size &&
	       !memcmp(id, wanted->build_id, size);
}

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

static bool is_that(Elf *elf, int fd, const struct wanted *wanted)
{
	if (wanted->id.build_id_size)
		return has_build_id(elf, &wanted->id);
	return !wanted->crc || link_crc_is(fd, wanted->crc);
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
	bool is = elf && sections_are_sound(elf) && is_that(elf, fd, wanted) &&
		  (!wanted->shared || may_be_shared(fd));

	elf_end(elf);
	return is;
}

/*
 * Returns true if @st is the program itself: a debug file may have the same
 * name and build-id.
 */
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
	char dir[PATH_MAX - 128];

	if (!root ||
	    snprintf(dir, sizeof(dir), "%s%s/.build-id", root, below) >=
		    (int)sizeof(dir) ||
	    !build_id_path(path, PATH_MAX, dir, &wanted->id, suffix))
		return -1;
	return open_file(path, wanted);
}

/* Opens ROOT/usr/bin/BELOW/LINK for the program /usr/bin/NAME. */
static int open_by_link(const char *root, const char *name, const char *below,
			const char *link, const struct wanted *wanted,
			char *path)
{
	const char *slash = name ? strrchr(name, '/') : NULL;

	if (!link || !slash ||
	    snprintf(path, PATH_MAX, "%s%.*s%s/%s", root, (int)(slash - name),
		     name, below, link) >= PATH_MAX)
		return -1;
	return open_file(path, wanted);
}

static int open_like(const char *root, const char *name, const char *below,
		     const char *suffix, const struct wanted *wanted,
		     char *path)
{
	const char *slash = name ? strrchr(name, '/') : NULL;
	char like[NAME_MAX + 1];

	if (!slash ||
	    snprintf(like, sizeof(like), "%s%s", slash + 1, suffix) > NAME_MAX)
		return -1;
	return open_by_link(root, name, below, like, wanted, path);
}

/* Tries the name in .gnu_debuglink or, without one, the program's own name. */
static int open_named(const char *root, const char *name, const char *below,
		      const struct wanted *wanted, char *path)
{
	int fd;

	if (wanted->link)
		return open_by_link(root, name, below, wanted->link, wanted,
				    path);
	fd = open_like(root, name, below, ".debug", wanted, path);
	/* Without a build-id this may be a file of another build. */
	if (fd < 0 && wanted->id.build_id_size)
		fd = open_like(root, name, below, "", wanted, path);
	return fd;
}

/* Tries the places where gdb looks for the debug file of @name. */
static int open_beside(const char *name, const struct wanted *wanted,
		       char *path)
{
	int fd = open_named("", name, "", wanted, path);

	if (fd < 0)
		fd = open_named("", name, "/.debug", wanted, path);
	if (fd < 0)
		fd = open_named(DEBUG_DIR, name, "", wanted, path);
	return fd;
}

/* Debug packages from before the /usr merge use /lib instead of /usr/lib. */
static int open_debug(const char *debug, const char *name,
		      const struct wanted *wanted, char *path)
{
	int fd = open_named(debug, name, "", wanted, path);

	if (fd < 0 && name && !strncmp(name, "/usr/", 5) && is_told(wanted))
		fd = open_named(debug, name + 4, "", wanted, path);
	return fd;
}

static int open_any(const struct debug_search *search, const char *file_name,
		    const struct wanted *wanted, char *path)
{
	const char *root = search->symfs ? search->symfs : "";
	char debug[PATH_MAX - 128], target[PATH_MAX];
	int fd;

	if (snprintf(debug, sizeof(debug), "%s" DEBUG_DIR, root) >=
	    (int)sizeof(debug))
		return -1;
	fd = open_by_id(root, DEBUG_DIR, ".debug", wanted, path);
	if (fd < 0)
		fd = open_debug(debug, search->name, wanted, path);
	if (fd < 0)
		fd = open_beside(file_name, wanted, path);
	if (fd < 0 && realpath(file_name, target))
		fd = open_beside(target, wanted, path);
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
	return open_by_link("", target, "", link, wanted, path);
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

static int found_at(const char *path, int fd, struct unreadable_files *missing,
		    char **found)
{
	*found = strdup(path);
	missing->memory |= !*found;
	unreadable_found(missing, path);
	unreadable_add(missing, path, sections_unpack(&fd));
	return fd;
}

/* A file from a server is checked like any other. */
static int find_on_server(const struct debug_search *search,
			  const struct wanted *wanted, char **found)
{
	const char *path = NULL;
	int fd;

	if (search->servers)
		path = debuginfod_path(search->servers, search->missing,
				       DEBUGINFOD_DEBUGINFO,
				       wanted->id.build_id,
				       wanted->id.build_id_size);
	fd = path ? open_file(path, wanted) : -1;
	return fd < 0 ? fd : found_at(path, fd, search->missing, found);
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
	fd = open_shared(search, file_name, link, &wanted, path);
	if (fd >= 0)
		return found_at(path, fd, search->missing, found);
	fd = find_on_server(search, &wanted, found);
	if (fd >= 0)
		return fd;
	unreadable_add_first(search->missing, &unread);
	return empty_open();
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
	int size, fd;

	/* Only for a shared file (.gnu_debugaltlink) is the CRC 0. */
	if (link && !crc)
		return find_shared(module, search, file_name, found);
	size = dwfl_module_build_id(module, &wanted.id.build_id, &address);
	wanted.id.build_id_size = size > 0 ? size : 0;
	fd = open_any(search, file_name, &wanted, path);
	if (fd >= 0)
		return found_at(path, fd, search->missing, found);
	fd = find_on_server(search, &wanted, found);
	if (fd < 0)
		unreadable_add_first(search->missing, &unread);
	return fd;
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
 * Returns false for a .gnu_debuglink with CRC 0, which find_debuginfo() would
 * take for a .gnu_debugaltlink.
 */
static bool is_told_apart(Elf *file)
{
	GElf_Word crc;

	return !dwelf_elf_gnu_debuglink(file, &crc) || crc;
}

/*
 * Returns @fd; or, having closed it, -ENOENT for a file that libdw must not
 * read, or another -errno if the check itself failed.
 */
static int refuse_unsound(int fd)
{
	Elf *file = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	int ret = 0;

	if (file)
		ret = sections_are_sound(file) && is_told_apart(file)
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
