// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A counter that overflows too often is throttled, and since Linux 6.16 its
 * group too, in an NMI if the PMU has one: SPE and snapshots in the group are
 * not affected.
 */

#include "ktap.h"
#include "spe.h"

#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"
#define PERIOD	 1009
#define WORK	 3000000
#define PAGES	 512

/* The counter, SPE, a snapshot, a stream of them by a timer. */
enum { COUNTER, SPE, SNAPSHOT, TIMER, MEMBERS };

static int fds[MEMBERS];
static struct stream spe;

static int open_members(void)
{
	struct perf_event_attr attr[MEMBERS] = {
		snapshot_attr(PERF_COUNT_HW_CPU_CYCLES),
		spe_attr(0, 1024),
		snapshot_attr(CPU_CYCLES),
		snapshot_attr(CPU_CYCLES),
	};

	attr[COUNTER].type = PERF_TYPE_HARDWARE;
	attr[COUNTER].sample_period = PERIOD;
	attr[COUNTER].disabled = 1;
	attr[SPE].disabled = 0;
	attr[TIMER].sample_period = 100000;
	for (int i = 0; i < MEMBERS; i++) {
		attr[i].exclude_kernel = 1;
		fds[i] = open_event(&attr[i], 0, -1, i ? fds[0] : -1);
		if (fds[i] < 0) {
			int err = fds[i];

			close_group(fds, i);
			return err;
		}
	}
	return 0;
}

/* The buffer of SPE also takes the records of the counter. */
static int open_throttled(void)
{
	int err = open_members();

	if (err)
		return err;
	memset(&spe, 0, sizeof(spe));
	spe.fds[0] = fds[SPE];
	err = stream_map(&spe, PAGES, PROT_READ | PROT_WRITE);
	if (!err && ioctl(fds[COUNTER], PERF_EVENT_IOC_SET_OUTPUT, fds[SPE]))
		err = -errno;
	return err;
}

static int count_records(uint32_t type)
{
	const char *data = (char *)spe.ring + spe.page;
	uint64_t head =
		__atomic_load_n(&spe.ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t pos = 0;
	int found = 0;

	while (pos < head && head <= STREAM_RING_PAGES * spe.page) {
		const struct perf_event_header *h = (const void *)(data + pos);

		found += h->type == type;
		pos += h->size;
	}
	return found;
}

TEST(stops_and_goes_on_with_its_group)
{
	long rate = sysfs_number(MAX_RATE);
	struct group_value group;
	int throttled;

	NEED_SNAPSHOT();
	NEED_SPE();
	if (!set_number(MAX_RATE, 10000))
		SKIP("cannot write " MAX_RATE);
	ASSERT_EQ(open_throttled(), 0);
	if (!enable_group(fds[COUNTER]))
		work(WORK);
	disable_group(fds[COUNTER]);
	set_number(MAX_RATE, rate);

	throttled = count_records(PERF_RECORD_THROTTLE);
	EXPECT_TRUE(read_group(fds[COUNTER], MEMBERS, &group));
	printf("# throttled %d times; %llu cycles, %llu in snapshots, %llu bytes\n",
	       throttled,
	       (unsigned long long)group.value[COUNTER],
	       (unsigned long long)group.value[SNAPSHOT],
	       (unsigned long long)stream_head(&spe));
	EXPECT_GT(throttled, 1);
	EXPECT_GE(group.value[SNAPSHOT], group.value[COUNTER]);
	/* An NMI stops the counter alone; other interrupts stop the group. */
	if (getenv("PMSCOPE_NMI"))
		EXPECT_GT(group.value[SNAPSHOT], group.value[COUNTER]);
	EXPECT_GT(group.value[TIMER], 0);
	EXPECT_GT(stream_head(&spe), 0);
	EXPECT_FALSE(stream_aux_flags(&spe) & PERF_AUX_FLAG_TRUNCATED);
}
