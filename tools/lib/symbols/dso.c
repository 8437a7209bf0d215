// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Tries the files that may be the one of a mapping, each read only once.
 * Recordings call a kernel module by its path, such as
 * /lib/modules/6.1.0/kernel/fs/a-b.ko.xz, or by its name, "[a_b]".
 */
#include "dso.h"
#include "base/io.h"

#include <glob.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#define VDSO  "[vdso]"
#define INDEX "/modules.dep"

/* What is looked for, and what was found. */
struct wanted {
	struct dso_search *search;
	enum symbol_kind kind;
	const struct pmscope_place *place;
	bool is_module;
	const char *name; /* as in struct dso_file */
	char *indexed;	  /* the module's path, from modules.dep */
	struct dso_file *file;
};

/* The running kernel maps its vDSO into this process, too. */
static const Elf64_Ehdr *own_vdso(void)
{
	return (const void *)getauxval(AT_SYSINFO_EHDR);
}

/* A copy of that, which includes its section headers, in a memfd; -errno */
static int open_own_vdso(const char *)
{
	const Elf64_Ehdr *image = own_vdso();
	size_t size = image->e_shoff + image->e_shnum * image->e_shentsize;
	int fd = memfd_create("vdso", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, image, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -ENOSPC;
}

/* The child unpacks it. */
static int open_regular(const char *path)
{
	struct stat st;

	return regular_open(path, 0, &st);
}

static void file_free(void *item)
{
	struct dso_file *file = item;

	if (!file)
		return;
	elf_fini(&file->elf);
	line_cache_fini(&file->lines);
	for (size_t i = 0; i < READER_KINDS; i++)
		members_fini(&file->members[i]);
	free(file->path);
	free(file->name);
	free(file);
}

/* A file of another build is read only once, to learn its build-id. */
static bool may_be(const struct elf_id *id, const struct pmscope_place *place)
{
	return !id->known || !place->build_id_size ||
	       build_id_is(place->build_id, place->build_id_size, id->bytes,
			   id->size);
}

/* Reads the file at @path; NULL means our own vDSO. */
static int file_read(struct wanted *w, const char *path, struct elf_id *id,
		     struct dso_file *file)
{
	const struct reader_source source = {
		.fd = path ? open_regular(path) : open_own_vdso(path),
		.path = path ?: VDSO,
		.name = file->name,
		.build_id = w->place->build_id,
		.build_id_size = w->place->build_id_size,
	};
	struct stat st;
	int ret = source.fd;

	if (source.fd >= 0 && !fstat(source.fd, &st)) {
		file->device = st.st_dev;
		file->inode = st.st_ino;
	}
	if (source.fd >= 0) {
		ret = may_be(id, w->place)
			      ? reader_read_symbols(&w->search->reader, &source,
						    id, &file->elf)
			      : -ENOENT;
		close(source.fd);
	}
	if (ret < 0 && ret != -ENOMEM)
		unread_file(&w->search->unread, source.path, ret);
	return ret;
}

static struct dso_file *file_new(struct wanted *w, const char *path)
{
	struct dso_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->elf.kind = w->kind;
	file->elf.is_module = w->is_module;
	file->path = path ? strdup(path) : NULL;
	file->name = strdup(w->name);
	file->lines.file.path = file->path;
	file->lines.file.name = file->name;
	if (file->name && (file->path || !path))
		return file;
	file_free(file);
	return NULL;
}

/* Sets @opened, unless it is unreadable or not the wanted one. 0 or -ENOMEM. */
static int file_open(struct wanted *w, const char *path, struct elf_id *id,
		     void **opened)
{
	struct dso_file *file = file_new(w, path);
	int ret = file ? file_read(w, path, id, file) : -ENOMEM;

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

/* The file of @st, which is at @path, NULL for our own vDSO: 0, -ENOENT... */
static int try_known(struct wanted *w, const char *path, const struct stat *st)
{
	char hex[BUILD_ID_TEXT], key[128];
	size_t size = w->place->build_id_size;
	struct elf_id *id = id_get(&w->search->ids, st);
	void **file;
	bool is_new;

	build_id_text(hex, w->place->build_id,
		      size < BUILD_ID_MAX ? size : BUILD_ID_MAX);
	snprintf(key, sizeof(key), "%jx %jx %d %d %s", (uintmax_t)st->st_dev,
		 (uintmax_t)st->st_ino, w->kind, w->is_module, hex);
	file = id ? named_item(&w->search->files, key, &is_new) : NULL;
	if (!file || (is_new && file_open(w, path, id, file)))
		return -ENOMEM;
	w->file = *file;
	return w->file ? 0 : -ENOENT;
}

/* Returns 0; -ENOENT if it is missing or not the wanted file; or -ENOMEM. */
__attribute__((format(printf, 2, 3))) static int try_path(struct wanted *w,
							  const char *fmt, ...)
{
	char path[PATH_MAX];
	struct stat st;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	return n >= (int)sizeof(path) || stat(path, &st)
		       ? -ENOENT
		       : try_known(w, path, &st);
}

/*
 * Finds the files that match @pattern below @root, which is taken literally: it
 * may contain pattern characters, as in "perf[1].symfs". False if there are
 * none.
 */
static bool root_glob(const char *root, const char *pattern, glob_t *found)
{
	char path[2 * PATH_MAX], *to = path;

	if (strlen(root) + strlen(pattern) >= PATH_MAX)
		return false;
	for (; *root; root++) {
		if (strchr("*?[\\", *root))
			*to++ = '\\';
		*to++ = *root;
	}
	strcpy(to, pattern);
	*found = (glob_t){};
	if (!glob(path, 0, NULL, found))
		return true;
	globfree(found);
	return false;
}

/*
 * Tries what matches @pattern below symfs; there may be several kernels, and
 * only a build-id tells which one it was. @found: whether anything does
 */
static int try_each(struct wanted *w, const char *pattern,
		    int (*one)(struct wanted *w, const char *path,
			       const char *pattern),
		    bool *found)
{
	glob_t all;
	int ret = -ENOENT;

	*found = root_glob(w->search->options->symfs ?: "", pattern, &all);
	if (!*found)
		return -ENOENT;
	if (all.gl_pathc == 1 || w->place->build_id_size)
		for (size_t i = 0; i < all.gl_pathc && ret == -ENOENT; i++)
			ret = one(w, all.gl_pathv[i], pattern);
	globfree(&all);
	return ret;
}

static int try_one(struct wanted *w, const char *path, const char *)
{
	return try_path(w, "%s", path);
}

static bool is_kernel(struct wanted *w)
{
	return w->place->kernel && is_kernel_name(w->place->dso);
}

/* The image that the user chose, unless it is known to be another kernel's. */
static int try_vmlinux(struct wanted *w)
{
	const char *path = w->search->options->vmlinux;
	int ret;

	if (!path || !is_kernel(w))
		return -ENOENT;
	ret = try_one(w, path, NULL);
	if (ret == -ENOENT && !access(path, F_OK))
		unreadable_add(&w->search->missing, path,
			       w->search->unread.error ?: -ESTALE);
	w->search->unread = (struct unread){};
	return ret;
}

/* Without symfs, the same machine or a build-id, a name proves nothing. */
static bool may_be_named(struct wanted *w)
{
	return w->search->options->symfs || w->search->options->same_machine ||
	       w->place->build_id_size;
}

/* @file ends with ".ko"; it may be compressed differently by now. */
static int try_module_file(struct wanted *w, const char *file, int length)
{
	static const char *const dirs[] = {"", "/usr", "/usr/lib/debug",
					   "/usr/lib/debug/usr"};
	static const char *const ends[] = {"", ".xz", ".zst", ".gz", ".debug"};
	int ret = -ENOENT;

	for (size_t i = 0;
	     i < ARRAY_SIZE(dirs) * ARRAY_SIZE(ends) && ret == -ENOENT; i++)
		ret = try_path(w, "%s%s%.*s%s", w->search->options->symfs ?: "",
			       dirs[i / ARRAY_SIZE(ends)], length, file,
			       ends[i % ARRAY_SIZE(ends)]);
	return ret;
}

/* Looks the module up in the modules.dep at @path, of any release. */
static int try_index(struct wanted *w, const char *path, const char *pattern)
{
	const char *end = path + strlen(path) - strlen(INDEX), *file;
	const char *release = memrchr(path, '/', end - path);
	char module[MODULE_NAME_SIZE], *indexed;
	int ret;

	module_name_of(w->place->dso, module);
	ret = module_index_find(&w->search->modules, path, module, &file);
	if (ret == -ENOMEM)
		return ret;
	unread_file(&w->search->unread, path, ret);
	if (ret || !file)
		return -ENOENT;
	if (asprintf(&indexed, "%.*s/modules%.*s/%.*s",
		     (int)(strstr(pattern, "/modules/") - pattern), pattern,
		     (int)(end - release), release,
		     (int)(module_file_end(file) - file), file) < 0)
		return -ENOMEM;
	free(w->indexed);
	w->name = w->indexed = indexed;
	return try_module_file(w, indexed, strlen(indexed));
}

/* The module's installed file, stripped or not, or its debug file. */
static int try_module(struct wanted *w)
{
	const struct pmscope_symbols_options *options = w->search->options;
	const char *name = w->place->dso, *end = module_file_end(name);
	struct utsname uts = {.release = "*"};
	char pattern[PATH_MAX];
	bool found;
	int ret;

	if (!w->is_module || !may_be_named(w))
		return -ENOENT;
	if (*name == '/' && end)
		return try_module_file(w, name, end - name);
	if (!options->symfs && options->same_machine)
		uname(&uts);
	snprintf(pattern, sizeof(pattern), "/usr/lib/modules/%s" INDEX,
		 uts.release);
	ret = try_each(w, pattern + strlen("/usr"), try_index, &found);
	return found ? ret : try_each(w, pattern, try_index, &found);
}

/* Tries the recorded path. Reports a file that only other users may see. */
static int try_name(struct wanted *w)
{
	const struct pmscope_symbols_options *options = w->search->options;
	char path[PATH_MAX];
	struct stat st;

	if (*w->place->dso != '/' || !may_be_named(w) ||
	    snprintf(path, sizeof(path), "%s%s", options->symfs ?: "",
		     w->place->dso) >= (int)sizeof(path))
		return -ENOENT;
	if (!stat(path, &st))
		return try_known(w, path, &st);
	if (options->symfs || options->same_machine)
		unread_file(&w->search->unread, path, -errno);
	return -ENOENT;
}

/* While the process runs, /proc/PID/root shows its container's files. */
static int try_container(struct wanted *w)
{
	const struct pmscope_symbols_options *options = w->search->options;
	const struct pmscope_place *place = w->place;

	return *place->dso != '/' || !options->same_machine || options->symfs ||
			       !place->build_id_size ||
			       place->pid == PMSCOPE_NO_ID
		       ? -ENOENT
		       : try_path(w, "/proc/%u/root%s", place->pid, place->dso);
}

static int try_build_ids(struct wanted *w)
{
	const struct {
		const char *root, *below, *suffix;
	} places[] = {
		{getenv("HOME"), "/.debug",
		 strcmp(w->place->dso, VDSO) ? "/elf" : "/vdso"},
		{w->search->options->symfs, "/usr/lib/debug", ".debug"},
		{"", "/usr/lib/debug", ".debug"},
	};
	char path[PATH_MAX];
	int ret = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(places) && ret == -ENOENT; i++)
		if (build_id_path(path, places[i].root, places[i].below,
				  w->place, places[i].suffix))
			ret = try_one(w, path, NULL);
	return ret;
}

/* Kernel packages install a copy of the vDSO. */
static int try_vdso(struct wanted *w)
{
	bool found;

	return strcmp(w->place->dso, VDSO) != 0 ||
			       (!w->search->options->symfs &&
				!w->place->build_id_size)
		       ? -ENOENT
		       : try_each(w, "/lib/modules/*/vdso/vdso.so", try_one,
				  &found);
}

static int try_own_vdso(struct wanted *w)
{
	static const struct stat none;
	const Elf64_Ehdr *image = own_vdso();

	if (strcmp(w->place->dso, VDSO) != 0 || !image ||
	    image->e_ident[EI_CLASS] != ELFCLASS64 ||
	    (!w->search->options->same_machine && !w->place->build_id_size))
		return -ENOENT;
	return try_known(w, NULL, &none);
}

static int try_kernel_file(struct wanted *w)
{
	static const char *const patterns[] = {
		"/boot/vmlinux*",
		"/lib/modules/*/vmlinux",
		"/lib/modules/*/build/vmlinux",
		"/usr/lib/modules/*/vmlinux",
		"/usr/lib/debug/boot/vmlinux*",
		"/usr/lib/debug/lib/modules/*/vmlinux*",
		"/usr/lib/debug/usr/lib/modules/*/vmlinux*",
	};
	bool found;
	int ret = -ENOENT;

	if (is_kernel(w) && w->place->build_id_size)
		for (size_t i = 0; i < ARRAY_SIZE(patterns) && ret == -ENOENT;
		     i++)
			ret = try_each(w, patterns[i], try_one, &found);
	return ret;
}

static int try_debuginfod(struct wanted *w)
{
	const char *path = NULL;

	for (int kind = DEBUGINFOD_EXECUTABLE;
	     kind <= DEBUGINFOD_DEBUGINFO && !path; kind++)
		path = debuginfod_path(&w->search->debuginfod,
				       &w->search->missing, kind,
				       w->place->build_id,
				       w->place->build_id_size);
	return path ? try_one(w, path, NULL) : -ENOENT;
}

int dso_open(struct dso_search *search, enum symbol_kind kind,
	     const struct pmscope_place *place, struct dso_file **file)
{
	static int (*const ways[])(struct wanted * w) = {
		try_vmlinux,   try_module,	try_name,
		try_container, try_build_ids,	try_vdso,
		try_own_vdso,  try_kernel_file, try_debuginfod};
	struct wanted wanted = {
		.search = search,
		.kind = kind,
		.place = place,
		.is_module = place->kernel && module_is(place->dso),
		.name = place->dso,
	};
	int ret = -ENOENT;

	search->unread = (struct unread){};
	for (size_t i = 0; i < ARRAY_SIZE(ways) && ret == -ENOENT; i++)
		ret = ways[i](&wanted);
	free(wanted.indexed);
	*file = wanted.file;
	if (ret != -ENOENT)
		return ret;
	unreadable_add(&search->missing, search->unread.path,
		       search->unread.error);
	return 0;
}

static int code_in(const struct dso_file *file, struct dso_search *search,
		   const struct pmscope_place *place, uint32_t section,
		   uint64_t address, const struct code_request *request)
{
	const char *path = file->path;
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

int dso_code_at(const struct dso_file *file, struct dso_search *search,
		const struct pmscope_place *place, uint64_t address,
		const struct code_request *request)
{
	request->code->address = address;
	return code_in(file, search, place, 0, address, request);
}

int dso_code(const struct dso_file *file, struct dso_search *search,
	     const struct pmscope_place *place, uint64_t file_offset,
	     const struct code_request *request)
{
	uint64_t address;
	uint32_t section;

	if (!file || !elf_code_at(&file->elf, file_offset, &address, &section))
		return -ENOENT;
	if (!section)
		return dso_code_at(file, search, place, address, request);
	request->code->address = file_offset;
	return code_in(file, search, place, section, address, request);
}

void dso_files_fini(struct dso_search *search)
{
	named_fini(&search->files, file_free);
	named_fini(&search->ids, free);
	reader_fini(&search->reader);
	unreadable_fini(&search->missing);
}
