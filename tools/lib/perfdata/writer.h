/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What the files of the writer share. */
#ifndef PMSCOPE_PERFDATA_WRITER_H
#define PMSCOPE_PERFDATA_WRITER_H

#include "base/blob.h"
#include "base/map.h"

#include <pmscope/writer.h>

#include <stdarg.h>

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

/* @failed: of writing, below 0: what is in the file may end in mid-record. */
struct pmscope_writer {
	int fd;
	bool standard; /* output, which is not the writer's to close */
	bool pipe;
	bool spe;
	bool cpuid; /* was told */
	enum writer_state state;
	int failed;
	uint64_t pos;
	/* Requirements of perf on events if there is SPE */
	uint64_t sample_type; /* of the first */
	bool sample_id_all;
	struct map without_ids; /* events, by their type */
	struct file_header header;
	struct feature feature[PMSCOPE_FEATURE_MAX];
	/* Where AUXTRACE records are in the file, as readers want to know */
	struct file_section *index;
	size_t nr_index;
	char error[256];
};

/* Remembers why, and gives back -@code. */
int writer_fail(struct pmscope_writer *w, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int writer_fail_nomem(struct pmscope_writer *w);

/* 0 if the writer has begun and can continue. */
int writer_ready(struct pmscope_writer *w);

/* Writes all of it, or fails for good. */
int writer_write(struct pmscope_writer *w, const void *data, size_t size);
int writer_write_header(struct pmscope_writer *w);

/*
 * A feature that was put together in @blob, which is empty then, without asking
 * who fills it.
 */
int writer_put_blob(struct pmscope_writer *w, unsigned int feature,
		    struct blob *blob);
int writer_write_features(struct pmscope_writer *w);

/* The record of @spe, for free(); NULL when memory is short. */
struct perf_event_header *
writer_auxtrace_info(const struct pmscope_written_spe *spe);

#endif /* PMSCOPE_PERFDATA_WRITER_H */
