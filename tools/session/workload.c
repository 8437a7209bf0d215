// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "target.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* In the child: wait for the start signal, then run the program. */
static void __attribute__((noreturn))
workload_run(char *const *argv, int go, int failed)
{
	sigset_t none;
	char byte;
	int code;

	/* End of file: the parent is gone, or changed its mind. */
	if (read(go, &byte, 1) != 1)
		_exit(0);
	/* Not before, so that who opens events for it finds it. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	code = errno;
	if (write(failed, &code, sizeof(code)) != sizeof(code))
		_exit(126);
	_exit(127);
}

static void close_pipes(struct workload *workload)
{
	int *const fds[] = {&workload->waits, &workload->go, &workload->failed};

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		close_open(fds[i]);
		*fds[i] = -1;
	}
}

int workload_prepare(struct workload *workload, char *const *argv,
		     bool to_stderr, struct pmscope_error *err)
{
	int go[2], failed[2], code;

	memset(workload, 0, sizeof(*workload));
	if (pipe2(go, O_CLOEXEC))
		return pmscope_fail(err, errno, "pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		code = errno;
		goto out_close_go;
	}
	workload->pid = fork();
	code = errno;
	if (workload->pid < 0)
		goto out_close_failed;
	if (!workload->pid) {
		/* Otherwise the child would never read the end of the pipe. */
		close(go[1]);
		if (to_stderr)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		workload_run(argv, go[0], failed[1]);
	}
	close(failed[1]);
	/* Open here too: a child that a signal kills early is no error. */
	workload->waits = go[0];
	workload->go = go[1];
	workload->failed = failed[0];
	workload->pidfd = syscall(SYS_pidfd_open, workload->pid, 0);
	if (workload->pidfd >= 0)
		return 0;
	code = errno;
	workload_free(workload);
	return pmscope_fail(err, code, "pidfd_open: %s", strerror(code));

out_close_failed:
	close(failed[0]);
	close(failed[1]);
out_close_go:
	close(go[0]);
	close(go[1]);
	workload->pid = 0;
	return pmscope_fail(err, code, "cannot start '%s': %s", argv[0],
			    strerror(code));
}

int workload_start(struct workload *workload, struct pmscope_error *err)
{
	int code = 0;
	ssize_t n;

	if (write(workload->go, "", 1) != 1)
		return pmscope_fail(err, errno, "cannot start the program: %s",
				    strerror(errno));
	/* Closed by a successful exec, which reads as the end of the pipe. */
	do
		n = read(workload->failed, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	close_pipes(workload);
	if (n != sizeof(code))
		return 0;
	return pmscope_fail(err, code, "%s", strerror(code));
}

int workload_wait(struct workload *workload, int *status)
{
	pid_t pid;

	do
		pid = waitpid(workload->pid, status, 0);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return -errno;
	close_open(&workload->pidfd);
	workload->pid = 0;
	return 0;
}

void workload_end(struct workload *workload)
{
	close_pipes(workload);
	kill(workload->pid, SIGTERM);
	/* A stopped program would not receive it. */
	kill(workload->pid, SIGCONT);
}

void workload_free(struct workload *workload)
{
	int status;

	if (!workload->pid)
		return;
	workload_end(workload);
	workload_wait(workload, &status);
}
