/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members of a tar archive (pax interchange format, POSIX.1-2001). A header is
 * one block, so this needs no library: libarchive would read forty more formats
 * from files that nobody trusts.
 */
#pragma once

#include "base/std.h"

#define TAR_BLOCK 512

/* A header of a long name, the name, and the header of the member. */
#define TAR_HEADERS_MAX (4 * TAR_BLOCK + 2 * PATH_MAX)

enum tar_type {
	TAR_FILE = '0',
	TAR_LINK = '2',
	TAR_LONG_NAME = 'L', /* of GNU tar: the data is the next name */
	TAR_PAX = 'x',	     /* the data describes the next member */
};

/**
 * struct tar_member - what a header tells
 * @name: relative, with a NUL
 * @link: target of a TAR_LINK, or ""
 * @size: bytes of data, which follow the header, padded to a whole block
 * @time: of the last change, in seconds
 */
struct tar_member {
	char name[PATH_MAX];
	char link[PATH_MAX];
	uint64_t size;
	uint64_t time;
	char type;
};

/* Bytes after the data of a member, up to the next header. */
static inline uint64_t tar_padding(uint64_t size)
{
	return -size & (TAR_BLOCK - 1);
}

/* Writes all headers of @member to @to, of TAR_HEADERS_MAX bytes. */
size_t tar_write(const struct tar_member *member, uint8_t *to);

/* Is this the first block of an archive, or of a member? */
bool tar_is(const uint8_t *block);

/*
 * Reads one header. Returns false if it is damaged. The name of a member after
 * a TAR_LONG_NAME or TAR_PAX is cut; see tar_read_pax().
 */
bool tar_read(const uint8_t *block, struct tar_member *member);

/* Takes the name and size from the @size bytes of data of a TAR_PAX. */
void tar_read_pax(const char *data, size_t size, struct tar_member *next);
