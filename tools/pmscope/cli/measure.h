/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by `pmscope stat`, `record` and `trace`. */
#pragma once

#include "cli/cli.h"
#include "session/event.h"

#include <poll.h>

struct measure_options {
	bool all;
	const char *cpus;
	const char *pids;
	const char *tids;
	bool no_inherit;
};

/* Rows for a CONFIG with a struct measure_options, measure. */
/* clang-format off */
#define MEASURE_OPTIONS \
	FLAG("all-cpus", 'a', measure.all, "all tasks on all CPUs"), \
	OPT("cpu", 'C', "CPUS", measure.cpus, string, \
	    "all tasks on these CPUs, for example 0-3,7"), \
	OPT("pid", 'p', "PIDS", measure.pids, string, \
	    "these running processes"), \
	OPT("tid", 't', "TIDS", measure.tids, string, \
	    "these running threads"), \
	FLAG("no-inherit", 'i', measure.no_inherit, \
	    "leave out new threads and child processes")
/* clang-format on */

/*
 * Finds the CPUs or tasks that @options name. @program: a program is given; its
 * task is not in @target yet, and will not be added if the options name others.
 * Returns 0, or -errno after an error was reported.
 */
int measure_target(const struct measure_options *options, bool program,
		   struct target *target);

/* Is the program itself measured, because no other target is named? */
bool measure_follows(const struct measure_options *options, bool program);

/*
 * Opens events, limited to user space if permissions require it. @open: opens
 * @events for @run; sets @err on failure. @said: the warning to print then;
 * NULL: do not retry with user space. Returns the result of @open; a failure
 * was reported.
 */
int measure_open(struct event_list *events,
		 int (*open)(void *run, struct pmscope_error *err), void *run,
		 const char *said);

/*
 * Measures user space only. As in perf: a user without permission for the
 * kernel can still measure user space. Returns false if nothing changed.
 */
bool measure_leave_out_kernel(struct event_list *events);

/*
 * Makes a program ready to run. @to_stderr: redirect its standard output to
 * standard error. @target: its task is added here; NULL if the program is not
 * measured. Returns 0, -errno after an error was reported.
 */
int measure_prepare(struct workload *workload, char *const *argv,
		    bool to_stderr, struct target *target);

/* poll(2); a signal may end it. Returns -errno after reporting an error. */
int measure_poll(struct pollfd *fds, size_t nr, int timeout_ms);

/*
 * Lets SIGINT, SIGTERM, SIGHUP and SIGPIPE end the measurement, not the tool.
 * SIGPIPE means that nobody reads the output. (It kills perf, whose program
 * then keeps running.) SIGHUP stays ignored under nohup(1). Returns a
 * descriptor that becomes readable at the first signal; -errno after an error
 * was reported.
 */
int measure_signals(void);

/* A descriptor for signals of @set, which are blocked; -errno after error(). */
int measure_signal_open(const sigset_t *set);

/* The number of the signal that made @fd readable, or 0. */
int measure_signal_read(int fd);

/*
 * Lets the program run. @exit_status: set if it cannot run, to 127 or 126 as in
 * a shell. Returns 0, -errno after an error was reported.
 */
int measure_start(struct workload *workload, char *const *argv,
		  int *exit_status);

/*
 * Waits for the program. @signal_fd: from measure_signals(); a signal kills a
 * program that does not end when asked to. @exit_status: if not 0, a signal
 * ended the measurement: ask the program to end; else set to its status as in a
 * shell: 128+N for signal N.
 */
void measure_end(struct workload *workload, int signal_fd, int *exit_status);

/* Ends the program, if it is still running, after an error. */
void measure_abandon(struct workload *workload, int signal_fd);

/*
 * Reports CPUs of @target that went offline meanwhile. @watch: result of
 * cpu_watch_open() before the measurement; if it is -errno, CPUs that came back
 * are not reported.
 */
void measure_tell_gone(const struct target *target, int watch);
