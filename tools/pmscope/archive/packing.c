// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes what needs.c found, under the names of perf's cache. */
#include "archive/needs.h"
#include "base/io.h"
#include "base/notes.h"
#include "symbols/files.h"

#include <elf.h>
#include <sys/auxv.h>

/* The header counts segments with 16 bits; more functions are left out. */
#define SEGMENTS_MAX (PN_XNUM - 1)

/*
 * An ELF core file with the code of the kernel in @needs, as a copy of
 * /proc/kcore has it. Returns allocated memory; NULL if out of memory.
 */
static uint8_t *kcore_image(const struct needs *needs, size_t *size)
{
	size_t nr = MIN(needs->nr_code, SEGMENTS_MAX);
	size_t at = sizeof(Elf64_Ehdr) + nr * sizeof(Elf64_Phdr);
	uint8_t *image = malloc(at + needs->code_bytes);
	Elf64_Phdr *segments;

	if (!image)
		return NULL;
	segments = (Elf64_Phdr *)(image + sizeof(Elf64_Ehdr));
	*(Elf64_Ehdr *)image = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			    ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = needs->machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = nr,
	};
	for (size_t i = 0; i < nr; i++) {
		const struct kernel_code *code = &needs->code[i];

		segments[i] = (Elf64_Phdr){
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = at,
			.p_vaddr = code->address,
			.p_filesz = code->size,
			.p_memsz = code->size,
		};
		memcpy(image + at, code->bytes, code->size);
		at += code->size;
	}
	*size = at;
	return image;
}

#define PIECE	     ((size_t)1 << 20)
#define KALLSYMS_MAX ((size_t)128 << 20)
#define HEX_MAX	     (2 * BUILD_ID_MAX + 1)

/* A pack that is being written */
struct packing {
	struct pack_writer pack;
	const struct needs *needs;
	const struct load_config *config;
	struct strings names; /* of its members */
	struct strings links; /* the build-ids that have a link */
};

static void miss(const char *name, const char *why)
{
	char clean[PATH_MAX];

	*text_clean(clean, name, strnlen(name, sizeof(clean) - 1)) = '\0';
	warning("not in the archive: %s: %s", clean, why);
}

/* Is @name new? Returns 0, 1 for a name that is there already, or -ENOMEM. */
static int take_name(struct strings *names, const char *name)
{
	size_t before = names->count;
	uint32_t number;

	if (strings_intern(names, name, strlen(name), &number))
		return -ENOMEM;
	return names->count == before;
}

/* The whole file that is open as @fd. */
static int put_open(struct packing *p, int fd, const char *name, uint64_t size)
{
	FREED uint8_t *piece = malloc(PIECE);
	int ret = piece ? pack_file(&p->pack, name, size) : -ENOMEM;

	while (!ret && p->pack.left) {
		size_t wanted = MIN(p->pack.left, PIECE);
		ssize_t n = io_read(fd, piece, wanted);

		if (n < 0)
			ret = n;
		else if (!n)
			ret = -ENODATA; /* it became shorter */
		else
			ret = pack_put(&p->pack, piece, n);
	}
	return ret;
}

static const char *why(int err)
{
	switch (err) {
	case -EXDEV:
		return "it, or a link to it, is another user's; --force takes "
		       "it";
	case -ESTALE:
		return "its build-id is not that of the file that was read";
	case -EBADMSG:
		return "it is not the file that was read";
	}
	return strerror(-err);
}

/* Adds the file that is open as @fd, and closes it; or says why -errno. */
static int put_file(struct packing *p, int fd, const char *path,
		    const char *name)
{
	struct stat st;
	int ret;

	if (fd < 0) {
		miss(path, why(fd));
		return 0;
	}
	if (!pack_name_is_safe(name)) {
		miss(path, "its name is unusual");
		close(fd);
		return 0;
	}
	ret = fstat(fd, &st) ? -errno : take_name(&p->names, name);
	if (!ret)
		ret = put_open(p, fd, name, st.st_size);
	close(fd);
	return ret < 0 ? ret : 0;
}

static int put_bytes(struct packing *p, const char *name, const void *data,
		     size_t size)
{
	int ret = take_name(&p->names, name);

	if (ret)
		return ret < 0 ? ret : 0;
	return pack_file(&p->pack, name, size)
		       ?: pack_put(&p->pack, data, size);
}

static void hex_of(char hex[HEX_MAX], const uint8_t *id, size_t size)
{
	for (size_t i = 0; i < size && i < BUILD_ID_MAX; i++)
		hex = text_hex(hex, id[i], 2);
	*hex = '\0';
}

/* The link by which perf finds PATH/ID. */
static int put_link(struct packing *p, const char *path, const char *hex)
{
	char name[HEX_MAX + 32], target[PATH_MAX];
	int ret = take_name(&p->links, hex);

	if (ret)
		return ret < 0 ? ret : 0;
	snprintf(name, sizeof(name), ".build-id/%.2s/%s", hex, hex + 2);
	if (snprintf(target, sizeof(target), "../../%s/%s", path, hex) >=
	    (int)sizeof(target))
		return 0;
	return pack_link(&p->pack, name, target);
}

/* Reads the build-id and ends @elf, or NULL; returns the id's size, or 0. */
static size_t take_id(Elf *elf, uint8_t id[BUILD_ID_MAX])
{
	const void *found;
	ssize_t size = elf ? notes_build_id(elf, &found) : 0;

	if (size < 4 || size > BUILD_ID_MAX)
		size = 0;
	if (size)
		memcpy(id, found, size);
	elf_end(elf);
	return size;
}

/* The same of @fd. It is not mapped: a file that shrinks would end us. */
static size_t id_of(int fd, uint8_t id[BUILD_ID_MAX])
{
	return take_id(fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL), id);
}

static size_t id_in(const char *path, uint8_t id[BUILD_ID_MAX])
{
	struct stat st;
	CLOSED int fd = regular_open(path, 0, &st);

	return id_of(fd, id);
}

/* A file that was read, and is now opened once more */
struct packed {
	int fd; /* or -errno */
	/*
	 * of the file that is open now; or the recorded one, if it shows none
	 */
	uint8_t id[BUILD_ID_MAX];
	size_t id_size;
};

static void refuse(struct packed *file, int ret)
{
	close_open(&file->fd);
	file->fd = ret;
}

/*
 * By now, another user may have put something else there. What has the recorded
 * build-id is what was read. Without one, as in packed modules, it is what no
 * link of another user leads to, and the same file as before.
 */
static void open_again(const struct packing *p, const struct need *need,
		       struct packed *file)
{
	struct stat st;

	file->fd = regular_open(need->path, 0, &st);
	file->id_size = id_of(file->fd, file->id);
	if (file->fd >= 0 && file->id_size && need->id_size) {
		if (!build_id_is(need->id, need->id_size, file->id,
				 file->id_size))
			refuse(file, -ESTALE);
		return;
	}
	refuse(file, 0);
	file->fd = regular_open_trusted(need->path, p->config->force, &st);
	file->id_size = id_of(file->fd, file->id);
	if (file->fd >= 0 && need->inode &&
	    (st.st_ino != need->inode || st.st_dev != need->device))
		refuse(file, -EBADMSG);
	/* A packed module shows no build-id, but the recording has it. */
	if (!file->id_size) {
		file->id_size = need->id_size;
		memcpy(file->id, need->id, need->id_size);
	}
}

/* The path on the recorded machine of a file here. */
static const char *path_there(const struct packing *p, const char *path)
{
	const char *root = p->config->symfs;
	size_t length = root ? strlen(root) : 0;

	if (length && !strncmp(path, root, length))
		path += length;
	while (*path == '/')
		path++;
	return path;
}

/* @kind: the name that perf has for such a file. Closes @fd. */
static int put_with_id(struct packing *p, int fd, const char *path,
		       const char *there, const char *hex, const char *kind)
{
	char name[PATH_MAX];
	int ret;

	/* Too long a name is not safe. */
	snprintf(name, sizeof(name), "%s/%s/%s", there, hex, kind);
	ret = put_file(p, fd, path, name);
	return ret || fd < 0 ? ret : put_link(p, there, hex);
}

static int put_without_id(struct packing *p, int fd, const char *path,
			  const char *there)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), PACK_ROOT "%s", there);
	return put_file(p, fd, path, name);
}

/* The running kernel maps its vDSO into this process, too. */
static int put_own_vdso(struct packing *p, const struct need *need)
{
	Elf64_Ehdr *image = (void *)getauxval(AT_SYSINFO_EHDR);
	char hex[HEX_MAX], name[HEX_MAX + 32];
	uint8_t id[BUILD_ID_MAX];
	size_t bytes, size;

	if (!image || image->e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	bytes = image->e_shoff + image->e_shnum * image->e_shentsize;
	size = take_id(elf_memory((char *)image, bytes), id);
	if (!size ||
	    (need->id_size ? !build_id_is(need->id, need->id_size, id, size)
			   : !p->needs->load->same_machine))
		return 0;
	hex_of(hex, id, size);
	snprintf(name, sizeof(name), PACK_VDSO "/%s/vdso", hex);
	return put_bytes(p, name, image, bytes) ?: put_link(p, PACK_VDSO, hex);
}

static int put_need(struct packing *p, const struct need *need)
{
	bool named = *need->name == '/';
	struct packed file;
	char hex[HEX_MAX];

	if (!need->path && !strcmp(need->name, PACK_VDSO))
		return put_own_vdso(p, need);
	if (!need->path) {
		if (named)
			miss(need->name, "no such file here, or another build");
		return 0;
	}
	open_again(p, need, &file);
	hex_of(hex, file.id, file.id_size);
	if (!strcmp(need->name, PACK_VDSO))
		return put_with_id(p, file.fd, need->path, PACK_VDSO, hex,
				   "vdso");
	return file.id_size && named
		       ? put_with_id(p, file.fd, need->path, need->name + 1,
				     hex, "elf")
		       : put_without_id(p, file.fd, need->path,
					path_there(p, need->path));
}

/* The program that a debug file belongs to has the same build-id. */
static const struct need *program_of(const struct packing *p, const uint8_t *id,
				     size_t size)
{
	const struct needs *needs = p->needs;

	for (size_t i = 0; i < needs->nr_files; i++) {
		const struct need *need = &needs->files[i];
		uint8_t its[BUILD_ID_MAX];

		if (!need->path || *need->name != '/')
			continue;
		if (id_in(need->path, its) == size && !memcmp(its, id, size))
			return need;
	}
	return NULL;
}

static int put_debug_file(struct packing *p, const char *path)
{
	struct need need = {.path = path};
	size_t length = strlen(path);
	const struct need *program;
	struct packed file;
	char hex[HEX_MAX];

	if (length > 4 && !strcmp(path + length - 4, ".dwo")) {
		miss(path, "split debug information (.dwo) is not packed");
		return 0;
	}
	need.id_size = id_in(path, need.id);
	program = program_of(p, need.id, need.id_size);
	if (!program)
		need.id_size = 0; /* nothing proves it */
	open_again(p, &need, &file);
	if (!file.id_size)
		return put_without_id(p, file.fd, path, path_there(p, path));
	hex_of(hex, file.id, file.id_size);
	return program ? put_with_id(p, file.fd, path, program->name + 1, hex,
				     "debug")
		       : put_with_id(p, file.fd, path, path_there(p, path), hex,
				     "elf");
}

/* What report believes about generated code: see jit_open(). */
static int open_generated(const struct packing *p, const char *path)
{
	struct stat st;

	return regular_open_own(path, p->config->force, &st);
}

/* A process in a container has its own /tmp. */
static int put_map(struct packing *p, const struct generated *one,
		   const char *root)
{
	char path[PATH_MAX], there[64], in_container[PATH_MAX];
	int fd;

	snprintf(there, sizeof(there), "tmp/perf-%u.map", one->pid);
	if (snprintf(path, sizeof(path), "%s/%s", root, there) >=
	    (int)sizeof(path))
		return 0;
	fd = open_generated(p, path);
	if (fd != -ENOENT)
		return put_without_id(p, fd, path, there);
	snprintf(in_container, sizeof(in_container), "/proc/%u/root/%s",
		 one->pid, there);
	if (!*root)
		fd = open_generated(p, in_container);
	if (fd != -ENOENT)
		return put_without_id(p, fd, in_container, there);
	if (!one->jitdump)
		miss(path, "no such file; generated code has no names");
	return 0;
}

static int put_generated(struct packing *p, const struct generated *one)
{
	const char *root = p->config->symfs;
	char path[PATH_MAX];
	int ret;

	if (!root && !p->needs->load->same_machine)
		return 0;
	if (!root)
		root = "";
	ret = put_map(p, one, root);
	if (ret || !one->jitdump ||
	    snprintf(path, sizeof(path), "%s%s", root, one->jitdump) >=
		    (int)sizeof(path))
		return ret;
	return put_without_id(p, open_generated(p, path), path,
			      one->jitdump + 1);
}

/* What was chosen may be of any kind. What was found may be a link by now. */
static int open_kallsyms(const struct packing *p, const char *path)
{
	const char *chosen = p->config->kallsyms;
	struct stat st;
	int fd;

	if (strcmp(path, "/proc/kallsyms") != 0 &&
	    (!chosen || strcmp(path, chosen) != 0))
		return regular_open_trusted(path, p->config->force, &st);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* /proc/kallsyms has no size before it is read. */
static int put_kallsyms(struct packing *p, const char *path, const char *name)
{
	int fd = open_kallsyms(p, path), ret = 0;
	char *text = malloc(KALLSYMS_MAX);
	ssize_t size = fd < 0 ? fd
		       : text ? io_read(fd, text, KALLSYMS_MAX)
			      : -ENOMEM;

	if (size == -ENOMEM)
		ret = size;
	else if (size < 0)
		miss(path, why(size));
	else
		ret = put_bytes(p, name, text, size);
	free(text);
	close_open(&fd);
	return ret;
}

static int put_kernel_symbols(struct packing *p, const char *hex)
{
	const char *path = symbols_kallsyms(p->needs->load->symbols);
	char name[HEX_MAX + 64];

	if (!path)
		return 0;
	if (!*hex)
		return put_kallsyms(p, path, PACK_KALLSYMS);
	snprintf(name, sizeof(name), PACK_KERNEL "/%s/kallsyms", hex);
	return put_kallsyms(p, path, name) ?: put_link(p, PACK_KERNEL, hex);
}

static int put_image(struct packing *p, const char *hex)
{
	const struct needs *n = p->needs;
	struct need need = {.path = symbols_image(n->load->symbols)};

	bool chosen = need.path && p->config->vmlinux &&
		      !strcmp(need.path, p->config->vmlinux);
	struct packed file;

	if (!need.path || (!chosen && !*hex))
		return 0;
	need.id_size = n->kernel_id_size;
	memcpy(need.id, n->kernel_id, need.id_size);
	open_again(p, &need, &file);
	if (chosen)
		return put_file(p, file.fd, need.path, PACK_VMLINUX);
	return put_with_id(p, file.fd, need.path, PACK_KERNEL, hex, "elf");
}

static int put_kcore(struct packing *p)
{
	size_t size;
	FREED uint8_t *image = NULL;

	if (p->needs->code_full)
		miss("kcore", "there is more code of the kernel than fits");
	if (!p->needs->nr_code)
		return 0;
	image = kcore_image(p->needs, &size);
	return image ? put_bytes(p, PACK_KCORE, image, size) : -ENOMEM;
}

static int put_kernel(struct packing *p)
{
	const struct needs *n = p->needs;
	const struct pmscope_symbols *symbols = n->load->symbols;
	char hex[HEX_MAX];

	if (!n->kernel)
		return 0;
	hex_of(hex, n->kernel_id, n->kernel_id_size);
	if (!symbols_kallsyms(symbols) && !symbols_image(symbols))
		miss(KERNEL_NAME, "no symbols; use --kallsyms with a copy of "
				  "the machine's /proc/kallsyms, made as root");
	return put_kernel_symbols(p, hex) ?: put_image(p, hex) ?: put_kcore(p);
}

static int put_recording(struct packing *p)
{
	const struct load *load = p->needs->load;
	const uint8_t *data = pmscope_input_data(load->input);
	size_t size = pmscope_input_size(load->input);
	int ret = pack_file(&p->pack, PACK_RECORDING, size);

	for (size_t at = 0; at < size && !ret; at += PIECE) {
		ret = pack_put(&p->pack, data + at, MIN(size - at, PIECE));
		if (at % (64 * PIECE) == 0)
			pmscope_input_release(load->input);
	}
	return ret;
}

static int put_all(struct packing *p)
{
	const struct needs *n = p->needs;
	const char *path;
	int ret = put_recording(p);

	for (size_t i = 0; i < n->nr_files && !ret; i++)
		ret = put_need(p, &n->files[i]);
	for (size_t i = 0;
	     !ret && (path = symbols_debug_file(n->load->symbols, i)); i++)
		ret = put_debug_file(p, path);
	for (size_t i = 0; i < n->nr_generated && !ret; i++)
		ret = put_generated(p, &n->generated[i]);
	return ret ? ret : put_kernel(p);
}

int packing_write(FILE *out, const struct needs *needs,
		  const struct load_config *config)
{
	struct packing p = {.needs = needs, .config = config};
	int ret, end;

	elf_version(EV_CURRENT);
	ret = pack_begin(&p.pack, out, time(NULL)) ?: put_all(&p);
	end = pack_end(&p.pack);
	strings_fini(&p.names);
	strings_fini(&p.links);
	return ret ? ret : end;
}
