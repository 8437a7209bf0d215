// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Recordings compressed with zstd(1). They are decompressed into a temporary
 * file, because they may be larger than memory. What comes before an error is
 * kept.
 */
#include "base/record.h"
#include "base/io.h"
#include "input.h"

#include <zstd.h>

#define PIECE ((size_t)1 << 20)

/*
 * One decompression. @packed, @plain: buffers of PIECE bytes. @taken, @given:
 * bytes so far, compressed and not.
 */
struct unpack {
	int from;
	int to;
	input_is *is; /* the kind of recording; NULL: any */
	ZSTD_DCtx *stream;
	uint8_t *packed;
	uint8_t *plain;
	size_t left; /* last result of zstd; 0: a frame has ended */
	uint64_t taken;
	uint64_t given;
	char *error; /* one line about the first error, "" if there is none */
	size_t error_size;
};

bool input_is_packed(const void *head, size_t size)
{
	return size >= 4 && get32(head) == ZSTD_MAGICNUMBER;
}

__attribute__((format(printf, 2, 3))) static void tell(struct unpack *u,
						       const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(u->error, u->error_size, fmt, args);
	va_end(args);
}

/* Returns false if nothing more is to be decompressed. */
static bool check(struct unpack *u, size_t new)
{
	bool begins = new && u->given == new;

	if (inflates_too_much(u->given, u->taken))
		tell(u,
		     "offset 0x%" PRIx64 ": the zstd data expands to more than "
		     "%d times its size",
		     u->taken, INFLATED_RATIO_MAX);
	else
		return !begins || !u->is || u->is(u->plain, new);
	return false;
}

/* Returns 1, 0 after an error in the data, or -errno of the output. */
static int unpack_piece(struct unpack *u, ZSTD_inBuffer *from)
{
	size_t before = from->pos;
	ZSTD_outBuffer to = {u->plain, PIECE, 0};
	int ret;

	do {
		to.pos = 0;
		u->left = ZSTD_decompressStream(u->stream, &to, from);
		if (ZSTD_isError(u->left)) {
			tell(u, "offset 0x%" PRIx64 ": damaged zstd data: %s",
			     u->taken + from->pos - before,
			     ZSTD_getErrorName(u->left));
			return 0;
		}
		u->taken += from->pos - before;
		before = from->pos;
		u->given += to.pos;
		ret = io_write(u->to, u->plain, to.pos);
		if (ret)
			return ret;
		if (!check(u, to.pos))
			return 0;
		/* A full piece means that zstd may have more output. */
	} while (from->pos < from->size || to.pos == to.size);
	return 1;
}

/* @size: bytes of the beginning, which were read before. */
static int unpack(struct unpack *u, size_t size)
{
	ssize_t n = size;
	int ret = 1;

	while (n > 0 && ret > 0) {
		ZSTD_inBuffer from = {u->packed, n, 0};

		ret = unpack_piece(u, &from);
		if (ret > 0)
			n = io_read(u->from, u->packed, PIECE);
	}
	if (ret <= 0 || n < 0)
		return ret > 0 ? (int)n : ret;
	if (u->left)
		tell(u,
		     "offset 0x%" PRIx64 ": cut short inside a frame of zstd",
		     u->taken);
	return 0;
}

int input_unpack(int from, int to, const void *head, size_t size, input_is *is,
		 char *error, size_t error_size)
{
	struct unpack u = {
		.from = from,
		.to = to,
		.is = is,
		.stream = ZSTD_createDCtx(),
		.packed = malloc(PIECE),
		.plain = malloc(PIECE),
		.error = error,
		.error_size = error_size,
	};
	int ret = -ENOMEM;

	if (u.stream && u.packed && u.plain) {
		memcpy(u.packed, head, size);
		ret = unpack(&u, size);
	}
	ZSTD_freeDCtx(u.stream);
	free(u.packed);
	free(u.plain);
	return ret;
}
