// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "pmu_type.h"
#include "reader.h"

#include <string.h>

/* The type and the length of the name, which follows. */
#define HEAD 8

/* The feature is a count of PMUs, then the PMUs; names are zero-padded. */
bool pmu_type_find(const struct pmscope_perfdata *reader, const char *name,
		   uint32_t *type)
{
	size_t size, at = sizeof(uint32_t), length;
	const uint8_t *data = pmscope_perfdata_feature_data(
		reader, PMSCOPE_FEATURE_PMU_MAPPINGS, &size);

	for (; data && at <= size && size - at >= HEAD; at += HEAD + length) {
		const char *text = (const char *)data + at + HEAD;

		length = get32(data + at + 4);
		if (length > size - at - HEAD)
			return false;
		if (strnlen(text, length) == strlen(name) &&
		    !memcmp(text, name, strlen(name))) {
			*type = get32(data + at);
			return true;
		}
	}
	return false;
}
