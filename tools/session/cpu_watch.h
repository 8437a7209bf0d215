/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPUs went offline, those that came back among them: perf core takes
 * the events of such a CPU away for good, and tells nobody.
 */
#ifndef PMSCOPE_SESSION_CPU_WATCH_H
#define PMSCOPE_SESSION_CPU_WATCH_H

#include "session/cpulist.h"

/* A socket that hears of them from now on; -errno. */
int cpu_watch_open(void);

/* Sets @gone of each CPU that the socket heard of. */
void cpu_watch_read(int fd, bool gone[PMSCOPE_CPU_MAX]);

/* The CPU of a uevent that tells of one that went offline; -1 for others. */
int cpu_watch_parse(const char *uevent);

#endif /* PMSCOPE_SESSION_CPU_WATCH_H */
