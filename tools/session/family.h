/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Processes and their descendants, as /proc shows them. */
#pragma once

#include "target.h"

/**
 * struct family - processes that were seen; starts as zeros
 *
 * A descendant whose parent ended before it was seen is not found.
 */
struct family {
	pid_t *pid;
	size_t nr;
};

/* Adds the processes of the tasks of @target. 0, -ENOMEM. */
int family_add(struct family *family, const struct target *target);

/*
 * Makes the tasks of @target all threads that the family has now, its new
 * members included. 0, -ENOMEM.
 */
int family_tasks(struct family *family, struct target *target);

void family_free(struct family *family);
