/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Processes and their descendants, as /proc shows them. */
#ifndef PMSCOPE_SESSION_FAMILY_H
#define PMSCOPE_SESSION_FAMILY_H

#include "target.h"

/**
 * struct pmscope_family - processes that were seen; starts as zeros
 *
 * A descendant whose parent ended before it was seen is not found.
 */
struct pmscope_family {
	pid_t *pid;
	size_t nr;
};

/* Adds the processes of the tasks of @target. 0, -ENOMEM. */
int pmscope_family_add(struct pmscope_family *family,
		       const struct pmscope_target *target);

/*
 * Makes the tasks of @target all threads that the family has now, its new
 * members included. 0, -ENOMEM.
 */
int pmscope_family_tasks(struct pmscope_family *family,
			 struct pmscope_target *target);

void pmscope_family_free(struct pmscope_family *family);

#endif /* PMSCOPE_SESSION_FAMILY_H */
