// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs that read an event in the middle of its scheduling: no oops. */
#include "ktap.h"
#include "../snapshot/events.h"
#include "programs.h"

#include "moments.skel.h"

#define SWITCHES 20

/* Each wait switches the task out and in again. */
static void be_switched(struct moments_bpf *skel)
{
	for (int i = 0; i < SWITCHES; i++)
		usleep(1000);
	EXPECT_GT(skel->bss->reads, 0);
}

/* It is enabled only when the program is there: nothing came before that. */
static void read_at(struct moments_bpf *skel, struct bpf_program *program)
{
	struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);
	uint32_t key = 0;
	int fd;

	attr.disabled = 1;
	fd = open_event(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(bpf_map__update_elem(skel->maps.events, &key, sizeof(key),
				       &fd, sizeof(fd), BPF_ANY),
		  0);
	ASSERT_TRUE(bpf_program__attach(program));
	ASSERT_EQ(enable_group(fd), 0);
	be_switched(skel);
}

static void read_by(size_t program)
{
	struct moments_bpf *skel;

	NEED_KFUNCS();
	pin_to(0);
	skel = moments_bpf__open_and_load();
	ASSERT_TRUE(skel);
	read_at(skel,
		program ? skel->progs.before_add : skel->progs.behind_del);
}

CASE(when_its_counter_was_just_taken_away, read_by(0));
CASE(when_it_was_never_scheduled, read_by(1));
