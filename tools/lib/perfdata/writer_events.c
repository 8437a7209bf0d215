// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Writes what precedes the records: the header, the events and their ids. */
#include "writer.h"

#define MAGIC		  "PERFILE2"
#define EVENT_UPDATE_NAME 2
/* A multiple of 8; readers require that the entry size fits in 16 bits. */
#define LARGEST_ATTR ((UINT16_MAX - sizeof(struct file_section)) & ~(size_t)7)
/* Limit for a separate record in a pipe, with a 16-bit size. */
#define PIPE_ROOM ((size_t)UINT16_MAX - 64)

struct pipe_header {
	char magic[8];
	uint64_t size;
};

static int check_event(struct pmscope_writer *w,
		       const struct pmscope_written_event *e, size_t nr)
{
	const struct perf_event_attr *attr = e->attr;

	if (!attr || !e->name)
		return writer_fail(w, EINVAL, "event %zu: no %s", nr,
				   attr ? "name" : "attr");
	if (attr->size < PERF_ATTR_SIZE_VER0 || attr->size > LARGEST_ATTR ||
	    attr->size % 8)
		return writer_fail(w, EINVAL,
				   "event %zu: attr.size of %u is less than "
				   "%d, more than %zu, or no multiple of 8",
				   nr, attr->size, PERF_ATTR_SIZE_VER0,
				   LARGEST_ATTR);
	if (e->nr_ids && !e->ids)
		return writer_fail(w, EINVAL, "event %zu: no ids", nr);
	return 0;
}

static int check_alike(struct pmscope_writer *w,
		       const struct pmscope_written_event *events, size_t nr)
{
	const struct perf_event_attr *first = events[0].attr;

	if (nr > 1 &&
	    !(first->sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)))
		return writer_fail(w, EINVAL,
				   "several events, and neither PERF_SAMPLE_ID "
				   "nor PERF_SAMPLE_IDENTIFIER in event 0");
	for (size_t i = 1; i < nr; i++) {
		const struct perf_event_attr *attr = events[i].attr;

		if (attr->sample_id_all != first->sample_id_all)
			return writer_fail(w, EINVAL,
					   "event %zu: sample_id_all is not "
					   "that of event 0",
					   i);
		if (attr->sample_type != first->sample_type &&
		    !(attr->sample_type & first->sample_type &
		      PERF_SAMPLE_IDENTIFIER))
			return writer_fail(w, EINVAL,
					   "event %zu: sample_type is not that "
					   "of event 0, and no "
					   "PERF_SAMPLE_IDENTIFIER in both",
					   i);
	}
	return 0;
}

static int check_ids(struct pmscope_writer *w,
		     const struct pmscope_written_event *e, uint32_t number,
		     struct map *event_of_id)
{
	uint32_t other;

	for (size_t i = 0; i < e->nr_ids; i++) {
		if (map_get(event_of_id, e->ids[i], &other) && other != number)
			return writer_fail(w, EINVAL,
					   "event %u: id %" PRIu64
					   " also belongs to event %u",
					   number, e->ids[i], other);
		if (map_set(event_of_id, e->ids[i], number))
			return writer_fail_nomem(w);
	}
	return 0;
}

/* Each id belongs to one event; readers treat 0 as the first's. */
static int check_all_ids(struct pmscope_writer *w,
			 const struct pmscope_written_event *events, size_t nr)
{
	CLEANUP(map_fini) struct map event_of_id = {};
	int ret = map_set(&event_of_id, 0, 0) ? writer_fail_nomem(w) : 0;

	for (size_t i = 0; i < nr && !ret; i++)
		ret = check_ids(w, &events[i], i, &event_of_id);
	return ret;
}

static int check_events(struct pmscope_writer *w,
			const struct pmscope_written_event *events, size_t nr)
{
	int ret = 0;

	if (w->failed)
		return w->failed;
	if (w->state != WRITER_NEW || !nr)
		return writer_fail(w, EINVAL,
				   nr ? "the recording has already begun"
				      : "a recording needs events");
	for (size_t i = 0; i < nr && !ret; i++)
		ret = check_event(w, &events[i], i);
	if (!ret)
		ret = check_alike(w, events, nr);
	return ret ? ret : check_all_ids(w, events, nr);
}

static size_t largest_attr(const struct pmscope_written_event *events,
			   size_t nr)
{
	size_t size = 0;

	for (size_t i = 0; i < nr; i++)
		size = MAX(size, events[i].attr->size);
	return size;
}

/* Appends the attr of @size bytes, padded with zeros. */
static void blob_attr(struct blob *blob, const struct pmscope_written_event *e,
		      uint32_t size)
{
	static const char zeros[8];
	size_t at = blob->size;

	blob_bytes(blob, e->attr, e->attr->size);
	for (size_t i = e->attr->size; i < size; i += sizeof(zeros))
		blob_bytes(blob, zeros, sizeof(zeros));
	if (!blob->failed)
		memcpy(blob->data + at + offsetof(struct perf_event_attr, size),
		       &size, sizeof(size));
}

static int write_blob(struct pmscope_writer *w, struct blob *blob)
{
	int ret = blob->failed ? writer_fail_nomem(w)
			       : writer_write(w, blob->data, blob->size);

	blob_fini(blob);
	return ret;
}

/* Writes the ids of all events, then each attr with the place of its ids. */
static int write_attr_section(struct pmscope_writer *w,
			      const struct pmscope_written_event *events,
			      size_t nr)
{
	size_t size = largest_attr(events, nr);
	uint64_t ids_at = w->pos;
	struct blob blob = {};

	for (size_t i = 0; i < nr; i++)
		blob_bytes(&blob, events[i].ids, events[i].nr_ids * 8);
	w->header.attr_size = size + sizeof(struct file_section);
	w->header.attrs.offset = w->pos + blob.size;
	w->header.attrs.size = nr * w->header.attr_size;
	for (size_t i = 0; i < nr; i++) {
		struct file_section ids = {ids_at, events[i].nr_ids * 8};

		blob_attr(&blob, &events[i], size);
		blob_bytes(&blob, &ids, sizeof(ids));
		ids_at += ids.size;
	}
	return write_blob(w, &blob);
}

/* Repeats the events with their names, for which readers look only here. */
static void blob_event_desc(struct blob *blob,
			    const struct pmscope_written_event *events,
			    size_t nr)
{
	uint32_t size = largest_attr(events, nr);

	blob_u32(blob, nr);
	blob_u32(blob, size);
	for (size_t i = 0; i < nr; i++) {
		blob_attr(blob, &events[i], size);
		blob_u32(blob, events[i].nr_ids);
		blob_string(blob, events[i].name);
		blob_bytes(blob, events[i].ids, events[i].nr_ids * 8);
	}
}

static int put_event_desc(struct pmscope_writer *w,
			  const struct pmscope_written_event *events, size_t nr)
{
	struct blob blob = {};

	blob_event_desc(&blob, events, nr);
	return writer_put_blob(w, PMSCOPE_FEATURE_EVENT_DESC, &blob);
}

static int begin_file(struct pmscope_writer *w,
		      const struct pmscope_written_event *events, size_t nr)
{
	int ret;

	memcpy(w->header.magic, MAGIC, sizeof(w->header.magic));
	w->header.size = sizeof(w->header);
	ret = writer_write_header(w)
		      ?: write_attr_section(w, events, nr)
		      ?: put_event_desc(w, events, nr);
	if (ret)
		return ret;
	w->header.data.offset = w->pos;
	/*
	 * The data size stays 0 until the end: this marks a recording as
	 * unfinished, and readers still find its data.
	 */
	return writer_write_header(w);
}

static void blob_attr_record(struct blob *blob,
			     const struct pmscope_written_event *e)
{
	struct perf_event_header header = {
		.type = PMSCOPE_RECORD_HEADER_ATTR,
		.size = sizeof(header) + e->attr->size + e->nr_ids * 8,
	};

	blob_bytes(blob, &header, sizeof(header));
	blob_bytes(blob, e->attr, e->attr->size);
	blob_bytes(blob, e->ids, e->nr_ids * 8);
}

static void blob_name_record(struct blob *blob,
			     const struct pmscope_written_event *e)
{
	static const char zeros[8];
	size_t len = strlen(e->name) + 1, padding = -len & 7;
	struct {
		struct perf_event_header header;
		uint64_t type;
		uint64_t id;
	} head = {
		.header.type = PMSCOPE_RECORD_EVENT_UPDATE,
		.header.size = sizeof(head) + len + padding,
		.type = EVENT_UPDATE_NAME,
		.id = e->nr_ids ? e->ids[0] : 0,
	};

	blob_bytes(blob, &head, sizeof(head));
	blob_bytes(blob, e->name, len);
	blob_bytes(blob, zeros, padding);
}

/* Readers apply a name with id 0 to the first event. */
static bool are_named_by_ids(const struct pmscope_written_event *events,
			     size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (!events[i].nr_ids)
			return false;
	return true;
}

static int check_record(struct pmscope_writer *w,
			const struct pmscope_written_event *e, size_t nr)
{
	if (e->nr_ids > PIPE_ROOM / 8 ||
	    e->attr->size > PIPE_ROOM - e->nr_ids * 8)
		return writer_fail(w, E2BIG,
				   "event %zu: %zu ids do not fit in a pipe",
				   nr, e->nr_ids);
	if (strlen(e->name) > PIPE_ROOM)
		return writer_fail(w, E2BIG,
				   "event %zu: its name does not fit in a pipe",
				   nr);
	return 0;
}

static int check_pipe(struct pmscope_writer *w,
		      const struct pmscope_written_event *events, size_t nr)
{
	CLEANUP(blob_fini) struct blob desc = {};
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		ret = check_record(w, &events[i], i);
	if (ret || are_named_by_ids(events, nr))
		return ret;
	blob_event_desc(&desc, events, nr);
	if (desc.size > PIPE_ROOM)
		ret = writer_fail(w, E2BIG,
				  "the names of %zu events, some without ids, "
				  "do not fit in a pipe",
				  nr);
	return ret;
}

static int begin_pipe(struct pmscope_writer *w,
		      const struct pmscope_written_event *events, size_t nr)
{
	struct pipe_header header = {.size = sizeof(header)};
	bool by_ids = are_named_by_ids(events, nr);
	struct blob blob = {};
	int ret = check_pipe(w, events, nr);

	if (ret)
		return ret;
	memcpy(header.magic, MAGIC, sizeof(header.magic));
	blob_bytes(&blob, &header, sizeof(header));
	for (size_t i = 0; i < nr; i++)
		blob_attr_record(&blob, &events[i]);
	for (size_t i = 0; i < nr && by_ids; i++)
		blob_name_record(&blob, &events[i]);
	ret = write_blob(w, &blob);
	return ret || by_ids ? ret : put_event_desc(w, events, nr);
}

static int remember_events(struct pmscope_writer *w,
			   const struct pmscope_written_event *events,
			   size_t nr)
{
	w->sample_type = events[0].attr->sample_type;
	w->sample_id_all = events[0].attr->sample_id_all;
	for (size_t i = 0; i < nr; i++)
		if (!events[i].nr_ids &&
		    map_set(&w->without_ids, events[i].attr->type, i))
			return writer_fail_nomem(w);
	return 0;
}

int pmscope_writer_begin(struct pmscope_writer *w,
			 const struct pmscope_written_event *events, size_t nr)
{
	int ret = check_events(w, events, nr);

	if (!ret)
		ret = w->pipe ? begin_pipe(w, events, nr)
			      : begin_file(w, events, nr);
	if (!ret)
		ret = remember_events(w, events, nr);
	if (!ret)
		w->state = WRITER_BEGUN;
	return ret;
}
