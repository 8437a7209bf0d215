// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "files.h"

#include <sys/time.h>

/* Returns false for missing files, including dangling or circular links. */
static bool is_there(int fd)
{
	return fd < 0 && fd != -ENOENT && fd != -ENOTDIR && fd != -ELOOP &&
	       fd != -ENAMETOOLONG;
}

void unreadable_add(struct unreadable_files *missing, const char *path, int fd)
{
	size_t count = missing->files.count;
	uint32_t number;

	if (!is_there(fd))
		return;
	if (array_room(missing->errors, count, missing->max_errors) ||
	    strings_intern(&missing->files, path, strlen(path), &number))
		missing->memory = true;
	else if (number == count)
		missing->errors[number] = fd;
}

void unreadable_found(struct unreadable_files *missing, const char *path)
{
	uint32_t number;

	if (strings_intern(&missing->found, path, strlen(path), &number))
		missing->memory = true;
}

void unreadable_fini(struct unreadable_files *missing)
{
	strings_fini(&missing->files);
	strings_fini(&missing->found);
	free(missing->errors);
}

void unread_file(struct unread *unread, const char *path, int fd)
{
	if (unread->error || !is_there(fd))
		return;
	unread->error = fd;
	snprintf(unread->path, sizeof(unread->path), "%s", path);
}

/*
 * Memory in addition to what the files' sizes allow: a compressed kernel with
 * 5000 units takes some 300 MiB.
 */
#define MEMORY (UINT64_C(512) << 20)

/*
 * Debug information unpacks to 2 to 10 times its size, and libdw takes 8 bytes
 * for one byte of a line table. Reading takes some 20 ns per byte; emulated
 * machines are 30 times slower.
 */
#define MEMORY_A_BYTE 16
#define TIME_A_BYTE   1000

/* Unit of st_blocks in stat(2). */
#define BLOCK 512

static bool active;

/* Returns this process's address space: a fork starts with its parent's. */
static uint64_t memory_now(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!file || fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return (uint64_t)pages * sysconf(_SC_PAGESIZE);
}

static void limit_memory(uint64_t bytes)
{
	struct rlimit limit;

	/* ASan may wait for its own lock for ever when memory is short. */
	if (SANITIZED)
		return;
	if (getrlimit(RLIMIT_AS, &limit) || bytes > limit.rlim_max)
		return;
	limit.rlim_cur = bytes;
	setrlimit(RLIMIT_AS, &limit);
}

void limits_begin(void (*exceeded)(int))
{
	const struct sigaction action = {.sa_handler = exceeded};
	const struct rlimit none = {};
	uint64_t memory = memory_now();

	active = true;
	sigaction(SIGPROF, &action, NULL);
	setrlimit(RLIMIT_CORE, &none);
	if (memory)
		limit_memory(memory + MEMORY);
}

static void set_timer(int64_t ns)
{
	const struct itimerval timer = {
		.it_value = {.tv_sec = ns / 1000000000,
			     .tv_usec = ns % 1000000000 / 1000},
	};

	setitimer(ITIMER_PROF, &timer, NULL);
}

void limits_start(int64_t ns)
{
	set_timer(ns < 1000 ? 1000 : ns);
}

static int64_t time_left(void)
{
	struct itimerval timer;

	getitimer(ITIMER_PROF, &timer);
	return timer.it_value.tv_sec * INT64_C(1000000000) +
	       timer.it_value.tv_usec * INT64_C(1000);
}

int64_t limits_stop(void)
{
	int64_t left = time_left();

	set_timer(0);
	return left;
}

/* Returns the allocated size, which is smaller for sparse files. */
static uint64_t size_on_disk(const char *path)
{
	struct stat st;
	uint64_t blocks;

	if (stat(path, &st))
		return 0;
	blocks = BLOCK * (uint64_t)st.st_blocks;
	return blocks < (uint64_t)st.st_size ? blocks : (uint64_t)st.st_size;
}

void limits_raise(const char *path)
{
	uint64_t size = active ? size_on_disk(path) : 0;
	struct rlimit limit;

	if (!size)
		return;
	set_timer(time_left() + size * TIME_A_BYTE);
	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
		limit_memory(limit.rlim_cur + size * MEMORY_A_BYTE);
}

uint64_t limits_memory(void)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};

	getrlimit(RLIMIT_AS, &limit);
	return limit.rlim_cur;
}

void limits_restore(uint64_t memory)
{
	limit_memory(memory);
}
