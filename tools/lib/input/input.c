// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "input.h"
#include "base/io.h"
#include "base/regular.h"

#include <pmscope/input.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPOOL_CHUNK (1U << 20)

/* The first bytes of a stream tell its kind. */
#define HEAD 16

struct pmscope_input {
	const uint8_t *data;
	size_t size;
	char error[128];
};

static int copy_by(int from, int to, char *buf, input_is *is)
{
	ssize_t n = io_read(from, buf, HEAD);

	if (n <= 0)
		return n;
	if (is && !is((const uint8_t *)buf, n))
		return io_write(to, buf, n);
	while (n > 0) {
		int ret = io_write(to, buf, n);

		if (ret)
			return ret;
		n = io_read(from, buf, SPOOL_CHUNK);
	}
	return n;
}

/* Copies the rest of @from to @to. */
static int copy(int from, int to, input_is *is)
{
	char *buf = malloc(SPOOL_CHUNK);
	int ret = buf ? copy_by(from, to, buf, is) : -ENOMEM;

	free(buf);
	return ret;
}

/* Returns a descriptor of a file with the rest of @fd. */
static int spool(int fd, input_is *is)
{
	int to = io_temporary();
	int ret = to < 0 ? to : copy(fd, to, is);

	if (!ret)
		return to;
	if (to >= 0)
		close(to);
	return ret;
}

static int input_fill(struct pmscope_input *input, int fd, input_is *is)
{
	struct stat st;
	int to, ret;

	if (fstat(fd, &st))
		return -errno;
	/*
	 * Files of procfs and the like have size 0 but contain bytes. A part of
	 * standard input may have been read before.
	 */
	if (S_ISREG(st.st_mode) && st.st_size && !lseek(fd, 0, SEEK_CUR))
		return regular_map(fd, &input->data, &input->size);
	to = S_ISDIR(st.st_mode)
		     ? input_join(fd, input->error, sizeof(input->error))
		     : spool(fd, is);
	if (to < 0)
		return to;
	ret = regular_map(to, &input->data, &input->size);
	close(to);
	return ret;
}

struct pmscope_input *input_open_kind(const char *path, input_is *is)
{
	bool standard = !strcmp(path, "-");
	struct pmscope_input *input;
	int fd, ret;

	fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	input = calloc(1, sizeof(*input));
	ret = input ? input_fill(input, fd, is) : -ENOMEM;
	if (!standard)
		close(fd);
	if (!ret)
		return input;
	free(input);
	errno = -ret;
	return NULL;
}

struct pmscope_input *pmscope_input_open(const char *path)
{
	return input_open_kind(path, NULL);
}

void pmscope_input_free(struct pmscope_input *input)
{
	if (!input)
		return;
	regular_unmap(input->data, input->size);
	free(input);
}

void pmscope_input_release(const struct pmscope_input *input)
{
	if (input->data)
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
