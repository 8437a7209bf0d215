// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Features: after the records of a file, between those of a pipe. */
#include "writer.h"

#define FIRST_FEATURE	   2
#define FEATURE_COMPRESSED 27
#define NAME_MAX_SIZE	   4096

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

	if (size > UINT16_MAX - sizeof(head))
		return writer_fail(w, E2BIG,
				   "feature %u: %zu bytes do not fit in a pipe",
				   feature, size);
	return writer_write(w, &head, sizeof(head))
		       ?: writer_write(w, data, size);
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
	CLEANUP(blob_fini) struct blob blob = {};
	int ret = writer_ready(w);

	if (ret)
		return ret;
	if (!is_text(feature))
		return writer_fail(w, EINVAL, "feature %u is not text",
				   feature);
	blob_string(&blob, text);
	return blob.failed ? writer_fail_nomem(w)
			   : pmscope_writer_feature(w, feature, blob.data,
						    blob.size);
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

static int put_packing(struct pmscope_writer *w)
{
	struct blob blob = {};

	packer_describe(w->packer, &blob);
	return writer_put_blob(w, FEATURE_COMPRESSED, &blob);
}

void writer_features_blob(struct pmscope_writer *w, uint64_t at,
			  struct blob *blob)
{
	struct file_section table[PMSCOPE_FEATURE_MAX];

	drop(w, PMSCOPE_FEATURE_BUILD_ID);
	drop(w, PMSCOPE_FEATURE_AUXTRACE);
	if (packer_takes_records(w->packer))
		put_packing(w);
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
		ret = put_packing(w);
	if (!ret)
		ret = write_table(w);
	for (int i = 0; i < PMSCOPE_FEATURE_MAX && !ret; i++)
		ret = write_feature(w, i);
	if (!ret && packer_takes_file(w->packer))
		ret = packer_end(w);
	return ret ? ret : writer_write_header(w);
}
