/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Writing perf.data, as a file or, to standard output, as a pipe: what perf
 * 6.1 and newer, and pmscope, read.
 *
 * The order of calls: open, begin, features and records in any order, finish.
 */
#ifndef PMSCOPE_PERFDATA_WRITER_H
#define PMSCOPE_PERFDATA_WRITER_H

#include "session/attr.h"
#include "session/error.h"

#include <pmscope/perfdata.h>

/* Features beside those of <pmscope/perfdata.h>. */
enum pmscope_perf_feature_written {
	PMSCOPE_FEATURE_VERSION = 5,
	PMSCOPE_FEATURE_NRCPUS = 7,
	PMSCOPE_FEATURE_CPUDESC = 8,
	PMSCOPE_FEATURE_TOTAL_MEM = 10,
	PMSCOPE_FEATURE_NUMA_TOPOLOGY = 14,
	PMSCOPE_FEATURE_PMU_MAPPINGS = 16,
	PMSCOPE_FEATURE_GROUP_DESC = 17,
	PMSCOPE_FEATURE_AUXTRACE = 18,
	PMSCOPE_FEATURE_SAMPLE_TIME = 21,
};

struct pmscope_perfdata_writer;

/**
 * struct pmscope_written_attr - an event of the recording
 * @attr: as it was opened, attr.size set
 * @name: as the user wrote it
 * @id: what PERF_EVENT_IOC_ID told of each of its descriptors
 */
struct pmscope_written_attr {
	union pmscope_attr attr;
	const char *name;
	uint64_t *id;
	size_t nr_ids;
};

/* A PERF_RECORD_AUXTRACE: where the bytes that follow it come from. */
struct pmscope_written_auxtrace {
	uint64_t size;
	uint64_t offset;
	uint64_t reference;
	uint32_t index;
	int32_t tid;
	int32_t cpu;
};

/**
 * pmscope_writer_open() - make the file
 * @path: "-" is standard output; what was in a file of that name is kept as
 *        @path.old
 *
 * Return: 0, -errno, -EINVAL when standard output is a terminal.
 */
int pmscope_writer_open(struct pmscope_perfdata_writer **writer,
			const char *path, struct pmscope_error *err);

/**
 * pmscope_writer_begin() - write what comes before the records
 *
 * Return: 0, -errno of writing, -E2BIG when an event of a pipe has more ids
 * than its record can hold.
 */
int pmscope_writer_begin(struct pmscope_perfdata_writer *writer,
			 const struct pmscope_written_attr *attr, size_t nr);

/* Adds a feature of the header; -ENOMEM, -errno of writing. */
int pmscope_writer_feature(struct pmscope_perfdata_writer *writer,
			   unsigned int feature, const void *data, size_t size);

/* Writes one whole record, or several; -errno. */
int pmscope_writer_records(struct pmscope_perfdata_writer *writer,
			   const void *records, size_t size);

/**
 * pmscope_writer_auxtrace() - write trace of an AUX area
 * @part, @part_size: two, as the data may wrap around the end of the area;
 *                    together aux->size bytes
 *
 * Return: 0, -errno.
 */
int pmscope_writer_auxtrace(struct pmscope_perfdata_writer *writer,
			    const struct pmscope_written_auxtrace *aux,
			    const void *const part[2],
			    const size_t part_size[2]);

/* The bytes written up to here. */
uint64_t pmscope_writer_size(const struct pmscope_perfdata_writer *writer);

/* True for standard output. */
bool pmscope_writer_is_pipe(const struct pmscope_perfdata_writer *writer);

/* Completes the header; -errno.  The writer is still to be freed. */
int pmscope_writer_finish(struct pmscope_perfdata_writer *writer);

void pmscope_writer_free(struct pmscope_perfdata_writer *writer);

#endif /* PMSCOPE_PERFDATA_WRITER_H */
