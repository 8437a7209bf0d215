// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC		  "PERFILE2"
#define NR_FEATURES	  64
#define EVENT_UPDATE_NAME 2

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

struct pipe_header {
	char magic[8];
	uint64_t size;
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

/* Where an AUXTRACE record is in the file, so that readers need not search. */
struct auxtrace_index_entry {
	uint64_t offset;
	uint64_t size;
};

struct feature {
	void *data;
	size_t size;
};

struct pmscope_perfdata_writer {
	int fd;
	bool pipe;
	uint64_t pos;
	struct file_header header;
	struct feature feature[NR_FEATURES];
	struct auxtrace_index_entry *index;
	size_t nr_index;
};

static int write_all(struct pmscope_perfdata_writer *w, const void *data,
		     size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(w->fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size -= n;
		w->pos += n;
	}
	return 0;
}

/* An earlier recording is kept, as perf keeps it. */
static void keep_old(const char *path)
{
	char old[PATH_MAX];
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	if (snprintf(old, sizeof(old), "%s.old", path) < (int)sizeof(old))
		rename(path, old);
}

int pmscope_writer_open(struct pmscope_perfdata_writer **writer,
			const char *path, struct pmscope_error *err)
{
	struct pmscope_perfdata_writer *w = calloc(1, sizeof(*w));
	int code;

	if (!w)
		return pmscope_fail_nomem(err);
	w->pipe = !strcmp(path, "-");
	w->fd = STDOUT_FILENO;
	if (w->pipe && isatty(w->fd)) {
		free(w);
		return pmscope_fail(err, EINVAL,
				    "standard output is a terminal; send it to "
				    "a file or a pipe");
	}
	if (!w->pipe) {
		keep_old(path);
		w->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
			     0600);
	}
	if (w->fd < 0) {
		code = errno;
		free(w);
		return pmscope_fail(err, code, "%s: %s", path, strerror(code));
	}
	*writer = w;
	return 0;
}

static int write_file_header(struct pmscope_perfdata_writer *w)
{
	off_t pos = w->pos;
	int ret;

	if (lseek(w->fd, 0, SEEK_SET) < 0)
		return -errno;
	ret = write_all(w, &w->header, sizeof(w->header));
	if (!ret && pos && lseek(w->fd, pos, SEEK_SET) < 0)
		ret = -errno;
	w->pos = pos ? (uint64_t)pos : sizeof(w->header);
	return ret;
}

static size_t largest_attr(const struct pmscope_written_attr *attr, size_t nr)
{
	size_t size = 0;

	for (size_t i = 0; i < nr; i++)
		if (attr[i].attr.attr.size > size)
			size = attr[i].attr.attr.size;
	return size;
}

/* The ids of all events, then for each its attr and where its ids are. */
static int write_attr_section(struct pmscope_perfdata_writer *w,
			      const struct pmscope_written_attr *attr,
			      size_t nr)
{
	size_t size = largest_attr(attr, nr);
	uint64_t ids_at = w->pos;
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		ret = write_all(w, attr[i].id, attr[i].nr_ids * 8);
	w->header.attr_size = size + sizeof(struct file_section);
	w->header.attrs.offset = w->pos;
	w->header.attrs.size = nr * w->header.attr_size;
	for (size_t i = 0; i < nr && !ret; i++) {
		union pmscope_attr one = attr[i].attr;
		struct file_section ids = {ids_at, attr[i].nr_ids * 8};

		one.attr.size = size;
		ret = write_all(w, &one, size);
		if (!ret)
			ret = write_all(w, &ids, sizeof(ids));
		ids_at += ids.size;
	}
	return ret;
}

static int begin_file(struct pmscope_perfdata_writer *w,
		      const struct pmscope_written_attr *attr, size_t nr)
{
	int ret;

	memcpy(w->header.magic, MAGIC, sizeof(w->header.magic));
	w->header.size = sizeof(w->header);
	ret = write_file_header(w);
	if (!ret)
		ret = write_attr_section(w, attr, nr);
	if (ret)
		return ret;
	w->header.data.offset = w->pos;
	/*
	 * A data size of 0 until the end: a recording that was cut off says
	 * so, and readers still find where the data begins.
	 */
	return write_file_header(w);
}

static int write_attr_record(struct pmscope_perfdata_writer *w,
			     const struct pmscope_written_attr *attr)
{
	struct perf_event_header header = {
		.type = PMSCOPE_RECORD_HEADER_ATTR,
	};
	size_t size = sizeof(header) + attr->attr.attr.size + attr->nr_ids * 8;
	int ret;

	if (size > UINT16_MAX)
		return -E2BIG;
	header.size = size;
	ret = write_all(w, &header, sizeof(header));
	if (!ret)
		ret = write_all(w, &attr->attr, attr->attr.attr.size);
	if (!ret)
		ret = write_all(w, attr->id, attr->nr_ids * 8);
	return ret;
}

static int write_name_record(struct pmscope_perfdata_writer *w,
			     const struct pmscope_written_attr *attr)
{
	size_t len = strlen(attr->name) + 1, padded = (len + 7) & ~7UL;
	struct {
		struct perf_event_header header;
		uint64_t type;
		uint64_t id;
	} head = {
		.header.type = PMSCOPE_RECORD_EVENT_UPDATE,
		.header.size = sizeof(head) + padded,
		.type = EVENT_UPDATE_NAME,
		.id = attr->nr_ids ? attr->id[0] : 0,
	};
	static const char zeros[8];
	int ret;

	if (sizeof(head) + padded > UINT16_MAX)
		return -E2BIG;
	ret = write_all(w, &head, sizeof(head));
	if (!ret)
		ret = write_all(w, attr->name, len);
	if (!ret)
		ret = write_all(w, zeros, padded - len);
	return ret;
}

static int begin_pipe(struct pmscope_perfdata_writer *w,
		      const struct pmscope_written_attr *attr, size_t nr)
{
	struct pipe_header header = {.magic = MAGIC, .size = sizeof(header)};
	int ret = write_all(w, &header, sizeof(header));

	for (size_t i = 0; i < nr && !ret; i++)
		ret = write_attr_record(w, &attr[i]);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = write_name_record(w, &attr[i]);
	return ret;
}

int pmscope_writer_begin(struct pmscope_perfdata_writer *w,
			 const struct pmscope_written_attr *attr, size_t nr)
{
	return w->pipe ? begin_pipe(w, attr, nr) : begin_file(w, attr, nr);
}

static int write_feature_record(struct pmscope_perfdata_writer *w,
				unsigned int feature, const void *data,
				size_t size)
{
	struct {
		struct perf_event_header header;
		uint64_t feature;
	} head = {
		.header.type = PMSCOPE_RECORD_HEADER_FEATURE,
		.header.size = sizeof(head) + size,
		.feature = feature,
	};
	int ret;

	if (sizeof(head) + size > UINT16_MAX)
		return -E2BIG;
	ret = write_all(w, &head, sizeof(head));
	return ret ? ret : write_all(w, data, size);
}

int pmscope_writer_feature(struct pmscope_perfdata_writer *w,
			   unsigned int feature, const void *data, size_t size)
{
	void *copy;

	if (feature >= NR_FEATURES)
		return -EINVAL;
	if (w->pipe)
		return write_feature_record(w, feature, data, size);
	copy = malloc(size ? size : 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, data, size);
	free(w->feature[feature].data);
	w->feature[feature] = (struct feature){copy, size};
	return 0;
}

int pmscope_writer_records(struct pmscope_perfdata_writer *w,
			   const void *records, size_t size)
{
	return write_all(w, records, size);
}

static int index_add(struct pmscope_perfdata_writer *w)
{
	struct auxtrace_index_entry *grown = w->index;

	if (w->pipe)
		return 0;
	/* Room for a power of two. */
	if (!(w->nr_index & (w->nr_index - 1)))
		grown = realloc(w->index, (w->nr_index ? 2 * w->nr_index : 1) *
						  sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	w->index = grown;
	w->index[w->nr_index++] = (struct auxtrace_index_entry){
		w->pos, sizeof(struct auxtrace_record)};
	return 0;
}

int pmscope_writer_auxtrace(struct pmscope_perfdata_writer *w,
			    const struct pmscope_written_auxtrace *aux,
			    const void *const part[2],
			    const size_t part_size[2])
{
	static const char zeros[8];
	size_t padding = -aux->size & 7;
	struct auxtrace_record record = {
		.header.type = PMSCOPE_RECORD_AUXTRACE,
		.header.size = sizeof(record),
		.size = aux->size + padding,
		.offset = aux->offset,
		.reference = aux->reference,
		.index = aux->index,
		.tid = aux->tid,
		.cpu = aux->cpu,
	};
	int ret;

	ret = index_add(w);
	if (!ret)
		ret = write_all(w, &record, sizeof(record));
	for (int i = 0; i < 2 && !ret; i++)
		ret = write_all(w, part[i], part_size[i]);
	return ret ? ret : write_all(w, zeros, padding);
}

uint64_t pmscope_writer_size(const struct pmscope_perfdata_writer *w)
{
	return w->pos;
}

bool pmscope_writer_is_pipe(const struct pmscope_perfdata_writer *w)
{
	return w->pipe;
}

static int add_auxtrace_feature(struct pmscope_perfdata_writer *w)
{
	size_t size = w->nr_index * sizeof(*w->index);
	uint64_t *data;
	int ret;

	if (!w->nr_index)
		return 0;
	data = malloc(sizeof(*data) + size);
	if (!data)
		return -ENOMEM;
	data[0] = w->nr_index;
	memcpy(data + 1, w->index, size);
	ret = pmscope_writer_feature(w, PMSCOPE_FEATURE_AUXTRACE, data,
				     sizeof(*data) + size);
	free(data);
	return ret;
}

/* Behind the data: where each feature is, in the order of their bits. */
static int write_feature_table(struct pmscope_perfdata_writer *w)
{
	struct file_section table[NR_FEATURES];
	size_t nr = 0;
	uint64_t at;

	for (int i = 0; i < NR_FEATURES; i++)
		if (w->feature[i].data)
			nr++;
	at = w->pos + nr * sizeof(table[0]);
	nr = 0;
	for (int i = 0; i < NR_FEATURES; i++) {
		if (!w->feature[i].data)
			continue;
		w->header.features[0] |= 1ULL << i;
		table[nr].offset = at;
		table[nr++].size = w->feature[i].size;
		at += w->feature[i].size;
	}
	return write_all(w, table, nr * sizeof(table[0]));
}

int pmscope_writer_finish(struct pmscope_perfdata_writer *w)
{
	int ret;

	if (w->pipe)
		return 0;
	w->header.data.size = w->pos - w->header.data.offset;
	ret = add_auxtrace_feature(w);
	if (!ret)
		ret = write_feature_table(w);
	for (int i = 0; i < NR_FEATURES && !ret; i++)
		ret = write_all(w, w->feature[i].data, w->feature[i].size);
	return ret ? ret : write_file_header(w);
}

void pmscope_writer_free(struct pmscope_perfdata_writer *w)
{
	if (!w)
		return;
	if (!w->pipe)
		close(w->fd);
	for (int i = 0; i < NR_FEATURES; i++)
		free(w->feature[i].data);
	free(w->index);
	free(w);
}
