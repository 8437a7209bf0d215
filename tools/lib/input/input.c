// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "input.h"
#include "base/io.h"

#include <pmscope/input.h>

/* A pipe that is being read; starts as zeros */
struct input_stream {
	int fd;
	/* the addresses that are reserved for all of it, @room bytes */
	uint8_t *data;
	size_t room;
	size_t size;  /* bytes that were read */
	size_t ready; /* bytes from @data on that have had memory */
	size_t done;  /* bytes from @data on whose memory was given back */
};

/* Addresses cost nothing; less is reserved where they are limited. */
#define ROOM_MAX ((size_t)1 << 44)
#define ROOM_MIN ((size_t)1 << 26)

/* Memory is taken, and given back, in such steps. */
#define STEP ((size_t)1 << 22)

static void *reserve(void *at, size_t size, int flags)
{
	return mmap(at, size, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/* Reserves addresses; takes @fd over. Returns 0 or -errno. */
static int input_stream_open(struct input_stream *stream, int fd)
{
	void *data = MAP_FAILED;
	size_t room = ROOM_MAX;

	for (; room >= ROOM_MIN; room /= 2) {
		data = reserve(NULL, room, 0);
		if (data != MAP_FAILED)
			break;
	}
	if (data == MAP_FAILED)
		return -ENOMEM;
	/* Leave most of a limit to the rest of the program. */
	if (room < ROOM_MAX && room > ROOM_MIN) {
		munmap((char *)data + room / 2, room / 2);
		room /= 2;
	}
	*stream = (struct input_stream){.fd = fd, .data = data, .room = room};
	return 0;
}

/* Makes memory of the next addresses. */
static int make_ready(struct input_stream *s)
{
	if (s->size < s->ready)
		return 0;
	if (s->ready == s->room)
		return -EFBIG;
	if (mprotect(s->data + s->ready, STEP, PROT_READ | PROT_WRITE))
		return -ENOMEM;
	s->ready += STEP;
	return 0;
}

/* Reads at most @size bytes more. Returns how many; 0 at the end; -errno. */
static ssize_t input_stream_read(struct input_stream *s, size_t size)
{
	ssize_t n = make_ready(s);

	if (n)
		return n;
	size = MIN(size, s->ready - s->size);
	n = io_read(s->fd, s->data + s->size, size);
	if (n > 0)
		s->size += n;
	return n;
}

/* A new mapping frees the page tables, too. */
static void input_stream_done(struct input_stream *s, size_t offset)
{
	size_t end = offset / STEP * STEP;

	if (end <= s->done)
		return;
	if (reserve(s->data + s->done, end - s->done, MAP_FIXED) != MAP_FAILED)
		s->done = end;
}

static void input_stream_close(struct input_stream *s)
{
	if (s->data)
		munmap(s->data, s->room);
	if (s->data && s->fd != STDIN_FILENO)
		close(s->fd);
	*s = (struct input_stream){};
}

#define SPOOL_CHUNK (1U << 20)
#define SPOOL_MAX   ((uint64_t)16 << 30)

/* The first bytes of a stream tell its kind. */
#define HEAD 16

struct pmscope_input {
	const uint8_t *data;
	size_t size;
	struct input_stream stream; /* zeros: it is a mapped file */
	char error[128];
};

static int copy_by(struct pmscope_input *input, int from, int to, char *buf,
		   input_is *is)
{
	ssize_t n = io_read(from, buf, HEAD);
	uint64_t total = 0;

	if (n <= 0)
		return n;
	if (input_is_packed(buf, n))
		return input_unpack(from, to, buf, n, is, input->error,
				    sizeof(input->error));
	if (is && !is((const uint8_t *)buf, n))
		return io_write(to, buf, n);
	while (n > 0) {
		int ret = io_write(to, buf, n);

		if (ret)
			return ret;
		total += n;
		if (total > SPOOL_MAX)
			return -EOVERFLOW;
		n = io_read(from, buf, SPOOL_CHUNK);
	}
	return n;
}

/* Copies the rest of @from to @to, decompressed if it is compressed. */
static int copy(struct pmscope_input *input, int from, int to, input_is *is)
{
	FREED char *buf = malloc(SPOOL_CHUNK);

	return buf ? copy_by(input, from, to, buf, is) : -ENOMEM;
}

/* Returns a descriptor of a file with the rest of @fd. */
static int spool(struct pmscope_input *input, int fd, input_is *is)
{
	int to = io_temporary();
	int ret = to < 0 ? to : copy(input, fd, to, is);

	if (!ret)
		return to;
	close_open(&to);
	return ret;
}

static int map_file(struct pmscope_input *input, int fd)
{
	int ret = regular_map(fd, &input->data, &input->size);

	close(fd);
	return ret;
}

static bool is_mapped(int fd, const struct stat *st)
{
	char head[HEAD];
	ssize_t n;

	/*
	 * Files of procfs and the like have size 0 but contain bytes. A part of
	 * standard input may have been read before.
	 */
	if (!S_ISREG(st->st_mode) || !st->st_size || lseek(fd, 0, SEEK_CUR))
		return false;
	n = pread(fd, head, sizeof(head), 0);
	return n < 0 || !input_is_packed(head, n);
}

static int input_fill(struct pmscope_input *input, int fd, input_is *is)
{
	struct stat st;
	int to;

	if (fstat(fd, &st))
		return -errno;
	if (is_mapped(fd, &st))
		return regular_map(fd, &input->data, &input->size);
	to = S_ISDIR(st.st_mode)
		     ? input_join(fd, input->error, sizeof(input->error))
		     : spool(input, fd, is);
	return to < 0 ? to : map_file(input, to);
}

static int open_path(const char *path)
{
	int fd = strcmp(path, "-") != 0 ? open(path, O_RDONLY | O_CLOEXEC)
					: STDIN_FILENO;

	return fd < 0 ? -errno : fd;
}

static struct pmscope_input *finish_open(struct pmscope_input *input, int ret)
{
	if (!ret)
		return input;
	pmscope_input_free(input);
	errno = -ret;
	return NULL;
}

struct pmscope_input *input_open_kind(const char *path, input_is *is)
{
	struct pmscope_input *input;
	int fd = open_path(path), ret;

	if (fd < 0)
		return finish_open(NULL, fd);
	input = calloc(1, sizeof(*input));
	ret = input ? input_fill(input, fd, is) : -ENOMEM;
	if (fd != STDIN_FILENO)
		close(fd);
	return finish_open(input, ret);
}

static bool is_pipe(int fd)
{
	struct stat st;

	return !fstat(fd, &st) &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

/* Copies what was read of a stream, then the rest, if it is of the kind. */
static int copy_stream(struct pmscope_input *input, int to, input_is *is)
{
	struct input_stream *s = &input->stream;
	int ret;

	if (input_is_packed(s->data, s->size))
		return input_unpack(s->fd, to, s->data, s->size, is,
				    input->error, sizeof(input->error));
	ret = io_write(to, s->data, s->size);
	if (ret || (is && !is(s->data, s->size)))
		return ret;
	return copy(input, s->fd, to, NULL);
}

/* The input is a file with the stream. */
static int spool_stream(struct pmscope_input *input, input_is *is)
{
	struct input_stream *s = &input->stream;
	int to = io_temporary(), ret;

	if (to < 0)
		return to;
	ret = copy_stream(input, to, is);
	input_stream_close(s);
	if (!ret)
		return map_file(input, to);
	close(to);
	return ret;
}

static int fill_stream(struct pmscope_input *input, int fd, input_is *is,
		       input_is *is_stream)
{
	struct input_stream *s = &input->stream;
	ssize_t n;
	int ret = input_stream_open(s, fd);

	if (ret && fd != STDIN_FILENO)
		close(fd);
	if (ret)
		return ret;
	n = input_stream_read(s, HEAD);
	if (n < 0)
		return n;
	if (!is_stream(s->data, s->size))
		return spool_stream(input, is);
	input->data = s->data;
	input->size = s->size;
	return 0;
}

struct pmscope_input *input_open_stream(const char *path, input_is *is,
					input_is *is_stream)
{
	struct pmscope_input *input;
	int fd = open_path(path), ret;

	if (fd < 0)
		return finish_open(NULL, fd);
	input = calloc(1, sizeof(*input));
	if (input && is_pipe(fd))
		return finish_open(input,
				   fill_stream(input, fd, is, is_stream));
	ret = input ? input_fill(input, fd, is) : -ENOMEM;
	if (fd != STDIN_FILENO)
		close(fd);
	return finish_open(input, ret);
}

bool input_is_stream(const struct pmscope_input *input)
{
	return input->stream.data;
}

ssize_t input_more(struct pmscope_input *input)
{
	ssize_t n = input_stream_read(&input->stream, SPOOL_CHUNK);

	input->size = input->stream.size;
	return n;
}

void input_done(struct pmscope_input *input, size_t offset)
{
	input_stream_done(&input->stream, offset);
}

int input_keep(struct pmscope_input *input)
{
	int ret = spool_stream(input, NULL);

	if (ret) {
		input->data = NULL;
		input->size = 0;
	}
	return ret;
}

int pmscope_input_open(const char *path, struct pmscope_input **input)
{
	*input = input_open_kind(path, NULL);
	return *input ? 0 : -errno;
}

void pmscope_input_free(struct pmscope_input *input)
{
	if (!input)
		return;
	if (input_is_stream(input))
		input_stream_close(&input->stream);
	else
		regular_unmap(input->data, input->size);
	free(input);
}

void pmscope_input_release(const struct pmscope_input *input)
{
	if (input->data && !input_is_stream(input))
		madvise((void *)input->data, input->size, MADV_DONTNEED);
}

const uint8_t *pmscope_input_data(const struct pmscope_input *input)
{
	return input->data;
}

size_t pmscope_input_size(const struct pmscope_input *input)
{
	return input->size;
}

const char *pmscope_input_error(const struct pmscope_input *input)
{
	return input->error;
}
