// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workers fork|thread COUNT ITERATIONS - the work of spin, COUNT times at once.
 *
 * Each worker runs 2 * ITERATIONS instructions in the range that is printed,
 * as a child process or as a thread; the parent only waits.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WORKERS 64

extern const char work_begin[], work_end[];
void work_run(uint64_t iterations);

__asm__(".pushsection .text\n"
	"	.p2align 6\n"
	"work_run:\n"
	"work_begin:\n"
	"	subs	x0, x0, #1\n"
	"	b.ne	work_begin\n"
	"work_end:\n"
	"	ret\n"
	".popsection\n");

static void *worker(void *iterations)
{
	work_run(*(uint64_t *)iterations);
	return NULL;
}

static int run_threads(int count, uint64_t iterations)
{
	pthread_t threads[MAX_WORKERS];

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, worker, &iterations))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int run_children(int count, uint64_t iterations)
{
	int status = 0, failed = 0;

	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid) {
			work_run(iterations);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	return !!failed;
}

static int usage(void)
{
	fprintf(stderr, "usage: workers fork|thread COUNT ITERATIONS\n");
	return 2;
}

int main(int argc, char **argv)
{
	int threads, count;
	uint64_t iterations;

	if (argc != 4)
		return usage();
	threads = !strcmp(argv[1], "thread");
	count = atoi(argv[2]);
	iterations = strtoull(argv[3], NULL, 10);
	if ((!threads && strcmp(argv[1], "fork")) || count < 1 ||
	    count > MAX_WORKERS || !iterations)
		return usage();
	printf("workers pc=%p-%p ops=2 branch=1 workers=%d iterations=%llu\n",
	       (const void *)work_begin, (const void *)work_end, count,
	       (unsigned long long)iterations);
	fflush(stdout);
	return threads ? run_threads(count, iterations)
		       : run_children(count, iterations);
}
