/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The parts of the perf.data reader. */
#pragma once

#include "base/containers.h"
#include "base/record.h"

#define RECORD_HEADER 8 /* type, misc, size */

/* Identifiers that events got later, for CPUs that came online meanwhile. */
#define SIMPLEPERF_EVENT_ID 0x8006

/* Does only Android's simpleperf write records of this type? */
static inline bool is_simpleperf(uint32_t type)
{
	return type >= 0x8000 && type < 0x8100;
}

struct ZSTD_DCtx_s;

#define ATTR_ROOM 256

/* A range of the file that lies within it. */
struct span {
	const uint8_t *data;
	size_t size;
};

/* Has room for members that newer kernels add to the attr. */
struct event_attr {
	union {
		struct pmscope_perf_attr event;
		uint8_t bytes[offsetof(struct pmscope_perf_attr, attr) +
			      ATTR_ROOM];
	};
	struct span ids;
};

/* The decompressed data, and how far it was read. */
struct inflated {
	struct ZSTD_DCtx_s *stream;
	uint8_t *data;
	size_t capacity;
	size_t used;
	size_t at;
	uint64_t offset; /* file offset of the last compressed record */
	uint64_t taken;	 /* total compressed bytes */
	uint64_t given;	 /* total decompressed bytes */
	size_t left;	 /* last result of zstd; 0: a stream ended */
	bool broken;	 /* skip records until a new stream begins */
	bool refused;	 /* the output is far too large: skip all records */
};

struct pmscope_perfdata {
	const uint8_t *data;
	size_t size;
	size_t at;	   /* the next record */
	size_t end;	   /* the end of the records */
	struct span later; /* the data section, while @first_maps are read */
	bool failed;
	char error[160];
	bool is_stream;	     /* of a pipe: old data does not stay */
	bool grows;	     /* the pipe has not ended */
	size_t framed;	     /* where the first incomplete record begins */
	struct span kept;    /* the copy of a record that is being read */
	uint64_t kept_bytes; /* of all copies */
	uint64_t first_time; /* of all records so far; 0: none */
	uint64_t last_time;

	struct event_attr *attrs;
	size_t nr_attrs;
	size_t max_attrs;
	struct map attr_of_id;
	uint64_t nr_ids;      /* in all attrs */
	bool have_identifier; /* some event has PERF_SAMPLE_IDENTIFIER */

	const char *features[PMSCOPE_FEATURE_MAX];
	struct arena texts; /* features that are strings */
	struct span feature_data[PMSCOPE_FEATURE_MAX];
	struct span first_maps; /* records that simpleperf has in a feature */
	bool simpleperf;	/* simpleperf wrote the file */
	uint32_t compressed_window; /* output limit of a compressed record */
	struct pmscope_build_id *build_ids;
	size_t nr_build_ids;
	size_t max_build_ids;
	size_t kernel_build_id; /* index of the kernel's + 1; 0: none */

	struct inflated inflated;
};

/* Sets the error text, once: the first error explains the later ones. */
int reader_fail(struct pmscope_perfdata *r, uint64_t offset, const char *fmt,
		...) __attribute__((format(printf, 3, 4)));

/* Each returns 0, -EBADMSG after reader_fail(), or -ENOMEM. */
int attrs_read_section(struct pmscope_perfdata *r, uint64_t offset,
		       uint64_t size, uint64_t entry_size);
int attrs_read_event(struct pmscope_perfdata *r,
		     const struct pmscope_perf_event *event);
int attrs_read_description(struct pmscope_perfdata *r, struct span feature);
int attrs_read_update(struct pmscope_perfdata *r,
		      const struct pmscope_perf_event *event);
int attrs_read_ids(struct pmscope_perfdata *r,
		   const struct pmscope_perf_event *event);
void attrs_fini(struct pmscope_perfdata *r);

/* Is it a record of a guest? These are ignored: SPE samples the host. */
static inline bool is_of_guest(uint16_t misc)
{
	unsigned int mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_GUEST_KERNEL ||
	       mode == PERF_RECORD_MISC_GUEST_USER;
}

/*
 * Does the feature section table begin at @offset, followed by the first
 * feature? Without features, @offset must be the end of the file.
 */
bool features_are_at(const struct pmscope_perfdata *r, const uint8_t *flags,
		     uint64_t offset);
int features_read_sections(struct pmscope_perfdata *r, const uint8_t *flags,
			   uint64_t offset);
int features_read_event(struct pmscope_perfdata *r,
			const struct pmscope_perf_event *event);
int build_id_read_event(struct pmscope_perfdata *r,
			const struct pmscope_perf_event *event);
void features_fini(struct pmscope_perfdata *r);

/* Checks the features with NUMA nodes: returns 0 or -EBADMSG. */
int topology_check_memory(struct span feature);
int topology_check_numa(struct span feature);

/* Reports and drops an invalid stream; others may follow. */
int inflate_record(struct pmscope_perfdata *r,
		   const struct pmscope_perf_event *event);
void inflated_break(struct inflated *inflated);

/* What is incomplete: "record", "block" or NULL. */
const char *inflated_inside(const struct inflated *inflated);
void inflated_fini(struct inflated *inflated);

/*
 * Parses a record again that pmscope_perfdata_next() returned before. @record
 * points to its header, in the file or in a copy.
 */
void record_read(const struct pmscope_perfdata *r, const uint8_t *record,
		 struct pmscope_perf_event *event);

/* Does @at point into the file, or a copy, so that it stays valid? */
static inline bool reader_has(const struct pmscope_perfdata *r,
			      const uint8_t *at)
{
	return (at >= r->data && at < r->data + r->size) ||
	       (r->kept.size && at >= r->kept.data &&
		at < r->kept.data + r->kept.size);
}

/* Of a pipe: times of the first and the last event so far; 0: none. */
void reader_times(const struct pmscope_perfdata *r, uint64_t *first,
		  uint64_t *last);

/*
 * Of a pipe, @size bytes are there now, and no more will come if it @ended.
 * Complete records can be read from then on. Also ends where no record can be
 * complete within @room bytes.
 */
void reader_grow(struct pmscope_perfdata *r, size_t size, size_t room,
		 bool ended);

/* How far the data section was read, as a file offset. */
static inline uint64_t reader_at(const struct pmscope_perfdata *r)
{
	return r->later.size ? 0 : r->at;
}

/* As in perf: a single event owns every id, the first of several owns id 0. */
static inline int reader_attr_of_id(const struct pmscope_perfdata *r,
				    uint64_t id)
{
	return !id || r->nr_attrs == 1 ? 0 : pmscope_perfdata_attr_of_id(r, id);
}

/* Fills in @event->attr and @event->id. */
void sample_id_read(const struct pmscope_perfdata *r,
		    struct pmscope_perf_event *event);
