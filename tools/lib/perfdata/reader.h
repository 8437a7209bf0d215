/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The parts of the perf.data reader. */
#ifndef PMSCOPE_PERFDATA_READER_H
#define PMSCOPE_PERFDATA_READER_H

#include <pmscope/perfdata.h>

#include "base/arena.h"
#include "base/little_endian.h"
#include "base/map.h"

#include <string.h>

#define RECORD_HEADER 8 /* type, misc, size */

/* Identifiers that events got later, for CPUs that came online. */
#define SIMPLEPERF_EVENT_ID 0x8006

/* Is the record of a kind that Android's simpleperf alone has? */
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

/* With room for what newer kernels than our headers put into the attr. */
struct event_attr {
	union {
		struct pmscope_perf_attr event;
		uint8_t bytes[offsetof(struct pmscope_perf_attr, attr) +
			      ATTR_ROOM];
	};
	struct span ids;
};

/* Bytes that were decompressed, and how far they were read. */
struct inflated {
	struct ZSTD_DCtx_s *stream;
	uint8_t *data;
	size_t capacity;
	size_t used;
	size_t at;
	uint64_t offset; /* in the file, of the last compressed record */
	uint64_t taken;	 /* compressed bytes so far, and next what they gave */
	uint64_t given;
	size_t left;  /* as zstd says: 0 where a stream ended, as it need not */
	bool broken;  /* what comes is of no use, until a stream begins */
	bool refused; /* there is far too much of it: none is read any more */
};

struct pmscope_perfdata {
	const uint8_t *data;
	size_t size;
	size_t at;	   /* of the next record */
	size_t end;	   /* of the records */
	struct span later; /* those of the data section, if others come first */
	bool failed;
	char error[160];

	struct event_attr *attrs;
	size_t nr_attrs;
	size_t max_attrs;
	struct map attr_of_id;
	uint64_t nr_ids;      /* read for all of them */
	bool have_identifier; /* some event has PERF_SAMPLE_IDENTIFIER */

	const char *features[PMSCOPE_FEATURE_MAX];
	struct arena texts; /* of the features */
	struct span feature_data[PMSCOPE_FEATURE_MAX];
	struct span first_maps;	    /* records that are a feature */
	bool simpleperf;	    /* wrote it */
	uint32_t compressed_window; /* bytes one compressed record may give */
	struct pmscope_build_id *build_ids;
	size_t nr_build_ids;
	size_t max_build_ids;
	size_t kernel_build_id; /* 0, or the number of the kernel's and 1 */

	struct inflated inflated;
};

/* Sets the error line, once: the first fault explains the later ones. */
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

/* Records of a guest, by @misc: SPE samples its host. */
static inline bool is_of_guest(uint16_t misc)
{
	unsigned int mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_GUEST_KERNEL ||
	       mode == PERF_RECORD_MISC_GUEST_USER;
}

/*
 * Is @offset where features begin: with their sections, and behind those the
 * first feature? Without any it is the end of the file.
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

/* Whether the features that tell of NUMA nodes are whole: 0 or -EBADMSG. */
int topology_check_memory(struct span feature);
int topology_check_numa(struct span feature);

/* An invalid stream is reported and dropped; there may be others. */
int inflate_record(struct pmscope_perfdata *r,
		   const struct pmscope_perf_event *event);
void inflated_break(struct inflated *inflated);

/* Of what there is more to come; NULL: of nothing. */
const char *inflated_inside(const struct inflated *inflated);
void inflated_fini(struct inflated *inflated);

/*
 * Compression reduces side-band records, each with its own time, to a tenth or
 * a thirtieth, and traces similarly. The state kept for the smallest records is
 * several times as large as they are.
 */
#define INFLATED_RATIO_MAX  100
#define INFLATED_RATIO_FROM (32U << 20)

static inline bool inflates_too_much(uint64_t given, uint64_t taken)
{
	return given > INFLATED_RATIO_FROM &&
	       given / INFLATED_RATIO_MAX > taken;
}

/*
 * Reads again a record that pmscope_perfdata_next() returned before: @record is
 * the place of its header, in the file or in a copy.
 */
void record_read(const struct pmscope_perfdata *r, const uint8_t *record,
		 struct pmscope_perf_event *event);

/* Is @at in the file itself, where it stays valid? */
static inline bool reader_has(const struct pmscope_perfdata *r,
			      const uint8_t *at)
{
	return at >= r->data && at < r->data + r->size;
}

/* How far the data section is read, bytes. */
static inline uint64_t reader_at(const struct pmscope_perfdata *r)
{
	return r->later.size ? 0 : r->at;
}

/* As in perf: one event alone has every id, and the first of several 0, too. */
static inline int reader_attr_of_id(const struct pmscope_perfdata *r,
				    uint64_t id)
{
	return !id || r->nr_attrs == 1 ? 0 : pmscope_perfdata_attr_of_id(r, id);
}

/* Fills in @event->attr and @event->id. */
void sample_id_read(const struct pmscope_perfdata *r,
		    struct pmscope_perf_event *event);

#endif /* PMSCOPE_PERFDATA_READER_H */
