// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The file and its records. */
#include "writer.h"
#include "base/io.h"
#include "base/names.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Does @path name a descriptor, as /dev/stdout does? */
static bool is_name_in_proc(const char *path)
{
	static const char proc[] = "/proc/";
	char target[sizeof(proc) - 1];

	return !strncmp(path, "/dev/fd/", 8) ||
	       !strncmp(path, proc, sizeof(target)) ||
	       (readlink(path, target, sizeof(target)) == sizeof(target) &&
		!memcmp(target, proc, sizeof(target)));
}

static int keep_old(const char *path)
{
	char old[PATH_MAX];

	if (snprintf(old, sizeof(old), "%s.old", path) >= (int)sizeof(old))
		return -ENAMETOOLONG;
	if (is_name_in_proc(path))
		return -EPERM;
	if (!rename(path, old))
		return 0;
	/* EISDIR: "PATH.old" is a directory, not @path. */
	return errno == EISDIR ? -EEXIST : -errno;
}

static int open_with(const char *path, int flags)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);

	return fd < 0 ? -errno : fd;
}

/* If the file exists by now, somebody else has created it. */
static int create(const char *path)
{
	int fd = open_with(path, O_CREAT | O_EXCL | O_NOFOLLOW);

	return fd == -EEXIST ? -EBUSY : fd;
}

/* Reuses an empty file if this user owns its only link; else replaces it. */
static int open_empty(const char *path)
{
	int fd = open_with(path, O_NOFOLLOW);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_size &&
	    st.st_uid == geteuid() && st.st_nlink == 1)
		return fd;
	close_open(&fd);
	return unlink(path) ? -errno : create(path);
}

/*
 * Anyone who may write to the directory could choose the target of a link, so
 * never create or truncate a file through one. Allow links to descriptors and
 * devices.
 */
static int open_link(const char *path, const struct stat *link)
{
	struct stat st;

	if ((link->st_uid && link->st_uid != geteuid()) || stat(path, &st) ||
	    (S_ISREG(st.st_mode) && !is_name_in_proc(path)))
		return -ELOOP;
	return open_with(path, O_TRUNC);
}

/* Like perf, keeps an earlier recording as "PATH.old". Returns fd or -errno. */
static int open_path(const char *path)
{
	struct stat st, target;
	int ret;

	if (lstat(path, &st))
		return errno == ENOENT ? create(path) : -errno;
	if (!stat(path, &target) && S_ISREG(target.st_mode) && target.st_size) {
		ret = keep_old(path);
		return ret ? ret : create(path);
	}
	if (S_ISLNK(st.st_mode))
		return open_link(path, &st);
	return S_ISREG(st.st_mode) ? open_empty(path)
				   : open_with(path, O_NOFOLLOW | O_TRUNC);
}

struct pmscope_writer *pmscope_writer_open(const char *path)
{
	struct pmscope_writer *w = calloc(1, sizeof(*w));
	int code;

	if (!w)
		return NULL;
	w->index.fd = -1;
	w->standard = !strcmp(path, "-");
	w->fd = w->standard ? STDOUT_FILENO : open_path(path);
	if (w->fd >= 0 && !isatty(w->fd)) {
		w->pipe = w->standard || lseek(w->fd, 0, SEEK_CUR) < 0;
		return w;
	}
	code = w->fd >= 0 ? EINVAL : -w->fd;
	if (w->fd >= 0 && !w->standard)
		close(w->fd);
	free(w);
	errno = code;
	return NULL;
}

/* Records that other calls write, or that announce data after them. */
static bool is_others(uint32_t type)
{
	return type == PMSCOPE_RECORD_HEADER_ATTR ||
	       type == PMSCOPE_RECORD_TRACING_DATA ||
	       type == PMSCOPE_RECORD_AUXTRACE_INFO ||
	       type == PMSCOPE_RECORD_AUXTRACE ||
	       type == PMSCOPE_RECORD_HEADER_FEATURE ||
	       type == PMSCOPE_RECORD_COMPRESSED ||
	       type == PMSCOPE_RECORD_COMPRESSED2;
}

static int check_records(struct pmscope_writer *w, const char *records,
			 size_t size)
{
	for (size_t at = 0; at < size;) {
		struct perf_event_header header = {};

		if (size - at >= sizeof(header))
			memcpy(&header, records + at, sizeof(header));
		if (header.size < sizeof(header) || header.size % 8 ||
		    header.size > size - at)
			return writer_fail(w, EINVAL,
					   "no whole record at byte %zu of %zu",
					   at, size);
		if (is_others(header.type))
			return writer_fail(w, EINVAL,
					   "a record of type %u cannot be "
					   "given at byte %zu of %zu",
					   header.type, at, size);
		at += header.size;
	}
	return 0;
}

int pmscope_writer_records(struct pmscope_writer *w, const void *records,
			   size_t size)
{
	int ret = writer_ready(w) ?: check_records(w, records, size);

	if (ret)
		return ret;
	ret = w->packer ? packer_records(w, records, size)
			: writer_write_records(w, records, size);
	return ret ? writer_cut(w) : 0;
}

static int check_trace(struct pmscope_writer *w,
		       const struct pmscope_written_trace *trace)
{
	int ret = writer_ready(w);

	if (ret)
		return ret;
	if (!w->spe)
		return writer_fail(w, EINVAL,
				   "trace before pmscope_writer_spe()");
	if (trace->cpu < 0 && trace->tid < 0)
		return writer_fail(w, EINVAL,
				   "AUX area %u has neither CPU nor thread",
				   trace->index);
	for (int i = 0; i < 2; i++)
		if (trace->part_size[i] > SIZE_MAX / 2 ||
		    (trace->part_size[i] && !trace->data[i]))
			return writer_fail(w, EINVAL,
					   "trace of a negative size, or NULL "
					   "for %zu bytes",
					   trace->part_size[i]);
	return 0;
}

int pmscope_writer_trace(struct pmscope_writer *w,
			 const struct pmscope_written_trace *trace)
{
	static const char zeros[8];
	struct auxtrace_record record = {
		.header.type = PMSCOPE_RECORD_AUXTRACE,
		.header.size = sizeof(record),
		.offset = trace->offset,
		.index = trace->index,
		.tid = trace->tid,
		.cpu = trace->cpu,
	};
	uint64_t size = (uint64_t)trace->part_size[0] + trace->part_size[1];
	size_t padding = -size & 7;
	int ret = check_trace(w, trace);

	if (ret || !size)
		return ret;
	record.size = size + padding;
	if (packer_takes_records(w->packer) && packer_flush(w))
		return writer_cut(w);
	/* Any unique number distinguishes AUXTRACE records. */
	record.reference = w->pos;
	ret = writer_index_add(w, w->pos, sizeof(record));
	writer_mark(w);
	w->ends.trace[0] = w->file_pos;
	w->ends.trace[1] = UINT64_MAX;
	if (!ret)
		ret = writer_write(w, &record, sizeof(record));
	for (int i = 0; i < 2 && !ret; i++)
		ret = writer_write(w, trace->data[i], trace->part_size[i]);
	if (!ret)
		ret = writer_write(w, zeros, padding);
	if (ret)
		return writer_cut(w);
	w->ends.trace[1] = w->file_pos;
	return 0;
}

uint64_t pmscope_writer_size(const struct pmscope_writer *w)
{
	return w->file_pos;
}

int pmscope_writer_finish(struct pmscope_writer *w)
{
	int ret = writer_ready(w);

	if (ret)
		return ret;
	if (packer_takes_records(w->packer))
		ret = packer_flush(w);
	w->state = WRITER_FINISHED;
	if (!ret && !w->pipe)
		ret = writer_write_features(w);
	return ret ? writer_cut(w) : 0;
}

void pmscope_writer_free(struct pmscope_writer *w)
{
	if (!w)
		return;
	if (!w->standard)
		close(w->fd);
	for (int i = 0; i < PMSCOPE_FEATURE_MAX; i++)
		free(w->feature[i].data);
	writer_index_fini(w);
	packer_free(w->packer);
	map_fini(&w->without_ids);
	free(w);
}

/*
 * Completes a file that cannot grow, because the disk is full: it is cut where
 * a record ends, so that there is room for the features, and its header says
 * so. All this is written over what is there already, and needs no room.
 */

static uint64_t mark_before(const struct writer_ends *ends, uint64_t limit)
{
	uint64_t mark = 0;

	for (size_t i = 0; i < ends->nr && i < WRITER_MARKS; i++)
		if (ends->mark[i] <= limit && ends->mark[i] > mark)
			mark = ends->mark[i];
	return mark;
}

/* The last of them was not written as a whole, so the walk ends before it. */
static uint64_t records_before(const struct writer_ends *ends, uint64_t limit)
{
	const char *at = ends->records;
	uint64_t end = ends->begin;

	while (end + writer_record_size(at) <= limit) {
		end += writer_record_size(at);
		at += writer_record_size(at);
	}
	return end;
}

/* Less trace: the record gets another size. SPE's records have 64 bytes. */
static uint64_t trace_before(struct pmscope_writer *w, uint64_t limit)
{
	uint64_t begin = w->ends.trace[0];
	uint64_t data = begin + sizeof(struct auxtrace_record);
	uint64_t size = limit > data ? (limit - data) / 64 * 64 : 0;

	if (!size || pwrite(w->fd, &size, sizeof(size),
			    begin + offsetof(struct auxtrace_record, size)) !=
			     sizeof(size))
		return begin;
	return data + size;
}

/* Where a record ends, not after @limit; 0 if it is not known. */
static uint64_t end_before(struct pmscope_writer *w, uint64_t limit)
{
	const struct writer_ends *ends = &w->ends;

	if (ends->records && limit >= ends->begin)
		return records_before(ends, limit);
	if (limit >= ends->trace[0] && limit < ends->trace[1])
		return trace_before(w, limit);
	return mark_before(ends, limit);
}

static bool overwrite(int fd, const void *data, size_t size, uint64_t at)
{
	return pwrite(fd, data, size, at) == (ssize_t)size;
}

/* Fills @blob with the features. Returns where the records end; 0: no room. */
static uint64_t make_room(struct pmscope_writer *w, struct blob *blob)
{
	uint64_t size, end;

	writer_features_blob(w, 0, blob);
	size = blob->size;
	if (blob->failed || w->file_pos < size)
		return 0;
	end = end_before(w, w->file_pos - size);
	blob_fini(blob);
	if (end)
		writer_features_blob(w, end, blob);
	return blob->failed || !overwrite(w->fd, blob->data, size, end) ? 0
									: end;
}

static void cut(struct pmscope_writer *w)
{
	struct blob features = {};
	uint64_t end, size;

	end = make_room(w, &features);
	size = end ? features.size : 0;
	blob_fini(&features);
	if (!end) {
		w->header.features[0] = 0;
		end = end_before(w, w->file_pos);
	}
	if (!end || ftruncate(w->fd, end + size))
		return;
	w->file_pos = end + size;
	w->header.data.size = end - w->header.data.offset;
	overwrite(w->fd, &w->header, sizeof(w->header), 0);
}

int writer_cut(struct pmscope_writer *w)
{
	if (!w->pipe && w->state != WRITER_NEW && !packer_takes_file(w->packer))
		cut(w);
	w->ends.records = NULL;
	return w->failed;
}

/*
 * The index of the trace. A recording may go on for weeks, so memory holds only
 * the newest places, and a file without a name those before. Readers find the
 * trace without the index, too, so a recording does not fail for it.
 */

/* How many places memory holds */
#define ROOM ((size_t)4096)

static void give_up(struct trace_index *index)
{
	close_open(&index->fd);
	free(index->place);
	*index = (struct trace_index){.fd = -1, .given_up = true};
}

/* Moves the places in memory to the file, which is made by the first ones. */
static int spill(struct pmscope_writer *w)
{
	struct trace_index *index = &w->index;

	if (index->fd < 0)
		index->fd = io_temporary_beside(w->fd);
	if (index->fd < 0 || io_write(index->fd, index->place,
				      index->nr * sizeof(*index->place)))
		return -1;
	index->nr_in_file += index->nr;
	index->nr = 0;
	return 0;
}

int writer_index_add(struct pmscope_writer *w, uint64_t at, size_t size)
{
	struct trace_index *index = &w->index;

	if (w->pipe || index->given_up)
		return 0;
	if (!index->place)
		index->place = malloc(ROOM * sizeof(*index->place));
	if (!index->place)
		return writer_fail_nomem(w);
	if (index->nr == ROOM && spill(w))
		give_up(index);
	else
		index->place[index->nr++] = (struct file_section){at, size};
	return 0;
}

uint64_t writer_index_end(struct pmscope_writer *w)
{
	struct trace_index *index = &w->index;
	uint64_t nr;

	/* All in one place, and the memory is free to read into. */
	if (index->nr_in_file &&
	    (spill(w) || lseek(index->fd, 0, SEEK_SET) < 0))
		give_up(index);
	nr = index->nr_in_file + index->nr;
	return nr ? sizeof(nr) + nr * sizeof(*index->place) : 0;
}

/* The file is all there: it was written a moment ago, or before. */
static int copy_file(struct pmscope_writer *w)
{
	struct trace_index *index = &w->index;
	uint64_t left = index->nr_in_file * sizeof(*index->place);
	int ret = 0;

	while (left && !ret) {
		ssize_t n = io_read(index->fd, index->place,
				    ROOM * sizeof(*index->place));

		if (n <= 0) {
			w->failed = n ? n : -EIO;
			return writer_fail(w, -w->failed,
					   "cannot read the index of the trace "
					   "again: %s",
					   strerror(-w->failed));
		}
		ret = writer_write(w, index->place, n);
		left -= n;
	}
	return ret;
}

int writer_index_write(struct pmscope_writer *w)
{
	const struct trace_index *index = &w->index;
	uint64_t nr = index->nr_in_file + index->nr;
	int ret = writer_write(w, &nr, sizeof(nr));

	if (!ret && index->nr_in_file)
		return copy_file(w);
	return ret ? ret
		   : writer_write(w, index->place,
				  index->nr * sizeof(*index->place));
}

void writer_index_fini(struct pmscope_writer *w)
{
	give_up(&w->index);
}

/* Build-ids: a feature at the end of a file, or records between the others. */

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
