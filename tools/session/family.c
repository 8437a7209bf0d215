// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "family.h"
#include "base/array.h"

#include <dirent.h>

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

/* The number after @key in /proc/PID/status; 0 if the task has ended. */
static pid_t status_number(pid_t pid, const char *key)
{
	char path[64], line[128];
	pid_t number = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!number && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			number = atoi(line + strlen(key));
	fclose(file);
	return number;
}

int family_add(struct family *family, const struct target *target)
{
	int ret = 0;

	for (size_t i = 0; i < target->nr_tasks && !ret; i++)
		ret = add(family, status_number(target->task[i], "Tgid:"));
	return ret;
}

static void forget_ended(struct family *family)
{
	size_t kept = 0;

	for (size_t i = 0; i < family->nr; i++)
		if (status_number(family->pid[i], "Tgid:"))
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
