// SPDX-License-Identifier: GPL-2.0-or-later
#include "script/mapping.h"
#include "base/build_id.h"
#include "base/little_endian.h"
#include "base/text.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/mman.h>

#define LINE_ROOM 512 /* without the name */

/* Offsets in the records, from their headers on. */
enum {
	HEADER_TYPE = 0,
	HEADER_MISC = 4,
	MMAP_PID = 8,
	MMAP_TID = 12,
	MMAP_ADDR = 16,
	MMAP_LEN = 24,
	MMAP_PGOFF = 32,
	MMAP_NAME = 40,
	MMAP2_MAJ = 40,
	MMAP2_MIN = 44,
	MMAP2_INO = 48,
	MMAP2_GENERATION = 56,
	MMAP2_BUILD_ID_SIZE = 40,
	MMAP2_BUILD_ID = 44,
	MMAP2_PROT = 64,
	MMAP2_FLAGS = 68,
	MMAP2_NAME = 72,
};

static char *put_file(char *p, const uint8_t *record)
{
	size_t size = record[MMAP2_BUILD_ID_SIZE];

	if (!(get16(record + HEADER_MISC) & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return p + sprintf(p, "%02x:%02x %" PRIu64 " %" PRIu64,
				   get32(record + MMAP2_MAJ),
				   get32(record + MMAP2_MIN),
				   get64(record + MMAP2_INO),
				   get64(record + MMAP2_GENERATION));
	*p++ = '<';
	for (size_t i = 0; i < size && i < BUILD_ID_MAX; i++)
		p = text_hex(p, record[MMAP2_BUILD_ID + i], 2);
	*p++ = '>';
	return p;
}

static char *put_rights(char *p, const uint8_t *record)
{
	uint32_t prot = get32(record + MMAP2_PROT);
	uint32_t flags = get32(record + MMAP2_FLAGS);

	*p++ = prot & PROT_READ ? 'r' : '-';
	*p++ = prot & PROT_WRITE ? 'w' : '-';
	*p++ = prot & PROT_EXEC ? 'x' : '-';
	*p++ = flags & MAP_SHARED ? 's' : 'p';
	return p;
}

/* "PERF_RECORD_MMAP2 PID/TID: [ADDR(LEN) @ OFFSET MAJ:MIN INO GEN]: r-xp " */
static char *put_mapping(char *p, const uint8_t *record, bool second)
{
	bool data = get16(record + HEADER_MISC) & PERF_RECORD_MISC_MMAP_DATA;

	p += sprintf(p,
		     "PERF_RECORD_MMAP%s %" PRId32 "/%" PRId32 ": [%#" PRIx64
		     "(%#" PRIx64 ") @ %#" PRIx64,
		     second ? "2" : "", (int32_t)get32(record + MMAP_PID),
		     (int32_t)get32(record + MMAP_TID),
		     get64(record + MMAP_ADDR), get64(record + MMAP_LEN),
		     get64(record + MMAP_PGOFF));
	if (second)
		p = put_file(text_string(p, " "), record);
	p = text_string(p, "]: ");
	if (second)
		p = put_rights(p, record);
	else
		*p++ = data ? 'r' : 'x';
	*p++ = ' ';
	return p;
}

size_t mapping_print(struct output *out, const struct pmscope_sample *mapping)
{
	const uint8_t *record = mapping->record;
	bool second = get32(record + HEADER_TYPE) == PERF_RECORD_MMAP2;
	size_t at = second ? MMAP2_NAME : MMAP_NAME;
	const char *name = (const char *)record + at;
	char *begin, *p;

	if (mapping->record_size <= at)
		return 0;
	begin = output_reserve(out, LINE_ROOM + mapping->record_size);
	if (!begin)
		return 0;
	p = put_mapping(begin, record, second);
	p = text_clean(p, name, strnlen(name, mapping->record_size - at));
	*p++ = '\n';
	output_commit(out, p);
	return p - begin;
}
