// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records requested by BPF programs: each request makes one or is counted as
 * lost, at every task switch and beside a 10 kHz timer, too.
 */
#include "kfuncs.h"
#include "ktap.h"
#include "programs.h"
#include "../snapshot/stream.h"

#include "requests.skel.h"

#define COOKIE	 0x1122334455667788ull
#define TIMER_NS 100000
/* A reader this rare finds a full page. */
#define NAPS_PER_READ (getpagesize() / 64)
#define NAPS	      (16 * NAPS_PER_READ)

/* A read(2) with PERF_FORMAT_LOST of an event alone */
struct lone_value {
	uint64_t nr, enabled, running, value, lost;
};

/* Records that a stream delivered */
struct delivery {
	struct stream s;
	uint64_t records;
	uint64_t lost; /* as told by the records */
	uint64_t time;
	uint64_t cookie;
};

static struct delivery requested, timed;

static int delivery_open(struct delivery *d, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = stream_attr(config, period);
	int err;

	*d = (struct delivery){};
	attr.read_format |= PERF_FORMAT_LOST;
	err = stream_open_alone(&d->s, &attr, GROUP_CPU, 1);
	return err ? err : enable_group(d->s.fds[0]);
}

static void drain(struct delivery *d, enum pmscope_trigger trigger)
{
	const struct pmscope_record *r;

	while ((r = stream_next(&d->s))) {
		ASSERT_EQ(r->trigger, trigger);
		ASSERT_EQ(r->result, PMSCOPE_CAPTURED);
		ASSERT_EQ(r->cpu, GROUP_CPU);
		ASSERT_GT(r->time, d->time);
		if (trigger == PMSCOPE_TRIGGER_BPF)
			ASSERT_EQ(r->cookie, d->cookie + r->lost + 1);
		d->time = r->time;
		d->cookie = r->cookie;
		d->lost += r->lost;
		d->records++;
	}
	stream_release(&d->s);
}

/* Nothing else reports what was dropped after the last record. */
static uint64_t all_lost(struct delivery *d)
{
	struct lone_value v = {};

	EXPECT_EQ(read(d->s.fds[0], &v, sizeof(v)), (ssize_t)sizeof(v));
	return v.lost;
}

TEST(a_program_requests_a_record)
{
	struct requests_bpf *skel;

	NEED_KFUNCS();
	pin_to(GROUP_CPU);
	skel = requests_bpf__open_and_load();
	ASSERT_TRUE(skel);
	ASSERT_EQ(test_run(skel->progs.from_syscall), 0);
	EXPECT_EQ(skel->bss->streams, 0);

	ASSERT_EQ(delivery_open(&requested,
				CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, 2),
		  0);
	requested.cookie = COOKIE - 1;
	for (skel->bss->cookie = COOKIE - 1; skel->bss->cookie <= COOKIE;
	     skel->bss->cookie++) {
		ASSERT_EQ(test_run(skel->progs.from_syscall), 0);
		EXPECT_EQ(skel->bss->streams, 1);
	}
	drain(&requested, PMSCOPE_TRIGGER_BPF);
	EXPECT_EQ(requested.records, 1);
	EXPECT_EQ(requested.cookie, COOKIE);
}

/* When programs ask, and for what, is not for everybody. */
TEST(requests_are_for_the_privileged)
{
	struct perf_event_attr attr =
		stream_attr(CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, 1);
	static struct stream theirs;
	struct requests_bpf *skel;

	NEED_KFUNCS();
	pin_to(GROUP_CPU);
	skel = requests_bpf__open_and_load();
	ASSERT_TRUE(skel);
	ASSERT_EQ(stream_open_as_nobody(&theirs, &attr, -1, STREAM_AUX_PAGES),
		  0);
	ASSERT_EQ(enable_group(theirs.fds[0]), 0);
	skel->bss->cookie = COOKIE;
	ASSERT_EQ(test_run(skel->progs.from_syscall), 0);
	EXPECT_EQ(skel->bss->streams, 0);
	EXPECT_FALSE(stream_next(&theirs));
}

TEST(each_switch_is_recorded_or_counted_as_lost)
{
	struct requests_bpf *skel;
	struct bpf_link *link;

	NEED_KFUNCS();
	pin_to(GROUP_CPU);
	skel = requests_bpf__open_and_load();
	ASSERT_TRUE(skel);
	ASSERT_EQ(delivery_open(&requested,
				CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, 1),
		  0);
	ASSERT_EQ(delivery_open(&timed, CPU_CYCLES, TIMER_NS), 0);
	link = bpf_program__attach(skel->progs.at_switch);
	ASSERT_TRUE(link);
	for (int i = 0; i < NAPS; i++) {
		usleep(100);
		if (i % NAPS_PER_READ)
			continue;
		drain(&requested, PMSCOPE_TRIGGER_BPF);
		drain(&timed, PMSCOPE_TRIGGER_TIMER);
	}
	bpf_link__destroy(link);
	drain(&requested, PMSCOPE_TRIGGER_BPF);

	printf("# %llu switches, %llu recorded; %llu by the timer\n",
	       (unsigned long long)skel->bss->calls,
	       (unsigned long long)requested.records,
	       (unsigned long long)timed.records);
	EXPECT_EQ(skel->bss->taken, skel->bss->calls);
	EXPECT_EQ(requested.records + all_lost(&requested), skel->bss->calls);
	EXPECT_GT(requested.records, 0);
	EXPECT_GT(requested.lost, 0);
	disable_group(timed.s.fds[0]);
	drain(&timed, PMSCOPE_TRIGGER_TIMER);
	EXPECT_GT(timed.records, 0);
	EXPECT_GE(all_lost(&timed), timed.lost);
}

/* The newest count of instructions in records of the program; 0 without any */
static uint64_t newest_count(struct stream *s)
{
	const struct pmscope_record *r;
	uint64_t count = 0;

	while ((r = stream_next(s)))
		if (r->trigger == PMSCOPE_TRIGGER_BPF &&
		    stream_counter(r, 1)->count > count)
			count = stream_counter(r, 1)->count;
	stream_release(s);
	return count;
}

/* A counter that arm_pmu has stopped, and that has its number still */
TEST(records_while_counters_stop_are_up_to_date)
{
	struct requests_bpf *skel;
	struct group_value before;
	static struct stream s;
	int naps = 0;

	NEED_KFUNCS();
	pin_to(GROUP_CPU);
	skel = requests_bpf__open_and_load();
	ASSERT_TRUE(skel);
	ASSERT_TRUE(bpf_program__attach(skel->progs.at_update));
	ASSERT_EQ(stream_start(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, 1, 0,
			       -1),
		  0);
	for (int i = 0; i < NAPS && naps < 20; i++) {
		uint64_t count;

		ASSERT_TRUE(read_group(s.fds[0], STREAM_MEMBERS, &before));
		work(1000);
		usleep(100);
		count = newest_count(&s);
		naps += count > 0;
		/* A turn of work() is four instructions or more. */
		if (count)
			EXPECT_GE(count, before.value[1] + 4000);
	}
	EXPECT_EQ(naps, 20);
}
