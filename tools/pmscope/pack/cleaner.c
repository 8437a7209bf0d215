// SPDX-License-Identifier: GPL-2.0-or-later
#include "pack/cleaner.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLEANERS_MAX 8
#define OPEN_AT_ONCE 16

/* Those of this process: as soon as the pipe is closed, they begin. */
static struct cleaner {
	pid_t pid;
	int pipe;
} cleaners[CLEANERS_MAX];
static size_t nr_cleaners;
static pid_t owner;

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	remove(path);
	return 0;
}

static void remove_all(const char *dir)
{
	nftw(dir, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Children that are forked later inherit the list, but not the duty. */
static void finish(void)
{
	if (getpid() != owner)
		return;
	for (size_t i = 0; i < nr_cleaners; i++) {
		close(cleaners[i].pipe);
		while (waitpid(cleaners[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	nr_cleaners = 0;
}

/* Only the pipe stays open, so that no other pipe waits for this process. */
_Noreturn static void clean(const char *dir, int end)
{
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	dup2(end, 3);
	for (int fd = 0; fd < 1024; fd++)
		if (fd != 3)
			close(fd);
	while (read(3, &byte, 1) < 0 && errno == EINTR)
		;
	remove_all(dir);
	_exit(0);
}

static int start(const char *dir, struct cleaner *cleaner)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	cleaner->pipe = ends[1];
	cleaner->pid = fork();
	if (!cleaner->pid)
		clean(dir, ends[0]);
	close(ends[0]);
	if (cleaner->pid > 0)
		return 0;
	close(ends[1]);
	return -EAGAIN;
}

int cleaner_start(const char *dir)
{
	int ret = nr_cleaners < CLEANERS_MAX
			  ? start(dir, &cleaners[nr_cleaners])
			  : -EMFILE;

	if (ret) {
		remove_all(dir);
		return ret;
	}
	if (!nr_cleaners++ && owner != getpid()) {
		owner = getpid();
		atexit(finish);
	}
	return 0;
}
