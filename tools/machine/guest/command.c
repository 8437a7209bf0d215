// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command writes to pipes and init carries the bytes to the ports: a port
 * can be opened once only, so it would be no good as /dev/stdout.
 */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIPE_SIZE (1 << 20)

struct stream {
	int from; /* read end of the command's pipe */
	int to;	  /* port */
};

/* Cut a block of NUL-ended strings into a vector ended by NULL. */
static char **split_strings(char *data, size_t len)
{
	char **list = calloc(len + 1, sizeof(*list));
	size_t n = 0, pos;

	for (pos = 0; list && pos < len; pos += strlen(data + pos) + 1)
		list[n++] = data + pos;
	return list;
}

static char **read_strings(const char *path)
{
	size_t len;
	char *data = read_file(path, &len);
	char **list = data ? split_strings(data, len) : NULL;

	if (!list)
		die("cannot read %s", path);
	return list;
}

static void set_environment(void)
{
	char **env = read_strings(CONTROL "/env");

	clearenv();
	setenv("PATH", PAYLOAD "/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("LANG", "C.UTF-8", 1);
	setenv("TERM", "dumb", 1);
	for (; *env; env++)
		putenv(*env);
}

static void exec_command(int out, int err)
{
	char **argv = read_strings(CONTROL "/argv");
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	set_environment();
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	closefrom(STDERR_FILENO + 1);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static struct stream open_stream(int port, int *write_end)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) || fcntl(ends[0], F_SETFL, O_NONBLOCK))
		die("cannot make a pipe");
	fcntl(ends[0], F_SETPIPE_SZ, PIPE_SIZE);
	*write_end = ends[1];
	return (struct stream){.from = ends[0], .to = port};
}

/*
 * Carry what a full pipe can hold and no more, so that an endless writer keeps
 * nobody else waiting; false once every writer has closed the pipe.
 */
static bool carry(const struct stream *stream)
{
	static char data[PIPE_SIZE / 16];
	size_t carried = 0;
	ssize_t n;

	do {
		n = read(stream->from, data, sizeof(data));
		if (n > 0 && !write_all(stream->to, data, n))
			die("cannot write to a virtio port");
		carried += n > 0 ? n : 0;
	} while (n > 0 && carried < PIPE_SIZE);
	return n != 0;
}

/* Reap all that ended; true when the command is among them. */
static bool reap(pid_t command, int *status)
{
	bool ended = false;
	int one;
	pid_t pid;

	while ((pid = waitpid(-1, &one, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*status = one;
		ended = true;
	}
	return ended;
}

/*
 * Until the command ends.  Its own output is in the pipes by then and carried
 * last; what it left running in the background ends with the machine.
 */
static int carry_until_end(pid_t command, const struct stream *streams,
			   int children)
{
	struct pollfd fds[] = {
		{.fd = streams[0].from, .events = POLLIN},
		{.fd = streams[1].from, .events = POLLIN},
		{.fd = children, .events = POLLIN},
	};
	struct signalfd_siginfo info;
	int status = 0, i;

	do {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			die("cannot wait for the command");
		for (i = 0; i < 2; i++)
			if (fds[i].revents && !carry(&streams[i]))
				fds[i].fd = -1;
		if (fds[2].revents)
			(void)!read(children, &info, sizeof(info));
	} while (!reap(command, &status));
	for (i = 0; i < 2; i++)
		carry(&streams[i]);
	return status;
}

int run_command(const struct ports *ports)
{
	struct stream streams[2];
	int out, err, children, status;
	sigset_t chld;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	children = signalfd(-1, &chld, SFD_CLOEXEC);
	streams[0] = open_stream(ports->out, &out);
	streams[1] = open_stream(ports->err, &err);
	pid = fork();
	if (children < 0 || pid < 0)
		die("cannot start the command");
	if (!pid)
		exec_command(out, err);
	close(out);
	close(err);
	status = carry_until_end(pid, streams, children);
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}
