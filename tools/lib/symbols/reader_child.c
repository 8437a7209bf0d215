// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "source_lines.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#define SOCKET 3

/* At most this many frames per answer */
#define FRAMES_MAX 512

struct child_file {
	char *path;
	char *name;
	struct debug_search search;
	struct lines lines;
	struct variables variables;
	struct variables of_threads;
	int64_t time; /* CPU time left for it in ns */
};

static struct child {
	const struct pmscope_symbols_options *options;
	struct unreadable_files missing;
	size_t nr_told;	 /* unreadable files reported so far */
	size_t nr_found; /* files of debug information reported so far */
	struct debuginfod servers;
	struct child_file **files;
	size_t nr_files;
	size_t max_files;
	struct reader_packet packet;
} child;

bool reader_put(struct reader_packet *packet, unsigned int part,
		const char *text)
{
	size_t at = part ? packet->size[0] : 0, size = strlen(text) + 1;

	if (size > sizeof(packet->parts) - at)
		return false;
	memcpy(packet->parts + at, text, size);
	packet->size[part] = size;
	return true;
}

const char *reader_text(const struct reader_packet *packet, unsigned int part)
{
	size_t at = part ? packet->size[0] : 0, size = packet->size[part];

	return size && !packet->parts[at + size - 1] ? packet->parts + at
						     : NULL;
}

/* Room for one file descriptor. */
union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

static void pass_file(struct msghdr *message, union control *control, int fd)
{
	if (fd < 0)
		return;
	*control =
		(union control){.header = {.cmsg_level = SOL_SOCKET,
					   .cmsg_type = SCM_RIGHTS,
					   .cmsg_len = CMSG_LEN(sizeof(fd))}};
	memcpy(CMSG_DATA(&control->header), &fd, sizeof(fd));
	message->msg_control = control;
	message->msg_controllen = sizeof(*control);
}

bool reader_send(int socket, struct reader_packet *packet, int fd)
{
	struct iovec iov = {packet,
			    READER_HEADER + packet->size[0] + packet->size[1]};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	union control control;

	pass_file(&message, &control, fd);
	return TEMP_FAILURE_RETRY(sendmsg(socket, &message, MSG_NOSIGNAL)) ==
	       (ssize_t)iov.iov_len;
}

static int passed_file(struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (header && header->cmsg_level == SOL_SOCKET &&
	    header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

bool reader_receive(int socket, struct reader_packet *packet, int *fd)
{
	union control control;
	struct iovec iov = {packet, sizeof(*packet)};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	ssize_t size =
		TEMP_FAILURE_RETRY(recvmsg(socket, &message, MSG_CMSG_CLOEXEC));

	*fd = size > 0 ? passed_file(&message) : -1;
	if (size >= (ssize_t)READER_HEADER &&
	    size == (ssize_t)(READER_HEADER + (uint64_t)packet->size[0] +
			      packet->size[1]))
		return true;
	if (*fd >= 0)
		close(*fd);
	return false;
}

/* Sends a last packet and exits. Async-signal-safe. */
_Noreturn static void give_up(int error)
{
	static struct reader_packet last = {.task = READER_END};

	last.ret = error;
	send(SOCKET, &last, READER_HEADER, MSG_NOSIGNAL);
	_exit(0);
}

static void on_time(int)
{
	give_up(-ETIME);
}

/* Library code may crash after a failed allocation. */
static void on_fault(int)
{
	give_up(errno == ENOMEM ? -EFBIG : -EBADMSG);
}

/*
 * libdw calls exit() if out of memory. Exit handlers run in reverse order, so
 * this one ends the process before any that the parent registered.
 */
static void on_exit_call(void)
{
	give_up(-EFBIG);
}

/* libdw returns incomplete results if an allocation fails, so give up then. */
static void check_memory(void)
{
	if (child.missing.memory || errno == ENOMEM)
		give_up(-EFBIG);
}

static struct child_file *file_open(int fd, const char *path, const char *name)
{
	struct child_file *file = calloc(1, sizeof(*file));

	if (!file || array_room(child.files, child.nr_files, child.max_files) ||
	    !(file->path = strdup(path)) || !(file->name = strdup(name)))
		give_up(-EFBIG);
	child.files[child.nr_files++] = file;
	file->lines.mangled = child.options->mangled;
	file->of_threads.of_threads = true;
	file->search =
		(struct debug_search){&child.missing, child.options->symfs,
				      file->name, &child.servers};
	errno = 0;
	limits_start(LIMITS_FILE_TIME);
	limits_raise(path);
	fd = unpack_file(fd);
	unreadable_add(&child.missing, path, fd);
	lines_open(&file->lines, fd, file->path, &file->search);
	file->time = limits_stop();
	check_memory();
	return file;
}

static void answer_with(struct reader_packet *packet, int fd)
{
	if (!reader_send(SOCKET, packet, fd))
		_exit(0);
}

static void answer(struct reader_packet *packet)
{
	answer_with(packet, -1);
}

/* The parent waits longer while a server is slow; see DEBUGINFOD_TIMEOUT. */
static int on_progress(void *, long, long)
{
	static struct reader_packet busy = {.task = READER_BUSY};
	static time_t last;
	time_t now = time(NULL);

	if (now != last)
		answer(&busy);
	last = now;
	return 0;
}

static void tell(enum reader_task task, const struct strings *files,
		 const int *errors, size_t *nr)
{
	static struct reader_packet told;

	told.task = task;
	for (; *nr < files->count; ++*nr) {
		told.ret = errors ? errors[*nr] : 0;
		if (reader_put(&told, 0, strings_get(files, *nr)))
			answer(&told);
	}
}

/* Reports files that were found, or not read, since the last answer. */
static void tell_files(void)
{
	tell(READER_UNREAD, &child.missing.files, child.missing.errors,
	     &child.nr_told);
	tell(READER_FOUND, &child.missing.found, NULL, &child.nr_found);
}

/* Work on a file begins, and ends with an answer. */
static void begin(const struct child_file *file)
{
	errno = 0;
	limits_start(file->time);
}

static void answer_parts(struct child_file *file, struct reader_packet *packet,
			 const void *parts, size_t size, const char *texts,
			 size_t size_of_texts)
{
	file->time = limits_stop();
	check_memory();
	tell_files();
	memcpy(packet->parts, parts, size);
	memcpy(packet->parts + size, texts, size_of_texts);
	packet->size[0] = size;
	packet->size[1] = size_of_texts;
	packet->ret = file->lines.module ? 0 : -ENOENT;
	answer(packet);
}

/* The contents of an answer to READER_FRAMES. */
struct ranges {
	struct reader_frame frame[FRAMES_MAX];
	size_t nr;
	struct reader_frame *gap; /* the last range, if nothing is there */
	char texts[sizeof(child.packet.parts) -
		   sizeof(struct reader_frame[FRAMES_MAX])];
	size_t size;
	struct {
		const char *text;
		uint32_t at;
	} known[64]; /* texts are mostly those of the functions before */
};

/* Stores @text, if any; false if it does not fit. */
static bool frame_text(struct ranges *ranges, const char *text, uint32_t *at)
{
	size_t slot = ((uintptr_t)text >> 3 ^ (uintptr_t)text) % 64, size;

	*at = 0;
	if (!text)
		return true;
	if (ranges->known[slot].text == text &&
	    !strcmp(ranges->texts + ranges->known[slot].at - 1, text)) {
		*at = ranges->known[slot].at;
		return true;
	}
	size = strlen(text) + 1;
	if (size > sizeof(ranges->texts) - ranges->size)
		return false;
	memcpy(ranges->texts + ranges->size, text, size);
	*at = ranges->size + 1;
	ranges->known[slot].text = text;
	ranges->known[slot].at = *at;
	ranges->size += size;
	return true;
}

/*
 * Of the first range, a name that has no room is missing. Returns false if
 * there is no room for another range.
 */
static bool put_range(struct ranges *ranges, const struct pmscope_frame *frames,
		      size_t nr, uint64_t behind)
{
	struct reader_frame *put = ranges->frame + ranges->nr;
	bool is_gap = !nr && !frames->file, fits = true;

	if (is_gap && ranges->gap) {
		ranges->gap->size += behind + 1;
		return true;
	}
	if (FRAMES_MAX - ranges->nr < nr + !nr)
		return false;
	for (size_t i = 0; i < nr + !nr; i++) {
		put[i] = (struct reader_frame){
			.line = frames[i].line,
			.discriminator = frames[i].discriminator,
			.start = frames[i].start,
		};
		fits &= frame_text(ranges, frames[i].name, &put[i].name);
		fits &= frame_text(ranges, frames[i].linkage, &put[i].linkage);
		fits &= frame_text(ranges, frames[i].file, &put[i].file);
	}
	if (!fits && ranges->nr)
		return false;
	put->size = behind + !!(behind + 1);
	put->nr = nr;
	ranges->gap = is_gap ? put : NULL;
	ranges->nr += nr + !nr;
	return true;
}

/* Finds the frames from @address up to @limit bytes after it. */
static void find_ranges(struct child_file *file, uint64_t address,
			uint64_t limit, struct ranges *ranges)
{
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	struct pmscope_around around;
	uint64_t at = 0;
	size_t nr;

	do {
		nr = lines_frames(&file->lines, address + at, frames, &around);
		if (!put_range(ranges, frames, nr, around.behind))
			break;
		at += around.behind + 1;
	} while (at && at <= limit);
}

static void answer_frames(struct child_file *file, struct reader_packet *packet)
{
	static struct ranges ranges;

	ranges = (struct ranges){};
	begin(file);
	find_ranges(file, packet->address,
		    packet->limit < READER_AHEAD ? packet->limit
						 : READER_AHEAD - 1,
		    &ranges);
	answer_parts(file, packet, ranges.frame,
		     ranges.nr * sizeof(*ranges.frame), ranges.texts,
		     ranges.size);
}

static void answer_layout(struct child_file *file, struct reader_packet *packet)
{
	static struct layout layout;
	enum reader_kind kind = packet->limit;
	struct variables *variables = kind == READER_OF_THREADS
					      ? &file->of_threads
					      : &file->variables;

	begin(file);
	if (kind >= READER_OF_BLOCKS
		    ? !block_type(variables, &file->lines, packet->address,
				  kind == READER_OF_PASSED, &layout)
		    : !variables_find(variables, &file->lines, packet->address,
				      &layout))
		layout.nr = layout.used = 0;
	packet->address = layout.start;
	packet->limit = layout.size;
	answer_parts(file, packet, layout.part,
		     layout.nr * sizeof(*layout.part), layout.texts,
		     layout.used);
}

/* Of a file that is passed, or one that was. */
static void answer_dwarf(struct reader_packet *packet, int fd)
{
	const char *path = reader_text(packet, 0);
	const char *name = reader_text(packet, 1);
	struct child_file *file = NULL;

	if (fd >= 0 && path && name)
		file = file_open(fd, path, name);
	else if (packet->number < child.nr_files)
		file = child.files[packet->number];
	if (!file)
		_exit(0);
	if (packet->task == READER_FRAMES)
		answer_frames(file, packet);
	else
		answer_layout(file, packet);
}

/* Returns the file descriptor of an image, or -errno. */
static int read_symbols(struct reader_packet *packet, int fd, const char *path,
			const char *name)
{
	const struct debug_search search = {
		&child.missing, child.options->symfs, name, &child.servers};
	const struct elf_wanted wanted = {packet->id.bytes, packet->id.size};
	struct elf_symbols elf = {.kind = packet->number % READER_MODULE,
				  .is_module = packet->number / READER_MODULE};
	struct elf_id id = {};
	int ret;

	fd = unpack_file(fd);
	ret = fd < 0 ? fd : elf_read(fd, path, &search, &wanted, &id, &elf);
	if (!ret)
		ret = elf_save(&elf, &packet->image);
	elf_fini(&elf);
	packet->id = id;
	return ret;
}

static void answer_symbols(struct reader_packet *packet, int fd)
{
	const char *path = reader_text(packet, 0);
	const char *name = reader_text(packet, 1);
	uint64_t memory = limits_memory();
	int image;

	if (fd < 0 || !path || !name)
		_exit(0);
	errno = 0;
	limits_start(LIMITS_FILE_TIME);
	limits_raise(path);
	image = read_symbols(packet, fd, path, name);
	limits_stop();
	limits_restore(memory);
	check_memory();
	tell_files();
	packet->ret = image < 0 ? image : 0;
	packet->size[0] = packet->size[1] = 0;
	answer_with(packet, image);
	if (image >= 0)
		close(image);
}

/* The file that code was read from last. */
struct code_file {
	char *path; /* NULL: none */
	int fd;
	int64_t time; /* CPU time left for it in ns */
};

static void code_open(struct code_file *file, int fd, const char *path)
{
	if (file->path)
		close(file->fd);
	free(file->path);
	limits_start(LIMITS_FILE_TIME);
	limits_raise(path);
	file->fd = unpack_file(fd);
	file->time = limits_stop();
	file->path = file->fd < 0 ? NULL : strdup(path);
}

/* Callers often ask for several functions of one file. */
static int read_code(struct reader_packet *packet, int fd, const char *path)
{
	static struct code_file file;
	struct pmscope_code code = {};
	const struct code_request request = {
		packet->parts, MIN(packet->limit, sizeof(packet->parts)),
		&code};
	int ret;

	if (!file.path || strcmp(file.path, path) != 0)
		code_open(&file, fd, path);
	else
		close(fd);
	if (!file.path)
		return file.fd < 0 ? file.fd : -ENOMEM;
	limits_start(file.time);
	ret = code_read(file.fd, packet->number, packet->address, &request);
	file.time = limits_stop();
	packet->number = code.machine;
	packet->size[0] = code.size;
	return ret;
}

static void answer_code(struct reader_packet *packet, int fd)
{
	const char *path = reader_text(packet, 0);
	uint64_t memory = limits_memory();

	if (fd < 0 || !path)
		_exit(0);
	packet->size[0] = packet->size[1] = 0;
	packet->ret = read_code(packet, fd, path);
	limits_restore(memory);
	answer(packet);
}

static void answer_name(struct reader_packet *packet)
{
	static char text[DEMANGLED_MAX + 1];
	const char *name = reader_text(packet, 0);

	limits_start(packet->address);
	text[name ? demangle_here(name, text) : 0] = '\0';
	limits_stop();
	packet->ret = 0;
	packet->size[1] = 0;
	reader_put(packet, 0, text);
	answer(packet);
}

#if SANITIZED
void __asan_set_error_report_callback(void (*call)(const char *report));

/* Running out of memory is not an error here. */
static void on_report(const char *report)
{
	if (strstr(report, "out of memory") ||
	    strstr(report, "out-of-memory") || strstr(report, "too-big"))
		give_up(-EFBIG);
	_exit(READER_SANITIZER);
}
#endif

/*
 * Signals from the terminal or to the process group are for the parent; the
 * child exits when the parent closes the socket.
 */
static void set_signals(void)
{
	static const int of_parent[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	static const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
	sigset_t none;

	for (int number = 1; number < NSIG && !SANITIZED; number++)
		signal(number, SIG_DFL);
	for (size_t i = 0; i < ARRAY_SIZE(of_parent); i++)
		signal(of_parent[i], SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(faults) && !SANITIZED; i++)
		signal(faults[i], on_fault);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
#if SANITIZED
	__asan_set_error_report_callback(on_report);
#endif
}

/* close_range(2) is missing before Linux 5.9. */
static void close_from(int first)
{
	long limit = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, ~0U, 0))
		return;
#endif
	for (long fd = first; fd < limit && fd < 65536; fd++)
		close(fd);
}

/* So that pipes see their end, and no file of the program is written to. */
static void close_files(int socket)
{
	int nothing = open("/dev/null", O_RDWR);

	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	if (!SANITIZED)
		dup2(nothing, STDERR_FILENO);
	dup2(socket, SOCKET);
	close_from(SOCKET + 1);
}

_Noreturn void reader_serve(int socket,
			    const struct pmscope_symbols_options *options)
{
	int fd;

	close_files(socket);
	set_signals();
	atexit(on_exit_call);
	limits_begin(on_time);
	sandbox_enter(debuginfod_is_configured());
	child.options = options;
	child.servers.progress = on_progress;
	while (reader_receive(SOCKET, &child.packet, &fd))
		if (child.packet.task == READER_FRAMES ||
		    child.packet.task == READER_LAYOUT)
			answer_dwarf(&child.packet, fd);
		else if (child.packet.task == READER_SYMBOLS)
			answer_symbols(&child.packet, fd);
		else if (child.packet.task == READER_CODE)
			answer_code(&child.packet, fd);
		else if (child.packet.task == READER_NAME)
			answer_name(&child.packet);
	_exit(0);
}
