// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF programs capture, and request records, while captures are blocked and
 * allowed again, with an external agent: they never get stale values.
 */
#include "captures.h"
#include "faults/faults.h"
#include "../snapshot/fresh.h"

#include "requests.skel.h"

#define CAPTURES 400

static struct fresh fresh;

#define NEED_LAPSES()                                      \
	do {                                               \
		if (!has_fault("lapses"))                  \
			SKIP("captures always work here"); \
		NEED_KFUNCS();                             \
		memset(&fresh, 0, sizeof(fresh));          \
	} while (0)

static void check_fresh(void)
{
	ktap_note("%u captures, %u stale", fresh.records, fresh_stale(&fresh));
	EXPECT_EQ(fresh.records, CAPTURES);
	EXPECT_EQ(fresh_stale(&fresh), 0);
}

TEST(programs_capture)
{
	long before;
	struct fixture f;
	uint64_t from;

	NEED_LAPSES();
	before = snapshot_stat("disabled");
	ASSERT_EQ(fixture_open(&f), 0);
	for (int i = 0; i < CAPTURES; i++) {
		from = clock_ns();
		ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
		fresh_note(&fresh, from, clock_ns(),
			   f.skel->bss->second.value[0]);
		ASSERT_EQ(f.skel->bss->second.ret, MEMBERS);
		work(2000);
	}
	check_fresh();
	EXPECT_GT(snapshot_stat("disabled"), before);
}

TEST(programs_request_records)
{
	struct requests_bpf *skel;
	static struct stream s;

	NEED_LAPSES();
	pin_to(GROUP_CPU);
	skel = requests_bpf__open_and_load();
	ASSERT_TRUE(skel);
	ASSERT_EQ(stream_start(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, 1, -1,
			       GROUP_CPU),
		  0);
	for (int i = 0; i < CAPTURES; i++) {
		ASSERT_EQ(test_run(skel->progs.from_syscall), 0);
		fresh_drain(&fresh, &s);
		work(2000);
	}
	check_fresh();
	EXPECT_GT(fresh.captured, 0);
	EXPECT_LT(fresh.captured, CAPTURES);
}
