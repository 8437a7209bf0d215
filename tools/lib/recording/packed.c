// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * simpleperf -z compresses each trace separately. They are decompressed into
 * one temporary file, because they may be larger than memory.
 */
#include "base/io.h"
#include "recording.h"

#include <zstd.h>

#define PIECE ((size_t)1 << 20)

/* No packet starts with zstd's magic number, so no uncompressed trace does. */
bool packed_is(const struct pmscope_recording *rec,
	       const struct pmscope_trace *trace)
{
	return rec->reader->simpleperf && trace->size >= 4 &&
	       get32(trace->data) == ZSTD_MAGICNUMBER;
}

/* Returns how many bytes it read, up to PIECE, or -EBADMSG after reporting. */
static ssize_t unpack_piece(struct pmscope_recording *rec,
			    const struct pmscope_trace *trace,
			    ZSTD_DCtx *stream, ZSTD_inBuffer *from,
			    uint8_t *piece)
{
	ZSTD_outBuffer to = {piece, PIECE, 0};
	size_t left = ZSTD_decompressStream(stream, &to, from);

	if (!ZSTD_isError(left))
		return to.pos;
	return reader_fail(rec->reader, trace->data_offset,
			   "compressed trace: %s", ZSTD_getErrorName(left));
}

/* Reports if the output of all traces so far is too large. */
static bool is_too_much(struct pmscope_recording *rec,
			const struct pmscope_trace *trace, uint64_t given,
			uint64_t taken)
{
	const struct unpacked *unpacked = &rec->unpacked;

	if (!inflates_too_much(unpacked->size + given, unpacked->taken + taken))
		return false;
	reader_fail(rec->reader, trace->data_offset,
		    "compressed traces expand to more than %d times their size",
		    INFLATED_RATIO_MAX);
	return true;
}

/*
 * Writes the data before the first error, but nothing of a trace that is too
 * large. Returns bytes or -errno.
 */
static int64_t unpack(struct pmscope_recording *rec,
		      const struct pmscope_trace *trace, ZSTD_DCtx *stream,
		      uint8_t *piece)
{
	ZSTD_inBuffer from = {trace->data, trace->size, 0};
	uint64_t given = 0;
	ssize_t size;

	/* A full piece means that zstd may have more output. */
	do {
		int ret;

		size = unpack_piece(rec, trace, stream, &from, piece);
		if (size < 0)
			return given;
		if (is_too_much(rec, trace, given + size, from.pos))
			return 0;
		ret = io_write(rec->unpacked.fd, piece, size);
		if (ret)
			return ret;
		given += size;
	} while (from.pos < from.size || size == PIECE);
	return given;
}

static int64_t unpack_all(struct pmscope_recording *rec,
			  const struct pmscope_trace *trace)
{
	ZSTD_DCtx *stream = ZSTD_createDCtx();
	uint8_t *piece = malloc(PIECE);
	int64_t ret = -ENOMEM;

	if (stream && piece)
		ret = unpack(rec, trace, stream, piece);
	free(piece);
	ZSTD_freeDCtx(stream);
	return ret;
}

/* After a failed write, skip all other traces. */
static int64_t unpack_to_file(struct pmscope_recording *rec,
			      const struct pmscope_trace *trace)
{
	struct unpacked *unpacked = &rec->unpacked;

	if (unpacked->failed)
		return unpacked->failed;
	if (unpacked->fd < 0)
		unpacked->fd = io_temporary();
	if (unpacked->fd < 0)
		return unpacked->fd;
	/* Overwrite the rejected part of the previous trace. */
	if (lseek(unpacked->fd, unpacked->size, SEEK_SET) < 0)
		return -errno;
	return unpack_all(rec, trace);
}

int packed_read(struct pmscope_recording *rec, struct pmscope_trace *trace)
{
	struct unpacked *unpacked = &rec->unpacked;
	int64_t size;

	if (array_room(unpacked->traces, unpacked->nr_traces,
		       unpacked->max_traces))
		return -ENOMEM;
	size = unpack_to_file(rec, trace);
	if (size == -ENOMEM)
		return size;
	if (size < 0) {
		unpacked->failed = size;
		reader_fail(rec->reader, trace->data_offset,
			    "no room in TMPDIR for a compressed trace: %s",
			    strerror(-size));
		size = 0;
	}
	unpacked->traces[unpacked->nr_traces++] =
		(struct unpacked_trace){rec->nr_traces, unpacked->size};
	unpacked->size += size;
	unpacked->taken += trace->size;
	trace->size = size;
	return 0;
}

int packed_settle(struct pmscope_recording *rec)
{
	struct unpacked *unpacked = &rec->unpacked;

	if (!unpacked->size)
		return 0;
	unpacked->data = mmap(NULL, unpacked->size, PROT_READ, MAP_SHARED,
			      unpacked->fd, 0);
	if (unpacked->data == MAP_FAILED) {
		unpacked->data = NULL;
		return -ENOMEM;
	}
	for (size_t i = 0; i < unpacked->nr_traces; i++)
		rec->traces[unpacked->traces[i].trace].data =
			unpacked->data + unpacked->traces[i].at;
	return 0;
}

void packed_fini(struct unpacked *unpacked)
{
	if (unpacked->data)
		munmap(unpacked->data, unpacked->size);
	close_open(&unpacked->fd);
	free(unpacked->traces);
}
