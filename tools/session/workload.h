/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Starts a program to be measured. */
#pragma once

#include "base/std.h"
#include "error.h"

/**
 * struct workload - a program that waits to be started
 * @pid: its process, which is the caller's child
 * @pidfd: readable when the process has ended
 *
 * Starts as zeros.
 */
struct workload {
	pid_t pid;
	int pidfd;
	int waits;
	int go;
	int failed;
};

/**
 * workload_prepare() - fork a child that waits before it execs @argv
 * @to_stderr: redirect the program's standard output to standard error
 *
 * The program does not inherit the caller's blocked signals. While it waits,
 * they stay blocked; pending ones are delivered when it is started.
 */
int workload_prepare(struct workload *workload, char *const *argv,
		     bool to_stderr, struct pmscope_error *err);

/*
 * Lets it exec. Returns 0, or -errno of a failed exec; then the process has
 * ended.
 */
int workload_start(struct workload *workload, struct pmscope_error *err);

/* Waits for its end. Returns a status as from waitpid(2), -errno. */
int workload_wait(struct workload *workload, int *status);

/* Asks it to end, even if it is stopped or not started yet. */
void workload_end(struct workload *workload);

/* Ends the program and waits for it, unless that was done before. */
void workload_free(struct workload *workload);
