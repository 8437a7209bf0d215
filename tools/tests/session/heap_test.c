// SPDX-License-Identifier: GPL-2.0-or-later
/* What programs note of their heap, by what they say themselves. */
#include "base/record.h"
#include "heap/rings.h"
#include "ktap.h"
#include "session/recorder.h"

#include <malloc.h>
#include <pthread.h>

#define PROGRAM "HEAP_TEST_PROGRAM"
#define OUT	3
#define LARGE	5000

#define MANY_THREADS (HEAP_RINGS + 10)

/* What a program does, or has noted: an allocation of some bytes, or its end:
 * 0. */
struct event {
	uint32_t pid;
	uint32_t tid;
	uint64_t address;
	uint64_t size;
};

static void say(const void *block, uint64_t size)
{
	const struct event event = {getpid(), gettid(), (uintptr_t)block, size};

	if (write(OUT, &event, sizeof(event)) != sizeof(event))
		_exit(1);
}

static void *of_size(size_t size)
{
	void *block = malloc(size);

	say(block, size);
	return block;
}

static void end(void *block)
{
	say(block, 0);
	free(block);
}

static void end_small(void)
{
	void *volatile block = malloc(100);

	free(block);
}

static void all_functions(void)
{
	void *block = of_size(LARGE), *other;

	end_small();
	end(block);
	block = calloc(3, LARGE);
	say(block, 3 * LARGE);
	say(block, 0);
	block = realloc(block, 100000);
	say(block, 100000);
	if (posix_memalign(&other, 4096, LARGE))
		_exit(1);
	say(other, LARGE);
	end(other);
	other = aligned_alloc(64, 6400);
	say(other, 6400);
	end(other);
	end(block);
	block = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	say(block, 1 << 20);
	say(block, 0);
	munmap(block, 1 << 20);
}

static void *in_thread(void *)
{
	end(of_size(2 * LARGE));
	return NULL;
}

static void threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++) {
		end(of_size(LARGE));
		pthread_create(&thread, NULL, in_thread, NULL);
		pthread_join(thread, NULL);
	}
}

/* The child frees what its parent allocated. */
static void forks(void)
{
	void *block = of_size(LARGE);

	if (!fork()) {
		end(block);
		end(of_size(3 * LARGE));
		_exit(0);
	}
	wait(NULL);
	end(block);
}

static void execs(void)
{
	of_size(LARGE);
	setenv(PROGRAM, "threads", 1);
	execl("/proc/self/exe", "test", NULL);
	_exit(1);
}

static void many(void)
{
	for (int i = 0; i < 20000; i++) {
		void *volatile block = malloc(LARGE);

		free(block);
	}
}

/* One after the other, before anybody sees that they have ended. */
static void many_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < MANY_THREADS; i++) {
		pthread_create(&thread, NULL, in_thread, NULL);
		pthread_join(thread, NULL);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} programs[] = {{"all", all_functions}, {"threads", threads},
		{"forks", forks},	{"execs", execs},
		{"many", many},		{"many threads", many_threads}};

__attribute__((constructor)) static void be_program(void)
{
	const char *name = getenv(PROGRAM);

	for (size_t i = 0; name && i < ARRAY_SIZE(programs); i++)
		if (!strcmp(programs[i].name, name)) {
			programs[i].run();
			_exit(0);
		}
}

static struct {
	struct event event[64];
	size_t nr;
	size_t all;
	uint64_t lost;
	uint32_t parent;
} noted;

static int note(void *, const uint64_t *words, size_t nr, uint64_t ticks)
{
	size_t at = HEAP_RECORD_HEAD - 1, size;

	noted.lost += words[2];
	noted.parent = words[1];
	EXPECT_TRUE(ticks || nr == at);
	for (; at < nr; at += size) {
		uint64_t kind = words[at + 1] >> HEAP_KIND_SHIFT;

		size = kind == HEAP_SITE    ? 2 + (uint8_t)words[at + 1]
		       : kind == HEAP_BLOCK ? 3
					    : 2;
		if (kind == HEAP_SITE)
			EXPECT_TRUE(words[at]);
		noted.all += kind != HEAP_SITE;
		if (kind == HEAP_SITE || noted.nr == 64)
			continue;
		noted.event[noted.nr++] = (struct event){
			words[0], words[0] >> 32,
			words[at + 1] & ((UINT64_C(1) << HEAP_KIND_SHIFT) - 1),
			size == 3 ? words[at + 2] >> HEAP_SITE_BITS : 0};
		if (size == 3)
			EXPECT_TRUE(words[at + 2] & HEAP_SITE_MASK);
	}
	return 0;
}

/* Runs a program, and reads what it says into @said. */
static size_t run(const char *program, struct heap *heap, struct event said[64])
{
	int out[2], status;
	ssize_t n = 0, got;
	pid_t pid;

	memset(&noted, 0, sizeof(noted));
	EXPECT_EQ(pipe(out), 0);
	setenv(PROGRAM, program, 1);
	EXPECT_EQ(heap_preload(heap), 0);
	pid = fork();
	if (!pid) {
		dup2(out[1], OUT);
		execl("/proc/self/exe", "test", NULL);
		_exit(127);
	}
	heap_preload_end(heap);
	unsetenv(PROGRAM);
	close(out[1]);
	while ((got = read(out[0], (char *)said + n, 64 * sizeof(*said) - n)) >
	       0)
		n += got;
	close(out[0]);
	waitpid(pid, &status, 0);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(heap_drain(heap, note, NULL), 0);
	return n / sizeof(*said);
}

/* Those of each thread are in its order. */
static void expect_of(uint32_t tid, const struct event *said, size_t nr)
{
	size_t k = 0;

	for (size_t i = 0; i < nr; i++) {
		if (said[i].tid != tid)
			continue;
		while (k < noted.nr && noted.event[k].tid != tid)
			k++;
		ASSERT_LT(k, noted.nr);
		EXPECT_EQ(noted.event[k].pid, said[i].pid);
		EXPECT_EQ(noted.event[k].address, said[i].address);
		EXPECT_EQ(noted.event[k++].size, said[i].size);
	}
}

static void expect_noted(const char *program)
{
	struct event said[64];
	struct heap *heap = NULL;
	size_t nr;

	ASSERT_EQ(heap_open(&heap, 4096, NULL), 0);
	nr = run(program, heap, said);
	EXPECT_EQ(noted.all, nr);
	EXPECT_EQ(noted.lost, 0);
	for (size_t i = 0; i < nr; i++)
		expect_of(said[i].tid, said, nr);
	heap_free(heap);
}

PLAIN_CASE(each_function_of_the_allocator, expect_noted("all"));
PLAIN_CASE(each_thread, expect_noted("threads"));
PLAIN_CASE(a_child_and_its_parent, expect_noted("forks");
	   EXPECT_TRUE(noted.parent));
PLAIN_CASE(a_program_that_becomes_another, expect_noted("execs"));

/* Each that has no room is counted: of a thread, and of one too many. */
PLAIN_TEST(losses_are_counted)
{
	struct event said[64];
	struct heap *heap = NULL;
	uint64_t before;

	ASSERT_EQ(heap_open(&heap, 4096, NULL), 0);
	run("many", heap, said);
	EXPECT_EQ(noted.lost + noted.all, 40000);
	EXPECT_GT(noted.lost, 20000);
	before = noted.lost;
	run("many threads", heap, said);
	EXPECT_EQ(noted.lost + noted.all, 2 * MANY_THREADS);
	EXPECT_EQ(noted.all, 2 * HEAP_RINGS);
	EXPECT_EQ(heap_stats(heap)->lost, before + noted.lost);
	heap_free(heap);
}

/* What is smaller is not noted, nor is its end. */
PLAIN_TEST(small_ones_are_left_out)
{
	struct event said[64];
	struct heap *heap = NULL;

	ASSERT_EQ(heap_open(&heap, 50000, NULL), 0);
	run("all", heap, said);
	EXPECT_EQ(noted.all, 4);
	EXPECT_EQ(noted.event[0].size, 100000);
	EXPECT_EQ(noted.event[2].size, 1 << 20);
	heap_free(heap);
}
