/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes that tests put together: SPE records and perf.data files. */
#ifndef PMSCOPE_TESTS_BYTES_H
#define PMSCOPE_TESTS_BYTES_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* Zeros are no bytes. Running out of memory ends the test program. */
struct bytes {
	uint8_t *data;
	size_t size;
	size_t capacity;
};

void bytes_add(struct bytes *b, const void *data, size_t size);
void bytes_fini(struct bytes *b);

/* @size bytes of @value, little-endian. */
void put(struct bytes *b, uint64_t value, unsigned int size);
void put_zeros(struct bytes *b, size_t size);

/* SPE packets. */
void put_packet(struct bytes *b, unsigned int type, unsigned int index,
		unsigned int payload_size, uint64_t payload);
void put_timestamp(struct bytes *b, uint64_t ticks);

/* A load as a Neoverse N1 writes it: 64 bytes. */
void put_load(struct bytes *b, uint64_t pc, uint64_t va, uint64_t ticks);

/* The same with CONTEXTIDR_EL1. */
void put_load_of(struct bytes *b, uint32_t tid, uint64_t pc, uint64_t va,
		 uint64_t ticks);

/* Only that something ran, and END: a timestamp was not captured. */
void put_untimed(struct bytes *b, uint64_t pc);

/*
 * A perf.data under construction, with one event whose identifier is
 * PERFDATA_ID and whose records end with pid, tid, time, cpu, identifier.
 */
#define PERFDATA_ID 77
#define PERFDATA_SAMPLE_TYPE                                    \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_IDENTIFIER)

struct where {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint32_t cpu;
};

void perfdata_begin(struct bytes *b);
void perfdata_begin_pipe(struct bytes *b);
void perfdata_end(struct bytes *b);

/* The only feature of a file that has ended. */
void perfdata_put_feature(struct bytes *b, unsigned int bit,
			  const struct bytes *data);

/* For the event of the file form, instead of PERFDATA_SAMPLE_TYPE. */
void perfdata_set_sample_type(struct bytes *b, uint64_t type);

void perfdata_set_read_format(struct bytes *b, uint64_t format);

/* Its samples are of that type, and have a group of counts with their ids. */
void perfdata_read_groups(struct bytes *b);

/* Threads inherit its event: each counts for itself, under one identifier. */
void perfdata_inherit(struct bytes *b);

/* Records are timed by that clock, not perf's own. */
void perfdata_use_clockid(struct bytes *b, int32_t clockid);

void put_record(struct bytes *b, uint32_t type, uint16_t misc,
		const struct bytes *body);
void put_side_band(struct bytes *b, uint32_t type, uint16_t misc,
		   const struct bytes *body, const struct where *where);
void put_comm(struct bytes *b, uint16_t misc, const char *comm,
	      const struct where *where);
void put_mmap2(struct bytes *b, uint64_t start, uint64_t length,
	       uint64_t file_offset, const char *name,
	       const struct where *where);
/* Of a file whose build-id has the byte @id @bytes times, and then zeros. */
void put_mmap2_of(struct bytes *b, uint64_t start, uint64_t length,
		  const char *name, uint8_t id, unsigned int bytes,
		  const struct where *where);
void put_fork(struct bytes *b, uint32_t ppid, uint32_t ptid,
	      const struct where *where);
/* @size bytes of the AUX area, from its begin. */
void put_aux(struct bytes *b, uint64_t size, uint64_t flags,
	     const struct where *where);
void put_aux_at(struct bytes *b, uint64_t offset, uint64_t size, uint64_t flags,
		const struct where *where);
void put_itrace_start(struct bytes *b, const struct where *where);
void put_time_conv(struct bytes *b, uint64_t shift, uint64_t mult,
		   uint64_t zero);
void put_auxtrace_info(struct bytes *b, uint32_t type);
/*
 * Of version 2: @cpus are number, MIDR, type of the SPE PMU and event filter,
 * @params the words perf has of each, two at least.
 */
void put_auxtrace_info_v2(struct bytes *b, const uint64_t cpus[][4], size_t nr,
			  uint64_t params);
void put_auxtrace(struct bytes *b, uint32_t index, uint32_t cpu, uint32_t tid,
		  const struct bytes *trace);
void put_auxtrace_at(struct bytes *b, uint64_t offset, uint32_t index,
		     uint32_t cpu, uint32_t tid, const struct bytes *trace);
/* The bytes from @from to @to of what @cpu's AUX area has. */
void put_auxtrace_part(struct bytes *b, uint32_t cpu, const struct bytes *area,
		       size_t from, size_t to);

/* The event with the identifier @id has that name. */
void put_event_name(struct bytes *b, uint64_t id, const char *name);

/* An event of a PMU of type 20, with groups for samples. */
void put_snapshot_event(struct bytes *b, uint64_t id, uint64_t config,
			const char *name);

struct snapshot_value {
	uint64_t id;
	uint64_t value;
};

/* What a group of such says; the leader first. */
void put_snapshot_group(struct bytes *b, uint32_t cpu, uint64_t time,
			const struct snapshot_value *values, size_t nr);

/* The records of @plain as @type, COMPRESSED or COMPRESSED2, @piece bytes each.
 */
void put_compressed(struct bytes *b, const struct bytes *plain, uint32_t type,
		    size_t piece);

/* The bytes of @plain as a frame of zstd. */
void put_packed(struct bytes *b, const struct bytes *plain);

#endif /* PMSCOPE_TESTS_BYTES_H */
