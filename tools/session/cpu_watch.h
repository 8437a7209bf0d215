/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * CPUs that went offline, even if they came back: perf core removes the events
 * of such a CPU for good, without notice.
 */
#pragma once

#include "session/system.h"

/* Opens a socket that receives CPU hotplug uevents from now on; -errno. */
int cpu_watch_open(void);

/* Sets @gone for each CPU with an offline uevent on the socket. */
void cpu_watch_read(int fd, bool gone[PMSCOPE_CPU_MAX]);

/* The CPU of an offline uevent; -1 for any other uevent. */
int cpu_watch_parse(const char *uevent);
