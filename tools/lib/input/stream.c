// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "stream.h"
#include "base/io.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

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

int input_stream_open(struct input_stream *stream, int fd)
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

ssize_t input_stream_read(struct input_stream *s, size_t size)
{
	ssize_t n = make_ready(s);

	if (n)
		return n;
	if (size > s->ready - s->size)
		size = s->ready - s->size;
	n = io_read(s->fd, s->data + s->size, size);
	if (n > 0)
		s->size += n;
	return n;
}

/* A new mapping frees the page tables, too. */
void input_stream_done(struct input_stream *s, size_t offset)
{
	size_t end = offset / STEP * STEP;

	if (end <= s->done)
		return;
	if (reserve(s->data + s->done, end - s->done, MAP_FIXED) != MAP_FAILED)
		s->done = end;
}

void input_stream_close(struct input_stream *s)
{
	if (s->data)
		munmap(s->data, s->room);
	if (s->data && s->fd != STDIN_FILENO)
		close(s->fd);
	*s = (struct input_stream){};
}
