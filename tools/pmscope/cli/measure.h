/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `pmscope stat`, `record` and `trace` share. */
#ifndef PMSCOPE_CLI_MEASURE_H
#define PMSCOPE_CLI_MEASURE_H

#include "cli/options.h"
#include "session/event.h"
#include "session/target.h"
#include "session/workload.h"

#include <poll.h>

/**
 * struct measure_options - whom to measure, as the options say
 */
struct measure_options {
	bool all;
	const char *cpus;
	const char *pids;
	const char *tids;
	bool no_inherit;
};

/* Option rows for struct measure_options, which is @member of @type. */
#define MEASURE_OPTIONS(type, member)                                    \
	{.name = "all-cpus",                                             \
	 .letter = 'a',                                                  \
	 .set = option_true,                                             \
	 .offset = offsetof(type, member.all),                           \
	 .help = "all tasks on all CPUs"},                               \
		{.name = "cpu",                                          \
		 .letter = 'C',                                          \
		 .arg = "CPUS",                                          \
		 .set = option_string,                                   \
		 .offset = offsetof(type, member.cpus),                  \
		 .help = "all tasks on these CPUs, for example 0-3,7"},  \
		{.name = "pid",                                          \
		 .letter = 'p',                                          \
		 .arg = "PIDS",                                          \
		 .set = option_string,                                   \
		 .offset = offsetof(type, member.pids),                  \
		 .help = "these running processes"},                     \
		{.name = "tid",                                          \
		 .letter = 't',                                          \
		 .arg = "TIDS",                                          \
		 .set = option_string,                                   \
		 .offset = offsetof(type, member.tids),                  \
		 .help = "these running threads"},                       \
	{                                                                \
		.name = "no-inherit", .letter = 'i', .set = option_true, \
		.offset = offsetof(type, member.no_inherit),             \
		.help = "leave out new threads and child processes"      \
	}

/**
 * measure_target() - find the CPUs or tasks that @options name
 * @program: a program is given; its task is not in @target yet, and is not to
 *	     be where others are named
 *
 * Return: 0, or -errno after an error was reported.
 */
int measure_target(const struct measure_options *options, bool program,
		   struct pmscope_target *target);

/* Is the program itself measured, because no other target is named? */
bool measure_follows(const struct measure_options *options, bool program);

/**
 * measure_open() - open events; for user space only where that is all we may
 * @open: opens @events for @run, with the words for a failure in @err
 * @said: the warning then; NULL: an error is final
 *
 * Return: what @open does; a failure was reported.
 */
int measure_open(struct pmscope_event_list *events,
		 int (*open)(void *run, struct pmscope_error *err), void *run,
		 const char *said);

/**
 * measure_leave_out_kernel() - measure user space only
 *
 * As perf does it: who may not see the kernel still sees user space.
 *
 * Return: false when that changes nothing.
 */
bool measure_leave_out_kernel(struct pmscope_event_list *events);

/**
 * measure_prepare() - make a program ready to run
 * @to_stderr: what it prints goes there, for standard output is ours
 * @target: gets its task; NULL when it is not what is measured
 *
 * Return: 0, -errno after an error was reported.
 */
int measure_prepare(struct pmscope_workload *workload, char *const *argv,
		    bool to_stderr, struct pmscope_target *target);

/* poll(2), which a signal may end; -errno after an error was reported. */
int measure_poll(struct pollfd *fds, size_t nr, int timeout_ms);

/**
 * measure_signals() - have SIGINT, SIGTERM, SIGHUP end the measuring, not the
 * tool
 *
 * So does SIGPIPE: nobody reads what is counted.  perf dies of it, and its
 * program runs on.
 *
 * Under nohup(1) the last stays without effect.
 *
 * Return: a descriptor that becomes readable with the first of them; -errno
 * after an error was reported.
 */
int measure_signals(void);

/* The number of the signal that made @fd readable; 0 when none did. */
int measure_signal_read(int fd);

/**
 * measure_start() - let the program run
 * @exit_status: set where it does not, as a shell would: 127 or 126
 *
 * Return: 0, -errno after an error was reported.
 */
int measure_start(struct pmscope_workload *workload, char *const *argv,
		  int *exit_status);

/**
 * measure_end() - wait for the program
 * @signal_fd: of measure_signals(): a signal kills what does not end when told
 * @exit_status: not 0: we were told to end, and so is the program; else set to
 *		 the program's as a shell gives it: 0-255, 128+N for signal N
 */
void measure_end(struct pmscope_workload *workload, int signal_fd,
		 int *exit_status);

/* Stop the program, if it still runs, after an error. */
void measure_abandon(struct pmscope_workload *workload, int signal_fd);

/**
 * measure_tell_gone() - tell of CPUs of @target that went offline meanwhile
 * @watch: of cpu_watch_open() before they were measured; or -errno of that:
 *	   those that came back are not told of then
 */
void measure_tell_gone(const struct pmscope_target *target, int watch);

#endif /* PMSCOPE_CLI_MEASURE_H */
