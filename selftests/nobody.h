/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nobody.h - tests that root runs of what other users may do. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define NOBODY	 65534

#define KEEP_PERFMON (1ULL << CAP_PERFMON)
#define KEEP_BPF     (1ULL << CAP_BPF)

/* How a child ends; 255: by a signal. */
static inline int ended(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* What a child exits with. */
#define IN_CHILD(status)               \
	({                             \
		pid_t child_ = fork(); \
                                       \
		if (!child_)           \
			_exit(status); \
		ended(child_);         \
	})

static inline void set_paranoid(long level)
{
	FILE *file = fopen(PARANOID, "w");

	if (!file)
		return;
	fprintf(file, "%ld\n", level);
	fclose(file);
}

/* Only until the test has ended, however it does. */
static inline void put_paranoid_back(long *level)
{
	set_paranoid(*level);
}
#define PARANOID_IS(level)                                              \
	__attribute__((cleanup(put_paranoid_back))) long before_level = \
		sysfs_number(PARANOID);                                 \
	if (geteuid())                                                  \
		SKIP("needs root");                                     \
	set_paranoid(level)

/* Until the effective user changes */
static inline int set_effective(uint64_t keep)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[2];

	if (syscall(SYS_capget, &head, caps))
		return -1;
	caps[0].effective = keep;
	caps[1].effective = keep >> 32;
	return syscall(SYS_capset, &head, caps);
}

/* Drops root's privileges; @keep: bits of capabilities that stay */
static inline int become_nobody(uint64_t keep)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[2] = { };

	for (int i = 0; i < 2; i++)
		caps[i].effective = caps[i].permitted = keep >> (32 * i);
	return prctl(PR_SET_KEEPCAPS, 1) || setgid(NOBODY) || setuid(NOBODY) ||
	       syscall(SYS_capset, &head, caps);
}
