// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * The index of the trace. A recording may go on for weeks, so memory holds only
 * the newest places, and a file without a name those before. Readers find the
 * trace without the index, too, so a recording does not fail for it.
 */
#include "base/io.h"
#include "writer.h"

/* How many places memory holds */
#define ROOM ((size_t)4096)

static void give_up(struct trace_index *index)
{
	close_open(&index->fd);
	free(index->place);
	*index = (struct trace_index){.fd = -1, .given_up = true};
}

/* Moves the places in memory to the file, which is made by the first ones. */
static int spill(struct pmscope_writer *w)
{
	struct trace_index *index = &w->index;

	if (index->fd < 0)
		index->fd = io_temporary_beside(w->fd);
	if (index->fd < 0 || io_write(index->fd, index->place,
				      index->nr * sizeof(*index->place)))
		return -1;
	index->nr_in_file += index->nr;
	index->nr = 0;
	return 0;
}

int writer_index_add(struct pmscope_writer *w, uint64_t at, size_t size)
{
	struct trace_index *index = &w->index;

	if (w->pipe || index->given_up)
		return 0;
	if (!index->place)
		index->place = malloc(ROOM * sizeof(*index->place));
	if (!index->place)
		return writer_fail_nomem(w);
	if (index->nr == ROOM && spill(w))
		give_up(index);
	else
		index->place[index->nr++] = (struct file_section){at, size};
	return 0;
}

uint64_t writer_index_end(struct pmscope_writer *w)
{
	struct trace_index *index = &w->index;
	uint64_t nr;

	/* All in one place, and the memory is free to read into. */
	if (index->nr_in_file &&
	    (spill(w) || lseek(index->fd, 0, SEEK_SET) < 0))
		give_up(index);
	nr = index->nr_in_file + index->nr;
	return nr ? sizeof(nr) + nr * sizeof(*index->place) : 0;
}

/* The file is all there: it was written a moment ago, or before. */
static int copy_file(struct pmscope_writer *w)
{
	struct trace_index *index = &w->index;
	uint64_t left = index->nr_in_file * sizeof(*index->place);
	int ret = 0;

	while (left && !ret) {
		ssize_t n = io_read(index->fd, index->place,
				    ROOM * sizeof(*index->place));

		if (n <= 0) {
			w->failed = n ? n : -EIO;
			return writer_fail(w, -w->failed,
					   "cannot read the index of the trace "
					   "again: %s",
					   strerror(-w->failed));
		}
		ret = writer_write(w, index->place, n);
		left -= n;
	}
	return ret;
}

int writer_index_write(struct pmscope_writer *w)
{
	const struct trace_index *index = &w->index;
	uint64_t nr = index->nr_in_file + index->nr;
	int ret = writer_write(w, &nr, sizeof(nr));

	if (!ret && index->nr_in_file)
		return copy_file(w);
	return ret ? ret
		   : writer_write(w, index->place,
				  index->nr * sizeof(*index->place));
}

void writer_index_fini(struct pmscope_writer *w)
{
	give_up(&w->index);
}
