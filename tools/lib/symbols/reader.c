// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "reader.h"
#include "base/io.h"

#include <sys/socket.h>

/*
 * CPU time for one name in ns; compilers' names take microseconds. After
 * SLOW_NAMES slow ones a name gets only BRIEF_TIME, and after LAST_SLOW no name
 * is demangled.
 */
#define NAME_TIME  250000000
#define BRIEF_TIME 2000000
#define SLOW_NAMES 8
#define LAST_SLOW  256

/* Ends the child. A later request starts another. */
static void reader_end(struct reader *r)
{
	int status;

	if (r->pid > 0) {
		close(r->socket);
		/* The program may have reaped it with wait(). */
		if (TEMP_FAILURE_RETRY(waitpid(r->pid, &status, 0)) != r->pid)
			status = 0;
		if (SANITIZED && WIFEXITED(status) &&
		    WEXITSTATUS(status) == READER_SANITIZER)
			abort();
	}
	free(r->packet);
	r->packet = NULL;
	r->pid = 0;
}

static void nothing(void *)
{
}

void reader_fini(struct reader *r)
{
	reader_end(r);
	named_fini(&r->codes, nothing);
	r->codes = (struct named){};
}

static int fork_child(struct reader *r, const int ends[2])
{
	sigset_t all, before;

	/* The program's signal handlers must not run in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r->pid = fork();
	if (!r->pid)
		reader_serve(ends[1], r->options);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r->pid < 0 ? -errno : 0;
}

static int start(struct reader *r)
{
	const struct timeval wait = {.tv_sec = r->wait ? r->wait : READER_WAIT};
	int ends[2], ret;

	if (!r->packet)
		r->packet = malloc(sizeof(*r->packet));
	if (!r->packet)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	ret = fork_child(r, ends);
	close(ends[1]);
	if (ret) {
		close(ends[0]);
		r->pid = 0;
		return ret;
	}
	r->socket = ends[0];
	r->user = geteuid();
	r->children++;
	r->nr_files = 0;
	return 0;
}

/*
 * Returns true if the packet only reports a file, or that the child waits for a
 * server, so that the answer is still to come.
 */
static bool is_told(struct reader *r)
{
	const char *path = reader_text(r->packet, 0);

	if (r->packet->task == READER_BUSY)
		return true;
	if (r->packet->task == READER_FOUND && path) {
		unreadable_found(r->missing, path);
		return true;
	}
	if (r->packet->task != READER_UNREAD || !path)
		return false;
	unreadable_add(r->missing, path, r->packet->ret);
	return true;
}

/*
 * A request to the child, which is begun if there is none, or if the effective
 * user changed: it has the rights of the user that forked it.
 */
static int prepare(struct reader *r, enum reader_task task, const char *path,
		   const char *name)
{
	int ret = 0;

	if (r->pid && r->user != geteuid())
		reader_end(r);
	if (!r->pid)
		ret = start(r);
	if (ret)
		return ret;
	r->packet->task = task;
	r->packet->size[0] = r->packet->size[1] = 0;
	return (path && !reader_put(r->packet, 0, path)) ||
			       (name && !reader_put(r->packet, 1, name))
		       ? -ENAMETOOLONG
		       : 0;
}

/*
 * Sends r->packet, with @fd, and receives the answer into it, with @passed,
 * which may be NULL. Returns the answer's code. If there is no valid answer,
 * ends the child and returns its last error or -EBADMSG.
 */
static int ask(struct reader *r, int fd, int *passed)
{
	uint32_t task = r->packet->task;
	int got = -1, ret = -EBADMSG;

	errno = 0;
	if (reader_send(r->socket, r->packet, fd))
		while (reader_receive(r->socket, r->packet, &got)) {
			if (passed && r->packet->task == task)
				*passed = got;
			else if (got >= 0)
				close(got);
			if (is_told(r))
				continue;
			ret = r->packet->ret;
			if (r->packet->task == task && ret <= 0)
				return ret;
			break;
		}
	if (errno == EAGAIN) {
		kill(r->pid, SIGKILL);
		ret = -ETIME;
	}
	reader_end(r);
	return ret < 0 ? ret : -EBADMSG;
}

/* Sends a request for symbols and loads those that come back. */
static int ask_symbols(struct reader *r, const struct reader_source *source,
		       struct elf_id *id, struct elf_symbols *elf)
{
	size_t size = source->build_id_size;
	struct reader_packet *packet;
	int image = -1;
	int ret = prepare(r, READER_SYMBOLS, source->path, source->name);

	if (ret)
		return ret;
	packet = r->packet;
	packet->number = elf->kind + elf->is_module * READER_MODULE;
	packet->id.size = size < ELF_ID_MAX ? size : ELF_ID_MAX;
	if (size)
		memcpy(packet->id.bytes, source->build_id, packet->id.size);
	ret = ask(r, source->fd, &image);
	if (r->pid && packet->id.known && packet->id.size <= ELF_ID_MAX)
		*id = packet->id;
	if (!ret)
		ret = elf_load(image, &packet->image, elf);
	if (image >= 0)
		close(image);
	return ret;
}

/* Returns true if another child may have memory for it. */
static bool is_worth_another(int error, unsigned int others)
{
	return (error == -EFBIG || error == -EBADMSG) && others;
}

int reader_read_symbols(struct reader *r, const struct reader_source *source,
			struct elf_id *id, struct elf_symbols *elf)
{
	unsigned int others = r->pid ? r->nr_files : 0;
	int ret = ask_symbols(r, source, id, elf);

	return is_worth_another(ret, others) ? ask_symbols(r, source, id, elf)
					     : ret;
}

static int ask_code(struct reader *r, const char *path, int fd,
		    uint32_t section, uint64_t address,
		    const struct code_request *request)
{
	int ret = prepare(r, READER_CODE, path, NULL);
	struct reader_packet *packet = r->packet;

	if (ret)
		return ret;
	packet->number = section;
	packet->address = address;
	packet->limit = request->size;
	ret = ask(r, fd, NULL);
	if (ret)
		return ret;
	request->code->machine = packet->number;
	request->code->size = MIN(packet->size[0], request->size);
	memcpy(request->bytes, packet->parts, request->code->size);
	return request->code->size ? 0 : -EBADMSG;
}

/* An answer has room for part of the code: asks for it piece by piece. */
static int ask_pieces(struct reader *r, const char *path, int fd,
		      uint32_t section, uint64_t address,
		      const struct code_request *request)
{
	struct pmscope_code piece = *request->code;
	size_t done = 0;
	int ret = 0;

	while (!ret && done < request->size) {
		const struct code_request rest = {(char *)request->bytes + done,
						  request->size - done, &piece};

		piece.size = 0;
		ret = ask_code(r, path, fd, section, address + done, &rest);
		done += piece.size;
		if (piece.size < sizeof(r->packet->parts))
			break;
	}
	request->code->machine = piece.machine;
	request->code->size = done;
	return done ? 0 : ret;
}

int reader_read_code(struct reader *r, const char *path,
		     int (*open_file)(const char *path), uint32_t section,
		     uint64_t address, const struct code_request *request)
{
	bool is_new;
	void **known = named_item(&r->codes, path, &is_new);
	int fd, ret;

	if (!known)
		return -ENOMEM;
	if (*known)
		return (intptr_t)*known;
	fd = open_file(path);
	if (fd < 0)
		return fd;
	ret = ask_pieces(r, path, fd, section, address, request);
	close(fd);
	request->code->file = path;
	if (ret != -ETIME && ret != -EFBIG && ret != -EBADMSG)
		return ret;
	*known = (void *)(intptr_t)ret;
	unreadable_add(r->missing, path, ret);
	return ret;
}

/* Requests something of DWARF; passes the file if the child lacks it. */
static int ask_once(struct reader *r, struct reader_file *file,
		    enum reader_task task, uint64_t address, uint64_t limit)
{
	bool is_open =
		r->pid && r->user == geteuid() && file->child == r->children;
	struct stat st;
	int ret, fd = is_open ? -1 : regular_open(file->path, 0, &st);

	if (fd < 0 && !is_open)
		return fd;
	ret = prepare(r, task, is_open ? NULL : file->path,
		      is_open ? NULL : file->name);
	if (!ret && !is_open) {
		file->child = r->children;
		file->number = r->nr_files++;
	}
	if (!ret) {
		r->packet->number = file->number;
		r->packet->address = address;
		r->packet->limit = limit;
		ret = ask(r, fd, NULL);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Asks again if needed. Returns 0 or -errno. */
static int ask_file(struct reader *r, struct reader_file *file,
		    enum reader_task task, uint64_t address, uint64_t limit)
{
	unsigned int others = r->pid ? r->nr_files : 0;
	int ret;

	if (file->error)
		return -ENOENT;
	ret = ask_once(r, file, task, address, limit);
	if (is_worth_another(ret, others))
		ret = ask_once(r, file, task, address, limit);
	return ret;
}

/* Gives a file up after an error. Returns what the caller gets. */
static int settle(struct reader *r, struct reader_file *file, int ret)
{
	if (!ret || ret == -ENOMEM || file->error)
		return ret;
	file->error = ret;
	unreadable_add(r->missing, file->path, ret);
	return -ENOENT;
}

/* Are there ranges with all frames, and all offsets within the strings? */
static bool take_frames(const struct reader_packet *packet,
			struct reader_frames *frames)
{
	size_t size = packet->size[0], texts = packet->size[1], rest = 0;

	frames->frames = (const void *)packet->parts;
	frames->nr = size / sizeof(*frames->frames);
	frames->texts = packet->parts + size;
	if (!frames->nr || size % sizeof(*frames->frames) ||
	    (texts && frames->texts[texts - 1]))
		return false;
	for (size_t i = 0; i < frames->nr; i++) {
		const struct reader_frame *f = &frames->frames[i];

		if (f->name > texts || f->linkage > texts || f->file > texts ||
		    !f->size != !!rest || f->nr > PMSCOPE_FRAMES_MAX)
			return false;
		rest = rest ? rest - 1 : f->nr - !!f->nr;
	}
	return !rest;
}

int reader_find_frames(struct reader *r, struct reader_file *file,
		       uint64_t address, uint64_t limit,
		       struct reader_frames *frames)
{
	int ret = ask_file(r, file, READER_FRAMES, address, limit);

	if (!ret && !take_frames(r->packet, frames))
		ret = -EBADMSG;
	return settle(r, file, ret);
}

/* Copies an answer, in which all offsets are within the strings. */
static int take_layout(const struct reader_packet *packet,
		       struct reader_layout *l)
{
	size_t size = packet->size[0], texts = packet->size[1];

	if (size % sizeof(*l->part) ||
	    (texts && packet->parts[size + texts - 1]))
		return -EBADMSG;
	memcpy(l->part, packet->parts, size + texts);
	for (size_t i = 0; i < size / sizeof(*l->part); i++)
		if (l->part[i].name > texts)
			return -EBADMSG;
	l->start = packet->address;
	l->size = packet->limit;
	l->nr = size / sizeof(*l->part);
	l->texts = (const char *)l->part + size;
	l->size_of_texts = texts;
	return 0;
}

struct reader_layout *reader_find_layout(struct reader *r,
					 struct reader_file *file,
					 uint64_t address,
					 enum reader_kind kind)
{
	int ret = ask_file(r, file, READER_LAYOUT, address, kind);
	size_t size = ret ? 0 : r->packet->size[0] + r->packet->size[1];
	struct reader_layout *l = calloc(1, sizeof(*l) + size);

	if (ret == -ENOMEM || !l) {
		free(l);
		return NULL;
	}
	l->part = (void *)(l + 1);
	settle(r, file, ret ?: take_layout(r->packet, l));
	return l;
}

ssize_t reader_demangle(struct reader *r, const char *name,
			char text[DEMANGLED_MAX])
{
	const char *shown;
	size_t length;
	int ret;

	if (r->slow >= LAST_SLOW)
		return 0;
	ret = prepare(r, READER_NAME, name, NULL);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	r->packet->address = r->slow < SLOW_NAMES ? NAME_TIME : BRIEF_TIME;
	if (ask(r, -1, NULL)) {
		r->slow++;
		return 0;
	}
	shown = reader_text(r->packet, 0) ?: "";
	length = strlen(shown);
	if (length > DEMANGLED_MAX)
		return 0;
	memcpy(text, shown, length);
	return length;
}
