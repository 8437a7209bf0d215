// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The container: header, then the records. */
#include "reader.h"

#define MAGIC	      "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP"
#define PIPE_HEADER   16
#define FILE_HEADER   104
#define AUXTRACE_BODY 40
#define TRACING_BODY  4
#define NO_RECORDS    "nothing was recorded: there are no records"

/* Offsets in the header of a file. */
enum {
	AT_SIZE = 8,
	AT_ATTR_SIZE = 16,
	AT_ATTRS = 24,
	AT_DATA = 40,
	AT_FLAGS = 72,
};

bool pmscope_perfdata_is(const uint8_t *data, size_t size)
{
	size_t n = MIN(size, 8);

	return n &&
	       (!memcmp(data, MAGIC, n) || !memcmp(data, MAGIC_SWAPPED, n));
}

/*
 * Finds the records. A size of 0 means that perf could not finish the
 * recording, or that there are no records: then features begin at @offset.
 * Returns whether features follow.
 */
static bool place_records(struct pmscope_perfdata *r, uint64_t offset,
			  uint64_t size)
{
	if (offset > r->size) {
		reader_fail(r, r->size,
			    "cut short: the records begin at 0x%" PRIx64,
			    offset);
		r->at = r->end = r->size;
		return false;
	}
	r->at = offset;
	r->end = r->size;
	if (!size && features_are_at(r, r->data + AT_FLAGS, offset))
		r->end = offset;
	else if (!size)
		reader_fail(r, AT_DATA + 8,
			    "the recording was not finished: its size is 0");
	else if (size > r->size - offset)
		reader_fail(r, r->size,
			    "cut short: the records end at 0x%" PRIx64,
			    offset + size);
	else
		r->end = offset + size;
	return r->end == offset + size;
}

/*
 * simpleperf reads existing tasks while it records and stores their names and
 * mappings in a feature at the end of the file: read these records first.
 */
static void begin_with_first_maps(struct pmscope_perfdata *r)
{
	if (!r->first_maps.size)
		return;
	r->later = (struct span){r->data + r->at, r->end - r->at};
	r->at = r->first_maps.data - r->data;
	r->end = r->at + r->first_maps.size;
}

static int open_file(struct pmscope_perfdata *r)
{
	uint64_t offset, size;
	int ret;

	if (r->size < FILE_HEADER)
		return reader_fail(r, r->size, "cut short inside the header");
	ret = attrs_read_section(r, get64(r->data + AT_ATTRS),
				 get64(r->data + AT_ATTRS + 8),
				 get64(r->data + AT_ATTR_SIZE));
	if (ret == -ENOMEM)
		return ret;
	offset = get64(r->data + AT_DATA);
	size = get64(r->data + AT_DATA + 8);
	if (place_records(r, offset, size))
		ret = features_read_sections(r, r->data + AT_FLAGS,
					     offset + size);
	if (!size)
		reader_fail(r, AT_DATA + 8, NO_RECORDS);
	begin_with_first_maps(r);
	return ret == -ENOMEM ? ret : 0;
}

static int open_pipe(struct pmscope_perfdata *r)
{
	r->at = PIPE_HEADER;
	r->end = r->size;
	if (r->at == r->end)
		reader_fail(r, r->at, NO_RECORDS);
	return 0;
}

/* Recognizes unsupported files by their first bytes. */
static const char *what_else(const struct pmscope_perfdata *r)
{
	static const struct {
		char bytes[9];
		const char *what;
	} known[] = {
		{"PERFFILE", "written by perf before Linux 3.2, so without SPE "
			     "trace; use perf to read it"},
		{"\x1f\x8b", "compressed with gzip; decompress it first"},
		{"\x28\xb5\x2f\xfd",
		 "compressed with zstd; decompress it first"},
		{"\xfd"
		 "7zXZ",
		 "compressed with xz; decompress it first"},
		{"PK\x03\x04", "a zip archive; unpack it first"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t n = strlen(known[i].bytes);

		if (r->size >= n && !memcmp(r->data, known[i].bytes, n))
			return known[i].what;
	}
	return r->size ? "not a perf.data" : "empty";
}

static int open_any(struct pmscope_perfdata *r)
{
	uint64_t header;

	if (!pmscope_perfdata_is(r->data, r->size))
		return reader_fail(r, 0, "%s", what_else(r));
	if (r->size < PIPE_HEADER)
		return reader_fail(r, r->size, "cut short inside the header");
	if (!memcmp(r->data, MAGIC_SWAPPED, 8))
		return reader_fail(r, 0,
				   "recorded on a big-endian machine; only "
				   "little-endian recordings are read");
	header = get64(r->data + AT_SIZE);
	if (header == PIPE_HEADER)
		return open_pipe(r);
	if (header == FILE_HEADER)
		return open_file(r);
	return reader_fail(r, AT_SIZE,
			   "header of %" PRIu64 " bytes is not supported",
			   header);
}

int pmscope_perfdata_open(const uint8_t *data, size_t size,
			  struct pmscope_perfdata **reader)
{
	struct pmscope_perfdata *r = calloc(1, sizeof(*r));
	int ret;

	*reader = r;
	if (!r)
		return -ENOMEM;
	/* Also a valid pointer for empty data. */
	r->data = size ? data : (const uint8_t *)"";
	r->size = size;
	ret = open_any(r);
	if (ret)
		r->at = r->end = size;
	return ret;
}

void pmscope_perfdata_free(struct pmscope_perfdata *reader)
{
	if (!reader)
		return;
	attrs_fini(reader);
	features_fini(reader);
	inflated_fini(&reader->inflated);
	free(reader);
}

/*
 * Takes the record at the start of @span. Returns 1, 0 if it is incomplete, or
 * -EBADMSG if its size is invalid.
 */
static int take_record(struct pmscope_perfdata *r, struct span span,
		       uint64_t offset, struct pmscope_perf_event *event)
{
	uint32_t type, size;
	uint16_t misc;

	if (span.size < RECORD_HEADER)
		return 0;
	type = get32(span.data);
	misc = get16(span.data + 4);
	size = get16(span.data + 6);
	/* simpleperf extends the size field into misc. */
	if (is_simpleperf(type)) {
		size |= (uint32_t)misc << 16;
		misc = 0;
	}
	if (size < RECORD_HEADER)
		return reader_fail(r, offset,
				   "record of invalid size (%u bytes)", size);
	if (size > span.size)
		return 0;
	*event = (struct pmscope_perf_event){
		.type = type,
		.misc = misc,
		.body = span.data + RECORD_HEADER,
		.size = size - RECORD_HEADER,
		.offset = offset,
		.attr = -1,
	};
	return 1;
}

/* Takes data that follows some records and is not part of their size. */
static void take_payload(struct pmscope_perfdata *r,
			 struct pmscope_perf_event *event, uint64_t size,
			 const char *name)
{
	size_t left = r->end - r->at;

	event->payload = r->data + r->at;
	event->payload_size = MIN(size, left);
	r->at += event->payload_size;
	if (size > left)
		reader_fail(r, r->end,
			    "cut short inside the %" PRIu64
			    " bytes of %s at 0x%" PRIx64,
			    size, name, event->offset);
}

static int take_any_payload(struct pmscope_perfdata *r,
			    struct pmscope_perf_event *event)
{
	bool trace = event->type == PMSCOPE_RECORD_AUXTRACE;
	const char *name = trace ? "an AUXTRACE" : "a TRACING_DATA";

	if (!trace && event->type != PMSCOPE_RECORD_TRACING_DATA)
		return 0;
	if (event->size < (trace ? AUXTRACE_BODY : TRACING_BODY))
		return reader_fail(r, event->offset, "%s record of %zu bytes",
				   name, event->size + RECORD_HEADER);
	take_payload(r, event, trace ? get64(event->body) : get32(event->body),
		     name);
	return 0;
}

static int next_in_file(struct pmscope_perfdata *r,
			struct pmscope_perf_event *event)
{
	struct span span = {r->data + r->at, r->end - r->at};
	int ret;

	if (!span.size)
		return 0;
	ret = take_record(r, span, r->at, event);
	if (!ret)
		return reader_fail(r, r->end,
				   "cut short inside the record at 0x%zx",
				   r->at);
	if (ret < 0)
		return ret;
	r->at += RECORD_HEADER + event->size;
	return take_any_payload(r, event) ?: 1;
}

/* After the first maps, or an error in them, reads the data section. */
static int next_of_either(struct pmscope_perfdata *r,
			  struct pmscope_perf_event *event)
{
	int ret = next_in_file(r, event);

	if (ret > 0 || !r->later.size)
		return ret;
	r->at = r->later.data - r->data;
	r->end = r->at + r->later.size;
	r->later.size = 0;
	return next_in_file(r, event);
}

static int next_inflated(struct pmscope_perfdata *r,
			 struct pmscope_perf_event *event)
{
	struct inflated *in = &r->inflated;
	struct span span;
	int ret;

	if (in->at == in->used)
		return 0;
	span = (struct span){in->data + in->at, in->used - in->at};
	ret = take_record(r, span, in->offset, event);
	if (ret > 0)
		in->at += RECORD_HEADER + event->size;
	if (ret >= 0)
		return ret;
	inflated_break(in);
	return 0;
}

/* The smallest body that the reader can use. */
static const uint8_t least[] = {
	[PERF_RECORD_MMAP] = 32,
	[PERF_RECORD_LOST] = 16,
	[PERF_RECORD_COMM] = 8,
	[PERF_RECORD_FORK] = 24,
	[PERF_RECORD_MMAP2] = 64,
	[PERF_RECORD_AUX] = 24,
	[PERF_RECORD_ITRACE_START] = 8,
	[PERF_RECORD_LOST_SAMPLES] = 8,
	[PERF_RECORD_SWITCH_CPU_WIDE] = 8,
	[PERF_RECORD_NAMESPACES] = 16,
	[PERF_RECORD_KSYMBOL] = 16,
	[PMSCOPE_RECORD_BUILD_ID] = 29,
	[PMSCOPE_RECORD_AUXTRACE_INFO] = 8,
	[PMSCOPE_RECORD_EVENT_UPDATE] = 16,
	[PMSCOPE_RECORD_TIME_CONV] = 24,
	[PMSCOPE_RECORD_HEADER_FEATURE] = 8,
};

/* Records that the reader itself uses; the caller sees them too. */
static int digest(struct pmscope_perfdata *r,
		  const struct pmscope_perf_event *event)
{
	if (event->type < sizeof(least) && event->size < least[event->type])
		return reader_fail(r, event->offset,
				   "record of type %u is too short (%zu bytes)",
				   event->type, event->size + RECORD_HEADER);
	switch (event->type) {
	case PMSCOPE_RECORD_HEADER_ATTR:
		return attrs_read_event(r, event);
	case PMSCOPE_RECORD_EVENT_UPDATE:
		return attrs_read_update(r, event);
	case PMSCOPE_RECORD_HEADER_FEATURE:
		return features_read_event(r, event);
	case PMSCOPE_RECORD_BUILD_ID:
		return build_id_read_event(r, event);
	case SIMPLEPERF_EVENT_ID:
		return attrs_read_ids(r, event);
	default:
		return 0;
	}
}

void record_read(const struct pmscope_perfdata *r, const uint8_t *record,
		 struct pmscope_perf_event *event)
{
	*event = (struct pmscope_perf_event){
		.type = get32(record),
		.misc = get16(record + 4),
		.body = record + RECORD_HEADER,
		.size = get16(record + 6) - RECORD_HEADER,
		.attr = -1,
	};
	sample_id_read(r, event);
}

/* Events and features of real recordings take far less. */
#define KEPT_MAX ((uint64_t)64 << 20)

/* The events and features of a pipe are needed until its end. */
static int keep_body(struct pmscope_perfdata *r,
		     struct pmscope_perf_event *event)
{
	uint8_t *copy;

	if (!r->is_stream || !event->size ||
	    (event->type != PMSCOPE_RECORD_HEADER_ATTR &&
	     event->type != PMSCOPE_RECORD_HEADER_FEATURE))
		return 0;
	r->kept_bytes += event->size;
	if (r->kept_bytes > KEPT_MAX)
		return reader_fail(r, event->offset,
				   "events and features of more than 64 MiB");
	copy = arena_copy(&r->texts, event->body, event->size);
	if (!copy)
		return -ENOMEM;
	event->body = copy;
	r->kept = (struct span){copy, event->size};
	return 0;
}

/* A record of invalid size never gets complete. */
static bool is_damaged(const uint8_t *data, size_t left)
{
	return left >= RECORD_HEADER &&
	       get16(data + RECORD_AT_SIZE) < RECORD_HEADER;
}

void reader_grow(struct pmscope_perfdata *r, size_t size, size_t room,
		 bool ended)
{
	uint64_t next;

	if (!r->framed)
		r->framed = r->at;
	r->size = size;
	if (ended && size == PIPE_HEADER)
		reader_fail(r, r->at, NO_RECORDS);
	r->framed += records_whole(r->data + r->framed, size - r->framed);
	next = record_size(r->data + r->framed, size - r->framed);
	if (next > room)
		reader_fail(r, r->framed,
			    "a record with %" PRIu64 " bytes of data; in a "
			    "pipe at most %zu are read",
			    next, room);
	r->grows = !ended && next <= room &&
		   !is_damaged(r->data + r->framed, size - r->framed);
	r->end = r->grows ? r->framed : size;
}

static bool is_compressed(const struct pmscope_perf_event *event)
{
	return event->type == PMSCOPE_RECORD_COMPRESSED ||
	       event->type == PMSCOPE_RECORD_COMPRESSED2;
}

static int next_any(struct pmscope_perfdata *r,
		    struct pmscope_perf_event *event)
{
	for (;;) {
		int ret = next_inflated(r, event);

		if (ret > 0 && is_compressed(event))
			reader_fail(
				r, event->offset,
				"compressed record inside a compressed record");
		if (ret)
			return ret;
		ret = next_of_either(r, event);
		if (ret <= 0)
			return ret;
		if (!is_compressed(event))
			return 1;
		ret = inflate_record(r, event);
		if (ret)
			return ret;
	}
}

/* At the end, reports incomplete compressed records. */
static int finish(struct pmscope_perfdata *r)
{
	struct inflated *in = &r->inflated;

	r->failed = true;
	if (inflated_inside(in))
		return reader_fail(r, in->offset,
				   "cut short: the last compressed record ends "
				   "inside a %s",
				   inflated_inside(in));
	return *r->error ? -EBADMSG : 0;
}

static void note_time(struct pmscope_perfdata *r,
		      const struct pmscope_perf_event *event)
{
	uint64_t time = event->id.time;

	if (!r->is_stream || !(event->id.has & PERF_SAMPLE_TIME) || !time)
		return;
	if (!r->first_time || time < r->first_time)
		r->first_time = time;
	r->last_time = MAX(r->last_time, time);
}

void reader_times(const struct pmscope_perfdata *r, uint64_t *first,
		  uint64_t *last)
{
	*first = r->first_time;
	*last = r->last_time;
}

int pmscope_perfdata_next(struct pmscope_perfdata *r,
			  struct pmscope_perf_event *event)
{
	int ret;

	if (r->failed)
		return 0;
	ret = next_any(r, event);
	/* An invalid one is reported; what follows is still read. */
	if (ret > 0 && keep_body(r, event) != -ENOMEM &&
	    digest(r, event) != -ENOMEM) {
		sample_id_read(r, event);
		note_time(r, event);
		return 1;
	}
	if (ret > 0)
		ret = -ENOMEM;
	if (!ret && r->grows)
		return 0;
	if (!ret)
		return finish(r);
	r->failed = true;
	return ret;
}
