/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include "system.h"

/* The measured CPUs or tasks. */

/* Tasks, or CPUs with all their tasks. Starts as zeros. */
struct target {
	bool system_wide;    /* all tasks of @cpus; @task is empty */
	bool in_cgroup;	     /* only tasks of a control group */
	int cgroup;	     /* of its directory, if @in_cgroup */
	struct cpulist cpus; /* the CPUs to measure on */
	pid_t *task;	     /* threads, each once */
	size_t nr_tasks;
};

/*
 * Chooses CPUs. @list: "0-3", or NULL for all that are online. @system_wide:
 * measure all tasks on them. Returns 0; -EINVAL for a bad list, or one without
 * an online CPU; -ENOMEM.
 */
int target_cpus(struct target *target, const char *list, bool system_wide,
		struct pmscope_error *err);

/* Adds the threads of "PID,PID"; -EINVAL, -ESRCH, -ENOMEM. */
int target_processes(struct target *target, const char *pids,
		     struct pmscope_error *err);

/* Adds "TID,TID"; -EINVAL, -ESRCH, -ENOMEM. */
int target_threads(struct target *target, const char *tids,
		   struct pmscope_error *err);

/*
 * Opens the directory of control group @name, "" for the first one. Returns -1
 * and sets errno; then @path, which has room for PATH_MAX, is where it should
 * be.
 */
int cgroup_open(const char *name, char *path);

/* Only tasks of this control group, "NAME" or "/PATH"; -errno of open(2). */
int target_cgroup(struct target *target, const char *name,
		  struct pmscope_error *err);

/* Adds one thread; -ENOMEM. */
int target_add(struct target *target, pid_t task);

/* True while one of the tasks runs; an unreaped task counts as ended. */
bool target_alive(const struct target *target);

void target_free(struct target *target);

/* Processes and their descendants, as /proc shows them. */

/* Starts as zeros. Not found: if the parent ended before it was seen. */
struct family {
	pid_t *pid;
	size_t nr;
};

/* Adds the processes of the tasks of @target. 0, -ENOMEM. */
int family_add(struct family *family, const struct target *target);

/* Makes the tasks all threads of the family, new members too. 0, -ENOMEM. */
int family_tasks(struct family *family, struct target *target);

void family_free(struct family *family);

/* Starts a program to be measured. */

/* A program that waits to be started. Starts as zeros. */
struct workload {
	pid_t pid; /* its process, which is the caller's child */
	int pidfd; /* readable when the process has ended */
	int waits;
	int go;
	int failed;
};

/*
 * Forks a child that waits before it execs @argv. @to_stderr: redirect the
 * program's standard output to standard error. The program does not inherit the
 * caller's blocked signals. While it waits, they stay blocked; pending ones are
 * delivered when it is started.
 */
int workload_prepare(struct workload *workload, char *const *argv,
		     bool to_stderr, struct pmscope_error *err);

/* Lets it exec. 0, or -errno of a failed exec; then it has ended. */
int workload_start(struct workload *workload, struct pmscope_error *err);

/* Waits for its end. Returns a status as from waitpid(2), -errno. */
int workload_wait(struct workload *workload, int *status);

/* Asks it to end, even if it is stopped or not started yet. */
void workload_end(struct workload *workload);

/* Ends the program and waits for it, unless that was done before. */
void workload_free(struct workload *workload);
