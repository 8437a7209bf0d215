// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes what needs.c found, under the names of perf's cache. */
#include "archive/packing.h"
#include "archive/kcore.h"
#include "base/io.h"
#include "base/kernel_name.h"
#include "base/notes.h"
#include "base/regular.h"
#include "base/strings.h"
#include "base/text.h"
#include "cli/message.h"
#include "pack/pack.h"
#include "symbols/files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PIECE	     ((size_t)1 << 20)
#define KALLSYMS_MAX ((size_t)128 << 20)
#define HEX_MAX	     (2 * BUILD_ID_MAX + 1)

/**
 * struct packing - a pack that is being written
 * @names: of its members
 * @links: the build-ids that have a link
 */
struct packing {
	struct pack_writer pack;
	const struct needs *needs;
	const struct load_config *config;
	struct strings names;
	struct strings links;
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
	uint8_t *piece = malloc(PIECE);
	int ret = piece ? pack_file(&p->pack, name, size) : -ENOMEM;

	while (!ret && p->pack.left) {
		size_t wanted = p->pack.left < PIECE ? p->pack.left : PIECE;
		ssize_t n = io_read(fd, piece, wanted);

		if (n < 0)
			ret = n;
		else if (!n)
			ret = -ENODATA; /* it became shorter */
		else
			ret = pack_put(&p->pack, piece, n);
	}
	free(piece);
	return ret;
}

/* Adds the file at @path as @name; if it cannot be read, warns. */
static int put_file(struct packing *p, const char *path, const char *name)
{
	struct stat st;
	int fd, ret;

	if (!pack_name_is_safe(name)) {
		miss(path, "its name is unusual");
		return 0;
	}
	fd = regular_open(path, 0, &st);
	if (fd < 0) {
		miss(path, strerror(-fd));
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
	ret = pack_file(&p->pack, name, size);
	return ret ? ret : pack_put(&p->pack, data, size);
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

/* The same of the file at @path. */
static size_t id_in(const char *path, uint8_t id[BUILD_ID_MAX])
{
	struct stat st;
	int fd = regular_open(path, 0, &st);
	size_t size = take_id(
		fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL), id);

	if (fd >= 0)
		close(fd);
	return size;
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

/* @kind: the name that perf has for such a file. */
static int put_with_id(struct packing *p, const char *path, const char *there,
		       const char *hex, const char *kind)
{
	char name[PATH_MAX];
	int ret;

	if (snprintf(name, sizeof(name), "%s/%s/%s", there, hex, kind) >=
	    (int)sizeof(name)) {
		miss(path, strerror(ENAMETOOLONG));
		return 0;
	}
	ret = put_file(p, path, name);
	return ret ? ret : put_link(p, there, hex);
}

static int put_without_id(struct packing *p, const char *path,
			  const char *there)
{
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), PACK_ROOT "%s", there) >=
	    (int)sizeof(name)) {
		miss(path, strerror(ENAMETOOLONG));
		return 0;
	}
	return put_file(p, path, name);
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
	char hex[HEX_MAX];
	uint8_t id[BUILD_ID_MAX];
	size_t size;

	if (!need->path && !strcmp(need->name, PACK_VDSO))
		return put_own_vdso(p, need);
	if (!need->path) {
		if (named)
			miss(need->name, "no such file here, or another build");
		return 0;
	}
	size = id_in(need->path, id);
	/* A packed module shows no build-id, but the recording has it. */
	if (!size) {
		size = need->id_size;
		memcpy(id, need->id, size);
	}
	hex_of(hex, id, size);
	if (!strcmp(need->name, PACK_VDSO))
		return size ? put_with_id(p, need->path, PACK_VDSO, hex, "vdso")
			    : 0;
	return size && named
		       ? put_with_id(p, need->path, need->name + 1, hex, "elf")
		       : put_without_id(p, need->path,
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
	size_t length = strlen(path), size;
	const struct need *program;
	uint8_t id[BUILD_ID_MAX];
	char hex[HEX_MAX];

	if (length > 4 && !strcmp(path + length - 4, ".dwo")) {
		miss(path, "split debug information (.dwo) is not packed");
		return 0;
	}
	size = id_in(path, id);
	if (!size)
		return put_without_id(p, path, path_there(p, path));
	hex_of(hex, id, size);
	program = program_of(p, id, size);
	return program ? put_with_id(p, path, program->name + 1, hex, "debug")
		       : put_with_id(p, path, path_there(p, path), hex, "elf");
}

/* A process in a container has its own /tmp. */
static int put_map(struct packing *p, const struct generated *one,
		   const char *root)
{
	char path[PATH_MAX], there[64], in_container[PATH_MAX];

	snprintf(there, sizeof(there), "tmp/perf-%u.map", one->pid);
	if (snprintf(path, sizeof(path), "%s/%s", root, there) >=
	    (int)sizeof(path))
		return 0;
	snprintf(in_container, sizeof(in_container), "/proc/%u/root/%s",
		 one->pid, there);
	if (!access(path, F_OK))
		return put_without_id(p, path, there);
	if (!*root && !access(in_container, F_OK))
		return put_without_id(p, in_container, there);
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
	return put_without_id(p, path, one->jitdump + 1);
}

/* /proc/kallsyms has no size before it is read. */
static int put_kallsyms(struct packing *p, const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;
	char *text = malloc(KALLSYMS_MAX);
	ssize_t size = fd < 0 ? -errno
		       : text ? io_read(fd, text, KALLSYMS_MAX)
			      : -ENOMEM;

	if (size == -ENOMEM)
		ret = size;
	else if (size < 0)
		miss(path, strerror(-size));
	else
		ret = put_bytes(p, name, text, size);
	free(text);
	if (fd >= 0)
		close(fd);
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
	const char *path = symbols_image(p->needs->load->symbols);

	if (!path)
		return 0;
	if (p->config->vmlinux && !strcmp(path, p->config->vmlinux))
		return put_file(p, path, PACK_VMLINUX);
	return *hex ? put_with_id(p, path, PACK_KERNEL, hex, "elf") : 0;
}

static int put_kcore(struct packing *p)
{
	size_t size;
	uint8_t *image;
	int ret;

	if (p->needs->code_full)
		miss("kcore", "there is more code of the kernel than fits");
	if (!p->needs->nr_code)
		return 0;
	image = kcore_image(p->needs, &size);
	ret = image ? put_bytes(p, PACK_KCORE, image, size) : -ENOMEM;
	free(image);
	return ret;
}

static int put_kernel(struct packing *p)
{
	const struct needs *n = p->needs;
	const struct pmscope_symbols *symbols = n->load->symbols;
	char hex[HEX_MAX];
	int ret;

	if (!n->kernel)
		return 0;
	hex_of(hex, n->kernel_id, n->kernel_id_size);
	if (!symbols_kallsyms(symbols) && !symbols_image(symbols))
		miss(KERNEL_NAME, "no symbols; use --kallsyms with a copy of "
				  "the machine's /proc/kallsyms, made as root");
	ret = put_kernel_symbols(p, hex);
	if (!ret)
		ret = put_image(p, hex);
	return ret ? ret : put_kcore(p);
}

static int put_recording(struct packing *p)
{
	const struct load *load = p->needs->load;
	const uint8_t *data = pmscope_input_data(load->input);
	size_t size = pmscope_input_size(load->input);
	int ret = pack_file(&p->pack, PACK_RECORDING, size);

	for (size_t at = 0; at < size && !ret; at += PIECE) {
		ret = pack_put(&p->pack, data + at,
			       size - at < PIECE ? size - at : PIECE);
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
	ret = pack_begin(&p.pack, out, time(NULL));
	if (!ret)
		ret = put_all(&p);
	end = pack_end(&p.pack);
	strings_fini(&p.names);
	strings_fini(&p.links);
	return ret ? ret : end;
}
