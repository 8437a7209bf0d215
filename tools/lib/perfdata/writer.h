/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include <pmscope/writer.h>

#include "base/containers.h"

/* The words of SPE's PERF_RECORD_AUXTRACE_INFO (perf, util/arm-spe.h). */

/* The AUXTRACE type of SPE in perf. */
#define AUXTRACE_ARM_SPE 4

#define SPE_INFO_VERSION 2

/* The words of version 1, then of the version 2 header. */
enum {
	V1_PMU_TYPE,
	V1_PER_CPU,
	V1_WORDS
};
enum {
	V2_VERSION,
	V2_HEAD_WORDS,
	V2_PMU_TYPE,
	V2_CPUS,
	V2_WORDS
};
/* Version 2 has these words per CPU; CPU_PARAMS counts those from MIDR on. */
enum {
	CPU_MAGIC,
	CPU_NUMBER,
	CPU_PARAMS,
	CPU_MIDR,
	CPU_PMU_TYPE,
	CPU_MIN_INTERVAL, /* 0: unknown */
	CPU_EVENT_FILTER, /* only in newer recordings */
};

#define CPU_MAGIC_WORD UINT64_C(0x1010101010101010)

/*
 * Writes build-ids between the records, as in a pipe. Unlike
 * pmscope_writer_build_ids() it needs no memory until the file ends, and may be
 * called again and again. Returns what that does.
 */
int writer_build_ids(struct pmscope_writer *w,
		     const struct pmscope_build_id *ids, size_t nr);

/* Shared by the files of the writer. */
enum writer_state {
	WRITER_NEW,
	WRITER_BEGUN,
	WRITER_FINISHED,
};

struct file_section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types;
	uint64_t features[4];
};

struct feature {
	void *data;
	size_t size;
};

/* Where AUXTRACE records are, for the AUXTRACE feature */
struct trace_index {
	struct file_section *place; /* the newest, as readers see it */
	size_t nr;		    /* of @place */
	int fd;			    /* a file with those before, or -1 */
	uint64_t nr_in_file;	    /* of them */
	bool given_up;		    /* not kept; the file gets no index */
};

struct auxtrace_record {
	struct perf_event_header header;
	uint64_t size;
	uint64_t offset;
	uint64_t reference;
	uint32_t index;
	int32_t tid;
	int32_t cpu;
	uint32_t reserved;
};

#define WRITER_MARKS 64

/* Where records end, see writer_cut.c */
struct writer_ends {
	uint64_t mark[WRITER_MARKS]; /* the newest of @nr places */
	size_t nr;
	uint64_t begin;
	const char *records; /* being written at @begin, or NULL */
	uint64_t trace[2];   /* of the newest AUXTRACE record with its trace */
};

/* @failed: -errno of a write. */
struct pmscope_writer {
	int fd;
	bool standard; /* @fd is standard output: do not close it */
	bool pipe;
	bool spe;
	bool cpuid;	       /* the caller set the feature CPUID */
	struct packer *packer; /* NULL: nothing is compressed */
	enum writer_state state;
	int failed;
	uint64_t pos;	   /* offset in the recording as readers see it */
	uint64_t file_pos; /* offset in the file */
	/* To check what perf requires of events if there is SPE */
	uint64_t sample_type; /* of the first event */
	bool sample_id_all;
	struct map without_ids; /* key: type of an event without ids */
	struct file_header header;
	struct feature feature[PMSCOPE_FEATURE_MAX];
	struct trace_index index;
	struct writer_ends ends;
	char error[256];
};

/* Sets the error text; returns -@code. */
int writer_fail(struct pmscope_writer *w, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int writer_fail_nomem(struct pmscope_writer *w);

/* Returns 0 if the writer was started and has not failed. */
int writer_ready(struct pmscope_writer *w);

/* Writes all bytes; after an error, every later write fails, too. */
int writer_write(struct pmscope_writer *w, const void *data, size_t size);

int writer_write_header(struct pmscope_writer *w);

/* Writes records, and remembers where they end; notes that one ends here. */
int writer_write_records(struct pmscope_writer *w, const void *records,
			 size_t size);
void writer_mark(struct pmscope_writer *w);
size_t writer_record_size(const char *record);

/* Stores @blob as a feature and empties it. Not checked who may set it. */
int writer_put_blob(struct pmscope_writer *w, unsigned int feature,
		    struct blob *blob);
int writer_write_features(struct pmscope_writer *w);

/* The features after records that end at @at, without build-ids and index. */
void writer_features_blob(struct pmscope_writer *w, uint64_t at,
			  struct blob *blob);

/* Completes the file up to a whole record. Returns the error of the write. */
int writer_cut(struct pmscope_writer *w);

/*
 * writer_index.c: adds the place of an AUXTRACE record; the size of the feature
 * at the end, 0 for none; writes it. -errno
 */
int writer_index_add(struct pmscope_writer *w, uint64_t at, size_t size);
uint64_t writer_index_end(struct pmscope_writer *w);
int writer_index_write(struct pmscope_writer *w);
void writer_index_fini(struct pmscope_writer *w);

/*
 * writer_packed.c: what is compressed; the end of a file that is. Collects
 * records, writes compressed records of them at the end of a round or of enough
 * data; writes the rest; describes this for the feature. Return 0 or -errno.
 */
bool packer_takes_file(const struct packer *packer);
bool packer_takes_records(const struct packer *packer);
int packer_end(struct pmscope_writer *w);
int packer_records(struct pmscope_writer *w, const void *records, size_t size);
int packer_flush(struct pmscope_writer *w);
void packer_describe(const struct packer *packer, struct blob *blob);
void packer_free(struct packer *packer);

/* Builds the AUXTRACE_INFO record; free() it. NULL if out of memory. */
struct perf_event_header *
writer_auxtrace_info(const struct pmscope_written_spe *spe);
