/* SPDX-License-Identifier: GPL-2.0-or-later */
/* captures.h - a group, and the BPF programs that capture it. */
#pragma once

#include "kfuncs.h"
#include "ktap.h"
#include "programs.h"
#include "../snapshot/events.h"

#include <linux/pmscope.h>

#include "kfuncs.skel.h"

/* Waits until enough programs were called, or naps taken */
#define TRIES 1000

static const uint64_t events[MEMBERS] = {CPU_CYCLES,   INST_RETIRED,
					 CPU_CYCLES,   INST_RETIRED,
					 INST_RETIRED, CPU_CYCLES};

struct fixture {
	struct kfuncs_bpf *skel;
	struct bpf_link *link;
	int fds[MEMBERS];
};

static inline int load_programs(struct fixture *f)
{
	pin_to(GROUP_CPU);
	f->skel = kfuncs_bpf__open_and_load();
	return f->skel ? 0 : -errno;
}

/* The programs get the group's id. */
static inline int enable_it(struct fixture *f)
{
	uint64_t id = 0;

	if (ioctl(f->fds[0], PERF_EVENT_IOC_ID, &id))
		return -errno;
	f->skel->bss->group = id;
	return enable_group(f->fds[0]);
}

static inline int fixture_open(struct fixture *f)
{
	int err = load_programs(f);

	if (err)
		return err;
	if (open_group(events, MEMBERS, -1, GROUP_CPU, f->fds))
		return -EBUSY;
	return enable_it(f);
}

#define GROUP_TEST(name)                            \
	static void name##_with(struct fixture *f); \
	TEST(name)                                  \
	{                                           \
		struct fixture f;                   \
                                                    \
		NEED_KFUNCS();                      \
		ASSERT_EQ(fixture_open(&f), 0);     \
		name##_with(&f);                    \
	}                                           \
	static void name##_with(struct fixture *f)

/* All members are of one instant, between the two reads. */
static inline void check_between(const struct group_value *before,
				 const struct result *result,
				 const struct group_value *after)
{
	ASSERT_EQ(result->ret, MEMBERS);
	for (int i = 0; i < MEMBERS; i++) {
		EXPECT_GE(result->value[i], before->value[i]);
		EXPECT_LE(result->value[i], after->value[i]);
	}
	EXPECT_EQ(result->value[0], result->value[2]);
	EXPECT_EQ(result->value[0], result->value[5]);
	EXPECT_EQ(result->value[1], result->value[3]);
	EXPECT_EQ(result->value[1], result->value[4]);
}

static inline void let_others_run(void)
{
	usleep(1000);
}

static inline void check_capture(struct fixture *f)
{
	struct group_value before, after;

	ASSERT_TRUE(read_group(f->fds[0], MEMBERS, &before));
	ASSERT_EQ(test_run(f->skel->progs.from_syscall), 0);
	ASSERT_TRUE(read_group(f->fds[0], MEMBERS, &after));
	check_between(&before, &f->skel->bss->first, &after);
}
