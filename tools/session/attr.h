/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * perf_event_attr, independent of the age of the <linux/perf_event.h> that we
 * build with.
 */
#pragma once

#include "base/std.h"

#include <linux/perf_event.h>

/* Up to sig_data (Linux 5.13), then config3 (6.3) and config4 (6.17). */
#define PMSCOPE_ATTR_SIZE_BASE	  128
#define PMSCOPE_ATTR_SIZE_CONFIG3 136
#define PMSCOPE_ATTR_SIZE_CONFIG4 144

#define PMSCOPE_ATTR_CONFIGS 5

/**
 * union attr - the attributes of an event, with room for new members
 */
union attr {
	struct perf_event_attr attr;
	uint64_t word[PMSCOPE_ATTR_SIZE_CONFIG4 / 8];
};

/* attr.config for @index 0, attr.config1 for 1, and so on up to 4. */
static inline uint64_t *attr_config(union attr *attr, unsigned int index)
{
	static const unsigned char word[PMSCOPE_ATTR_CONFIGS] = {
		offsetof(struct perf_event_attr, config) / 8,
		offsetof(struct perf_event_attr, config1) / 8,
		offsetof(struct perf_event_attr, config2) / 8,
		PMSCOPE_ATTR_SIZE_BASE / 8,
		PMSCOPE_ATTR_SIZE_CONFIG3 / 8,
	};

	return &attr->word[word[index]];
}

/*
 * Sets attr.size to the oldest layout that holds all set fields: kernels and
 * perf tools refuse a layout that is longer than the one they know.
 */
static inline void attr_set_size(union attr *attr)
{
	if (*attr_config(attr, 4))
		attr->attr.size = PMSCOPE_ATTR_SIZE_CONFIG4;
	else if (*attr_config(attr, 3))
		attr->attr.size = PMSCOPE_ATTR_SIZE_CONFIG3;
	else
		attr->attr.size = PMSCOPE_ATTR_SIZE_BASE;
}
