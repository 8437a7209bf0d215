/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Rings, and the records and features that describe a machine. */
#pragma once

#include <pmscope/perfdata.h>
#include <pmscope/writer.h>

#include "target.h"

#include <linux/perf_event.h>
#include <linux/pmscope.h>

/* The ring and the AUX area that an event shares with the kernel. */

/* The mapping of one descriptor. Starts as zeros. */
struct ring {
	int fd; /* descriptor of the event; not closed here */
	struct perf_event_mmap_page *page; /* the kernel updates it */
	size_t data_size; /* bytes of records, a power of two */
	void *aux;	  /* NULL when there is none */
	size_t aux_size;  /* bytes, a power of two */
};

/* Unread data, in one or two parts */
struct ring_data {
	const void *part[2];
	size_t size[2];
	uint64_t tail; /* position of the first byte; positions never wrap */
	uint64_t head; /* position after the last byte */
};

/*
 * Maps the ring of an event. @data_size: a power of two, a page or more.
 * Returns 0, -errno of mmap(2): -EPERM means over the limit of locked memory
 * (kernel.perf_event_mlock_kb).
 */
int ring_map(struct ring *ring, int fd, size_t data_size);

/*
 * Maps the AUX area of the same event. @aux_size: a power of two, a page or
 * more. @overwrite: the kernel overwrites the oldest trace; read it only with
 * ring_newest_aux(), while the events are disabled.
 */
int ring_map_aux(struct ring *ring, size_t aux_size, bool overwrite);

/*
 * Finds the unread records. They stay until ring_consume(); a record may span
 * both parts. Returns false if there is none.
 */
bool ring_peek(const struct ring *ring, struct ring_data *data);

/* Returns the space of peeked records to the kernel. */
void ring_consume(struct ring *ring, const struct ring_data *data);

/* The same for the AUX area. */
bool ring_peek_aux(const struct ring *ring, struct ring_data *data);
void ring_consume_aux(struct ring *ring, const struct ring_data *data);

/* Leaves out what is at @end and after it; returns false if nothing is left. */
bool ring_limit(struct ring_data *data, uint64_t end);

/* All trace of an area in overwrite mode behind @from that is still there. */
bool ring_newest_aux(const struct ring *ring, uint64_t from,
		     struct ring_data *data);

/* Returns false if the kernel does not provide the conversion. */
bool ring_time_conv(const struct ring *ring, struct pmscope_time_conv *conv);

/* The perf clock, in ns, where the timer counts @ticks. */
uint64_t time_of_ticks(const struct pmscope_time_conv *conv, uint64_t ticks);

void ring_unmap(struct ring *ring);

/*
 * PERF_RECORD_MMAP and PERF_RECORD_MMAP2, without their trailer. @build_id_size
 * and @build_id are valid with PERF_RECORD_MISC_MMAP_BUILD_ID.
 */
struct mmap_record {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	char name[];
};

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	union {
		struct {
			uint32_t maj;
			uint32_t min;
			uint64_t ino;
			uint64_t ino_generation;
		};
		struct {
			uint8_t build_id_size;
			uint8_t reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t prot;
	uint32_t flags;
	char name[];
};

/*
 * Converts records of a pmu_snapshot stream to group samples, which perf and
 * all other readers of perf.data understand.
 */

/* The extra fields of such a sample */
#define PMSCOPE_STREAM_SAMPLE_TYPE \
	(PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_RAW)
#define PMSCOPE_STREAM_READ_FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_ID)

/*
 * Converts a record to a sample. @data: the record. @record: the record as
 * parsed by pmscope_stream_next(). @sample_type: of the event. @period: of the
 * event. @sample: room for 64 KiB. The record itself is the raw data of the
 * sample. Returns bytes of the sample; 0 if the record is too large for a
 * sample.
 */
size_t stream_sample(const void *data, const struct pmscope_record *record,
		     uint64_t sample_type, uint64_t period,
		     struct perf_event_header *sample);

/* Writes records of what exists before: kernel, modules, tasks, mappings. */

/* Options and output of the synthesis */
struct synth {
	size_t trailer;	   /* of sample_id behind each record: zeros */
	bool data_maps;	   /* include mappings that are not executable */
	struct named *ids; /* for internal use by synth_tasks() */
	/* takes a record, header.size bytes; returns 0 or -errno */
	int (*emit)(void *context, const struct perf_event_header *record);
	void *context;
};

/*
 * MMAP of the kernel and of its modules. Emits nothing if kernel.kptr_restrict
 * hides the addresses. Returns 1; 0 if the addresses are hidden; a negative
 * result of emit.
 */
int synth_kernel(const struct synth *synth);

/*
 * Emits NAMESPACES of this process: TIDs in a recording belong to its PID
 * namespace. Returns 0 or the result of emit.
 */
int synth_namespaces(const struct synth *synth);

/* Emits CGROUP for each control group. Returns 0 or the result of emit. */
int synth_cgroups(const struct synth *synth);

/* MMAP2 of "aaaa-bbbb r-xp 0 fe:01 123 /bin/ls", which is changed. */
int synth_map(const struct synth *synth, pid_t pid, pid_t tid, char *line);

/* Emits COMM and MMAP2 for the tasks of @target; all tasks if it is CPUs. */
int synth_tasks(const struct synth *synth, const struct target *target);

/* Features of the perf.data header that describe the recorded machine. */

/*
 * Host name, kernel, CPUs, memory, PMUs. Returns 0, -errno of writing, -ENOMEM.
 * Features that the system does not provide are left out.
 */
int facts_system(struct pmscope_writer *writer);

/* The command that made the recording; @argv ends in NULL. */
int facts_command(struct pmscope_writer *writer, char *const *argv);

/* The group number of each of @nr events. */
int facts_groups(struct pmscope_writer *writer, const unsigned int *group,
		 size_t nr);

/*
 * The times of the first and the last sample, perf clock, ns (0: there is
 * none), and what the wall clock shows now.
 */
int facts_times(struct pmscope_writer *writer, uint64_t first, uint64_t last);

/*
 * The build-id of a mapped file on this machine. @name: a path, of a kernel
 * module too; "[module]"; "[kernel.kallsyms]_text". @id: refers to @name; for
 * the kernel to "[kernel.kallsyms]". Returns false if there is no build-id.
 */
bool buildid_find(const char *name, struct pmscope_build_id *id);

/* The same for an ELF file; does not set the name in @id. */
bool buildid_of_file(const char *path, struct pmscope_build_id *id);
