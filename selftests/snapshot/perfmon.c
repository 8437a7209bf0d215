// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What CAP_PERFMON alone gives to a user who is not root: counts of anybody's
 * task, and all counters of a CPU in each record.
 */
#include <sys/param.h>

#include "ktap.h"
#include "nobody.h"
#include "events.h"

#include <linux/pmscope.h>

/* 0, or the negative errno of opening @attr as nobody. */
static int open_as_nobody(struct perf_event_attr *attr, pid_t pid, bool perfmon)
{
	return -IN_CHILD(become_nobody(perfmon ? KEEP_PERFMON : 0)
				 ? EPERM
				 : -MIN(open_event(attr, pid, -1, -1), 0));
}

TEST(tasks_of_others)
{
	struct perf_event_attr attr = user_attr(CPU_CYCLES);

	NEED_SNAPSHOT();
	PARANOID_IS(2);
	EXPECT_EQ(open_as_nobody(&attr, 0, false), 0);
	EXPECT_EQ(open_as_nobody(&attr, getpid(), false), -EACCES);
	EXPECT_EQ(open_as_nobody(&attr, getpid(), true), 0);
}

TEST(counters_of_others)
{
	struct perf_event_attr attr =
		user_attr(CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST);

	NEED_SNAPSHOT();
	PARANOID_IS(2);
	attr.sample_period = 1;
	EXPECT_EQ(open_as_nobody(&attr, 0, false), 0);
	attr.config |= PMSCOPE_SNAPSHOT_ALL;
	EXPECT_EQ(open_as_nobody(&attr, 0, false), -EACCES);
	EXPECT_EQ(open_as_nobody(&attr, 0, true), 0);
}
