// SPDX-License-Identifier: GPL-2.0-or-later
#include "pack/pack.h"
#include "base/record.h"

#include <endian.h>
#include <zstd.h>

#define LEVEL 3
#define ROOM  ((size_t)1 << 17)

static int fail(struct pack_writer *pack, int error)
{
	if (!pack->failed)
		pack->failed = error;
	return pack->failed;
}

static int put(struct pack_writer *pack, const void *data, size_t size)
{
	errno = 0;
	pack->taken += size;
	if (size && fwrite(data, size, 1, pack->out) != 1)
		return fail(pack, errno ? -errno : -EIO);
	return 0;
}

static int compress(struct pack_writer *pack, const void *data, size_t size,
		    ZSTD_EndDirective end)
{
	ZSTD_inBuffer from = {data, size, 0};
	size_t left;

	pack->given += size;
	do {
		ZSTD_outBuffer to = {pack->room, ROOM, 0};

		if (pack->failed)
			return pack->failed;
		left = ZSTD_compressStream2(pack->stream, &to, &from, end);
		if (ZSTD_isError(left))
			return fail(pack, -ENOMEM);
		if (put(pack, pack->room, to.pos))
			return pack->failed;
	} while (end == ZSTD_e_end ? left : from.pos < from.size);
	return 0;
}

/*
 * Readers take a pack that is far larger than its file for a bomb, but a
 * program may have 200 MB of zeros: a frame that zstd skips (RFC 8878 3.1.2)
 * makes the file large enough for @more bytes, before they come.
 */
static int make_plausible(struct pack_writer *pack, size_t more)
{
	uint64_t given = pack->given + more, size;
	uint32_t head[2];

	if (!inflates_too_much(given, pack->taken) ||
	    compress(pack, NULL, 0, ZSTD_e_end) ||
	    !inflates_too_much(given, pack->taken))
		return pack->failed;
	size = given / (INFLATED_RATIO_MAX / 2) - pack->taken;
	memset(pack->room, 0, ROOM);
	head[0] = htole32(ZSTD_MAGIC_SKIPPABLE_START);
	head[1] = htole32(size);
	put(pack, head, sizeof(head));
	for (size_t n; size && !pack->failed; size -= n) {
		n = MIN(size, ROOM);
		put(pack, pack->room, n);
	}
	return pack->failed;
}

int pack_begin(struct pack_writer *pack, FILE *out, uint64_t time)
{
	*pack = (struct pack_writer){.out = out, .time = time};
	pack->stream = ZSTD_createCCtx();
	pack->room = malloc(ROOM);
	if (!pack->stream || !pack->room)
		return fail(pack, -ENOMEM);
	ZSTD_CCtx_setParameter(pack->stream, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(pack->stream, ZSTD_c_checksumFlag, 1);
	return 0;
}

static int begin_member(struct pack_writer *pack, const char *name,
			const char *target, uint64_t size, char type)
{
	struct tar_member member = {
		.size = size, .time = pack->time, .type = type};
	uint8_t headers[TAR_HEADERS_MAX];

	/* A long name takes a member of its own. */
	if (++pack->members > PACK_MEMBERS_MAX / 2 || size > PACK_BYTES_MAX ||
	    pack->given + size + 2 * TAR_HEADERS_MAX > PACK_BYTES_MAX)
		return fail(pack, -EFBIG);
	if (strlen(name) >= sizeof(member.name) ||
	    strlen(target) >= sizeof(member.link))
		return fail(pack, -ENAMETOOLONG);
	strcpy(member.name, name);
	strcpy(member.link, target);
	pack->left = size;
	pack->padding = tar_padding(size);
	return compress(pack, headers, tar_write(&member, headers),
			ZSTD_e_continue);
}

static const uint8_t zeros[2 * TAR_BLOCK];

int pack_file(struct pack_writer *pack, const char *name, uint64_t size)
{
	return begin_member(pack, name, "", size, TAR_FILE);
}

int pack_put(struct pack_writer *pack, const void *data, uint64_t size)
{
	if (size > pack->left)
		return fail(pack, -EFBIG);
	pack->left -= size;
	for (size_t at = 0, n; at < size && !pack->failed; at += n) {
		n = MIN(size - at, ROOM);
		if (!make_plausible(pack, n))
			compress(pack, (const char *)data + at, n,
				 ZSTD_e_continue);
	}
	if (!pack->left)
		compress(pack, zeros, pack->padding, ZSTD_e_continue);
	return pack->failed;
}

int pack_link(struct pack_writer *pack, const char *name, const char *target)
{
	return begin_member(pack, name, target, 0, TAR_LINK);
}

int pack_end(struct pack_writer *pack)
{
	if (pack->stream && pack->room)
		compress(pack, zeros, sizeof(zeros), ZSTD_e_end);
	ZSTD_freeCCtx(pack->stream);
	free(pack->room);
	pack->stream = NULL;
	pack->room = NULL;
	return pack->failed;
}
