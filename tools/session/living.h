/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The processes that have begun, and those of them that are still there. */
#ifndef PMSCOPE_SESSION_LIVING_H
#define PMSCOPE_SESSION_LIVING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/types.h>

/* Sorted. Starts as zeros. */
struct pmscope_living {
	pid_t *pid;
	size_t nr;
	size_t max;
};

/* Adds the process of a FORK or COMM. Returns 0 or -ENOMEM. */
int pmscope_living_note(struct pmscope_living *living,
			const struct perf_event_header *record);

/*
 * Drops those that have ended. Adding does this before it takes more memory.
 * EXIT records do not serve: rings are read one after another, so an exit may
 * be seen before its fork.
 */
void pmscope_living_prune(struct pmscope_living *living);

void pmscope_living_free(struct pmscope_living *living);

#endif /* PMSCOPE_SESSION_LIVING_H */
