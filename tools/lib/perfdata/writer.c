// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The file and its records. */
#include "writer.h"

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
