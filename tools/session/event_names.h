/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The names of PMUv3 events, also those that sysfs does not list. */
#pragma once

#include "base/std.h"

/* How to know that a CPU has an event. */
enum event_source {
	PMSCOPE_EVENT_LISTED, /* PMCEID<n>_EL0, and so sysfs */
	PMSCOPE_EVENT_COMMON, /* the CPU's manual; one meaning on all CPUs */
	PMSCOPE_EVENT_ARM,    /* the same, for CPUs made by Arm */
};

struct pmscope_event_name {
	const char *name;
	uint16_t number;
	enum event_source source;
	const char *text;
};

/* All names, ascending within each source. */
const struct pmscope_event_name *event_names(size_t *nr);

/**
 * event_name_find() - an event by name
 * @midr: MIDR_EL1 of the CPU; 0 when it is not known
 *
 * Return: NULL if no event of this name exists for CPUs of that implementer.
 */
const struct pmscope_event_name *event_name_find(const char *name,
						 uint64_t midr);
