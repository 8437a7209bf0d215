// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel instructions of one read(2) of a group of six: pmu_snapshot against
 * armv8_pmuv3. Under --icount the figures are exact; the minimum of many rounds
 * excludes timer ticks.
 */
#include "../snapshot/events.h"
#include "bench.h"

#define ROUNDS 200
#define READS  16
#define GROUP  6

/* The cycle counter and five event counters; the seventh counts for us. */
static const uint64_t events[GROUP] = {0x11, 0x08, 0x08, 0x08, 0x08, 0x08};

static int open_members(int type, int *fds)
{
	struct perf_event_attr attr = snapshot_attr(0);

	attr.type = type;
	return open_group_as(attr, events, GROUP, -1, 0, fds) ?:
	       enable_group(fds[0]);
}

static uint64_t instructions_of_reads(int meter, int leader, int reads)
{
	uint64_t before = bench_count(meter);
	struct group_value group;

	for (int i = 0; i < reads; i++)
		if (!read_group(leader, GROUP, &group))
			bench_die("group read", errno);
	return bench_count(meter) - before;
}

static double cost_of_read(const char *pmu)
{
	int type = bench_pmu_type(pmu);
	int meter = bench_kernel_instructions(0);
	uint64_t least = UINT64_MAX, idle = UINT64_MAX;
	int fds[GROUP];
	int err = open_members(type, fds);

	if (err)
		bench_die(pmu, -err);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t none = instructions_of_reads(meter, fds[0], 0);
		uint64_t some = instructions_of_reads(meter, fds[0], READS);

		idle = none < idle ? none : idle;
		least = some < least ? some : least;
	}
	close_group(fds, GROUP);
	close(meter);
	return (double)(least - idle) / READS;
}

int main(void)
{
	double ours, peer;

	pin_to(0);
	/* Ours second: it gives its counters back some time after the close. */
	peer = cost_of_read(bench_core_pmu());
	ours = cost_of_read("pmu_snapshot");
	bench_line("group-of-6 read, kernel instructions", ours, peer,
		   "instructions");
	return 0;
}
