// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Bytes to the file, as they are or compressed with zstd: records in
 * PERF_RECORD_COMPRESSED as perf has them, or the whole file.
 */
#include "writer.h"

#include <zstd.h>

/* Distance of the places that are remembered, in bytes */
#define STEP ((uint64_t)1024)

#define FEATURE_VERSION 1
#define FEATURE_ZSTD	1

/* What one compressed record holds: even if it grows, it fits in 64 KiB. */
#define PIECE ((size_t)48 << 10)
#define ROOM  ((size_t)128 << 10)

/* A block without data: raw, of 0 bytes, not the last (RFC 8878 3.1.1.2). */
#define EMPTY_BLOCK 3
#define EMPTY_MAX   (7 * EMPTY_BLOCK)

/* A frame with one raw block of a size below 256 (RFC 8878 3.1.1). */
#define RAW_FRAME  9
#define ONE_RAW(n) ((n) << 3 | 1)

struct packer {
	ZSTD_CCtx *stream;
	bool whole_file;
	int level;
	uint64_t plain;	 /* bytes that were given */
	uint64_t packed; /* bytes that were written for them */
	size_t used;	 /* of @records */
	bool split;	 /* @records may begin inside a record */
	uint8_t records[PIECE];
	uint8_t room[ROOM];
};

struct compressed_record {
	struct perf_event_header header;
	uint8_t data[UINT16_MAX];
};

/* Neither compressed nor part of the recording's offsets. */
static int write_bytes(struct pmscope_writer *w, const void *data, size_t size)
{
	const char *at = data;

	while (size && !w->failed) {
		ssize_t n = write(w->fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			w->failed = -errno;
			writer_fail(w, errno, "%s", strerror(errno));
			break;
		}
		at += n;
		size -= n;
		w->file_pos += n;
	}
	return w->failed;
}

static void mark_at(struct writer_ends *ends, uint64_t end)
{
	uint64_t last =
		ends->nr ? ends->mark[(ends->nr - 1) % WRITER_MARKS] : 0;

	if (!ends->nr || end - last >= STEP)
		ends->mark[ends->nr++ % WRITER_MARKS] = end;
}

void writer_mark(struct pmscope_writer *w)
{
	mark_at(&w->ends, w->file_pos);
}

int pmscope_writer_compress(struct pmscope_writer *w,
			    enum pmscope_compression what, int level)
{
	struct packer *p;

	if (w->failed)
		return w->failed;
	if (w->state != WRITER_NEW || w->packer)
		return writer_fail(w, EINVAL,
				   "compression is set before the first event");
	if (w->pipe)
		return writer_fail(w, EINVAL, "a pipe is not compressed");
	if (level < 1 || level > ZSTD_maxCLevel())
		return writer_fail(w, EINVAL,
				   "compression level %d: must be 1 to %d",
				   level, ZSTD_maxCLevel());
	p = calloc(1, sizeof(*p));
	if (!p)
		return writer_fail_nomem(w);
	p->whole_file = what == PMSCOPE_COMPRESS_FILE;
	p->level = level;
	p->stream = ZSTD_createCCtx();
	w->packer = p;
	/* Whoever unpacks the file sees whether it is damaged. */
	if (p->stream && p->whole_file)
		ZSTD_CCtx_setParameter(p->stream, ZSTD_c_checksumFlag, 1);
	if (!p->stream || ZSTD_isError(ZSTD_CCtx_setParameter(
				  p->stream, ZSTD_c_compressionLevel, level)))
		return writer_fail_nomem(w);
	return 0;
}

bool packer_takes_file(const struct packer *p)
{
	return p && p->whole_file;
}

bool packer_takes_records(const struct packer *p)
{
	return p && !p->whole_file;
}

/* Returns how much is left to flush, at least; 0 after an error, too. */
static size_t compress(struct pmscope_writer *w, ZSTD_inBuffer *from,
		       ZSTD_outBuffer *to, ZSTD_EndDirective how)
{
	size_t left = ZSTD_compressStream2(w->packer->stream, to, from, how);

	if (!ZSTD_isError(left))
		return left;
	w->failed = -EIO;
	writer_fail(w, EIO, "cannot compress: %s", ZSTD_getErrorName(left));
	return 0;
}

static int pack(struct pmscope_writer *w, const void *data, size_t size,
		bool flush)
{
	struct packer *p = w->packer;
	ZSTD_inBuffer from = {data, size, 0};
	size_t left;

	do {
		ZSTD_outBuffer to = {p->room, sizeof(p->room), 0};

		left = compress(w, &from, &to,
				flush ? ZSTD_e_flush : ZSTD_e_continue);
		if (!w->failed)
			write_bytes(w, p->room, to.pos);
	} while (!w->failed && (from.pos < from.size || (flush && left)));
	return w->failed;
}

int packer_end(struct pmscope_writer *w)
{
	struct packer *p = w->packer;
	ZSTD_inBuffer from = {};
	size_t left;

	do {
		ZSTD_outBuffer to = {p->room, sizeof(p->room), 0};

		left = compress(w, &from, &to, ZSTD_e_end);
		if (!w->failed)
			write_bytes(w, p->room, to.pos);
	} while (!w->failed && left);
	return w->failed;
}

/* Rewritten at the end, so its frame is not compressed: its size stays. */
static int write_packed_header(struct pmscope_writer *w)
{
	uint8_t frame[RAW_FRAME + sizeof(w->header)] = {
		/* Magic number, a single segment, its size, the block's size */
		0x28,
		0xb5,
		0x2f,
		0xfd,
		0x20,
		sizeof(w->header),
		ONE_RAW(sizeof(w->header)) & 0xff,
		ONE_RAW(sizeof(w->header)) >> 8};

	memcpy(frame + RAW_FRAME, &w->header, sizeof(w->header));
	return write_bytes(w, frame, sizeof(frame));
}

/* Readers want records of a multiple of 8 bytes. */
static size_t pad(uint8_t *data, size_t size)
{
	while ((size + sizeof(struct perf_event_header)) % 8) {
		memset(data + size, 0, EMPTY_BLOCK);
		size += EMPTY_BLOCK;
	}
	return size;
}

int packer_flush(struct pmscope_writer *w)
{
	struct packer *p = w->packer;
	struct compressed_record record = {.header.type =
						   PMSCOPE_RECORD_COMPRESSED};
	ZSTD_inBuffer from = {p->records, p->used, 0};
	ZSTD_outBuffer to = {record.data, UINT16_MAX / 8 * 8 - EMPTY_MAX - 8,
			     0};
	size_t size;

	if (!p->used)
		return 0;
	if (compress(w, &from, &to, ZSTD_e_flush) && !w->failed) {
		w->failed = -EIO;
		writer_fail(w, EIO, "compressed records are too large");
	}
	if (w->failed)
		return w->failed;
	size = sizeof(record.header) + pad(record.data, to.pos);
	record.header.size = size;
	p->plain += p->used;
	p->packed += size;
	p->used = 0;
	if (!p->split)
		writer_mark(w);
	p->split = false;
	w->pos += size;
	return write_bytes(w, &record, size);
}

int writer_write(struct pmscope_writer *w, const void *data, size_t size)
{
	if (packer_takes_records(w->packer) && packer_flush(w))
		return w->failed;
	w->pos += size;
	return packer_takes_file(w->packer) ? pack(w, data, size, false)
					    : write_bytes(w, data, size);
}

/* Afterwards, the file position is unchanged, or after a new header. */
int writer_write_header(struct pmscope_writer *w)
{
	uint64_t pos = w->file_pos;
	int ret = 0;

	if (pos && lseek(w->fd, 0, SEEK_SET) < 0)
		ret = -errno;
	w->file_pos = 0;
	if (!ret)
		ret = packer_takes_file(w->packer)
			      ? write_packed_header(w)
			      : write_bytes(w, &w->header, sizeof(w->header));
	if (pos)
		w->file_pos = pos;
	else
		w->pos = sizeof(w->header);
	if (!ret && lseek(w->fd, w->file_pos, SEEK_SET) < 0)
		ret = -errno;
	return w->failed = ret;
}

size_t writer_record_size(const char *record)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	return header.size;
}

int writer_write_records(struct pmscope_writer *w, const void *records,
			 size_t size)
{
	struct writer_ends *ends = &w->ends;
	const char *at = records, *end;
	int ret;

	if (!size)
		return 0;
	end = at + size;
	ends->begin = w->file_pos;
	ends->records = records;
	ret = writer_write(w, records, size);
	for (uint64_t pos = ends->begin; at < end && !ret;
	     at += writer_record_size(at)) {
		mark_at(ends, pos);
		pos += writer_record_size(at);
	}
	if (!ret)
		ends->records = NULL;
	return ret;
}

/* Readers may stop at the end of a round, and a killed writer ends there. */
static bool ends_with_round(const uint8_t *end)
{
	struct perf_event_header header;

	memcpy(&header, end - sizeof(header), sizeof(header));
	return header.type == PMSCOPE_RECORD_FINISHED_ROUND &&
	       header.size == sizeof(header);
}

static int write_to_file(struct pmscope_writer *w, const void *records,
			 size_t size)
{
	int ret = writer_write(w, records, size);

	if (ret || !size || !ends_with_round((const uint8_t *)records + size))
		return ret;
	return pack(w, NULL, 0, true);
}

int packer_records(struct pmscope_writer *w, const void *records, size_t size)
{
	struct packer *p = w->packer;
	const uint8_t *at = records, *end;
	int ret = 0;

	if (p->whole_file)
		return write_to_file(w, records, size);
	if (!size)
		return 0;
	end = at + size;
	while (at < end && !ret) {
		size_t n = MIN((size_t)(end - at), PIECE - p->used);

		memcpy(p->records + p->used, at, n);
		p->used += n;
		at += n;
		if (p->used == PIECE) {
			ret = packer_flush(w);
			p->split = at < end;
		}
	}
	return !ret && size && ends_with_round(end) ? packer_flush(w) : ret;
}

void packer_describe(const struct packer *p, struct blob *blob)
{
	blob_u32(blob, FEATURE_VERSION);
	blob_u32(blob, FEATURE_ZSTD);
	blob_u32(blob, p->level);
	blob_u32(blob, p->packed ? (p->plain + p->packed / 2) / p->packed : 1);
	/* perf makes room for so many bytes of each record. */
	blob_u32(blob, ROOM);
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->stream);
	free(p);
}
