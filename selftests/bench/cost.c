// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: cost CMD [ARG...]
 *
 * Runs CMD with its output thrown away; prints its CPU time in ms and the most
 * memory it had, in MiB.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double ms(struct timeval t)
{
	return t.tv_sec * 1e3 + t.tv_usec / 1e3;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status, null;
	pid_t pid;

	if (argc < 2)
		return 1;
	pid = fork();
	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, 1);
		dup2(null, 2);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status) {
		fprintf(stderr, "cost: %s failed\n", argv[1]);
		return 1;
	}
	printf("%.1f\t%ld\n", ms(usage.ru_utime) + ms(usage.ru_stime),
	       usage.ru_maxrss / 1024);
	return 0;
}
