/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Starts a program to be measured. */
#ifndef PMSCOPE_SESSION_WORKLOAD_H
#define PMSCOPE_SESSION_WORKLOAD_H

#include "error.h"

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct pmscope_workload - a program that waits to be started
 * @pid: its process, which is the caller's child
 * @pidfd: readable when the process has ended
 *
 * Starts as zeros.
 */
struct pmscope_workload {
	pid_t pid;
	int pidfd;
	int waits;
	int go;
	int failed;
};

/**
 * pmscope_workload_prepare() - fork a child that waits before it execs @argv
 * @to_stderr: redirect the program's standard output to standard error
 *
 * The program does not inherit the caller's blocked signals. While it waits,
 * they stay blocked; pending ones are delivered when it is started.
 */
int pmscope_workload_prepare(struct pmscope_workload *workload,
			     char *const *argv, bool to_stderr,
			     struct pmscope_error *err);

/**
 * pmscope_workload_start() - let it exec
 *
 * Return: 0, or -errno of a failed exec; then the process has ended.
 */
int pmscope_workload_start(struct pmscope_workload *workload,
			   struct pmscope_error *err);

/**
 * pmscope_workload_wait() - wait for its end
 *
 * Return: a status as from waitpid(2), -errno.
 */
int pmscope_workload_wait(struct pmscope_workload *workload, int *status);

/* Asks it to end, even if it is stopped or not started yet. */
void pmscope_workload_end(struct pmscope_workload *workload);

/* Ends the program and waits for it, unless that was done before. */
void pmscope_workload_free(struct pmscope_workload *workload);

#endif /* PMSCOPE_SESSION_WORKLOAD_H */
