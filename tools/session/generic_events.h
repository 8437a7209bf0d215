/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* perf's generic events, by name. */
#ifndef PMSCOPE_SESSION_GENERIC_EVENTS_H
#define PMSCOPE_SESSION_GENERIC_EVENTS_H

struct pmscope_generic_event {
	const char *name;
	unsigned int type;
	unsigned int config;
};

/* NULL if there is no event of this name. */
const struct pmscope_generic_event *pmscope_generic_software(const char *name);
const struct pmscope_generic_event *pmscope_generic_hardware(const char *name);

/*
 * The event that arm_pmuv3 uses for a generic event; other names are returned
 * unchanged.
 */
const char *pmscope_generic_arm_name(const char *name);

#endif /* PMSCOPE_SESSION_GENERIC_EVENTS_H */
