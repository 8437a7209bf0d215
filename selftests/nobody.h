/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nobody.h - tests that root runs of what other users may do. */
#ifndef PMSCOPE_SELFTESTS_NOBODY_H
#define PMSCOPE_SELFTESTS_NOBODY_H

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define NOBODY	 65534

static inline void set_paranoid(long level)
{
	FILE *file = fopen(PARANOID, "w");

	if (!file)
		return;
	fprintf(file, "%ld\n", level);
	fclose(file);
}

/* Drops root's privileges; keeps CAP_PERFMON if @perfmon. */
static inline int become_nobody(bool perfmon)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[2] = { };

	if (perfmon) {
		caps[CAP_TO_INDEX(CAP_PERFMON)].effective =
			CAP_TO_MASK(CAP_PERFMON);
		caps[CAP_TO_INDEX(CAP_PERFMON)].permitted =
			CAP_TO_MASK(CAP_PERFMON);
	}
	return prctl(PR_SET_KEEPCAPS, 1) || setgid(NOBODY) || setuid(NOBODY) ||
	       syscall(SYS_capset, &head, caps);
}

#endif /* PMSCOPE_SELFTESTS_NOBODY_H */
