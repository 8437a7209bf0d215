/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Numbers of DWARF; behind the end all are 0. */
#ifndef PMSCOPE_SYMBOLS_DWARF_BYTES_H
#define PMSCOPE_SYMBOLS_DWARF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As libdw has unpacked it; NULL, without a byte: there is none. */
struct dwarf_section {
	const uint8_t *data;
	uint64_t size;
};

struct dwarf_bytes {
	const uint8_t *at;
	const uint8_t *end;
	bool big_endian;
};

static inline uint64_t dwarf_left(const struct dwarf_bytes *b)
{
	return b->end - b->at;
}

static inline void dwarf_skip(struct dwarf_bytes *b, uint64_t size)
{
	b->at = size < dwarf_left(b) ? b->at + size : b->end;
}

/* Little-endian, until it is said otherwise. */
static inline struct dwarf_bytes dwarf_at(const struct dwarf_section *section,
					  uint64_t offset)
{
	struct dwarf_bytes b = {section->data, section->data, false};

	if (section->size)
		b.end += section->size;
	dwarf_skip(&b, offset);
	return b;
}

/* One of @size bytes, 8 at most. */
static inline uint64_t dwarf_number(struct dwarf_bytes *b, unsigned int size)
{
	uint64_t value = 0;

	if (size > dwarf_left(b)) {
		b->at = b->end;
		return 0;
	}
	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)b->at[b->big_endian ? size - 1 - i : i]
			 << (8 * i);
	b->at += size;
	return value;
}

static inline uint64_t dwarf_uleb128(struct dwarf_bytes *b)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	while (b->at < b->end) {
		uint8_t byte = *b->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			return value;
	}
	return 0;
}

#endif /* PMSCOPE_SYMBOLS_DWARF_BYTES_H */
