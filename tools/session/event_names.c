// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "pmu.h"

#define MIDR_IMPLEMENTER(midr) ((midr) >> 24 & 0xff)
#define IMPLEMENTER_ARM	       0x41

static const struct pmscope_event_name names[] = {
#define PMSCOPE_EVENT(name, number, text) \
	{#name, number, PMSCOPE_EVENT_LISTED, text},
#include <events/pmuv3.def>
#undef PMSCOPE_EVENT
#define PMSCOPE_EVENT(name, number, text) \
	{#name, number, PMSCOPE_EVENT_COMMON, text},
#include <events/pmuv3_more.def>
#undef PMSCOPE_EVENT
#define PMSCOPE_EVENT(name, number, text) \
	{#name, number, PMSCOPE_EVENT_ARM, text},
#include <events/arm.def>
#undef PMSCOPE_EVENT
};

const struct pmscope_event_name *event_names(size_t *nr)
{
	*nr = ARRAY_SIZE(names);
	return names;
}

const struct pmscope_event_name *event_name_find(const char *name,
						 uint64_t midr)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcasecmp(names[i].name, name))
			continue;
		if (names[i].source == PMSCOPE_EVENT_ARM &&
		    MIDR_IMPLEMENTER(midr) != IMPLEMENTER_ARM)
			continue;
		return &names[i];
	}
	return NULL;
}
