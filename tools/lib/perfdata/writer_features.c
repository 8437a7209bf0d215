// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Features: after the records of a file, between those of a pipe. */
#include "base/module_name.h"
#include "build_ids.h"
#include "writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_FEATURE	  2
#define BUILD_ID_ROOM	  24
#define BUILD_ID_HAS_SIZE (1 << 15)
#define NAME_MAX_SIZE	  4096

static int write_feature_record(struct pmscope_writer *w, unsigned int feature,
				const void *data, size_t size)
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

	if (size > UINT16_MAX - sizeof(head))
		return writer_fail(w, E2BIG,
				   "feature %u: %zu bytes do not fit in a pipe",
				   feature, size);
	ret = writer_write(w, &head, sizeof(head));
	return ret ? ret : writer_write(w, data, size);
}

/* Stores a feature without checking who may set it. */
static int put_feature(struct pmscope_writer *w, unsigned int feature,
		       const void *data, size_t size)
{
	void *copy;

	if (w->pipe)
		return write_feature_record(w, feature, data, size);
	copy = malloc(size ? size : 1);
	if (!copy)
		return writer_fail_nomem(w);
	if (size)
		memcpy(copy, data, size);
	free(w->feature[feature].data);
	w->feature[feature] = (struct feature){copy, size};
	return 0;
}

int writer_put_blob(struct pmscope_writer *w, unsigned int feature,
		    struct blob *blob)
{
	int ret = blob->failed
			  ? writer_fail_nomem(w)
			  : put_feature(w, feature, blob->data, blob->size);

	blob_fini(blob);
	return ret;
}

/* Features that have their own call, or that the writer sets itself. */
static bool is_others(unsigned int feature)
{
	return feature == PMSCOPE_FEATURE_BUILD_ID ||
	       feature == PMSCOPE_FEATURE_EVENT_DESC ||
	       feature == PMSCOPE_FEATURE_AUXTRACE;
}

int pmscope_writer_feature(struct pmscope_writer *w, unsigned int feature,
			   const void *data, size_t size)
{
	int ret = writer_ready(w);

	if (ret)
		return ret;
	if (feature < FIRST_FEATURE || feature >= PMSCOPE_FEATURE_MAX ||
	    is_others(feature))
		return writer_fail(w, EINVAL, "feature %u cannot be given",
				   feature);
	ret = put_feature(w, feature, data, size);
	w->cpuid |= !ret && feature == PMSCOPE_FEATURE_CPUID;
	return ret;
}

static bool is_text(enum pmscope_perf_feature feature)
{
	return feature == PMSCOPE_FEATURE_HOSTNAME ||
	       feature == PMSCOPE_FEATURE_OSRELEASE ||
	       feature == PMSCOPE_FEATURE_VERSION ||
	       feature == PMSCOPE_FEATURE_ARCH ||
	       feature == PMSCOPE_FEATURE_CPUDESC ||
	       feature == PMSCOPE_FEATURE_CPUID;
}

int pmscope_writer_string(struct pmscope_writer *w,
			  enum pmscope_perf_feature feature, const char *text)
{
	struct blob blob = {};
	int ret = writer_ready(w);

	if (ret)
		return ret;
	if (!is_text(feature))
		return writer_fail(w, EINVAL, "feature %u is not text",
				   feature);
	blob_string(&blob, text);
	ret = blob.failed ? writer_fail_nomem(w)
			  : pmscope_writer_feature(w, feature, blob.data,
						   blob.size);
	blob_fini(&blob);
	return ret;
}

/* The kernel, which is also called "[kernel.vmlinux]", and its modules. */
static bool is_of_kernel(const char *name)
{
	return (*name == '[' && strncmp(name, "[vdso", 5) != 0) ||
	       module_file_end(name);
}

/*
 * Appends a PERF_RECORD_HEADER_BUILD_ID: the feature consists of these. As a
 * record its size is a multiple of 8.
 */
static void blob_build_id(struct blob *blob, const struct pmscope_build_id *id,
			  bool as_record)
{
	static const char zeros[8];
	struct {
		struct perf_event_header header;
		int32_t pid;
		unsigned char id[BUILD_ID_ROOM];
	} record = {
		.header.type = PMSCOPE_RECORD_BUILD_ID,
		.header.misc = BUILD_ID_HAS_SIZE |
			       (is_of_kernel(id->name) ? PERF_RECORD_MISC_KERNEL
						       : PERF_RECORD_MISC_USER),
		.pid = -1,
	};
	size_t at = blob->size;

	memcpy(record.id, id->id, id->size);
	record.id[sizeof(id->id)] = id->size;
	blob_bytes(blob, &record, sizeof(record));
	blob_padded(blob, id->name);
	if (as_record)
		blob_bytes(blob, zeros, -(blob->size - at) & 7);
	if (blob->failed)
		return;
	record.header.size = blob->size - at;
	memcpy(blob->data + at, &record.header, sizeof(record.header));
}

static int check_build_ids(struct pmscope_writer *w,
			   const struct pmscope_build_id *ids, size_t nr)
{
	int ret = writer_ready(w);

	for (size_t i = 0; i < nr && !ret; i++) {
		if (!ids[i].name || strlen(ids[i].name) >= NAME_MAX_SIZE)
			ret = writer_fail(w, EINVAL,
					  "build-id %zu: no name, or one of "
					  "%d bytes and more",
					  i, NAME_MAX_SIZE);
		else if (!ids[i].size || ids[i].size > sizeof(ids[i].id))
			ret = writer_fail(w, EINVAL,
					  "build-id %zu: of %u bytes", i,
					  ids[i].size);
	}
	return ret;
}

int pmscope_writer_build_ids(struct pmscope_writer *w,
			     const struct pmscope_build_id *ids, size_t nr)
{
	struct blob blob = {};
	int ret = check_build_ids(w, ids, nr);

	for (size_t i = 0; i < nr && !ret; i++)
		blob_build_id(&blob, &ids[i], false);
	if (!ret && blob.failed)
		ret = writer_fail_nomem(w);
	/* In a pipe each feature is a separate record. */
	if (!ret)
		ret = w->pipe ? writer_write(w, blob.data, blob.size)
			      : put_feature(w, PMSCOPE_FEATURE_BUILD_ID,
					    blob.data, blob.size);
	blob_fini(&blob);
	return ret;
}

int writer_build_ids(struct pmscope_writer *w,
		     const struct pmscope_build_id *ids, size_t nr)
{
	struct blob blob = {};
	int ret = check_build_ids(w, ids, nr);

	for (size_t i = 0; i < nr && !ret; i++) {
		blob_build_id(&blob, &ids[i], true);
		if (blob.failed)
			ret = writer_fail_nomem(w);
	}
	if (!ret)
		ret = pmscope_writer_records(w, blob.data, blob.size);
	blob_fini(&blob);
	return ret;
}

/* The index of the trace has no bytes in memory. */
static bool has_feature(const struct pmscope_writer *w, unsigned int feature)
{
	return w->feature[feature].data || w->feature[feature].size;
}

/* Fills @table with features from @at on, in the order of their bits. */
static size_t fill_table(struct pmscope_writer *w, uint64_t at,
			 struct file_section *table)
{
	size_t nr = 0;

	for (int i = 0; i < PMSCOPE_FEATURE_MAX; i++)
		nr += has_feature(w, i);
	at += nr * sizeof(table[0]);
	nr = 0;
	for (int i = 0; i < PMSCOPE_FEATURE_MAX; i++) {
		if (!has_feature(w, i))
			continue;
		w->header.features[0] |= 1ULL << i;
		table[nr].offset = at;
		table[nr++].size = w->feature[i].size;
		at += w->feature[i].size;
	}
	return nr;
}

static int write_table(struct pmscope_writer *w)
{
	struct file_section table[PMSCOPE_FEATURE_MAX];
	size_t nr = fill_table(w, w->pos, table);

	return writer_write(w, table, nr * sizeof(table[0]));
}

/* They may be large. */
static void drop(struct pmscope_writer *w, unsigned int feature)
{
	free(w->feature[feature].data);
	w->feature[feature] = (struct feature){};
}

void writer_features_blob(struct pmscope_writer *w, uint64_t at,
			  struct blob *blob)
{
	struct file_section table[PMSCOPE_FEATURE_MAX];

	drop(w, PMSCOPE_FEATURE_BUILD_ID);
	drop(w, PMSCOPE_FEATURE_AUXTRACE);
	if (packer_takes_records(w->packer))
		packer_put_feature(w);
	w->header.features[0] = 0;
	blob_bytes(blob, table, fill_table(w, at, table) * sizeof(table[0]));
	for (int i = 0; i < PMSCOPE_FEATURE_MAX; i++)
		if (has_feature(w, i))
			blob_bytes(blob, w->feature[i].data,
				   w->feature[i].size);
}

static int write_feature(struct pmscope_writer *w, unsigned int feature)
{
	const struct feature *f = &w->feature[feature];

	if (f->size && !f->data)
		return writer_index_write(w);
	return writer_write(w, f->data, f->size);
}

int writer_write_features(struct pmscope_writer *w)
{
	int ret = 0;

	w->header.data.size = w->pos - w->header.data.offset;
	w->feature[PMSCOPE_FEATURE_AUXTRACE].size = writer_index_end(w);
	if (packer_takes_records(w->packer))
		ret = packer_put_feature(w);
	if (!ret)
		ret = write_table(w);
	for (int i = 0; i < PMSCOPE_FEATURE_MAX && !ret; i++)
		ret = write_feature(w, i);
	if (!ret && packer_takes_file(w->packer))
		ret = packer_end(w);
	return ret ? ret : writer_write_header(w);
}
