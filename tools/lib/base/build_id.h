/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The lengths of build-ids in recordings. */
#ifndef PMSCOPE_BASE_BUILD_ID_H
#define PMSCOPE_BASE_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BUILD_ID_MAX 20

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
	size_t both = length < size ? length : size;

	if (!length || (length > size && size < BUILD_ID_MAX))
		return false;
	while (size > both && !recorded[size - 1])
		size--;
	return size == both && !memcmp(recorded, id, both);
}

#endif /* PMSCOPE_BASE_BUILD_ID_H */
