// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changes to a group while it counts or streams: period, output, stopping or
 * closing members, taking its CPU offline.
 */
#include "ktap.h"
#include "stream.h"

static struct stream s;

/* Records on request, of the group of stream.h on CPU @cpu */
static void open_requests(uint64_t period, int cpu)
{
	struct perf_event_attr attr =
		stream_attr(CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, period);

	ASSERT_EQ(stream_open_group(&s, &attr, -1, cpu), 0);
	ASSERT_EQ(stream_map(&s, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
}

/* Asks for a record; NULL where none is made. */
static const struct pmscope_record *request(void)
{
	struct group_value group;

	if (read(s.fds[0], &group, sizeof(group)) < 0)
		return NULL;
	return stream_next(&s);
}

BEFORE_EACH(NEED_SNAPSHOT());

TEST(a_period_can_be_changed)
{
	uint64_t period = 3;
	int records = 0;

	pin_to(0);
	open_requests(1, 0);
	EXPECT_TRUE(request() != NULL);
	ASSERT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period), 0);
	for (int i = 0; i < 30; i++)
		records += request() != NULL;
	EXPECT_EQ(records, 10);
}

TEST(a_period_too_short_is_refused)
{
	uint64_t period = PMSCOPE_TIMER_PERIOD_MIN - 1;

	ASSERT_EQ(stream_open(&s, CPU_CYCLES, 1000000, 0, -1), 0);
	EXPECT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period), -1);
	EXPECT_EQ(errno, EINVAL);
	period = PMSCOPE_TIMER_PERIOD_MIN;
	EXPECT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period), 0);
	stream_close(&s);
	/* The period of an existing counter does not change. */
	period = 2000000;
	ASSERT_EQ(stream_open(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_OVERFLOW,
			      1000000, 0, -1),
		  0);
	EXPECT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period), -1);
	EXPECT_EQ(errno, EINVAL);
}

/* Like perf record does with all events of a CPU. */
TEST(a_stream_can_write_to_the_area_of_another)
{
	struct perf_event_attr attr =
		stream_attr(INST_RETIRED | PMSCOPE_SNAPSHOT_REQUEST, 1);
	const struct pmscope_record *r;
	struct group_value group;
	int other;

	pin_to(0);
	open_requests(1, 0);
	other = open_event(&attr, -1, 0, -1);
	ASSERT_GE(other, 0);
	ASSERT_EQ(ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, s.fds[0]), 0);
	ASSERT_EQ(enable_group(other), 0);
	for (int i = 0; i < 10; i++) {
		r = request();
		ASSERT_TRUE(r != NULL);
		EXPECT_EQ(r->id, stream_id(s.fds[0]));
		ASSERT_TRUE(read_group(other, 1, &group));
		r = stream_next(&s);
		ASSERT_TRUE(r != NULL);
		EXPECT_EQ(r->id, stream_id(other));
		EXPECT_EQ(stream_counter(r, 0)->count, group.value[0]);
		stream_release(&s);
	}
	/* It outlives the one whose area it is. */
	stream_close(&s);
	EXPECT_TRUE(read_group(other, 1, &group));
}

TEST(a_member_that_stops_is_stale)
{
	const struct pmscope_record *r;
	uint64_t stopped;

	pin_to(0);
	open_requests(1, 0);
	ASSERT_EQ(ioctl(s.fds[1], PERF_EVENT_IOC_DISABLE, 0), 0);
	r = request();
	ASSERT_TRUE(r != NULL);
	ASSERT_EQ(r->nr_counters, STREAM_MEMBERS);
	EXPECT_EQ(stream_counter(r, 0)->count, stream_counter(r, 2)->count);
	EXPECT_EQ(stream_counter(r, 1)->flags,
		  PMSCOPE_COUNTER_MEMBER | PMSCOPE_COUNTER_STALE);
	stopped = stream_counter(r, 1)->count;
	EXPECT_GT(stopped, 0);
	r = request();
	ASSERT_TRUE(r != NULL);
	EXPECT_EQ(stream_counter(r, 1)->count, stopped);
	/*
	 * It returns when the group starts: a member of another PMU than the
	 * leader's is not scheduled alone, and streams have their own PMU.
	 */
	ASSERT_EQ(disable_group(s.fds[0]), 0);
	ASSERT_EQ(ioctl(s.fds[1], PERF_EVENT_IOC_ENABLE, 0), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	r = request();
	ASSERT_TRUE(r != NULL);
	EXPECT_EQ(stream_counter(r, 1)->flags, PMSCOPE_COUNTER_MEMBER);
	EXPECT_GT(stream_counter(r, 1)->count, stopped);
}

TEST(a_member_that_is_closed_is_gone)
{
	const struct pmscope_record *r;

	pin_to(0);
	open_requests(1, 0);
	close(s.fds[2]);
	s.count = 2;
	r = request();
	ASSERT_TRUE(r != NULL);
	ASSERT_EQ(r->nr_counters, 2);
	EXPECT_EQ(stream_counter(r, 1)->id, stream_id(s.fds[1]));
}

/* Members continue on their own. */
TEST(a_leader_that_is_closed_leaves_its_members)
{
	struct group_value before, after;

	pin_to(0);
	open_requests(1, 0);
	munmap(s.aux, s.aux_size);
	munmap(s.ring, (STREAM_RING_PAGES + 1) * s.page);
	close(s.fds[0]);
	for (int i = 1; i < STREAM_MEMBERS; i++) {
		ASSERT_TRUE(read_group(s.fds[i], 1, &before));
		work(1000);
		ASSERT_TRUE(read_group(s.fds[i], 1, &after));
		EXPECT_GT(after.value[0], before.value[0]);
	}
}

/* Recorded data stays, and nothing follows; a new recording starts afresh. */
TEST(a_stream_whose_cpu_goes_away)
{
	const struct pmscope_record *r;
	int records = 0;

	NEED_CPUS(2);
	pin_to(0);
	open_requests(1, 1);
	for (int i = 0; i < 3; i++) {
		struct group_value group;

		ASSERT_TRUE(read_group(s.fds[0], STREAM_MEMBERS, &group));
	}
	if (!set_online(1, '0'))
		SKIP("CPU 1 cannot go offline");
	while ((r = stream_next(&s))) {
		EXPECT_EQ(r->cpu, 1);
		EXPECT_EQ(r->lost, 0);
		records++;
	}
	EXPECT_EQ(records, 3);
	EXPECT_TRUE(request() == NULL);
	ASSERT_TRUE(set_online(1, '1'));
	EXPECT_TRUE(request() == NULL);
	stream_close(&s);
	open_requests(1, 1);
	EXPECT_TRUE(request() != NULL);
}
