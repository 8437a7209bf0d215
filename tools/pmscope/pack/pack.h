/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/std.h"

/*
 * Members of a tar archive (pax interchange format, POSIX.1-2001). A header is
 * one block, so this needs no library: libarchive would read forty more formats
 * from files that nobody trusts.
 */

#define TAR_BLOCK 512

/* A header of a long name, the name, and the header of the member. */
#define TAR_HEADERS_MAX (4 * TAR_BLOCK + 2 * PATH_MAX)

enum tar_type {
	TAR_FILE = '0',
	TAR_LINK = '2',
	TAR_LONG_NAME = 'L', /* of GNU tar: the data is the next name */
	TAR_PAX = 'x',	     /* the data describes the next member */
};

/* What a header tells */
struct tar_member {
	char name[PATH_MAX]; /* relative, with a NUL */
	char link[PATH_MAX]; /* target of a TAR_LINK, or "" */
	uint64_t size;	     /* of data behind the header, padded to blocks */
	uint64_t time;	     /* of the last change, in seconds */
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

/*
 * A pack, as pmscope archive makes it: a recording and the files that it needs,
 * in a tar archive that zstd compressed. Below ~/.debug it has perf's names.
 */

/* Others: PATH/ID/elf, PATH/ID/debug, with links to PATH/ID from .build-id. */
#define PACK_RECORDING "perf.data"
#define PACK_KALLSYMS  "pmscope/kallsyms"
#define PACK_KCORE     "pmscope/kcore"
#define PACK_VMLINUX   "pmscope/vmlinux" /* that --vmlinux named */
#define PACK_ROOT      "pmscope/root/"	 /* files without a build-id */
#define PACK_KERNEL    "[kernel.kallsyms]"
#define PACK_VDSO      "[vdso]"

/* No pack is larger, nor has more members. */
#define PACK_BYTES_MAX	 (UINT64_C(64) << 30)
#define PACK_MEMBERS_MAX (1U << 16)

/* Is it relative, without "..", "." and empty parts, and of a usual length? */
bool pack_name_is_safe(const char *name);

/* Starts as zeros. @given, @taken: bytes so far, of archive and file. */
struct pack_writer {
	FILE *out;     /* the file */
	uint64_t time; /* of all members, in seconds */
	struct ZSTD_CCtx_s *stream;
	uint8_t *room;
	uint64_t given;
	uint64_t taken;
	uint64_t left; /* bytes of the current member that are still to come */
	uint64_t padding;
	unsigned int members;
	int failed; /* -errno */
};

/* Each returns 0 or -errno, and after an error that one again. */
int pack_begin(struct pack_writer *pack, FILE *out, uint64_t time);

/* Begins a file of @size bytes, which pack_put() adds. */
int pack_file(struct pack_writer *pack, const char *name, uint64_t size);
int pack_put(struct pack_writer *pack, const void *data, uint64_t size);
int pack_link(struct pack_writer *pack, const char *name, const char *target);
int pack_end(struct pack_writer *pack);

/* An open pack; starts as zeros */
struct pack {
	/*
	 * the directory where it is unpacked; "": it is not a pack. It is
	 * removed when the program ends
	 */
	char dir[PATH_MAX - 64];
	char recording[PATH_MAX]; /* in it; "": it is not in the pack */
	char root[PATH_MAX];
	char kallsyms[PATH_MAX];
	char kcore[PATH_MAX];
	char vmlinux[PATH_MAX];
	char error[256]; /* what is wrong, and where; "": nothing */
};

/*
 * Unpacks the file at @path, if it is a pack, into a new directory in $TMPDIR
 * or /tmp. Only regular files with the names above are made, and only there.
 * Returns 0, or -errno after error().
 */
int pack_open(struct pack *pack, const char *path);

/* The same into the empty directory @pack->dir, unless that is "". */
int pack_unpack(struct pack *pack, const char *path);
