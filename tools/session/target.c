// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "target.h"
#include "base/containers.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

int target_cpus(struct target *target, const char *list, bool system_wide,
		struct pmscope_error *err)
{
	struct cpulist online = {}, cpus = {};
	int ret;

	ret = cpulist_online(&online);
	if (ret)
		return pmscope_fail(err, -ret,
				    "/sys/devices/system/cpu/online: %s",
				    strerror(-ret));
	ret = list ? cpulist_parse(list, &cpus) : cpulist_copy(&cpus, &online);
	if (ret == -ENOMEM)
		ret = pmscope_fail_nomem(err);
	else if (ret)
		pmscope_fail(err, -ret, "'%s' is not a list of CPUs like 0-3,7",
			     list);
	if (!ret) {
		cpulist_intersect(&cpus, &online);
		if (!cpus.nr)
			ret = pmscope_fail(err, EINVAL,
					   "no CPU of '%s' is online", list);
	}
	cpulist_free(&online);
	if (ret) {
		cpulist_free(&cpus);
		return ret;
	}
	cpulist_free(&target->cpus);
	target->cpus = cpus;
	target->system_wide = system_wide;
	return 0;
}

int target_add(struct target *target, pid_t task)
{
	for (size_t i = 0; i < target->nr_tasks; i++)
		if (target->task[i] == task)
			return 0;
	if (array_one_more(target->task, target->nr_tasks))
		return -ENOMEM;
	target->task[target->nr_tasks++] = task;
	return 0;
}

/* The next number of "12,34"; 0 at the end, -EINVAL. */
static int next_id(const char **text, pid_t *id)
{
	char *end;
	long n;

	if (!**text)
		return 0;
	errno = 0;
	n = strtol(*text, &end, 10);
	if (errno || end == *text || n <= 0 || n > INT_MAX ||
	    (*end && (*end != ',' || !end[1])))
		return -EINVAL;
	*text = *end ? end + 1 : end;
	*id = n;
	return 1;
}

static int add_threads_of(struct target *target, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	int ret = 0, found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while (!ret && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);

		if (tid <= 0)
			continue;
		ret = target_add(target, tid);
		found = 1;
	}
	closedir(dir);
	return ret || found ? ret : -ESRCH;
}

static int add_thread(struct target *target, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", tid, tid);
	if (access(path, F_OK)) {
		/* Only the first thread has a directory in /proc. */
		snprintf(path, sizeof(path), "/proc/%d", tid);
		if (access(path, F_OK))
			return -ESRCH;
	}
	return target_add(target, tid);
}

static int add_ids(struct target *target, const char *text,
		   int (*add)(struct target *, pid_t), const char *what,
		   struct pmscope_error *err)
{
	const char *pos = text;
	pid_t id;
	int ret;

	if (!*text)
		return pmscope_fail(err, EINVAL, "no %s was given", what);
	while ((ret = next_id(&pos, &id)) > 0) {
		ret = add(target, id);
		if (ret == -ESRCH)
			return pmscope_fail(err, ESRCH, "there is no %s %d",
					    what, id);
		if (ret)
			return pmscope_fail_nomem(err);
	}
	if (ret)
		return pmscope_fail(err, EINVAL, "'%s' is not a %s number",
				    text, what);
	return 0;
}

int target_processes(struct target *target, const char *pids,
		     struct pmscope_error *err)
{
	return add_ids(target, pids, add_threads_of, "process", err);
}

int target_threads(struct target *target, const char *tids,
		   struct pmscope_error *err)
{
	return add_ids(target, tids, add_thread, "thread", err);
}

/* The unified hierarchy (version 2), or that of perf_event (version 1). */
int cgroup_open(const char *name, char *path)
{
	static const char *const roots[] = {"/sys/fs/cgroup/perf_event",
					    "/sys/fs/cgroup"};
	int fd = -1;

	while (*name == '/' && strncmp(name, "/sys/", 5) != 0)
		name++;
	for (size_t i = 0; i < 2 && fd < 0; i++) {
		snprintf(path, PATH_MAX, "%s%s%s", *name == '/' ? "" : roots[i],
			 *name == '/' ? "" : "/", name);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return fd;
}

int target_cgroup(struct target *target, const char *name,
		  struct pmscope_error *err)
{
	const char *given = name;
	char path[PATH_MAX];
	int fd = cgroup_open(name, path);

	if (fd < 0)
		return pmscope_fail(err, errno, "control group '%s': %s: %s",
				    given, path, strerror(errno));
	target->in_cgroup = true;
	target->cgroup = fd;
	return 0;
}

/*
 * An ended process exists until its parent reaps it. Other threads than the
 * first do not, and have no such descriptor.
 */
static bool has_ended(pid_t task)
{
	struct pollfd end = {.fd = syscall(SYS_pidfd_open, task, 0),
			     .events = POLLIN};
	bool ended;

	if (end.fd < 0)
		return false;
	ended = poll(&end, 1, 0) > 0;
	close(end.fd);
	return ended;
}

static bool is_alive(pid_t task)
{
	return (!kill(task, 0) || errno == EPERM) && !has_ended(task);
}

bool target_alive(const struct target *target)
{
	for (size_t i = 0; i < target->nr_tasks; i++)
		if (is_alive(target->task[i]))
			return true;
	return false;
}

void target_free(struct target *target)
{
	cpulist_free(&target->cpus);
	free(target->task);
	if (target->in_cgroup)
		close(target->cgroup);
	memset(target, 0, sizeof(*target));
}

static bool has(const struct family *family, pid_t pid)
{
	for (size_t i = 0; i < family->nr; i++)
		if (family->pid[i] == pid)
			return true;
	return false;
}

static int add(struct family *family, pid_t pid)
{
	if (pid <= 0 || has(family, pid))
		return 0;
	if (array_one_more(family->pid, family->nr))
		return -ENOMEM;
	family->pid[family->nr++] = pid;
	return 0;
}

/* The process of a task; 0 if it has ended. */
static pid_t process_of(pid_t tid)
{
	char path[64], line[128];
	pid_t pid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!pid && fgets(line, sizeof(line), file))
		sscanf(line, "Tgid: %d", &pid);
	fclose(file);
	return pid;
}

int family_add(struct family *family, const struct target *target)
{
	int ret = 0;

	for (size_t i = 0; i < target->nr_tasks && !ret; i++)
		ret = add(family, process_of(target->task[i]));
	return ret;
}

static void forget_ended(struct family *family)
{
	size_t kept = 0;

	for (size_t i = 0; i < family->nr; i++)
		if (process_of(family->pid[i]))
			family->pid[kept++] = family->pid[i];
	family->nr = kept;
}

/* The children of one thread; none without CONFIG_PROC_CHILDREN. */
static int add_children_of(struct family *family, pid_t pid, pid_t tid)
{
	char path[64];
	int ret = 0, child;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!ret && fscanf(file, "%d", &child) == 1)
		ret = add(family, child);
	fclose(file);
	return ret;
}

static int add_children(struct family *family, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	int ret = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return 0;
	while (!ret && (entry = readdir(tasks)))
		if (atoi(entry->d_name) > 0)
			ret = add_children_of(family, pid, atoi(entry->d_name));
	closedir(tasks);
	return ret;
}

static int add_threads(struct target *target, pid_t pid)
{
	struct pmscope_error err;
	char text[16];
	int ret;

	snprintf(text, sizeof(text), "%d", pid);
	ret = target_processes(target, text, &err);
	return ret == -ENOMEM ? ret : 0;
}

int family_tasks(struct family *family, struct target *target)
{
	int ret = 0;

	/* Children are added behind their parents, and so looked at, too. */
	for (size_t i = 0; i < family->nr && !ret; i++)
		ret = add_children(family, family->pid[i]);
	forget_ended(family);
	target->nr_tasks = 0;
	for (size_t i = 0; i < family->nr && !ret; i++)
		ret = add_threads(target, family->pid[i]);
	return ret;
}

void family_free(struct family *family)
{
	free(family->pid);
	*family = (struct family){};
}
