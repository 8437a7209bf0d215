// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/measure.h"
#include "session/cpu_watch.h"

#include <sys/signalfd.h>

/* How long to wait for a program to end before printing a message. */
#define PATIENCE_MS 1000

bool measure_follows(const struct measure_options *options, bool program)
{
	return program && !options->all && !options->cpus && !options->pids &&
	       !options->tids;
}

static int check_options(const struct measure_options *options, bool program)
{
	bool cpus = options->all || options->cpus;
	bool tasks = options->pids || options->tids;

	if (cpus && tasks)
		error("-a and -C (CPUs) cannot be combined with -p and -t "
		      "(tasks)");
	else if (!cpus && !tasks && !program)
		error("nothing to measure: give a command, or -a, -C, -p or "
		      "-t");
	else
		return 0;
	return -EINVAL;
}

/* perf fails then; what else was named is measured all the same. */
static void warn_offline(const char *list, const struct target *target)
{
	struct cpulist named = {};

	if (!cpulist_parse(list, &named) && named.nr > target->cpus.nr)
		warning("skipping %zu offline CPUs of '%s'",
			named.nr - target->cpus.nr, list);
	cpulist_free(&named);
}

int measure_target(const struct measure_options *options, bool program,
		   struct target *target)
{
	struct pmscope_error err = {};
	int ret;

	ret = check_options(options, program);
	if (ret)
		return ret;
	ret = target_cpus(target, options->cpus, options->all || options->cpus,
			  &err);
	if (!ret && options->cpus)
		warn_offline(options->cpus, target);
	if (!ret && options->pids)
		ret = target_processes(target, options->pids, &err);
	if (!ret && options->tids)
		ret = target_threads(target, options->tids, &err);
	if (ret)
		target_free(target);
	return told(ret, &err);
}

int measure_signal_open(const sigset_t *set)
{
	int fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);

	if (fd >= 0)
		return fd;
	fd = -errno;
	error("signalfd: %s", strerror(-fd));
	return fd;
}

int measure_signals(void)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGPIPE);
	/* A signal that is blocked and ignored could still be read. */
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return measure_signal_open(&set);
}

int measure_signal_read(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info)
		       ? (int)info.ssi_signo
		       : 0;
}

int measure_poll(struct pollfd *fds, size_t nr, int timeout_ms)
{
	int code;

	if (poll(fds, nr, timeout_ms) >= 0 || errno == EINTR)
		return 0;
	code = errno;
	error("cannot wait for data and signals: %s", strerror(code));
	return -code;
}

int measure_prepare(struct workload *workload, char *const *argv,
		    bool to_stderr, struct target *target)
{
	struct pmscope_error err = {};
	int ret = workload_prepare(workload, argv, to_stderr, &err);

	if (!ret && target && target_add(target, workload->pid))
		ret = pmscope_fail_nomem(&err);
	return told(ret, &err);
}

int measure_start(struct workload *workload, char *const *argv,
		  int *exit_status)
{
	struct pmscope_error err = {};
	int ret = workload_start(workload, &err);

	if (ret) {
		error("cannot run '%s': %s", argv[0], err.text);
		*exit_status = ret == -ENOENT ? 127 : 126;
	}
	return ret;
}

/* It may have to tidy up, or may not listen: the user knows which. */
static void end_program(struct workload *workload, int signal_fd)
{
	struct pollfd fds[] = {
		{.fd = workload->pidfd, .events = POLLIN},
		{.fd = signal_fd, .events = POLLIN},
	};
	bool warned = false;

	workload_end(workload);
	while (!measure_poll(fds, 2, warned ? -1 : PATIENCE_MS) &&
	       !fds[0].revents) {
		if (fds[1].revents) {
			/* Before that it may be the same signal, sent twice. */
			if (measure_signal_read(signal_fd) && warned)
				kill(workload->pid, SIGKILL);
			continue;
		}
		if (!warned)
			warning("the program is still running; another signal "
				"(Ctrl-C) kills it");
		warned = true;
	}
}

void measure_end(struct workload *workload, int signal_fd, int *exit_status)
{
	int status;

	/* A signal for us is one for the program; a no-op when it has ended. */
	if (*exit_status)
		end_program(workload, signal_fd);
	if (!workload_wait(workload, &status) && !*exit_status)
		*exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						   : WEXITSTATUS(status);
}

void measure_abandon(struct workload *workload, int signal_fd)
{
	if (!workload->pid)
		return;
	end_program(workload, signal_fd);
	workload_free(workload);
}

static void warn_gone(size_t gone, size_t back)
{
	char words[64] = "";

	if (back)
		snprintf(words, sizeof(words),
			 "; %zu came back and %s not measured again", back,
			 back == 1 ? "was" : "were");
	if (gone)
		warning("%zu CPU%s went offline; measured until then%s", gone,
			gone == 1 ? "" : "s", words);
}

void measure_tell_gone(const struct target *target, int watch)
{
	bool went[PMSCOPE_CPU_MAX] = {};
	struct cpulist online = {};
	size_t gone = 0, back = 0;

	if (!target->system_wide || cpulist_online(&online))
		return;
	if (watch >= 0)
		cpu_watch_read(watch, went);
	for (size_t i = 0; i < target->cpus.nr; i++) {
		int cpu = target->cpus.cpu[i];
		bool is_on = cpulist_has(&online, cpu);

		gone += went[cpu] || !is_on;
		back += went[cpu] && is_on;
	}
	warn_gone(gone, back);
	cpulist_free(&online);
}

bool measure_leave_out_kernel(struct event_list *events)
{
	bool changed = false;

	for (size_t i = 0; i < events->nr; i++) {
		struct perf_event_attr *attr = &events->event[i].attr.attr;

		changed |= !attr->exclude_kernel && !attr->exclude_user;
		attr->exclude_kernel = 1;
		attr->exclude_hv = 1;
	}
	return changed;
}

/* Once, although events may be opened again. */
static void warn_wrong(const struct event_list *events)
{
	static bool warned;
	char text[160];

	for (size_t i = 0; i < events->nr && !warned; i++)
		if (verified_find(&events->event[i], text, sizeof(text)))
			warning("%s on this machine: see 'pmscope doctor "
				"--verify'",
				text);
	warned = true;
}

int measure_open(struct event_list *events,
		 int (*open)(void *run, struct pmscope_error *err), void *run,
		 const char *said)
{
	struct pmscope_error err = {};
	int ret = open(run, &err);

	warn_wrong(events);
	if (ret == -EACCES && said && measure_leave_out_kernel(events)) {
		ret = open(run, &err);
		if (!ret)
			warning("%s", said);
	}
	return told(ret, &err);
}
