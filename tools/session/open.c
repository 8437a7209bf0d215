// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "event.h"
#include "system.h"

#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

/* How often, and how long, to wait for the exit of a child. */
#define EXIT_TRIES 20000
#define EXIT_NS	   50000

int perf_event_paranoid(void)
{
	char text[32];

	if (sysfs_read(text, sizeof(text),
		       "/proc/sys/kernel/perf_event_paranoid") < 0)
		return INT_MAX;
	return atoi(text);
}

void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static const char *why_permission(const struct perf_event_attr *attr,
				  pid_t task)
{
	int paranoid = perf_event_paranoid();

	if (paranoid == INT_MAX)
		return "perf events are not available to this process (no "
		       "/proc/sys/kernel/perf_event_paranoid, or a seccomp "
		       "filter)";
	if (paranoid > 2)
		return "kernel.perf_event_paranoid is above 2, so this kernel "
		       "lets only CAP_SYS_ADMIN use perf events; run as root, "
		       "or 'sysctl kernel.perf_event_paranoid=2' and give "
		       "CAP_PERFMON";
	if (task == -1 && paranoid > 0)
		return "events of all tasks need CAP_PERFMON (or root), or "
		       "'sysctl kernel.perf_event_paranoid=0'";
	if (!attr->exclude_kernel && paranoid > 1)
		return "counting the kernel needs CAP_PERFMON (or root), or "
		       "'sysctl kernel.perf_event_paranoid=1'; the modifier :u "
		       "excludes it";
	return "this needs CAP_PERFMON (or root) or a lower "
	       "kernel.perf_event_paranoid; or the task belongs to another "
	       "user";
}

static const char *why_unsupported(const struct perf_event_attr *attr)
{
	if (attr->inherit)
		return "the PMU does not support this, perhaps only not for "
		       "child processes: try --no-inherit";
	if (attr->sample_period)
		return "the PMU cannot sample this way";
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_idle)
		return "the PMU cannot exclude user, kernel or idle";
	return "the PMU or this CPU does not support this; 'pmscope doctor' "
	       "shows what it can do";
}

static const char *why(const struct perf_event_attr *attr, pid_t task, int code)
{
	switch (code) {
	case EACCES:
	case EPERM:
		return why_permission(attr, task);
	case EBUSY:
		if (!attr->sample_period)
			return "events of others hold its counters, those of "
			       "control groups too; count fewer at once, or "
			       "stop the others";
		return "another event uses the PMU exclusively; stop the other "
		       "recording";
	case EOPNOTSUPP:
		return why_unsupported(attr);
	case ENOENT:
		return "the PMU does not know this event, or this CPU has no "
		       "counter for it";
	case ENODEV:
	case ENXIO:
		return "the CPU is offline, or does not have this PMU";
	case EINVAL:
		return "the PMU or the kernel refuses these settings (the "
		       "kernel log may say which)";
	case E2BIG:
		return "the kernel is too old for one of the settings (config3 "
		       "needs 6.3, config4 6.17)";
	case ENOSPC:
		return "the group needs more counters than are free; use fewer "
		       "events, or stop other counting";
	case EMFILE:
	case ENFILE:
		return "too many open files; raise 'ulimit -n'";
	case EBADF:
		return "the directory of --cgroup is not a control group";
	case ESRCH:
		return "there is no such task";
	case ENOSYS:
		return "the kernel has no perf events";
	}
	return NULL;
}

static const char *place_of(pid_t task, int cpu, char *where, size_t size)
{
	*where = '\0';
	if (cpu >= 0)
		snprintf(where, size, " on CPU %d", cpu);
	else if (task > 0)
		snprintf(where, size, " of task %d", task);
	return where;
}

bool events_share(const struct listed_event *a, const struct listed_event *b)
{
	return a->pmu && b->pmu && !strcmp(a->pmu, b->pmu);
}

int group_explain(const struct listed_event *event, size_t size, size_t others,
		  pid_t task, int cpu, struct pmscope_error *err)
{
	char where[64];

	return pmscope_fail(err, EBUSY,
			    "the groups of this command together need more "
			    "counters than PMU %s%s has: the group of '%s' has "
			    "%zu event%s, the others have %zu; use fewer "
			    "events, or count one group after the other",
			    event->pmu,
			    place_of(task, cpu, where, sizeof(where)),
			    event->name, size, size == 1 ? "" : "s", others);
}

int event_explain(const struct listed_event *event, const union attr *attr,
		  pid_t task, int cpu, int code, struct pmscope_error *err)
{
	const char *reason = why(&attr->attr, task, code);
	char where[64];

	if (code == ESRCH && task > 0)
		return pmscope_fail(err, code, "task %d has ended", task);
	place_of(task, cpu, where, sizeof(where));
	return pmscope_fail(err, code, "event '%s'%s%s%s: %s%s%s", event->name,
			    event->pmu ? " of PMU " : "",
			    event->pmu ? event->pmu : "", where, strerror(code),
			    reason ? ": " : "", reason ? reason : "");
}

int event_open(const struct listed_event *event, const union attr *attr,
	       pid_t task, int cpu, int leader, struct pmscope_error *err)
{
	long fd;

	fd = syscall(SYS_perf_event_open, attr, task, cpu, leader,
		     PERF_FLAG_FD_CLOEXEC);
	return fd >= 0 ? fd : event_explain(event, attr, task, cpu, errno, err);
}

int event_open_cgroup(const struct listed_event *event, const union attr *attr,
		      int cgroup, int cpu, int leader,
		      struct pmscope_error *err)
{
	long fd;

	fd = syscall(SYS_perf_event_open, attr, cgroup, cpu, leader,
		     PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
	return fd >= 0 ? fd : event_explain(event, attr, -1, cpu, errno, err);
}

static const char *what_for(unsigned long request)
{
	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
		return "start";
	case PERF_EVENT_IOC_DISABLE:
		return "stop";
	default:
		return "change its sampling interval";
	}
}

static const char *why_no_more(int code)
{
	switch (code) {
	case ENODEV:
		return ": its PMU has disappeared (was the module unloaded?); "
		       "start again when it is back";
	case EACCES:
	case EPERM:
		return ": a security policy forbids it; the kernel log names "
		       "the policy";
	default:
		return "";
	}
}

int event_ioctl(const struct listed_event *event, int fd, unsigned long request,
		unsigned long arg, struct pmscope_error *err)
{
	if (!ioctl(fd, request, arg))
		return 0;
	return pmscope_fail(err, errno, "event '%s': cannot %s: %s%s",
			    event->name, what_for(request), strerror(errno),
			    why_no_more(errno));
}

ssize_t event_read(int fd, void *buf, size_t size)
{
	const struct timespec pause = {.tv_nsec = EXIT_NS};
	unsigned int tries = 0;
	ssize_t n;

	while ((n = read(fd, buf, size)) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != ECHILD || ++tries == EXIT_TRIES)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return n;
}
