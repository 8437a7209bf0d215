// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * share false|turns|true|atomic|read|move ITERATIONS - two threads and a line.
 *
 * The line is 64 bytes, of eight words. The threads are on CPUs 0 and 1:
 *   false   each loads and stores a word of its own, at 0 and at 8
 *   turns   as false in 16 lines at a time, by turns: all lines move each time,
 *	     however the CPUs run
 *   true    both load and store the word at 0
 *   atomic  both add to the word at 0 by an atomic instruction
 *   read    both load the word at 0
 *   move    one thread alone loads and stores the word at 0, on CPU 0, then 1,
 *	     100 times
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOVES 100
#define LINES 16

uint64_t shared_line[8] __attribute__((aligned(64)));
static uint64_t turn_lines[LINES][8] __attribute__((aligned(64)));
static int baton[2][2]; /* pipes: each thread waits for its own */

/* Their source lines and names are what a profile of them has. */
__attribute__((noinline)) static void load_and_store(volatile uint64_t *word,
						     uint64_t iterations)
{
	while (iterations--)
		*word += 1;
}

/* The word at @index of all lines */
__attribute__((noinline)) static void load_and_store_all(int index)
{
	for (int i = 0; i < LINES; i++)
		*(volatile uint64_t *)&turn_lines[i][index] += 1;
}

static void take_turns(volatile uint64_t *word, uint64_t iterations)
{
	int self = word - shared_line;
	char turn = 0;

	for (; iterations; iterations--) {
		if (read(baton[self][0], &turn, 1) != 1)
			exit(1);
		load_and_store_all(self);
		if (write(baton[!self][1], &turn, 1) != 1)
			exit(1);
	}
}

static int begin_turns(void)
{
	return pipe(baton[0]) || pipe(baton[1]) ||
	       write(baton[0][1], "", 1) != 1;
}

__attribute__((noinline)) static void add_atomically(volatile uint64_t *word,
						     uint64_t iterations)
{
	uint64_t before;

	while (iterations--)
		__asm__ volatile(".arch_extension lse\n"
				 "ldaddal %2, %0, %1"
				 : "=r"(before), "+Q"(*word)
				 : "r"(UINT64_C(1))
				 : "memory");
}

__attribute__((noinline)) static void load(volatile uint64_t *word,
					   uint64_t iterations)
{
	while (iterations--)
		(void)*word;
}

struct work {
	void (*run)(volatile uint64_t *word, uint64_t iterations);
	volatile uint64_t *word;
	uint64_t iterations;
	int cpu;
	int tid;
	pthread_barrier_t *barrier;
};

static int move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* Neither begins before the numbers of both are printed. */
static void *work_run(void *argument)
{
	struct work *work = argument;

	work->tid = syscall(SYS_gettid);
	if (move_to(work->cpu)) {
		perror("share: sched_setaffinity");
		exit(1);
	}
	pthread_barrier_wait(work->barrier);
	pthread_barrier_wait(work->barrier);
	work->run(work->word, work->iterations);
	return NULL;
}

static void print(const char *how, const int *tids, int nr)
{
	printf("share %s line=%p tid=%d", how, (void *)shared_line, tids[0]);
	if (nr > 1)
		printf(",%d", tids[1]);
	printf("\n");
	fflush(stdout);
}

static int run_threads(const char *how, struct work *works)
{
	pthread_barrier_t barrier;
	pthread_t threads[2];
	int tids[2];

	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 2; i++) {
		works[i].barrier = &barrier;
		if (pthread_create(&threads[i], NULL, work_run, &works[i]))
			return 1;
	}
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 2; i++)
		tids[i] = works[i].tid;
	print(how, tids, 2);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int run_moving(uint64_t iterations)
{
	int tid = getpid();

	print("move", &tid, 1);
	for (int i = 0; i < MOVES; i++) {
		if (move_to(i % 2))
			return 1;
		load_and_store(&shared_line[0], iterations / MOVES);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *how;
		void (*run)(volatile uint64_t *word, uint64_t iterations);
		int second; /* word of the second thread */
	} ways[] = {{"false", load_and_store, 1},
		    {"turns", take_turns, 1},
		    {"true", load_and_store, 0},
		    {"atomic", add_atomically, 0},
		    {"read", load, 0}};
	uint64_t iterations = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

	if (iterations && !strcmp(argv[1], "move"))
		return run_moving(iterations);
	if (begin_turns())
		return 1;
	for (size_t i = 0; iterations && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].how)) {
			struct work works[2] = {
				{.run = ways[i].run,
				 .word = &shared_line[0],
				 .iterations = iterations,
				 .cpu = 0},
				{.run = ways[i].run,
				 .word = &shared_line[ways[i].second],
				 .iterations = iterations,
				 .cpu = 1}};

			return run_threads(argv[1], works);
		}
	fprintf(stderr,
		"usage: share false|turns|true|atomic|read|move ITERATIONS\n");
	return 2;
}
