// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors of the kernel after events are open are reported with a message. */
#include "cli/cli.h"
#include "fake_sysfs.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

static unsigned long refused_request;
static int refused_code;
static bool poll_fails;
static char text[1024]; /* what the last command said */

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	long arg;

	va_start(args, request);
	arg = va_arg(args, long);
	va_end(args);
	if (!refused_request || request != refused_request)
		return syscall(SYS_ioctl, fd, request, arg);
	errno = refused_code;
	return -1;
}

int poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	struct timespec wait = {timeout / 1000, timeout % 1000 * 1000000L};

	if (!poll_fails)
		return syscall(SYS_ppoll, fds, nr, timeout < 0 ? NULL : &wait,
			       NULL, 0);
	errno = ENOMEM;
	return -1;
}

/* A command gets its own name as argv[0], as in main(). */
static void run_child(command_fn command, char **argv, int to)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	dup2(to, STDERR_FILENO);
	_exit(command(argc - 1, argv + 1));
}

/* Its output and exit status. */
static int run(command_fn command, char **argv)
{
	size_t have = 0;
	int ends[2], status;
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid)
		run_child(command, argv, ends[1]);
	close(ends[1]);
	while ((n = read(ends[0], text + have, sizeof(text) - 1 - have)) > 0)
		have += n;
	text[have] = '\0';
	close(ends[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int record(const char *delay_ms)
{
	char folder[FAKE_SYSFS_PATH], path[FAKE_SYSFS_PATH + 16];
	char *argv[] = {"pmscope", "record", "-q",    "-e",  "cs:u",
			"-o",	   path,     "-D",    "0",   "-t",
			"0",	   "--",     "sleep", "0.2", NULL};
	char tid[32];
	int status;

	snprintf(tid, sizeof(tid), "%d", (int)getpid());
	argv[8] = (char *)delay_ms;
	argv[10] = tid;
	fake_sysfs_make(folder);
	snprintf(path, sizeof(path), "%s/perf.data", folder);
	status = run(record_main, argv);
	fake_sysfs_remove(folder);
	return status;
}

static int count(void)
{
	char *argv[] = {"pmscope", "stat", "-e",    "cs:u", "-t",
			"0",	   "--",   "sleep", "0.2",  NULL};
	char tid[32];

	snprintf(tid, sizeof(tid), "%d", (int)getpid());
	argv[5] = tid;
	return run(stat_main, argv);
}

static void expect_said(const char *what)
{
	EXPECT_TRUE(strstr(text, what) != NULL);
	if (!strstr(text, what))
		ktap_note("not '%s', but '%s'", what, text);
}

static void refuse(unsigned long request, int code)
{
	refused_request = request;
	refused_code = code;
}

/* Where there are no perf events, the text says why. */
BEFORE_EACH(if (record("0")) SKIP("%s", text));

TEST(record_tells_which_event_does_not_start)
{
	refuse(PERF_EVENT_IOC_ENABLE, ENODEV);
	EXPECT_EQ(record("0"), 1);
	/* The last one first, which only tracks. */
	expect_said("event 'dummy:u': cannot start: No such device: its "
		    "PMU has disappeared");
	EXPECT_EQ(record("1"), 1);
	expect_said("event 'dummy:u': cannot start: No such device");
	refuse(0, 0);
}

TEST(record_tells_which_event_does_not_stop)
{
	refuse(PERF_EVENT_IOC_DISABLE, EACCES);
	EXPECT_EQ(record("0"), 1);
	expect_said("event 'cs:u': cannot stop: Permission denied: a "
		    "security policy");
	refuse(0, 0);
}

TEST(stat_tells_which_event_does_not_start_or_stop)
{
	refuse(PERF_EVENT_IOC_ENABLE, EACCES);
	EXPECT_EQ(count(), 1);
	expect_said("event 'cs:u': cannot start: Permission denied");
	refuse(PERF_EVENT_IOC_DISABLE, ENODEV);
	EXPECT_EQ(count(), 1);
	expect_said("event 'cs:u': cannot stop: No such device");
	refuse(0, 0);
}

TEST(a_wait_that_fails_is_reported)
{
	poll_fails = true;
	EXPECT_EQ(record("0"), 1);
	expect_said("cannot wait for data and signals: Cannot allocate");
	EXPECT_EQ(count(), 1);
	expect_said("cannot wait for data and signals: Cannot allocate");
	poll_fails = false;
}
