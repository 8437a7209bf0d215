// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "unpack.h"
#include "base/regular.h"

#include <elf.h>
#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* No module or symbol table is larger. MEMORY_LIMIT is what libdw allows. */
#define SIZE_LIMIT   (256U << 20)
#define MEMORY_LIMIT (1U << 30)
#define PIECE	     (32U << 10)
#define GZIP_WINDOW  (16 + MAX_WBITS)

struct output {
	int fd;
	size_t size;
};

static bool put(struct output *to, const void *data, size_t size)
{
	to->size += size;
	return to->size <= SIZE_LIMIT &&
	       write(to->fd, data, size) == (ssize_t)size;
}

static bool unpack_gzip(const void *data, size_t size, struct output *to)
{
	z_stream stream = {.next_in = (void *)data};
	uint8_t piece[PIECE];
	int ret;

	if (size > UINT32_MAX || inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
		return false;
	stream.avail_in = size;
	do {
		stream.next_out = piece;
		stream.avail_out = PIECE;
		ret = inflate(&stream, Z_NO_FLUSH);
	} while (put(to, piece, PIECE - stream.avail_out) && ret == Z_OK);
	inflateEnd(&stream);
	return ret == Z_STREAM_END && to->size <= SIZE_LIMIT;
}

static bool unpack_xz(const void *data, size_t size, struct output *to)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	uint8_t piece[PIECE];
	lzma_ret ret;

	/* Also decodes .lzma, which libdw accepts in .gnu_debugdata. */
	if (lzma_auto_decoder(&stream, MEMORY_LIMIT, 0) != LZMA_OK)
		return false;
	stream.next_in = data;
	stream.avail_in = size;
	do {
		stream.next_out = piece;
		stream.avail_out = PIECE;
		ret = lzma_code(&stream, LZMA_FINISH);
	} while (put(to, piece, PIECE - stream.avail_out) && ret == LZMA_OK);
	lzma_end(&stream);
	return ret == LZMA_STREAM_END && to->size <= SIZE_LIMIT;
}

/* zstd itself limits its window to 128 MiB. */
static bool unpack_zstd(const void *data, size_t size, struct output *to)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer from = {data, size, 0};
	uint8_t piece[PIECE];
	size_t before, ret;
	ZSTD_outBuffer out;

	if (!stream)
		return false;
	do {
		before = from.pos;
		out = (ZSTD_outBuffer){piece, PIECE, 0};
		ret = ZSTD_decompressStream(stream, &out, &from);
	} while (put(to, piece, out.pos) && ret && !ZSTD_isError(ret) &&
		 (from.pos > before || out.pos));
	ZSTD_freeDStream(stream);
	return !ret && to->size <= SIZE_LIMIT;
}

int unpack_symbols(const void *data, size_t size)
{
	struct output to = {.fd = memfd_create("pmscope", MFD_CLOEXEC)};

	if (to.fd < 0)
		return -errno;
	if (unpack_xz(data, size, &to))
		return to.fd;
	close(to.fd);
	return to.size > SIZE_LIMIT ? -EFBIG : -EBADMSG;
}

static const struct format {
	const char *magic;
	size_t size;
	bool (*unpack)(const void *data, size_t size, struct output *to);
} formats[] = {
	{"\x1f\x8b", 2, unpack_gzip},
	{"\xfd"
	 "7zXZ\0",
	 6, unpack_xz},
	{"\x28\xb5\x2f\xfd", 4, unpack_zstd},
};

#define MAGIC_MAX 8

/* Reads the first bytes of @fd, padded with zeros. Returns 0 or -errno. */
static int read_magic(int fd, char magic[MAGIC_MAX])
{
	memset(magic, 0, MAGIC_MAX);
	return pread(fd, magic, MAGIC_MAX, 0) < 0 ? -errno : 0;
}

static bool is_elf(const char *magic)
{
	return !memcmp(magic, ELFMAG, SELFMAG);
}

/* Returns @to or -errno; -ENOENT if the data has no ELF file in it. */
static int unpack_to(int to, int fd, const struct format *format)
{
	struct output output = {.fd = to};
	char magic[MAGIC_MAX];
	const uint8_t *data;
	size_t size;
	bool done;
	int ret = regular_map(fd, &data, &size);

	if (ret)
		return ret;
	done = data && format->unpack(data, size, &output);
	regular_unmap(data, size);
	if (!done)
		return -ENOENT;
	ret = read_magic(to, magic);
	return ret ? ret : is_elf(magic) ? to : -ENOENT;
}

static int unpack_as(int fd, const struct format *format)
{
	int to = memfd_create("pmscope", MFD_CLOEXEC), ret;

	if (to < 0)
		return -errno;
	ret = unpack_to(to, fd, format);
	if (ret < 0)
		close(to);
	return ret;
}

/* As unpack_file(), but leaves @fd open. */
static int unpack_any(int fd)
{
	char magic[MAGIC_MAX];
	int ret = read_magic(fd, magic);

	if (ret || is_elf(magic))
		return ret ? ret : fd;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!memcmp(magic, formats[i].magic, formats[i].size))
			return unpack_as(fd, &formats[i]);
	return -ENOENT;
}

int unpack_file(int fd)
{
	int ret = fd < 0 ? fd : unpack_any(fd);

	if (fd >= 0 && ret != fd)
		close(fd);
	return ret;
}

int unpack_open(const char *path)
{
	struct stat st;

	return unpack_file(regular_open(path, 0, &st));
}
