/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The lengths of build-ids in recordings. */
#pragma once

#include "text.h"

#define BUILD_ID_MAX  20
#define BUILD_ID_TEXT (2 * BUILD_ID_MAX + 1)

/*
 * Linkers write build-ids of 8, 16 or 20 bytes. Records have room for 20, and
 * most do not contain the true length, so derive it from the zero padding.
 */
static inline uint8_t build_id_size(const uint8_t *id)
{
	static const uint8_t zeros[8];

	if (memcmp(id + 16, zeros, BUILD_ID_MAX - 16) != 0)
		return BUILD_ID_MAX;
	return memcmp(id + 8, zeros, 8) ? 16 : 8;
}

/*
 * Does @recorded (@size bytes) match a file's build-id @id (@length bytes)? A
 * record truncates long build-ids and may pad short ones with zeros.
 */
static inline bool build_id_is(const uint8_t *recorded, size_t size,
			       const uint8_t *id, size_t length)
{
	size_t both = MIN(length, size);

	if (!length || (length > size && size < BUILD_ID_MAX))
		return false;
	while (size > both && !recorded[size - 1])
		size--;
	return size == both && !memcmp(recorded, id, both);
}

/* Writes it in hexadecimal, with a NUL: 2 * @size + 1 bytes. */
static inline void build_id_text(char *hex, const uint8_t *id, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hex = text_hex(hex, id[i], 2);
	*hex = '\0';
}
