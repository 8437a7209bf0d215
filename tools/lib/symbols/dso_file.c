// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* A file that may be the one of a mapping: reads it, unless it was read. */
#include "base/build_id.h"
#include "base/regular.h"
#include "dso.h"
#include "reader_child.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* A directory name may contain pattern characters, as in "perf[1].symfs". */
static char *escape_pattern(char *to, const char *name)
{
	for (; *name; name++) {
		if (strchr("*?[\\", *name))
			*to++ = '\\';
		*to++ = *name;
	}
	return to;
}

bool root_glob(const char *root, const char *pattern, glob_t *found)
{
	char path[2 * PATH_MAX]; /* every character may need a backslash */

	if (!root)
		root = "";
	if (strlen(root) + strlen(pattern) >= PATH_MAX)
		return false;
	strcpy(escape_pattern(path, root), pattern);
	*found = (glob_t){};
	if (!glob(path, 0, NULL, found))
		return true;
	globfree(found);
	return false;
}

/*
 * Copies an ELF image, which includes its section headers, to a memfd. Returns
 * the file descriptor or -errno.
 */
static int image_file(const Elf64_Ehdr *image)
{
	size_t size = image->e_shoff + image->e_shnum * image->e_shentsize;
	int fd = memfd_create("vdso", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, image, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -ENOSPC;
}

const Elf64_Ehdr *dso_own_vdso(void)
{
	return (const void *)getauxval(AT_SYSINFO_EHDR);
}

static void file_free(void *item)
{
	struct dso_file *file = item;

	if (!file)
		return;
	elf_fini(&file->elf);
	line_cache_fini(&file->lines);
	members_fini(&file->members);
	members_fini(&file->of_threads);
	members_fini(&file->of_blocks);
	members_fini(&file->of_passed);
	free(file->path);
	free(file->name);
	free(file);
}

/* The child unpacks it. */
static int open_regular(const char *path)
{
	struct stat st;

	return regular_open(path, 0, &st);
}

static int open_own_vdso(const char *)
{
	return image_file(dso_own_vdso());
}

/* A file of another build is read only once, to learn its build-id. */
static bool may_be(const struct elf_id *id, const struct pmscope_place *place)
{
	return !id->known || !place->build_id_size ||
	       build_id_is(place->build_id, place->build_id_size, id->bytes,
			   id->size);
}

/* Reads the file at @path; NULL means our own vDSO. */
static int file_read(struct dso_file *file, struct dso_search *search,
		     const char *path, const struct pmscope_place *place,
		     struct elf_id *id)
{
	const struct reader_source source = {
		.fd = path ? open_regular(path) : open_own_vdso(path),
		.path = path ? path : VDSO,
		.name = file->name,
		.build_id = place->build_id,
		.build_id_size = place->build_id_size,
	};
	struct stat st;
	int ret = source.fd;

	if (source.fd >= 0 && !fstat(source.fd, &st)) {
		file->device = st.st_dev;
		file->inode = st.st_ino;
	}
	if (source.fd >= 0) {
		ret = may_be(id, place)
			      ? reader_read_symbols(&search->reader, &source,
						    id, &file->elf)
			      : -ENOENT;
		close(source.fd);
	}
	if (ret < 0 && ret != -ENOMEM)
		unread_file(&search->unread, source.path, ret);
	return ret;
}

static struct dso_file *file_new(const struct dso_symbols *dso,
				 const char *path)
{
	struct dso_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->elf.kind = dso->kind;
	file->elf.is_module = dso->is_module;
	file->path = path ? strdup(path) : NULL;
	file->name = strdup(dso->name);
	file->lines.file.path = file->path;
	file->lines.file.name = file->name;
	if (file->name && (file->path || !path))
		return file;
	file_free(file);
	return NULL;
}

/*
 * Returns 0, even if the file cannot be read or is not the wanted one, or
 * -ENOMEM.
 */
static int file_open(const struct dso_symbols *dso, struct dso_search *search,
		     const char *path, const struct pmscope_place *place,
		     struct elf_id *id, void **opened)
{
	struct dso_file *file = file_new(dso, path);
	int ret = file ? file_read(file, search, path, place, id) : -ENOMEM;

	if (!ret)
		*opened = file;
	else
		file_free(file);
	return ret == -ENOMEM ? ret : 0;
}

/* Returns the entry for the file's build-id, or NULL if out of memory. */
static struct elf_id *id_get(struct named *ids, const struct stat *st)
{
	bool is_new;
	struct elf_id **id = (struct elf_id **)named_file(ids, st, &is_new);

	if (id && is_new)
		*id = calloc(1, sizeof(**id));
	return id ? *id : NULL;
}

/* Reads the file of @key, unless it was tried before. */
static int try_key(struct dso_symbols *dso, struct dso_search *search,
		   const char *key, const char *path, const struct stat *st,
		   const struct pmscope_place *place)
{
	struct elf_id *id = id_get(&search->ids, st);
	bool is_new;
	void **file = id ? named_item(&search->files, key, &is_new) : NULL;

	if (!file || (is_new && file_open(dso, search, path, place, id, file)))
		return -ENOMEM;
	dso->file = *file;
	return dso->file ? 0 : -ENOENT;
}

int dso_try_known(struct dso_symbols *dso, struct dso_search *search,
		  const char *path, const struct stat *st,
		  const struct pmscope_place *place)
{
	char hex[BUILD_ID_TEXT], key[128];
	size_t size = place->build_id_size;

	build_id_text(hex, place->build_id,
		      size < BUILD_ID_MAX ? size : BUILD_ID_MAX);
	snprintf(key, sizeof(key), "%jx %jx %d %d %s", (uintmax_t)st->st_dev,
		 (uintmax_t)st->st_ino, dso->kind, dso->is_module, hex);
	return try_key(dso, search, key, path, st, place);
}

int dso_try(struct dso_symbols *dso, struct dso_search *search,
	    const char *path, const struct pmscope_place *place)
{
	struct stat st;

	return stat(path, &st) ? -ENOENT
			       : dso_try_known(dso, search, path, &st, place);
}

bool dso_may_be_named(const struct dso_search *search,
		      const struct pmscope_place *place)
{
	return search->options->symfs || search->options->same_machine ||
	       place->build_id_size;
}

int dso_line_at(const struct dso_symbols *dso, uint64_t address,
		struct pmscope_line *line)
{
	struct dso_file *file = dso->file;

	return file->path ? line_cache_find(&file->lines, dso->reader, address,
					    line)
			  : -ENOENT;
}

int dso_line(const struct dso_symbols *dso, uint64_t file_offset,
	     struct pmscope_line *line)
{
	uint64_t address;

	if (!dso->file ||
	    !elf_address(&dso->file->elf, file_offset, &address, NULL))
		return -ENOENT;
	return dso_line_at(dso, address, line);
}

static int code_in(const struct dso_symbols *dso, struct dso_search *search,
		   const struct pmscope_place *place, uint32_t section,
		   uint64_t address, const struct code_request *request)
{
	const char *path = dso->file->path;
	struct reader *reader = &search->reader;
	int ret = path ? reader_read_code(reader, path, open_regular, section,
					  address, request)
		       : reader_read_code(reader, VDSO, open_own_vdso, 0,
					  address, request);

	if (ret != -ENODATA || !path || section)
		return ret;
	path = debuginfod_path(&search->debuginfod, &search->missing,
			       DEBUGINFOD_EXECUTABLE, place->build_id,
			       place->build_id_size);
	return path ? reader_read_code(reader, path, open_regular, 0, address,
				       request)
		    : ret;
}

int dso_code_at(const struct dso_symbols *dso, struct dso_search *search,
		const struct pmscope_place *place, uint64_t address,
		const struct code_request *request)
{
	request->code->address = address;
	return code_in(dso, search, place, 0, address, request);
}

int dso_code(const struct dso_symbols *dso, struct dso_search *search,
	     const struct pmscope_place *place, uint64_t file_offset,
	     const struct code_request *request)
{
	uint64_t address;
	uint32_t section;

	if (!dso->file ||
	    !elf_code_at(&dso->file->elf, file_offset, &address, &section))
		return -ENOENT;
	if (!section)
		return dso_code_at(dso, search, place, address, request);
	request->code->address = file_offset;
	return code_in(dso, search, place, section, address, request);
}

int dso_frames_at(const struct dso_symbols *dso, uint64_t address,
		  struct pmscope_frame *frames, uint64_t *behind)
{
	struct dso_file *file = dso->file;

	return file->path ? line_cache_frames(&file->lines, dso->reader,
					      address, frames, behind)
			  : -ENOENT;
}

int dso_frames(const struct dso_symbols *dso, uint64_t file_offset,
	       struct pmscope_frame *frames, uint64_t *behind)
{
	uint64_t address;

	if (!dso->file ||
	    !elf_address(&dso->file->elf, file_offset, &address, NULL))
		return -ENOENT;
	return dso_frames_at(dso, address, frames, behind);
}

int dso_member(const struct dso_symbols *dso, uint64_t address, uint64_t offset,
	       const char *name, char path[MEMBER_PATH], uint64_t *stride)
{
	struct dso_file *file = dso->file;

	return file->path ? members_path(&file->members, dso->reader,
					 &file->lines.file, address, offset,
					 name, path, stride)
			  : -ENOENT;
}

int dso_thread_member(const struct dso_symbols *dso, uint64_t offset,
		      char path[MEMBER_PATH])
{
	struct dso_file *file = dso->file;
	uint64_t stride;

	if (!file || !file->path)
		return -ENOENT;
	file->of_threads.kind = READER_OF_THREADS;
	return members_path(&file->of_threads, dso->reader, &file->lines.file,
			    offset, 0, NULL, path, &stride);
}

int dso_block_member(const struct dso_symbols *dso, uint64_t address,
		     bool passes, uint64_t offset, char path[MEMBER_PATH],
		     uint64_t *stride)
{
	struct dso_file *file = dso->file;
	struct members *members;

	*stride = 0;
	if (!file || !file->path)
		return -ENOENT;
	members = passes ? &file->of_passed : &file->of_blocks;
	members->kind = passes ? READER_OF_PASSED : READER_OF_BLOCKS;
	return members_path(members, dso->reader, &file->lines.file, address,
			    offset, NULL, path, stride);
}

void dso_fini(struct dso_symbols *dso)
{
	free(dso->module);
	free(dso->indexed);
}

void dso_files_fini(struct dso_search *search)
{
	named_fini(&search->files, file_free);
	named_fini(&search->ids, free);
	reader_fini(&search->reader);
	unreadable_fini(&search->missing);
}
