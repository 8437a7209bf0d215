// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a pack that anybody may have made: members get names of ours in a new
 * directory that only this user may enter, and never become links.
 */
#include "pack/pack.h"
#include "base/record.h"
#include "base/io.h"
#include "base/text.h"
#include "cli/cli.h"

#include <ftw.h>
#include <zstd.h>

#define CLEANERS_MAX 8
#define OPEN_AT_ONCE 16

/* Those of this process: as soon as the pipe is closed, they begin. */
static struct cleaner {
	pid_t pid;
	int pipe;
} cleaners[CLEANERS_MAX];
static size_t nr_cleaners;
static pid_t owner;

static int remove_one(const char *path, const struct stat *, int, struct FTW *)
{
	remove(path);
	return 0;
}

static void remove_all(const char *dir)
{
	nftw(dir, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Children that are forked later inherit the list, but not the duty. */
static void finish(void)
{
	if (getpid() != owner)
		return;
	for (size_t i = 0; i < nr_cleaners; i++) {
		close(cleaners[i].pipe);
		while (waitpid(cleaners[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	nr_cleaners = 0;
}

/* Only the pipe stays open, so that no other pipe waits for this process. */
_Noreturn static void clean(const char *dir, int end)
{
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	dup2(end, 3);
	for (int fd = 0; fd < 1024; fd++)
		if (fd != 3)
			close(fd);
	while (read(3, &byte, 1) < 0 && errno == EINTR)
		;
	remove_all(dir);
	_exit(0);
}

static int start(const char *dir, struct cleaner *cleaner)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	cleaner->pipe = ends[1];
	cleaner->pid = fork();
	if (!cleaner->pid)
		clean(dir, ends[0]);
	close(ends[0]);
	if (cleaner->pid > 0)
		return 0;
	close(ends[1]);
	return -EAGAIN;
}

/*
 * Starts a process that removes @dir, with all that is in it, after this one
 * ended. An ordinary end waits for that. Returns 0 or -errno; then @dir is
 * removed.
 */
static int cleaner_start(const char *dir)
{
	int ret = nr_cleaners < CLEANERS_MAX
			  ? start(dir, &cleaners[nr_cleaners])
			  : -EMFILE;

	if (ret) {
		remove_all(dir);
		return ret;
	}
	if (!nr_cleaners++ && owner != getpid()) {
		owner = getpid();
		atexit(finish);
	}
	return 0;
}

#define ROOM	   ((size_t)1 << 17)
#define PAX_MAX	   ((size_t)2 * PATH_MAX)
#define ID_MAX	   40 /* digits of a build-id */
#define ZSTD_MAGIC 0xfd2fb528U

/* A pack that is being read */
struct unpacking {
	struct pack *pack;
	int fd;
	ZSTD_DCtx *stream; /* NULL: it is not compressed */
	uint8_t *from;
	ZSTD_inBuffer in;
	size_t left; /* last result of zstd; 0: a frame ended */
	bool ended;
	/* bytes that came out so far: offsets in messages are these */
	uint64_t given;
	uint64_t taken; /* bytes of the file that were read */
};

/* The first error explains the later ones. Returns false. */
__attribute__((format(printf, 2, 3))) static bool complain(struct unpacking *u,
							   const char *fmt, ...)
{
	char *text = u->pack->error;
	va_list args;
	int n;

	if (*text)
		return false;
	n = snprintf(
		text, sizeof(u->pack->error),
		"offset 0x%" PRIx64 " of the unpacked archive: ", u->given);
	va_start(args, fmt);
	vsnprintf(text + n, sizeof(u->pack->error) - n, fmt, args);
	va_end(args);
	return false;
}

static bool refill(struct unpacking *u)
{
	ssize_t n = io_read(u->fd, u->from, ROOM);

	if (n < 0)
		return complain(u, "%s", strerror(-n));
	u->in = (ZSTD_inBuffer){u->from, n, 0};
	u->taken += n;
	u->ended = !n;
	return true;
}

/* Some bytes of the archive; 0 at its end or after an error. */
static size_t read_some(struct unpacking *u, uint8_t *to, size_t size)
{
	ZSTD_outBuffer out = {to, size, 0};

	while (!out.pos) {
		if (u->in.pos == u->in.size && (u->ended || !refill(u)))
			return 0;
		if (u->ended && u->stream && u->left)
			complain(u, "cut short");
		if (u->ended)
			return 0;
		if (!u->stream) {
			out.pos = MIN(u->in.size - u->in.pos, size);
			memcpy(to, u->from + u->in.pos, out.pos);
			u->in.pos += out.pos;
			break;
		}
		u->left = ZSTD_decompressStream(u->stream, &out, &u->in);
		if (ZSTD_isError(u->left)) {
			complain(u, "%s", ZSTD_getErrorName(u->left));
			return 0;
		}
	}
	u->given += out.pos;
	if (u->given <= PACK_BYTES_MAX &&
	    !inflates_too_much(u->given, u->taken))
		return out.pos;
	complain(u, "the archive is far larger than its file; it is not read "
		    "further");
	return 0;
}

static size_t read_all(struct unpacking *u, uint8_t *to, size_t size)
{
	size_t at = 0, n;

	while (at < size && (n = read_some(u, to + at, size - at)))
		at += n;
	return at;
}

bool pack_name_is_safe(const char *name)
{
	if (strlen(name) >= PATH_MAX / 2)
		return false;
	for (;;) {
		size_t length = strcspn(name, "/");

		if (!length || length > NAME_MAX ||
		    (length == 1 && *name == '.') ||
		    (length == 2 && name[0] == '.' && name[1] == '.'))
			return false;
		if (!name[length])
			return true;
		name += length + 1;
	}
}

/* Opens the directory @name below @dir, which is made unless it is there. */
static int enter(int dir, const char *name)
{
	if (mkdirat(dir, name, 0700) && errno != EEXIST)
		return -1;
	return openat(dir, name,
		      O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
}

static int make_file(const char *dir, const char *name)
{
	int at = open(dir, O_DIRECTORY | O_RDONLY | O_CLOEXEC), fd;
	char part[NAME_MAX + 1];

	while (at >= 0) {
		size_t length = strcspn(name, "/");
		int below;

		if (!name[length])
			break;
		*text_bytes(part, name, length) = '\0';
		below = enter(at, part);
		close(at);
		at = below;
		name += length + 1;
	}
	if (at < 0)
		return -1;
	fd = openat(at, name,
		    O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
	close(at);
	return fd;
}

/* A member PATH/ID/KIND. */
struct parts {
	char path[PATH_MAX / 2];
	char id[ID_MAX + 1];
	const char *kind;
};

static bool split(const char *name, struct parts *parts)
{
	const char *kind = strrchr(name, '/');
	const char *id = kind ? memrchr(name, '/', kind - name) : NULL;
	size_t length = id ? kind - id - 1 : 0;

	if (length < 4 || length > ID_MAX ||
	    strspn(id + 1, "0123456789abcdef") != length)
		return false;
	*text_bytes(parts->path, name, id - name) = '\0';
	*text_bytes(parts->id, id + 1, length) = '\0';
	parts->kind = kind + 1;
	return true;
}

static void by_id(char *to, const struct parts *parts)
{
	snprintf(to, PATH_MAX, "root/usr/lib/debug/.build-id/%.2s/%s.debug",
		 parts->id, parts->id + 2);
}

/* Where a member goes; "": of no use. @other: if there is one already. */
static void place(const char *name, char *to, char *other)
{
	struct parts parts;

	*to = *other = '\0';
	if (!strcmp(name, PACK_RECORDING))
		strcpy(to, "perf.data");
	else if (!strcmp(name, PACK_KALLSYMS))
		strcpy(to, "kallsyms");
	else if (!strcmp(name, PACK_KCORE))
		strcpy(to, "kcore");
	else if (!strcmp(name, PACK_VMLINUX))
		strcpy(to, "vmlinux");
	else if (!strncmp(name, PACK_ROOT, strlen(PACK_ROOT)))
		snprintf(to, PATH_MAX, "root/%s", name + strlen(PACK_ROOT));
	else if (!split(name, &parts))
		return;
	else if (!strcmp(parts.kind, "kallsyms"))
		strcpy(to, "kallsyms");
	else if (!strcmp(parts.kind, "vdso"))
		strcpy(to, "root/lib/modules/pack/vdso/vdso.so");
	else if (!strcmp(parts.kind, "debug"))
		by_id(to, &parts);
	else if (strcmp(parts.kind, "elf") != 0)
		return;
	else if (!strcmp(parts.path, PACK_KERNEL))
		strcpy(to, "root/boot/vmlinux");
	else {
		snprintf(to, PATH_MAX, "root/%s", parts.path);
		by_id(other, &parts);
	}
}

/* A descriptor, or -1: it is skipped. @to: its name below our directory. */
static int open_member(struct unpacking *u, const struct tar_member *member,
		       char to[PATH_MAX])
{
	char other[PATH_MAX], clean[64];
	int fd;

	if (member->type != TAR_FILE)
		return -1;
	if (!pack_name_is_safe(member->name)) {
		*text_clean(clean, member->name,
			    strnlen(member->name, sizeof(clean) - 1)) = '\0';
		complain(u, "a file named '%s' is skipped", clean);
		return -1;
	}
	place(member->name, to, other);
	if (!*to)
		return -1;
	fd = make_file(u->pack->dir, to);
	if (fd < 0 && *other)
		fd = make_file(u->pack->dir, strcpy(to, other));
	if (fd < 0 && errno != EEXIST)
		complain(u, "%s: %s", to, strerror(errno));
	return fd;
}

/* Reads @size bytes and writes them to @fd, or drops them if that is -1. */
static bool copy(struct unpacking *u, uint64_t size, int fd)
{
	uint8_t room[16384];
	int ret;

	while (size) {
		size_t n = read_some(u, room, MIN(size, sizeof(room)));

		if (!n)
			return complain(u, "cut short");
		ret = fd >= 0 ? io_write(fd, room, n) : 0;
		if (ret)
			return complain(u, "no room in TMPDIR, or /tmp: %s",
					strerror(-ret));
		size -= n;
	}
	return true;
}

static bool take_file(struct unpacking *u, const struct tar_member *member)
{
	char to[PATH_MAX], path[2 * PATH_MAX];
	int fd = open_member(u, member, to);
	bool done = copy(u, member->size, fd);

	close_open(&fd);
	/* Half a file would give wrong names; a cut recording is told to be. */
	if (fd >= 0 && !done && strcmp(to, "perf.data") != 0) {
		snprintf(path, sizeof(path), "%s/%s", u->pack->dir, to);
		unlink(path);
	}
	return done && copy(u, tar_padding(member->size), -1);
}

/* What a TAR_PAX or TAR_LONG_NAME says of the next member; "" and 0: nothing */
static bool take_name(struct unpacking *u, const struct tar_member *member,
		      struct tar_member *next)
{
	char data[PAX_MAX + 1];

	if (member->size > PAX_MAX)
		return complain(u, "a name of %" PRIu64 " bytes", member->size);
	if (read_all(u, (uint8_t *)data, member->size) < member->size)
		return complain(u, "cut short");
	data[member->size] = '\0';
	if (member->type == TAR_PAX)
		tar_read_pax(data, member->size, next);
	else
		snprintf(next->name, sizeof(next->name), "%.*s", PATH_MAX - 1,
			 data);
	return copy(u, tar_padding(member->size), -1);
}

static bool take_member(struct unpacking *u, struct tar_member *member,
			struct tar_member *next)
{
	if (member->type == TAR_PAX || member->type == TAR_LONG_NAME)
		return take_name(u, member, next);
	if (*next->name)
		strcpy(member->name, next->name);
	if (next->size)
		member->size = next->size;
	*next = (struct tar_member){};
	return take_file(u, member);
}

/* The archive ends with a block of zeros. */
static bool is_end(const uint8_t *block)
{
	for (size_t i = 0; i < TAR_BLOCK; i++)
		if (block[i])
			return false;
	return true;
}

static bool next_member(struct unpacking *u, struct tar_member *next)
{
	struct tar_member member;
	uint8_t block[TAR_BLOCK];

	if (read_all(u, block, sizeof(block)) < sizeof(block))
		return complain(u, "cut short");
	if (is_end(block))
		return false;
	if (!tar_read(block, &member))
		return complain(u, "no header of a member begins here");
	return take_member(u, &member, next);
}

static void take_members(struct unpacking *u)
{
	struct tar_member next = {};
	uint8_t rest[TAR_BLOCK];
	unsigned int nr = 0;

	while (nr < PACK_MEMBERS_MAX && next_member(u, &next))
		nr++;
	if (nr == PACK_MEMBERS_MAX)
		complain(u, "more than %u members", PACK_MEMBERS_MAX);
	/* zstd has a checksum behind the end of the archive. */
	while (!*u->pack->error && read_some(u, rest, sizeof(rest)))
		;
}

static bool read_header(struct unpacking *u, struct tar_member *member)
{
	uint8_t block[TAR_BLOCK];

	return read_all(u, block, sizeof(block)) == sizeof(block) &&
	       tar_read(block, member);
}

/* Is a recording the first member? Leaves @u behind its header if so. */
static bool begin(struct unpacking *u, struct tar_member *first)
{
	struct tar_member next = {};

	if (!refill(u) || !read_header(u, first))
		return false;
	if (first->type == TAR_PAX &&
	    (!take_name(u, first, &next) || !read_header(u, first)))
		return false;
	if (next.size)
		first->size = next.size;
	return !strcmp(first->name, PACK_RECORDING);
}

static void name_file(const struct pack *pack, char *path, const char *name)
{
	struct stat st;

	snprintf(path, PATH_MAX, "%s/%s", pack->dir, name);
	if (stat(path, &st))
		*path = '\0';
}

static void name_files(struct pack *pack)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/root", pack->dir);
	mkdir(path, 0700);
	name_file(pack, pack->recording, "perf.data");
	name_file(pack, pack->root, "root");
	name_file(pack, pack->kallsyms, "kallsyms");
	name_file(pack, pack->kcore, "kcore");
	name_file(pack, pack->vmlinux, "vmlinux");
}

static int make_directory(struct pack *pack)
{
	const char *dir = getenv("TMPDIR");

	if (*pack->dir)
		return 0;

	if (snprintf(pack->dir, sizeof(pack->dir), "%s/pmscope-XXXXXX",
		     dir && *dir ? dir : "/tmp") >= (int)sizeof(pack->dir))
		return -ENAMETOOLONG;
	return mkdtemp(pack->dir) ? cleaner_start(pack->dir) : -errno;
}

static int unpack(struct unpacking *u, const char *path)
{
	struct tar_member first;
	int ret;

	if (!begin(u, &first)) {
		*u->pack->error = '\0';
		return 0;
	}
	ret = make_directory(u->pack);
	if (ret) {
		error("%s: cannot be unpacked in TMPDIR, or /tmp: %s", path,
		      strerror(-ret));
		*u->pack->dir = '\0';
		return ret;
	}
	if (take_file(u, &first))
		take_members(u);
	name_files(u->pack);
	return 0;
}

/* Only a file that is compressed, or an archive, is read. */
static bool may_be(struct unpacking *u)
{
	uint8_t block[TAR_BLOCK];
	ssize_t n = pread(u->fd, block, sizeof(block), 0);

	if (n < 4)
		return false;
	if (get32(block) == ZSTD_MAGIC)
		u->stream = ZSTD_createDCtx();
	return u->stream || (n == sizeof(block) && tar_is(block));
}

int pack_unpack(struct pack *pack, const char *path)
{
	struct unpacking u = {.pack = pack};
	struct stat st;
	int ret = 0;

	u.fd = regular_open(path, 0, &st);
	if (u.fd < 0)
		return 0;
	u.from = malloc(ROOM);
	if (u.from && may_be(&u))
		ret = unpack(&u, path);
	ZSTD_freeDCtx(u.stream);
	free(u.from);
	close(u.fd);
	return ret;
}

int pack_open(struct pack *pack, const char *path)
{
	*pack = (struct pack){};
	return pack_unpack(pack, path);
}
