/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Reading perf.data: the file and the pipe form, plain or compressed with zstd,
 * written by perf, pmscope or simpleperf on a little-endian machine. What
 * simpleperf has as a feature, names and mappings of what ran before, comes
 * first. Nothing is copied: what the structs here point to is in the data given
 * to pmscope_perfdata_open(), or, for records that were compressed, in a buffer
 * the reader keeps.
 */
#ifndef PMSCOPE_PERFDATA_H
#define PMSCOPE_PERFDATA_H

#include <pmscope/api.h>

#include <linux/perf_event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Records that perf itself writes, besides those of the kernel. */
enum pmscope_perf_record {
	PMSCOPE_RECORD_HEADER_ATTR = 64,
	PMSCOPE_RECORD_TRACING_DATA = 66,
	PMSCOPE_RECORD_BUILD_ID = 67,
	PMSCOPE_RECORD_FINISHED_ROUND = 68,
	PMSCOPE_RECORD_ID_INDEX = 69,
	PMSCOPE_RECORD_AUXTRACE_INFO = 70,
	PMSCOPE_RECORD_AUXTRACE = 71,
	PMSCOPE_RECORD_AUXTRACE_ERROR = 72,
	PMSCOPE_RECORD_EVENT_UPDATE = 78,
	PMSCOPE_RECORD_TIME_CONV = 79,
	PMSCOPE_RECORD_HEADER_FEATURE = 80,
	PMSCOPE_RECORD_COMPRESSED = 81,
	PMSCOPE_RECORD_COMPRESSED2 = 83,
};

/* Features of the header that pmscope reads or writes, as perf numbers them. */
enum pmscope_perf_feature {
	PMSCOPE_FEATURE_BUILD_ID = 2,
	PMSCOPE_FEATURE_HOSTNAME = 3,
	PMSCOPE_FEATURE_OSRELEASE = 4,
	PMSCOPE_FEATURE_VERSION = 5,
	PMSCOPE_FEATURE_ARCH = 6,
	PMSCOPE_FEATURE_NRCPUS = 7,
	PMSCOPE_FEATURE_CPUDESC = 8,
	PMSCOPE_FEATURE_CPUID = 9,
	PMSCOPE_FEATURE_TOTAL_MEM = 10,
	PMSCOPE_FEATURE_CMDLINE = 11,
	PMSCOPE_FEATURE_EVENT_DESC = 12,
	PMSCOPE_FEATURE_NUMA_TOPOLOGY = 14,
	PMSCOPE_FEATURE_PMU_MAPPINGS = 16,
	PMSCOPE_FEATURE_GROUP_DESC = 17,
	PMSCOPE_FEATURE_AUXTRACE = 18,
	PMSCOPE_FEATURE_SAMPLE_TIME = 21,
	PMSCOPE_FEATURE_MEM_TOPOLOGY = 22,
	PMSCOPE_FEATURE_CLOCK_DATA = 29,
	PMSCOPE_FEATURE_MAX = 64,
};

struct pmscope_perfdata;

/**
 * struct pmscope_perf_attr - an event of the recording
 * @name: as the user wrote the event, of a longer one the first 1023 bytes;
 *	  NULL when the file does not tell
 * @attr: as it was given to perf_event_open(2), up to 256 bytes; fields the
 *	  file does not have are 0. It is the last, since it grows with the
 *	  kernel's headers, of which the library may have had others
 */
struct pmscope_perf_attr {
	const char *name;
	struct perf_event_attr attr;
};

/* Place and time of a record; @has tells which are known. */
struct pmscope_sample_id {
	uint64_t has; /* PERF_SAMPLE_* bits */
	uint32_t pid;
	uint32_t tid;
	uint64_t time; /* perf clock, ns */
	uint64_t id;
	uint32_t cpu;
};

/**
 * struct pmscope_perf_event - one record of the file
 * @type: PERF_RECORD_* or enum pmscope_perf_record
 * @misc: PERF_RECORD_MISC_*
 * @body: what follows the record's header
 * @size: bytes of @body
 * @offset: of the record in the file; for a compressed one, of the record
 *	    that held it
 * @attr: index of its event; -1 when it belongs to none
 * @id: where and when
 * @payload: the trace that follows an AUXTRACE record, or in a pipe what tells
 *	     of tracepoints behind TRACING_DATA
 * @payload_size: bytes of @payload; fewer than the record says when the file
 *		  is cut short
 */
struct pmscope_perf_event {
	uint32_t type;
	uint16_t misc;
	const uint8_t *body;
	size_t size;
	uint64_t offset;
	int attr;
	struct pmscope_sample_id id;
	const uint8_t *payload;
	size_t payload_size;
};

/**
 * pmscope_perfdata_is() - does this look like a perf.data?
 * @data: the first bytes of a file
 * @size: how many there are
 */
PMSCOPE_API bool pmscope_perfdata_is(const uint8_t *data, size_t size);

/**
 * pmscope_perfdata_open() - begin to read
 * @data: the whole recording; must stay as it is until the reader is freed
 * @size: bytes of @data
 * @reader: the new reader, also on an error, for pmscope_perfdata_error(), and
 *	    to be freed then, too; NULL only where there is no memory for it
 *
 * Return: 0; -EBADMSG when the header cannot be read; -ENOMEM.
 */
PMSCOPE_API int pmscope_perfdata_open(const uint8_t *data, size_t size,
				      struct pmscope_perfdata **reader);
PMSCOPE_API void pmscope_perfdata_free(struct pmscope_perfdata *reader);

/**
 * pmscope_perfdata_next() - the next record, in the order of the file
 * @event: filled in on success; its pointers are valid until the next call
 *
 * Return: 1 for a record; 0 at the end; -EBADMSG when the file is damaged or
 * cut short here, or had such a fault or no record at all when its end is
 * reached (see pmscope_perfdata_error(); every later call returns 0); -ENOMEM.
 */
PMSCOPE_API int pmscope_perfdata_next(struct pmscope_perfdata *reader,
				      struct pmscope_perf_event *event);

/* The error and its offset, in one line; "" if there is none. */
PMSCOPE_API const char *
pmscope_perfdata_error(const struct pmscope_perfdata *reader);

/*
 * The events of the recording; in a pipe, those so far. Returns NULL from their
 * number on; valid until the next pmscope_perfdata_next().
 */
PMSCOPE_API size_t
pmscope_perfdata_nr_attrs(const struct pmscope_perfdata *reader);
PMSCOPE_API const struct pmscope_perf_attr *
pmscope_perfdata_attr(const struct pmscope_perfdata *reader, size_t index);

/**
 * pmscope_perfdata_attr_of_id() - the event a sample identifier belongs to
 *
 * Return: its index; -1 when the file does not know @id.
 */
PMSCOPE_API int
pmscope_perfdata_attr_of_id(const struct pmscope_perfdata *reader, uint64_t id);

/**
 * pmscope_perfdata_ids() - the sample identifiers of an event
 * @index: of the event
 * @ids: set, those that there are, but @max at most
 * @max: room in @ids; 0 only asks how many there are
 *
 * Return: how many the event has; 0 from the number of events on.
 */
PMSCOPE_API size_t pmscope_perfdata_ids(const struct pmscope_perfdata *reader,
					size_t index, uint64_t *ids,
					size_t max);

/**
 * pmscope_perfdata_feature() - a feature of the header as a string
 * @feature: HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC or CPUID
 *
 * Return: the string, valid until pmscope_perfdata_free(); or NULL when the
 * file does not have it, or it is none of these.
 */
PMSCOPE_API const char *
pmscope_perfdata_feature(const struct pmscope_perfdata *reader,
			 enum pmscope_perf_feature feature);

/**
 * pmscope_perfdata_feature_data() - any feature of the header, as it lies there
 * @feature: its number, as perf has it
 * @size: set to the number of bytes, 0 when there are none
 *
 * Return: its bytes as perf lays them out, of the data that was opened; or NULL
 * when the file does not have it.
 */
PMSCOPE_API const uint8_t *
pmscope_perfdata_feature_data(const struct pmscope_perfdata *reader,
			      unsigned int feature, size_t *size);

/**
 * pmscope_perfdata_node_of_memory() - the NUMA node of a physical address
 * @physical: the address
 *
 * Return: its number; -1 when the file does not tell (feature MEM_TOPOLOGY).
 */
PMSCOPE_API int
pmscope_perfdata_node_of_memory(const struct pmscope_perfdata *reader,
				uint64_t physical);

/**
 * pmscope_perfdata_node_of_cpu() - the NUMA node of a CPU
 * @cpu: its number
 *
 * Return: its number; -1 when the file does not tell (feature NUMA_TOPOLOGY).
 */
PMSCOPE_API int
pmscope_perfdata_node_of_cpu(const struct pmscope_perfdata *reader,
			     uint32_t cpu);

/**
 * struct pmscope_build_id - which file a mapped name was
 * @name: path, or "[kernel.kallsyms]"
 * @id: the build-id
 * @size: bytes of @id, at most 20
 */
struct pmscope_build_id {
	const char *name;
	uint8_t id[20];
	uint8_t size;
};

/* The build-ids of the header, just as the events. */
PMSCOPE_API size_t
pmscope_perfdata_nr_build_ids(const struct pmscope_perfdata *reader);
PMSCOPE_API const struct pmscope_build_id *
pmscope_perfdata_build_id(const struct pmscope_perfdata *reader, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_PERFDATA_H */
