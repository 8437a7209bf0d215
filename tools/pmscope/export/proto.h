/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes messages of Protocol Buffers, compressed by gzip. This is all that
 * pprof's format needs, so no generated code and no library is used.
 */
#pragma once

#include "base/std.h"

#include <zlib.h>

/* A message in memory. Initialize to zeros. */
struct proto {
	uint8_t *data;
	size_t used;
	size_t size;
	bool failed; /* out of memory */
};

/* Each adds a field; a number of 0 is the default, and left out. */
void proto_number(struct proto *proto, unsigned int field, uint64_t value);
void proto_bytes(struct proto *proto, unsigned int field, const void *data,
		 size_t size);
void proto_message(struct proto *proto, unsigned int field,
		   const struct proto *message);

/* Packed repeated numbers, also zeros. */
void proto_numbers(struct proto *proto, unsigned int field,
		   const uint64_t *values, size_t nr);

static inline void proto_clear(struct proto *proto)
{
	proto->used = 0;
}

void proto_fini(struct proto *proto);

/* Compresses what is written to a file. */
struct proto_gzip {
	FILE *out;
	z_stream stream;
	int error; /* -errno of the first write that failed */
};

/* Returns 0 or -ENOMEM. */
int proto_gzip_begin(struct proto_gzip *gzip, FILE *out);

/* Writes @proto and clears it. */
void proto_gzip_write(struct proto_gzip *gzip, struct proto *proto);

/* Writes the rest. Returns 0, or -errno if not all could be written. */
int proto_gzip_end(struct proto_gzip *gzip);
