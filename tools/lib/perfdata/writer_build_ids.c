// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Build-ids: a feature at the end of a file, or records between the others. */
#include "base/names.h"
#include "writer.h"

#define BUILD_ID_ROOM	  24
#define BUILD_ID_HAS_SIZE (1 << 15)
#define NAME_MAX_SIZE	  4096

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
	CLEANUP(blob_fini) struct blob blob = {};
	int ret = check_build_ids(w, ids, nr);

	for (size_t i = 0; i < nr && !ret; i++)
		blob_build_id(&blob, &ids[i], false);
	if (!ret && blob.failed)
		ret = writer_fail_nomem(w);
	/* In a pipe each feature is a separate record. */
	if (!ret)
		ret = w->pipe ? writer_write(w, blob.data, blob.size)
			      : writer_put_blob(w, PMSCOPE_FEATURE_BUILD_ID,
						&blob);
	return ret;
}

int writer_build_ids(struct pmscope_writer *w,
		     const struct pmscope_build_id *ids, size_t nr)
{
	CLEANUP(blob_fini) struct blob blob = {};
	int ret = check_build_ids(w, ids, nr);

	for (size_t i = 0; i < nr && !ret; i++) {
		blob_build_id(&blob, &ids[i], true);
		if (blob.failed)
			ret = writer_fail_nomem(w);
	}
	if (!ret)
		ret = pmscope_writer_records(w, blob.data, blob.size);
	return ret;
}
