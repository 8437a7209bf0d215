// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Joins the directory of `perf record --threads`: `data`, a perf.data in file
 * format, and data.0, data.1 and so on, each with the records of one thread of
 * perf. In the joined file all records precede the features. Errors in one file
 * do not affect the others.
 */
#include "base/containers.h"
#include "base/io.h"
#include "base/record.h"
#include "input.h"

#include <dirent.h>

#define PIECE ((size_t)16 << 20)

/* Releases the pages of each piece, except those it shares with the next. */
static int write_mapped(int fd, const uint8_t *data, size_t size)
{
	uintptr_t page = sysconf(_SC_PAGESIZE);
	int ret = 0;

	for (size_t at = 0; at < size && !ret; at += PIECE) {
		size_t piece = MIN(size - at, PIECE);
		uintptr_t begin = ((uintptr_t)data + at + page - 1) & -page;
		uintptr_t end = ((uintptr_t)data + at + piece) & -page;

		ret = io_write(fd, data + at, piece);
		if (begin < end)
			madvise((void *)begin, end - begin, MADV_DONTNEED);
	}
	return ret;
}

/* @data is a trace whose end is missing. */
static int write_cut(int fd, const uint8_t *data, size_t size)
{
	uint64_t left = size - get16(data + RECORD_AT_SIZE);
	uint8_t header[RECORD_AUXTRACE_SIZE];
	int ret;

	memcpy(header, data, sizeof(header));
	memcpy(header + RECORD_AT_MORE, &left, sizeof(left));
	ret = io_write(fd, header, sizeof(header));
	return ret ? ret
		   : write_mapped(fd, data + sizeof(header),
				  size - sizeof(header));
}

/*
 * Writes the @whole bytes to @fd, then the available part of a truncated trace
 * as a complete one. @data belongs to a mapped file, whose pages are released
 * after each piece. *@written: bytes written. Returns 0 or -errno.
 */
static int chain_write(int fd, const uint8_t *data, size_t size, size_t whole,
		       uint64_t *written)
{
	int ret = write_mapped(fd, data, whole);
	size_t left = size - whole;

	data += whole;
	*written = whole;
	if (ret || !record_size(data, left) ||
	    !record_is_trace(data, get16(data + RECORD_AT_SIZE)))
		return ret;
	*written = size;
	return write_cut(fd, data, left);
}

/* Offsets in the header of the file form, and its size. */
enum {
	AT_HEADER_SIZE = 8,
	AT_DATA = 40,
	AT_DATA_SIZE = 48,
	AT_FLAGS = 72,
	HEADER = 104,
};

#define FLAG_BYTES 32

struct file {
	const uint8_t *data;
	size_t size;
};

/* @error: one line about the first missing file or part. */
struct join {
	int dir;
	int to;
	unsigned int *others; /* N of each data.N, in their order */
	size_t nr_others;
	struct file main;
	size_t records;	    /* offset of the records in @main */
	size_t records_end; /* end of the records, by its header */
	bool cut;	    /* an offset after its end, or 0 */
	char *error;
	size_t error_size;
};

__attribute__((format(printf, 2, 3))) static void tell(struct join *j,
						       const char *fmt, ...)
{
	va_list args;

	if (*j->error)
		return;
	va_start(args, fmt);
	vsnprintf(j->error, j->error_size, fmt, args);
	va_end(args);
}

/*
 * In a truncated or invalid recording everything counts as records. False if
 * others cannot be joined to this file.
 */
static bool find_records(struct join *j)
{
	const struct file *m = &j->main;
	uint64_t size;

	if (m->size < HEADER || memcmp(m->data, "PERFILE2", 8) != 0 ||
	    get64(m->data + AT_HEADER_SIZE) != HEADER ||
	    get64(m->data + AT_DATA) > m->size)
		return false;
	j->records = get64(m->data + AT_DATA);
	size = get64(m->data + AT_DATA_SIZE);
	j->cut = !size || size > m->size - j->records;
	j->records_end = j->cut ? m->size : j->records + size;
	if (size && j->cut)
		tell(j, "data: cut short: the records end at 0x%" PRIx64,
		     j->records + size);
	return true;
}

static int write_records(struct join *j, const char *name,
			 const struct file *file, size_t begin, size_t end,
			 uint64_t *added)
{
	size_t whole = records_whole(file->data + begin, end - begin);
	uint64_t written;
	int ret = chain_write(j->to, file->data + begin, end - begin, whole,
			      &written);

	*added += written;
	if (!ret && whole < end - begin)
		tell(j,
		     "%s: offset 0x%zx: the record here is damaged or cut "
		     "short",
		     name, begin + whole);
	return ret;
}

static int open_other(struct join *j, const char *name, struct file *file)
{
	struct stat st;
	int fd = regular_open_at(j->dir, name, 0, &st);
	int ret = fd < 0 ? fd : regular_map(fd, &file->data, &file->size);

	close_open(&fd);
	if (ret == -EISDIR || ret == -ENOENT)
		tell(j, "%s: not a file", name);
	else if (ret)
		tell(j, "%s: %s", name, strerror(-ret));
	return ret;
}

static int write_other(struct join *j, unsigned int number, uint64_t *added)
{
	struct file file = {};
	char name[32];
	int ret = 0;

	snprintf(name, sizeof(name), "data.%u", number);
	if (!open_other(j, name, &file) && file.size)
		ret = write_records(j, name, &file, 0, file.size, added);
	regular_unmap(file.data, file.size);
	return ret;
}

/* Parses N of "data.N". */
static bool read_number(const char *name, unsigned int *number)
{
	char end;

	return !strncmp(name, "data.", 5) && name[5] >= '0' && name[5] <= '9' &&
	       sscanf(name + 5, "%9u%c", number, &end) == 1;
}

static COMPARISON(compare, unsigned int, COMPARE(*x, *y));

static int read_numbers(struct join *j, DIR *dir)
{
	const struct dirent *entry;
	size_t max = 0;
	int ret = 0;

	while (errno = 0, !ret && (entry = readdir(dir))) {
		unsigned int number;

		if (read_number(entry->d_name, &number))
			ret = array_add(j->others, j->nr_others, max, number);
	}
	return ret ? ret : -errno;
}

static int list_others(struct join *j)
{
	int fd = openat(j->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int ret = dir ? read_numbers(j, dir) : -errno;

	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	if (j->nr_others)
		qsort(j->others, j->nr_others, sizeof(*j->others), compare);
	return ret;
}

/* perf numbers them without gaps. */
static int write_others(struct join *j, uint64_t *added)
{
	unsigned int next = 0;
	int ret = 0;

	for (size_t i = 0; i < j->nr_others && !ret; i++) {
		unsigned int number = j->others[i];

		if (number < next)
			continue;
		if (number > next)
			tell(j, "data.%u: missing", next);
		ret = write_other(j, number, added);
		next = number + 1;
	}
	return ret;
}

/* The feature table has their offsets: adjust them for the inserted data. */
static int write_features(const struct join *j, uint64_t added)
{
	const struct file *m = &j->main;
	size_t left = m->size - j->records_end, at = 0;
	const uint8_t *features = m->data + j->records_end;
	unsigned int nr = 0;
	int ret = 0;

	for (unsigned int bit = 0; bit < 8 * FLAG_BYTES; bit++)
		nr += m->data[AT_FLAGS + bit / 8] >> bit % 8 & 1;
	for (; nr && left - at >= 16 && !ret; nr--, at += 16) {
		uint64_t section[] = {get64(features + at) + added,
				      get64(features + at + 8)};

		ret = io_write(j->to, section, sizeof(section));
	}
	return ret ? ret : io_write(j->to, features + at, left - at);
}

/* A truncated file has no features; perf may have died before writing them. */
static int write_header(const struct join *j, uint64_t size)
{
	static const uint8_t none[FLAG_BYTES];

	if (!get64(j->main.data + AT_DATA_SIZE))
		return 0;
	if (j->cut && pwrite(j->to, none, FLAG_BYTES, AT_FLAGS) != FLAG_BYTES)
		return -EIO;
	return pwrite(j->to, &size, sizeof(size), AT_DATA_SIZE) == sizeof(size)
		       ? 0
		       : -EIO;
}

static int write_joined(struct join *j)
{
	int ret = io_write(j->to, j->main.data, j->records);
	uint64_t size = 0;

	if (!ret)
		ret = write_records(j, "data", &j->main, j->records,
				    j->records_end, &size);
	if (!ret)
		ret = write_others(j, &size);
	if (!ret)
		ret = write_features(j, j->records + size - j->records_end);
	return ret ? ret : write_header(j, size);
}

/* Returns a descriptor of the joined file, or -errno. */
static int join(struct join *j)
{
	int ret;

	j->to = io_temporary();
	if (j->to < 0)
		return j->to;
	ret = write_joined(j);
	if (!ret)
		return j->to;
	close(j->to);
	return ret;
}

int input_join(int dir, char *error, size_t size)
{
	struct stat st;
	int fd = regular_open_at(dir, "data", 0, &st);
	struct join j = {.dir = dir, .error = error, .error_size = size};
	int ret, to = fd;

	if (fd < 0)
		return fd == -ENOENT ? -EISDIR : fd;
	ret = regular_map(fd, &j.main.data, &j.main.size) ?: list_others(&j);
	/* If it is not a recording, its reader reports that. */
	if (!ret && j.nr_others && find_records(&j))
		to = join(&j);
	free(j.others);
	regular_unmap(j.main.data, j.main.size);
	if (ret || to != fd)
		close(fd);
	return ret ? ret : to;
}
