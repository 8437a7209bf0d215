/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.h - opening groups of pmu_snapshot events and reading them at once. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#define SNAPSHOT_DIR "/sys/bus/event_source/devices/pmu_snapshot/"
#define CPU_CYCLES   0x11
#define INST_RETIRED 0x08
#define PMU_SNAPSHOT 0x8127
#define MAX_GROUP    34

/* The result of read(2) for PERF_FORMAT_GROUP with both times. */
struct group_value {
	uint64_t nr;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[MAX_GROUP];
};

/* PERF_RECORD_AUX */
struct aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
};

/*
 * The next PERF_RECORD_AUX of a ring; false if there is none. Consumes the
 * records before it.
 */
static inline bool next_aux(struct perf_event_mmap_page *ring,
			    struct aux_record *aux)
{
	const char *data = (const char *)ring + ring->data_offset;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->data_tail;
	bool found = false;

	while (tail < head && !found) {
		for (size_t i = 0; i < sizeof(*aux); i++)
			((char *)aux)[i] = data[(tail + i) % ring->data_size];
		tail += aux->header.size;
		found = aux->header.type == PERF_RECORD_AUX;
	}
	__atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
	return found;
}

/* The begin of a file, until the next call; empty if there is none. */
static inline const char *file_text(const char *path)
{
	static char text[4096];
	int fd = open(path, O_RDONLY);
	ssize_t got = read(fd, text, sizeof(text) - 1);

	text[got > 0 ? got : 0] = '\0';
	close(fd);
	return text;
}

/* A number from a sysfs file, or a negative errno. */
static inline long sysfs_number(const char *path)
{
	long value;

	return sscanf(file_text(path), "%ld", &value) == 1 ? value : -EINVAL;
}

static inline bool set_number(const char *path, long value)
{
	FILE *file = fopen(path, "w");

	return file && fprintf(file, "%ld\n", value) > 0 && !fclose(file);
}

static inline struct perf_event_attr event_attr(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
	};
}

static inline struct perf_event_attr snapshot_attr(uint64_t config)
{
	return (struct perf_event_attr){
		.type = sysfs_number(SNAPSHOT_DIR "type"),
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = PERF_FORMAT_GROUP |
			       PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

/* Of user space */
static inline struct perf_event_attr user_attr(uint64_t config)
{
	struct perf_event_attr attr = snapshot_attr(config);

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

/* The descriptor, or a negative errno. */
static inline int open_event(struct perf_event_attr *attr, pid_t pid, int cpu,
			     int leader)
{
	int fd = syscall(__NR_perf_event_open, attr, pid, cpu, leader, 0);

	return fd < 0 ? -errno : fd;
}

static inline void close_group(const int *fds, int count)
{
	for (int i = count - 1; i >= 0; i--)
		close(fds[i]);
}

/*
 * Opens a group whose members are as @attr but for their events, disabled; 0 or a
 * negative errno.
 */
static inline int open_group_as(struct perf_event_attr attr,
				const uint64_t *configs, int count, pid_t pid,
				int cpu, int *fds)
{
	for (int i = 0; i < count; i++) {
		attr.config = configs[i];
		attr.disabled = i == 0;
		attr.enable_on_exec &= i == 0;
		fds[i] = open_event(&attr, pid, cpu, i ? fds[0] : -1);
		if (fds[i] < 0) {
			close_group(fds, i);
			return fds[i];
		}
	}
	return 0;
}

static inline int open_group(const uint64_t *configs, int count, pid_t pid,
			     int cpu, int *fds)
{
	return open_group_as(snapshot_attr(0), configs, count, pid, cpu, fds);
}

/* Of this task and its children, in user space */
static inline int open_inherited(const uint64_t *configs, int count, int *fds)
{
	struct perf_event_attr attr = snapshot_attr(0);

	attr.inherit = 1;
	attr.exclude_kernel = 1;
	return open_group_as(attr, configs, count, 0, -1, fds);
}

/*
 * A group starts and stops with its leader. PERF_IOC_FLAG_GROUP would start and
 * stop the members one by one instead.
 */
static inline int enable_group(int leader)
{
	return ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
}

/* open_group(), and enabled */
static inline int start_group(const uint64_t *configs, int count, pid_t pid,
			      int cpu, int *fds)
{
	return open_group(configs, count, pid, cpu, fds) ?:
	       enable_group(fds[0]);
}

static inline int disable_group(int leader)
{
	return ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
}

/*
 * True when the whole group of @count was read. perf core refuses to read it
 * while a child that inherited it exits and splits its own group.
 */
static inline bool read_group(int leader, int count, struct group_value *group)
{
	ssize_t wanted = (3 + count) * sizeof(uint64_t), got;

	memset(group, 0, sizeof(*group));
	do
		got = read(leader, group, sizeof(*group));
	while (got < 0 && errno == ECHILD && !sched_yield());
	return got == wanted && group->nr == (uint64_t)count;
}

/* Captures so far, on all CPUs, by either back end. */
static inline long captures(void)
{
	return sysfs_number(SNAPSHOT_DIR "stats/captured") +
	       sysfs_number(SNAPSHOT_DIR "stats/frozen");
}

/* False when the CPU cannot go or come. */
static inline bool set_online(int cpu, char to)
{
	char path[64];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return false;
	done = write(fd, &to, 1) == 1;
	close(fd);
	return done;
}

static inline void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Work whose length the compiler cannot change. */
static inline void work(int turns)
{
	for (volatile int i = 0; i < turns; i++)
		;
}

/* @n operations, two per turn, without memory accesses. */
static inline void operations(uint64_t n)
{
	n /= 2;
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
}

static inline bool have_snapshot(void)
{
	return !access(SNAPSHOT_DIR "type", R_OK);
}

/* The caller says that the machine has pmu_snapshot. */
static inline bool snapshot_is_promised(void)
{
	const char *has = getenv("PMSCOPE_HAS");

	return has && strstr(has, "snapshot");
}

/* Ends the test if there is no pmu_snapshot: skipped, or failed. */
#define NEED_SNAPSHOT()                               \
	do {                                          \
		if (have_snapshot())                  \
			break;                        \
		ASSERT_FALSE(snapshot_is_promised()); \
		SKIP("no pmu_snapshot here");         \
	} while (0)

#define NEED_CPUS(nr)                                     \
	do {                                              \
		if (sysconf(_SC_NPROCESSORS_ONLN) < (nr)) \
			SKIP("fewer than %d CPUs", (nr)); \
	} while (0)
