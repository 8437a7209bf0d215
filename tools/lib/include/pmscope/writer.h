/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Writing perf.data: a file, or a pipe, that perf 6.1 and newer and pmscope
 * read. pmscope-record(1) writes with it. perf script shows no recording in
 * which an event has no PERF_SAMPLE_IP.
 *
 * The order of calls: open, begin, then all others in any order, finish, free.
 * A recording that was not finished, since its program died, is read by pmscope
 * up to where it ends; by perf it is not.
 *
 * Calls that are wrong (-EINVAL, -E2BIG) write nothing, and others may follow.
 * After any other error every later call but free gives the same error. If the
 * file could not grow, it is complete up to a whole record, and perf reads it,
 * too; a pipe, or a file that is compressed as a whole, may end inside a
 * record. A pipe that nobody reads raises SIGPIPE, as with write(2).
 *
 * A recording of one event, with the trace of CPU 0; tools/examples/wrap.c of
 * the sources is a whole program:
 *
 *	struct pmscope_written_event event = {&attr, "arm_spe_0//", &id, 1};
 *	struct pmscope_written_spe spe = {
 *		.size = sizeof(spe),
 *		.pmu_type = attr.type,
 *		.time_conv = &conv,
 *	};
 *	struct pmscope_written_trace trace = {
 *		.offset = page->aux_tail,
 *		.cpu = 0,
 *		.tid = -1,
 *		.data = {bytes},
 *		.part_size = {size},
 *	};
 *	struct pmscope_writer *w = pmscope_writer_open("perf.data");
 *
 *	if (!w)
 *		return -errno;
 *	ret = pmscope_writer_begin(w, &event, 1);
 *	if (!ret)
 *		ret = pmscope_writer_spe(w, &spe);
 *	if (!ret)
 *		ret = pmscope_writer_trace(w, &trace);
 *	if (!ret)
 *		ret = pmscope_writer_finish(w);
 *	if (ret)
 *		fprintf(stderr, "perf.data: %s\n", pmscope_writer_error(w));
 *	pmscope_writer_free(w);
 */
#ifndef PMSCOPE_WRITER_H
#define PMSCOPE_WRITER_H

#include <pmscope/api.h>
#include <pmscope/perfdata.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmscope_writer;

/**
 * pmscope_writer_open() - make the file
 * @path: the file, of mode 0600; what was in a regular file of that name is
 *	  kept as @path.old, an empty one of this user is written to as it is,
 *	  and another user's is replaced. "-" is standard output. What cannot
 *	  be positioned (standard output, a FIFO) gets the pipe form
 *
 * No file is created, truncated or written through a symbolic link, except for
 * names of descriptors such as /dev/stdout.
 *
 * Return: the writer; or NULL with errno: as of open(2), or of rename(2) where
 * what was there cannot be kept; EEXIST when @path.old is a directory; ELOOP
 * for a symbolic link that leads to no file, to an empty one, or that is
 * another user's and leads to what is no file; EBUSY when another made a file
 * of the name meanwhile; EINVAL when @path is a terminal.
 */
PMSCOPE_API struct pmscope_writer *pmscope_writer_open(const char *path);

/*
 * Closes the file, unless it is "-". An unfinished file keeps what was written.
 */
PMSCOPE_API void pmscope_writer_free(struct pmscope_writer *writer);

/**
 * struct pmscope_written_event - an event of the recording
 * @attr: as it was given to perf_event_open(2): attr->size bytes, 64 to 65512
 *	  and a multiple of 8, so members that this header does not know are
 *	  written, too. perf refuses a file with more than it knows: 6.1 knows
 *	  128
 * @name: as the user wrote it, "" when that is not known; not NULL
 * @ids: what PERF_EVENT_IOC_ID tells of each of its descriptors
 * @nr_ids: of @ids; 0 when samples need none, as with one event without
 *	    PERF_SAMPLE_IDENTIFIER that is not SPE's
 */
struct pmscope_written_event {
	const struct perf_event_attr *attr;
	const char *name;
	const uint64_t *ids;
	size_t nr_ids;
};

/**
 * pmscope_writer_begin() - write what comes before the records
 * @writer: the writer, not begun yet
 * @events: all of the recording; not needed after the call
 * @nr: of @events, 1 at least
 *
 * So that records can be told apart, all have the same sample_id_all, and of
 * several each has PERF_SAMPLE_IDENTIFIER or all have the same sample_type,
 * with PERF_SAMPLE_ID. No id is that of two, and 0, which readers take for the
 * first event's, of no other.
 *
 * Return: 0; -EINVAL when the events are not as said above; -E2BIG when in a
 * pipe the record of an event would be over 64 KiB, or that of all where one
 * behind the first has no ids; -ENOMEM; -errno of write(2).
 */
PMSCOPE_API int pmscope_writer_begin(struct pmscope_writer *writer,
				     const struct pmscope_written_event *events,
				     size_t nr);

/* What is compressed with zstd. */
enum pmscope_compression {
	PMSCOPE_COMPRESS_RECORDS, /* records, as perf record -z does */
	PMSCOPE_COMPRESS_FILE,	  /* the file, as zstd(1) does */
};

/**
 * pmscope_writer_compress() - compress what is written
 * @writer: the writer, not begun yet
 * @what: PMSCOPE_COMPRESS_RECORDS: records go into PERF_RECORD_COMPRESSED,
 *	  which perf reads since Linux 5.2; trace is not compressed, because
 *	  perf reads it where it is in the file. PMSCOPE_COMPRESS_FILE:
 *	  everything is compressed; pmscope reads the file as it is, and perf
 *	  after `zstd -d`
 * @level: 1 (fast) to 22
 *
 * Compressed records are written when there are enough, before trace, and after
 * a PERF_RECORD_FINISHED_ROUND that ends a call of pmscope_writer_records().
 *
 * Return: 0; -EINVAL after begin, for a pipe, or for another level; -ENOMEM.
 */
PMSCOPE_API int pmscope_writer_compress(struct pmscope_writer *writer,
					enum pmscope_compression what,
					int level);

/**
 * struct pmscope_time_conv - from the ticks of SPE's timestamps to perf's clock
 *
 * The members are those of struct perf_event_mmap_page, which has them where
 * cap_user_time_zero is set.
 */
struct pmscope_time_conv {
	uint64_t time_shift;
	uint64_t time_mult;
	uint64_t time_zero;
	uint64_t time_cycles;
	uint64_t time_mask;
	bool cap_user_time_zero;
	bool cap_user_time_short;
};

/* A CPU with SPE: its number, its MIDR_EL1, and the type of its SPE PMU. */
struct pmscope_written_cpu {
	uint64_t midr;
	uint32_t cpu;
	uint32_t pmu_type;
};

/*
 * The largest number of CPUs whose types, if they differ, fit in their record;
 * and with their event filters.
 */
#define PMSCOPE_WRITER_CPUS_MAX		 1364
#define PMSCOPE_WRITER_FILTERED_CPUS_MAX 1169

/**
 * struct pmscope_written_spe - where SPE data comes from
 * @size: of this struct
 * @pmu_type: type of the SPE PMU, of the first where there are several
 * @per_thread: each thread has an AUX area, not each CPU
 * @time_conv: NULL when it is not known, then samples have no times; or when
 *	       pmscope_writer_records() took the TIME_CONV of another recording
 * @cpus: all that have SPE, with a MIDR of 0 where that is not known: where all
 *	  have the same one, readers take it for any other CPU's, too
 * @nr_cpus: of @cpus; 0 will do
 * @event_filters: of each of @cpus, events that its SPU can filter by, as
 *		   pmscope_recording_event_filter() tells; NULL: not known
 */
struct pmscope_written_spe {
	size_t size;
	uint32_t pmu_type;
	bool per_thread;
	const struct pmscope_time_conv *time_conv;
	const struct pmscope_written_cpu *cpus;
	size_t nr_cpus;
	const uint64_t *event_filters;
};

/**
 * pmscope_writer_spe() - tell readers that SPE data will come, and from where
 * @spe: not needed after the call
 *
 * Once, before the first trace. Writes TIME_CONV and AUXTRACE_INFO. The latter
 * is of version 1, which perf of any age reads and which has neither MIDRs nor
 * event filters, where the MIDRs of @cpus are the same and no filter is known.
 * Version 2 perf reads from 6.13 on. A MIDR that all have is in CPUID, too,
 * without variant and revision, as perf has it there, if no call before told
 * another.
 *
 * As perf can read it with no others, all events have sample_id_all, and
 * PERF_SAMPLE_ID or PERF_SAMPLE_IDENTIFIER, and those of @pmu_type have ids.
 * With PERF_SAMPLE_TIME in an event perf wants times, too: without a TIME_CONV
 * it divides by zero, and of areas of threads whose records have CONTEXT
 * packets it reads nothing.
 *
 * Return: 0; -EINVAL when it was called before, @spe has what this library does
 * not know, or the events are not as said above; -E2BIG for more CPUs than
 * version 2 has room for, where that is needed; -ENOMEM; -errno of write(2).
 */
PMSCOPE_API int pmscope_writer_spe(struct pmscope_writer *writer,
				   const struct pmscope_written_spe *spe);

/**
 * struct pmscope_written_trace - bytes of an AUX area
 * @offset: of the first: the value of aux_tail they were read at
 * @index: number of the AUX area, from 0
 * @cpu: that the area is of, or -1 where it is a thread's
 * @tid: thread that the area is of, or -1 where it is a CPU's
 * @data: two parts, as the bytes may wrap around the end of the area
 * @part_size: bytes of each part; 0 for one that is not needed
 */
struct pmscope_written_trace {
	uint64_t offset;
	uint32_t index;
	int32_t cpu;
	int32_t tid;
	const void *data[2];
	size_t part_size[2];
};

/**
 * pmscope_writer_trace() - write trace, as AUXTRACE
 * @trace: of one area, in their order; different areas mix freely
 *
 * Each call takes whole records, as what a PERF_RECORD_AUX tells of is: perf
 * decodes the bytes of each by themselves. The writer adds zeros, which are
 * padding, up to a multiple of 8; offsets go on with the caller's own bytes.
 *
 * A file ends with an index of all calls. Of more than 4096, the index waits in
 * a file without a name, in the directory of the recording or in TMPDIR, so
 * that memory does not grow. If that fails, the file has no index; readers find
 * the trace without it.
 *
 * It is SPE's: the stream of pmu_snapshot does not come as trace, but each of
 * its records as a PERF_RECORD_SAMPLE of pmscope_writer_records(): with
 * PERF_SAMPLE_READ, by PERF_FORMAT_GROUP and PERF_FORMAT_ID, for the counters
 * of the group, and with PERF_SAMPLE_RAW for the record.
 *
 * Return: 0, also when there are no bytes; -EINVAL when pmscope_writer_spe()
 * was not called before, the area is nobody's, or a part has a size and no
 * bytes; -ENOMEM; -errno of write(2).
 */
PMSCOPE_API int pmscope_writer_trace(struct pmscope_writer *writer,
				     const struct pmscope_written_trace *trace);

/**
 * pmscope_writer_records() - write records as the kernel writes them
 * @records: one whole record after another, as they are in a ring buffer, or
 *	     of perf's own types, but for HEADER_ATTR, HEADER_FEATURE,
 *	     TRACING_DATA, AUXTRACE_INFO, AUXTRACE, COMPRESSED and COMPRESSED2.
 *	     The members that sample_type asks for close each record where
 *	     sample_id_all is set
 * @size: bytes of @records
 *
 * Return: 0; -EINVAL when they are not whole records of a multiple of 8 bytes,
 * or of a type that is not for here; -errno of write(2).
 */
PMSCOPE_API int pmscope_writer_records(struct pmscope_writer *writer,
				       const void *records, size_t size);

/**
 * pmscope_writer_string() - add a feature of the header that is a text
 * @feature: HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC or CPUID
 *
 * Return: as pmscope_writer_feature().
 */
PMSCOPE_API int pmscope_writer_string(struct pmscope_writer *writer,
				      enum pmscope_perf_feature feature,
				      const char *text);

/**
 * pmscope_writer_feature() - add any other feature of the header
 * @feature: its number, 2 to PMSCOPE_FEATURE_MAX - 1, as perf has it; a second
 *	     of a number replaces the first
 * @data: its bytes as perf lays them out
 * @size: of @data
 *
 * Return: 0; -EINVAL for a number that there is not or that the writer fills
 * itself: BUILD_ID, EVENT_DESC, AUXTRACE; -E2BIG when it has no room in the
 * record of a pipe; -ENOMEM; -errno of write(2).
 */
PMSCOPE_API int pmscope_writer_feature(struct pmscope_writer *writer,
				       unsigned int feature, const void *data,
				       size_t size);

/**
 * pmscope_writer_build_ids() - tell which files the mapped names were
 * @ids: all of them: a second call replaces the first, but in a pipe
 * @nr: of @ids
 *
 * Return: 0; -EINVAL for an id of no bytes or of over 20, or a name that is
 * too long for its record; -ENOMEM; -errno of write(2).
 */
PMSCOPE_API int pmscope_writer_build_ids(struct pmscope_writer *writer,
					 const struct pmscope_build_id *ids,
					 size_t nr);

/**
 * pmscope_writer_finish() - complete the header
 *
 * Nothing can be written after it; the writer is still to be freed.
 *
 * Return: 0; -EINVAL before begin; -ENOMEM; -errno of write(2).
 */
PMSCOPE_API int pmscope_writer_finish(struct pmscope_writer *writer);

/* The size of the file up to here. */
PMSCOPE_API uint64_t pmscope_writer_size(const struct pmscope_writer *writer);

/* Why the last call that failed did, in one line; "" when none has. */
PMSCOPE_API const char *
pmscope_writer_error(const struct pmscope_writer *writer);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_WRITER_H */
