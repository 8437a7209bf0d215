// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * The directory that `perf record --threads` leaves: `data`, a perf.data of the
 * file form, and data.0, data.1 and so on, which are records only, of a thread
 * of perf each. Joined, the records of all come before the features.
 */
#include "input.h"
#include "little_endian.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Offsets in the header of the file form, and its size. */
enum {
	AT_HEADER_SIZE = 8,
	AT_DATA = 40,
	AT_DATA_SIZE = 48,
	AT_FLAGS = 72,
	HEADER = 104,
};

#define FLAG_BYTES 32

struct main_file {
	const uint8_t *data;
	size_t size;
	size_t records_end;
};

static int map_main(struct main_file *m, int fd)
{
	struct stat st;
	void *data;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EISDIR;
	if (st.st_size < HEADER)
		return 0;
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	m->data = data;
	m->size = st.st_size;
	return 0;
}

/*
 * Of a recording that was cut off, or lies, all is records. False if it is no
 * file that others could be joined to.
 */
static bool find_records(struct main_file *m)
{
	uint64_t at, size;

	if (!m->data || memcmp(m->data, "PERFILE2", 8) != 0 ||
	    get64(m->data + AT_HEADER_SIZE) != HEADER)
		return false;
	at = get64(m->data + AT_DATA);
	size = get64(m->data + AT_DATA_SIZE);
	m->records_end = m->size;
	if (size && at <= m->size && size <= m->size - at)
		m->records_end = at + size;
	return true;
}

/* data.0, data.1, ... up to the first that there is not; bytes or -errno. */
static int64_t copy_others(int dir, int to)
{
	int64_t copied = 0;
	int ret = 0;

	for (unsigned int i = 0; !ret; i++) {
		char name[32];
		struct stat st;
		int fd;

		snprintf(name, sizeof(name), "data.%u", i);
		fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return errno == ENOENT ? copied : -errno;
		if (fstat(fd, &st))
			ret = -errno;
		else if (!S_ISREG(st.st_mode))
			ret = -EISDIR;
		else
			ret = input_copy(fd, to);
		close(fd);
		copied += st.st_size;
	}
	return ret;
}

/* The table of features tells where each is: behind what was put in between. */
static int write_features(const struct main_file *m, int to, uint64_t added)
{
	size_t left = m->size - m->records_end, at = 0;
	const uint8_t *features = m->data + m->records_end;
	unsigned int nr = 0;
	int ret = 0;

	for (unsigned int bit = 0; bit < 8 * FLAG_BYTES; bit++)
		nr += m->data[AT_FLAGS + bit / 8] >> bit % 8 & 1;
	for (; nr && left - at >= 16 && !ret; nr--, at += 16) {
		uint64_t section[] = {get64(features + at) + added,
				      get64(features + at + 8)};

		ret = input_write(to, section, sizeof(section));
	}
	return ret ? ret : input_write(to, features + at, left - at);
}

static int write_joined(const struct main_file *m, int dir, int to)
{
	int ret = input_write(to, m->data, m->records_end);
	int64_t added = ret ? ret : copy_others(dir, to);
	uint64_t size;

	if (added < 0)
		return added;
	ret = write_features(m, to, added);
	if (ret)
		return ret;
	size = get64(m->data + AT_DATA_SIZE);
	if (!size)
		return 0;
	size += added;
	return pwrite(to, &size, sizeof(size), AT_DATA_SIZE) == sizeof(size)
		       ? 0
		       : -EIO;
}

/* A descriptor of the whole, or -errno. */
static int join_to(const struct main_file *m, int dir)
{
	int to = input_temporary(), ret;

	if (to < 0)
		return to;
	ret = write_joined(m, dir, to);
	if (!ret)
		return to;
	close(to);
	return ret;
}

int input_join(int dir)
{
	int fd = openat(dir, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct main_file m = {};
	int ret, to = fd;

	if (fd < 0)
		return errno == ENOENT ? -EISDIR : -errno;
	ret = map_main(&m, fd);
	/* Its reader tells what is wrong with one that is no recording. */
	if (!ret && find_records(&m))
		to = join_to(&m, dir);
	if (m.data)
		munmap((void *)m.data, m.size);
	if (ret || to != fd)
		close(fd);
	return ret ? ret : to;
}
