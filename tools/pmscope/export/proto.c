// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export.h"

#define VARINT_MAX 10
#define CHUNK	   65536
#define GZIP	   (15 + 16) /* largest window, and a header of gzip's */
/* Levels above 1 take several times as long for a few percent. */
#define LEVEL 1

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2
};

static uint8_t *reserve(struct proto *proto, size_t size)
{
	size_t wanted = proto->used + size;
	uint8_t *data;

	if (wanted <= proto->size)
		return proto->data + proto->used;
	wanted = MAX(wanted, 2 * proto->size);
	wanted = MAX(wanted, 256);
	data = realloc(proto->data, wanted);
	if (!data) {
		proto->failed = true;
		return NULL;
	}
	proto->data = data;
	proto->size = wanted;
	return data + proto->used;
}

/* Seven bits a byte, the lowest first; bit 7 says that more follow. */
static uint8_t *varint(uint8_t *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = value | 0x80;
	*p++ = value;
	return p;
}

static size_t varint_size(uint64_t value)
{
	size_t size = 1;

	for (; value >= 0x80; value >>= 7)
		size++;
	return size;
}

void proto_number(struct proto *proto, unsigned int field, uint64_t value)
{
	uint8_t *p = value ? reserve(proto, 2 * VARINT_MAX) : NULL;

	if (p)
		proto->used =
			varint(varint(p, field << 3 | WIRE_VARINT), value) -
			proto->data;
}

void proto_bytes(struct proto *proto, unsigned int field, const void *data,
		 size_t size)
{
	uint8_t *p = reserve(proto, 2 * VARINT_MAX + size);

	if (!p)
		return;
	p = varint(varint(p, field << 3 | WIRE_BYTES), size);
	if (size)
		memcpy(p, data, size);
	proto->used = p + size - proto->data;
}

void proto_message(struct proto *proto, unsigned int field,
		   const struct proto *message)
{
	proto->failed |= message->failed;
	proto_bytes(proto, field, message->data, message->used);
}

void proto_numbers(struct proto *proto, unsigned int field,
		   const uint64_t *values, size_t nr)
{
	uint8_t *p = reserve(proto, (2 + nr) * VARINT_MAX);
	size_t size = 0;

	if (!p)
		return;
	for (size_t i = 0; i < nr; i++)
		size += varint_size(values[i]);
	p = varint(varint(p, field << 3 | WIRE_BYTES), size);
	for (size_t i = 0; i < nr; i++)
		p = varint(p, values[i]);
	proto->used = p - proto->data;
}

void proto_fini(struct proto *proto)
{
	free(proto->data);
}

int proto_gzip_begin(struct proto_gzip *gzip, FILE *out)
{
	*gzip = (struct proto_gzip){.out = out};
	return deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, GZIP, 8,
			    Z_DEFAULT_STRATEGY) == Z_OK
		       ? 0
		       : -ENOMEM;
}

static void compress_all(struct proto_gzip *gzip, int flush)
{
	uint8_t chunk[CHUNK];
	size_t size;

	do {
		gzip->stream.next_out = chunk;
		gzip->stream.avail_out = sizeof(chunk);
		deflate(&gzip->stream, flush);
		size = sizeof(chunk) - gzip->stream.avail_out;
		if (fwrite(chunk, 1, size, gzip->out) != size && !gzip->error)
			gzip->error = errno ? -errno : -EIO;
	} while (!gzip->stream.avail_out);
}

void proto_gzip_write(struct proto_gzip *gzip, struct proto *proto)
{
	gzip->stream.next_in = proto->data;
	gzip->stream.avail_in = proto->used;
	if (proto->used)
		compress_all(gzip, Z_NO_FLUSH);
	proto_clear(proto);
}

int proto_gzip_end(struct proto_gzip *gzip)
{
	gzip->stream.avail_in = 0;
	compress_all(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
	return gzip->error;
}
