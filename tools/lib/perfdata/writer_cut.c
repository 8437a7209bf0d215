// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Completes a file that cannot grow, because the disk is full: it is cut where
 * a record ends, so that there is room for the features, and its header says
 * so. All this is written over what is there already, and needs no room.
 */
#include "writer.h"

static uint64_t mark_before(const struct writer_ends *ends, uint64_t limit)
{
	uint64_t mark = 0;

	for (size_t i = 0; i < ends->nr && i < WRITER_MARKS; i++)
		if (ends->mark[i] <= limit && ends->mark[i] > mark)
			mark = ends->mark[i];
	return mark;
}

/* The last of them was not written as a whole, so the walk ends before it. */
static uint64_t records_before(const struct writer_ends *ends, uint64_t limit)
{
	const char *at = ends->records;
	uint64_t end = ends->begin;

	while (end + writer_record_size(at) <= limit) {
		end += writer_record_size(at);
		at += writer_record_size(at);
	}
	return end;
}

/* Less trace: the record gets another size. SPE's records have 64 bytes. */
static uint64_t trace_before(struct pmscope_writer *w, uint64_t limit)
{
	uint64_t begin = w->ends.trace[0];
	uint64_t data = begin + sizeof(struct auxtrace_record);
	uint64_t size = limit > data ? (limit - data) / 64 * 64 : 0;

	if (!size || pwrite(w->fd, &size, sizeof(size),
			    begin + offsetof(struct auxtrace_record, size)) !=
			     sizeof(size))
		return begin;
	return data + size;
}

/* Where a record ends, not after @limit; 0 if it is not known. */
static uint64_t end_before(struct pmscope_writer *w, uint64_t limit)
{
	const struct writer_ends *ends = &w->ends;

	if (ends->records && limit >= ends->begin)
		return records_before(ends, limit);
	if (limit >= ends->trace[0] && limit < ends->trace[1])
		return trace_before(w, limit);
	return mark_before(ends, limit);
}

static bool overwrite(int fd, const void *data, size_t size, uint64_t at)
{
	return pwrite(fd, data, size, at) == (ssize_t)size;
}

/* Fills @blob with the features. Returns where the records end; 0: no room. */
static uint64_t make_room(struct pmscope_writer *w, struct blob *blob)
{
	uint64_t size, end;

	writer_features_blob(w, 0, blob);
	size = blob->size;
	if (blob->failed || w->file_pos < size)
		return 0;
	end = end_before(w, w->file_pos - size);
	blob_fini(blob);
	if (end)
		writer_features_blob(w, end, blob);
	return blob->failed || !overwrite(w->fd, blob->data, size, end) ? 0
									: end;
}

static void cut(struct pmscope_writer *w)
{
	struct blob features = {};
	uint64_t end, size;

	end = make_room(w, &features);
	size = end ? features.size : 0;
	blob_fini(&features);
	if (!end) {
		w->header.features[0] = 0;
		end = end_before(w, w->file_pos);
	}
	if (!end || ftruncate(w->fd, end + size))
		return;
	w->file_pos = end + size;
	w->header.data.size = end - w->header.data.offset;
	overwrite(w->fd, &w->header, sizeof(w->header), 0);
}

int writer_cut(struct pmscope_writer *w)
{
	if (!w->pipe && w->state != WRITER_NEW && !packer_takes_file(w->packer))
		cut(w);
	w->ends.records = NULL;
	return w->failed;
}
