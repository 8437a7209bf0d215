// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The events of a recording: their attributes, identifiers and names. */
#include "reader.h"

#define ATTR_SIZE_AT 4 /* of perf_event_attr.size */
#define IDS_SECTION  16
#define UPDATE_NAME  2 /* PERF_EVENT_UPDATE__NAME */
#define MAX_ATTRS    65536
/* Longer names are truncated, because they are printed with each count. */
#define MAX_NAME 1023

static int attr_add(struct pmscope_perfdata *r, const uint8_t *data,
		    size_t size, uint64_t offset)
{
	struct event_attr *attr;

	if (r->nr_attrs >= MAX_ATTRS)
		return reader_fail(r, offset, "more than %d events", MAX_ATTRS);
	if (array_room(r->attrs, r->nr_attrs, r->max_attrs))
		return -ENOMEM;
	attr = &r->attrs[r->nr_attrs++];
	memset(attr, 0, sizeof(*attr));
	size = MIN(size, ATTR_ROOM);
	memcpy(attr->bytes + offsetof(struct pmscope_perf_attr, attr), data,
	       size);
	if (attr->event.attr.sample_type & PERF_SAMPLE_IDENTIFIER)
		r->have_identifier = true;
	return 0;
}

/* Adds identifiers to the newest attr. */
static int attr_add_ids(struct pmscope_perfdata *r, const uint8_t *ids,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (map_set(&r->attr_of_id, get64(ids + 8 * i),
			    r->nr_attrs - 1))
			return -ENOMEM;
	/* Decompressed data does not stay valid. */
	if (reader_has(r, ids))
		r->attrs[r->nr_attrs - 1].ids = (struct span){ids, 8 * count};
	return 0;
}

static int read_entry(struct pmscope_perfdata *r, const uint8_t *entry,
		      uint64_t entry_size)
{
	uint64_t attr_size = entry_size - IDS_SECTION;
	uint64_t offset = get64(entry + attr_size);
	uint64_t size = get64(entry + attr_size + 8);
	int ret = attr_add(r, entry, attr_size, entry - r->data);

	if (ret)
		return ret;
	if (offset > r->size || size > r->size - offset)
		return reader_fail(
			r, entry - r->data + attr_size,
			"identifiers of event %zu lie outside the file",
			r->nr_attrs - 1);
	/* If the attrs share no identifiers, all together fit in the file. */
	r->nr_ids += size / 8;
	if (r->nr_ids > r->size / 8)
		return reader_fail(r, entry - r->data + attr_size,
				   "events have more identifiers than the file "
				   "has room for");
	return attr_add_ids(r, r->data + offset, size / 8);
}

int attrs_read_section(struct pmscope_perfdata *r, uint64_t offset,
		       uint64_t size, uint64_t entry_size)
{
	if (entry_size < PERF_ATTR_SIZE_VER0 + IDS_SECTION ||
	    entry_size > UINT16_MAX)
		return reader_fail(r, 16,
				   "event entries of %" PRIu64
				   " bytes are not supported",
				   entry_size);
	if (offset > r->size || size > r->size - offset)
		return reader_fail(r, r->size,
				   "cut short: the events end at 0x%" PRIx64,
				   offset + size);
	for (uint64_t at = 0; size - at >= entry_size; at += entry_size) {
		int ret = read_entry(r, r->data + offset + at, entry_size);

		if (ret)
			return ret;
	}
	return 0;
}

int attrs_read_event(struct pmscope_perfdata *r,
		     const struct pmscope_perf_event *event)
{
	size_t size;

	if (event->size < PERF_ATTR_SIZE_VER0)
		return reader_fail(r, event->offset,
				   "event of invalid size (%zu bytes)",
				   event->size);
	size = get32(event->body + ATTR_SIZE_AT);
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size > event->size)
		return reader_fail(r, event->offset,
				   "event of %zu bytes in an attribute of %zu",
				   size, event->size);
	return attr_add(r, event->body, size, event->offset)
		       ?: attr_add_ids(r, event->body + size,
				       (event->size - size) / 8);
}

static int attr_set_name(struct pmscope_perfdata *r, size_t index,
			 const uint8_t *name, size_t max)
{
	char *copy;

	if (index >= r->nr_attrs || r->attrs[index].event.name || !max ||
	    !*name)
		return 0;
	copy = strndup((const char *)name, MIN(max, MAX_NAME));
	if (!copy)
		return -ENOMEM;
	r->attrs[index].event.name = copy;
	return 0;
}

/*
 * HEADER_EVENT_DESC: count, size of an attr; then for each event its attr,
 * the count of its identifiers, its name (length, bytes), the identifiers.
 */
int attrs_read_description(struct pmscope_perfdata *r, struct span feature)
{
	const uint8_t *p = feature.data;
	size_t left = feature.size;
	uint32_t count, attr_size;

	if (left < 8)
		return -EBADMSG;
	count = get32(p);
	attr_size = get32(p + 4);
	p += 8;
	left -= 8;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t ids, length, total;
		int ret;

		if (left < 8 || attr_size > left - 8)
			return -EBADMSG;
		ids = get32(p + attr_size);
		length = get32(p + attr_size + 4);
		total = (uint64_t)attr_size + 8 + length + 8 * ids;
		if (total > left)
			return -EBADMSG;
		ret = attr_set_name(r, i, p + attr_size + 8, length);
		if (ret)
			return ret;
		p += total;
		left -= total;
	}
	return 0;
}

int attrs_read_update(struct pmscope_perfdata *r,
		      const struct pmscope_perf_event *event)
{
	int attr;

	if (event->size < 16 || get64(event->body) != UPDATE_NAME)
		return 0;
	attr = reader_attr_of_id(r, get64(event->body + 8));
	if (attr < 0)
		return 0;
	return attr_set_name(r, attr, event->body + 16, event->size - 16);
}

/* simpleperf: a count, then for each identifier its event and its value. */
int attrs_read_ids(struct pmscope_perfdata *r,
		   const struct pmscope_perf_event *event)
{
	const uint8_t *p = event->body;

	if (event->size < 8 || get64(p) > (event->size - 8) / 16)
		return reader_fail(r, event->offset,
				   "more identifiers than in the %zu bytes of "
				   "their record",
				   event->size + RECORD_HEADER);
	for (uint64_t left = get64(p); left; left--) {
		uint64_t index = get64(p += 8);
		uint64_t id = get64(p += 8);

		if (index < r->nr_attrs && map_set(&r->attr_of_id, id, index))
			return -ENOMEM;
	}
	return 0;
}

void attrs_fini(struct pmscope_perfdata *r)
{
	for (size_t i = 0; i < r->nr_attrs; i++)
		free((char *)r->attrs[i].event.name);
	free(r->attrs);
	map_fini(&r->attr_of_id);
}

size_t pmscope_perfdata_nr_attrs(const struct pmscope_perfdata *reader)
{
	return reader->nr_attrs;
}

const struct pmscope_perf_attr *
pmscope_perfdata_attr(const struct pmscope_perfdata *reader, size_t index)
{
	return index < reader->nr_attrs ? &reader->attrs[index].event : NULL;
}

size_t pmscope_perfdata_ids(const struct pmscope_perfdata *reader, size_t index,
			    uint64_t *ids, size_t max)
{
	struct span s;

	if (index >= reader->nr_attrs)
		return 0;
	s = reader->attrs[index].ids;
	for (size_t i = 0; i < max && i < s.size / 8; i++)
		ids[i] = get64(s.data + 8 * i);
	return s.size / 8;
}

int pmscope_perfdata_attr_of_id(const struct pmscope_perfdata *reader,
				uint64_t id)
{
	uint32_t index;

	return map_get(&reader->attr_of_id, id, &index) ? (int)index : -1;
}
