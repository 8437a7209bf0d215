// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams: what is in the AUX area of a pmu_snapshot event with a
 * sample_period, for each trigger, when it is full, and when it wraps.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "ktap.h"
#include "stream.h"

#define RECORDS 20
/* Turns of work() until a test gives up: minutes even where it is slow */
#define PATIENCE 200000

static struct stream s;

/* What every record of the group has, whatever triggered it */
static void check_record(const struct pmscope_record *r, int trigger)
{
	const struct pmscope_record_counter *c[STREAM_MEMBERS];

	EXPECT_EQ(r->version, PMSCOPE_RECORD_VERSION);
	EXPECT_EQ(r->trigger, trigger);
	EXPECT_NE(r->backend, PMSCOPE_BACKEND_NONE);
	EXPECT_EQ(r->result, PMSCOPE_CAPTURED);
	EXPECT_EQ(r->pmsscr, 0);
	EXPECT_EQ(r->id, stream_id(s.fds[0]));
	EXPECT_GT(r->time, 0);
	EXPECT_GT(r->cntvct, 0);
	ASSERT_EQ(r->nr_counters, STREAM_MEMBERS);
	for (int i = 0; i < STREAM_MEMBERS; i++) {
		c[i] = stream_counter(r, i);
		EXPECT_EQ(c[i]->flags, PMSCOPE_COUNTER_MEMBER);
		EXPECT_EQ(c[i]->id, stream_id(s.fds[i]));
		EXPECT_LE(c[i]->number, 32);
		EXPECT_GT(c[i]->count, 0);
	}
	EXPECT_EQ(c[0]->count, c[2]->count);
}

/* Works until there is a record; NULL when none comes. */
static const struct pmscope_record *wait_for_record(void)
{
	const struct pmscope_record *r;

	for (int i = 0; i < PATIENCE; i++) {
		r = stream_next(&s);
		if (r)
			return r;
		work(1000);
	}
	return NULL;
}

/* The counts rise by @step and more, but for the latency of the first. */
static void check_periodic(int trigger, uint64_t step)
{
	const struct pmscope_record *r;
	uint64_t time = 0, first = 0;

	for (int i = 0; i < RECORDS; i++) {
		r = wait_for_record();
		ASSERT_TRUE(r != NULL);
		check_record(r, trigger);
		EXPECT_EQ(r->lost, 0);
		EXPECT_GT(r->time, time);
		if (i)
			EXPECT_GT(stream_counter(r, 0)->count + step,
				  first + i * step);
		else
			first = stream_counter(r, 0)->count;
		time = r->time;
		stream_release(&s);
	}
	EXPECT_EQ(stream_aux_flags(&s) & PERF_AUX_FLAG_PARTIAL, 0);
}

TEST(timer_on_a_cpu)
{
	NEED_SNAPSHOT();
	pin_to(0);
	ASSERT_EQ(stream_open(&s, CPU_CYCLES, 1000000, -1, 0), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_TIMER, 0);
	stream_close(&s);
}

TEST(timer_of_a_task)
{
	NEED_SNAPSHOT();
	ASSERT_EQ(stream_open(&s, CPU_CYCLES, 1000000, 0, -1), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_TIMER, 0);
	stream_close(&s);
}

TEST(a_frequency_sets_the_timer)
{
	struct perf_event_attr attr = stream_attr(CPU_CYCLES, 0);
	long limit;

	NEED_SNAPSHOT();
	/* perf core lowers the limit where interrupts take long. */
	limit = sysfs_number("/proc/sys/kernel/perf_event_max_sample_rate");
	attr.freq = 1;
	attr.sample_freq = limit < 1000 ? limit : 1000;
	pin_to(0);
	ASSERT_EQ(stream_open_group(&s, &attr, -1, 0), 0);
	ASSERT_EQ(stream_map(&s, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_TIMER, 0);
	stream_close(&s);
}

/*
 * More than a CPU can do: without a rest behind each record, what comes after
 * the timers would never run.
 */
TEST(short_periods_leave_time_to_others)
{
	struct perf_event_attr attr =
		stream_attr(INST_RETIRED, PMSCOPE_TIMER_PERIOD_MIN);
	long missed;
	static struct stream many[4];

	NEED_SNAPSHOT();
	missed = sysfs_number(SNAPSHOT_DIR "stats/periods_missed");
	pin_to(0);
	for (int i = 0; i < 4; i++) {
		many[i] = (struct stream){.count = 1};
		many[i].fds[0] = open_event(&attr, -1, 0, -1);
		ASSERT_GE(many[i].fds[0], 0);
		ASSERT_EQ(stream_map(&many[i], STREAM_AUX_PAGES, PROT_READ), 0);
		ASSERT_EQ(enable_group(many[i].fds[0]), 0);
	}
	work(1000000);
	for (int i = 0; i < 4; i++)
		stream_close(&many[i]);
	EXPECT_GT(sysfs_number(SNAPSHOT_DIR "stats/periods_missed"), missed);
}

TEST(overflow_of_the_event)
{
	uint64_t period = 1000000;

	NEED_SNAPSHOT();
	pin_to(0);
	ASSERT_EQ(stream_open(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_OVERFLOW,
			      period, -1, 0),
		  0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_OVERFLOW, period);
	stream_close(&s);
}

TEST(overflow_in_a_task)
{
	uint64_t period = 1000000;

	NEED_SNAPSHOT();
	ASSERT_EQ(stream_open(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_OVERFLOW,
			      period, 0, -1),
		  0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_OVERFLOW, period);
	stream_close(&s);
}

static void open_requests(uint64_t period, int aux_pages, int prot)
{
	struct perf_event_attr attr =
		stream_attr(CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, period);

	pin_to(0);
	attr.read_format |= PERF_FORMAT_LOST;
	attr.aux_watermark = 1000;
	ASSERT_EQ(stream_open_group(&s, &attr, -1, 0), 0);
	ASSERT_EQ(stream_map(&s, aux_pages, prot), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
}

/* A read(2) with PERF_FORMAT_LOST: nr, times, then value and lost of each */
struct request_value {
	uint64_t nr, enabled, running;
	struct {
		uint64_t value, lost;
	} member[STREAM_MEMBERS];
};

static struct request_value request(void)
{
	struct request_value v = {0};

	if (read(s.fds[0], &v, sizeof(v)) != sizeof(v))
		v.nr = 0;
	return v;
}

/* The caller has the very counts that are recorded. */
TEST(a_read_requests_a_record)
{
	struct request_value v;
	const struct pmscope_record *r;
	long before;

	NEED_SNAPSHOT();
	open_requests(1, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	before = captures();
	for (int i = 0; i < 200; i++) {
		v = request();
		ASSERT_EQ(v.nr, STREAM_MEMBERS);
		r = stream_next(&s);
		ASSERT_TRUE(r != NULL);
		check_record(r, PMSCOPE_TRIGGER_READ);
		for (int m = 0; m < STREAM_MEMBERS; m++)
			EXPECT_EQ(stream_counter(r, m)->count,
				  v.member[m].value);
		ASSERT_TRUE(stream_next(&s) == NULL);
		stream_release(&s);
	}
	EXPECT_EQ(captures() - before, 200);
	EXPECT_EQ(v.member[0].lost, 0);
	stream_close(&s);
}

TEST(the_period_divides_requests)
{
	int records = 0;

	NEED_SNAPSHOT();
	open_requests(3, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 30; i++)
		request();
	while (stream_next(&s))
		records++;
	EXPECT_EQ(records, 10);
	stream_close(&s);
}

/* Records are dropped whole, counted, and the next one tells. */
TEST(a_full_area_loses_whole_records)
{
	struct request_value v;
	const struct pmscope_record *r;
	unsigned int fit = 0;
	long lost;

	NEED_SNAPSHOT();
	open_requests(1, 1, PROT_READ | PROT_WRITE);
	lost = sysfs_number(SNAPSHOT_DIR "stats/records_lost");
	for (int i = 0; i < 100; i++)
		v = request();
	while ((r = stream_next(&s))) {
		EXPECT_EQ(r->lost, 0);
		fit++;
	}
	EXPECT_EQ(stream_head(&s), s.tail);
	EXPECT_EQ(fit, s.aux_size / (s.tail / fit));
	EXPECT_EQ(request().member[0].lost, 101 - fit);
	EXPECT_EQ(stream_aux_flags(&s), 0);

	stream_release(&s);
	v = request();
	r = stream_next(&s);
	ASSERT_TRUE(r != NULL);
	EXPECT_EQ(r->lost, 101 - fit);
	EXPECT_EQ(stream_aux_flags(&s), PERF_AUX_FLAG_PARTIAL);
	EXPECT_EQ(v.member[0].lost, 101 - fit);
	EXPECT_EQ(sysfs_number(SNAPSHOT_DIR "stats/records_lost") - lost,
		  101 - fit);

	/* And that is told once. */
	request();
	r = stream_next(&s);
	ASSERT_TRUE(r != NULL);
	EXPECT_EQ(r->lost, 0);
	EXPECT_EQ(stream_aux_flags(&s), 0);
	stream_close(&s);
}

/* Many times around the area: no record is torn. */
TEST(records_wrap)
{
	struct request_value v;
	const struct pmscope_record *r;

	NEED_SNAPSHOT();
	open_requests(1, 1, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 300; i++) {
		v = request();
		r = stream_next(&s);
		ASSERT_TRUE(r != NULL);
		check_record(r, PMSCOPE_TRIGGER_READ);
		ASSERT_EQ(stream_counter(r, 1)->count, v.member[1].value);
		stream_release(&s);
	}
	EXPECT_GT(s.tail, 10 * s.aux_size);
	stream_close(&s);
}

/* An area mapped read-only keeps the latest records. */
TEST(snapshot_mode_keeps_the_latest)
{
	struct request_value v = {0};
	uint64_t head, size = 0, last = 0;
	const struct pmscope_record *r;
	int records = 0;

	NEED_SNAPSHOT();
	open_requests(1, 1, PROT_READ);
	for (int i = 0; i < 100; i++)
		v = request();
	EXPECT_EQ(v.member[0].lost, 0);
	ASSERT_EQ(disable_group(s.fds[0]), 0);
	head = stream_head(&s);
	EXPECT_GT(head, s.aux_size);

	/* The oldest is cut: the first whole one starts with the magic. */
	for (s.tail = head - s.aux_size; s.tail < head; s.tail += 8) {
		struct pmscope_record whole;

		stream_copy(&s, s.tail, &whole, sizeof(whole));
		if (stream_is_whole(&whole, head - s.tail))
			break;
	}
	while ((r = stream_next(&s))) {
		check_record(r, PMSCOPE_TRIGGER_READ);
		size = r->size;
		last = stream_counter(r, 0)->count;
		records++;
	}
	EXPECT_EQ(s.tail, head);
	ASSERT_GT(size, 0);
	EXPECT_EQ(head, 100 * size);
	EXPECT_GE(records, (int)(s.aux_size / size) - 1);
	EXPECT_EQ(last, v.member[0].value);
	stream_close(&s);
}

static int is_ready(void)
{
	struct pollfd fd = {.fd = s.fds[0], .events = POLLIN};

	return poll(&fd, 1, 0);
}

TEST(poll_wakes_at_the_watermark)
{
	NEED_SNAPSHOT();
	open_requests(1, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	EXPECT_EQ(is_ready(), 0);
	request();
	EXPECT_EQ(is_ready(), 0);
	for (int i = 0; i < 10; i++)
		request();
	EXPECT_EQ(is_ready(), 1);
	stream_close(&s);
}

/* Nowhere to write: the counts are right, the records are counted as lost. */
TEST(without_an_area_all_are_lost)
{
	struct perf_event_attr attr =
		stream_attr(CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, 1);
	struct request_value v;

	NEED_SNAPSHOT();
	pin_to(0);
	attr.read_format |= PERF_FORMAT_LOST;
	ASSERT_EQ(stream_open_group(&s, &attr, -1, 0), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	for (int i = 0; i < 10; i++)
		v = request();
	EXPECT_EQ(v.member[0].lost, 10);
	EXPECT_EQ(v.member[0].value, v.member[2].value);
	close_group(s.fds, STREAM_MEMBERS);
}

/* Reads of the group do not move the counts of a stream, and the other way. */
TEST(a_stream_counts_as_a_plain_group)
{
	int plain[STREAM_MEMBERS];
	struct group_value group;
	uint64_t before, after;
	struct request_value v;

	NEED_SNAPSHOT();
	open_requests(1, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	ASSERT_EQ(open_group(stream_events, STREAM_MEMBERS, -1, 0, plain), 0);
	ASSERT_EQ(enable_group(plain[0]), 0);
	for (int i = 0; i < 100; i++) {
		v = request();
		before = v.member[0].value;
		ASSERT_TRUE(read_group(plain[0], STREAM_MEMBERS, &group));
		EXPECT_EQ(group.value[0], group.value[2]);
		after = request().member[0].value;
		EXPECT_GT(after, before);
	}
	close_group(plain, STREAM_MEMBERS);
	stream_close(&s);
}

/* What this task forks from now on writes to the area of CPU 0. */
static int stream_to_children(void)
{
	struct perf_event_attr attr = stream_attr(CPU_CYCLES, 1000000);
	int ret;

	pin_to(0);
	attr.inherit = 1;
	ret = stream_open_group(&s, &attr, 0, 0);
	if (!ret)
		ret = stream_map(&s, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	return ret ? ret : enable_group(s.fds[0]);
}

/* A child of the task writes to the area of its CPU, under its own name. */
TEST(children_stream_too)
{
	const struct pmscope_record *r;
	bool seen = false;
	pid_t child;

	NEED_SNAPSHOT();
	ASSERT_EQ(stream_to_children(), 0);
	child = fork();
	if (!child)
		for (;;)
			work(1000);
	for (int i = 0; i < PATIENCE && !seen; i++) {
		work(1000);
		while ((r = stream_next(&s))) {
			check_record(r, PMSCOPE_TRIGGER_TIMER);
			seen |= (pid_t)r->pid == child;
		}
		stream_release(&s);
	}
	EXPECT_TRUE(seen);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	stream_close(&s);
}

/* A process of a namespace of its own, whose child tells @to and is busy */
static void run_in_namespace(int to)
{
	struct perf_event_attr alone = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(alone),
		.config = PERF_COUNT_SW_DUMMY,
	};
	pid_t child;

	if (unshare(CLONE_NEWPID))
		_exit(1);
	if (fork())
		pause();
	/* It is the namespace's first, and takes all of it along. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Tasks whose events are all inherited exchange them. */
	open_event(&alone, 0, -1, -1);
	/* Made by one who is in the namespace, not by one who made it. */
	child = fork();
	if (child)
		pause();
	write(to, "", 1);
	for (;;)
		work(1000);
}

/* PIDs are those of whoever opened the event, wherever a child was made. */
TEST(children_in_a_pid_namespace_have_the_owners_pids)
{
	const struct pmscope_record *r;
	int ready[2], records = 0;
	pid_t child;
	char byte;

	NEED_SNAPSHOT();
	if (geteuid())
		SKIP("needs root");
	if (access("/proc/self/ns/pid", F_OK))
		SKIP("this kernel has no PID namespaces");
	ASSERT_EQ(stream_to_children(), 0);
	ASSERT_EQ(pipe(ready), 0);
	child = fork();
	if (!child)
		run_in_namespace(ready[1]);
	close(ready[1]);
	ASSERT_EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	while (stream_next(&s))
		;
	stream_release(&s);
	for (int i = 0; i < PATIENCE && records < RECORDS; i++) {
		work(1000);
		while (records < RECORDS && (r = stream_next(&s))) {
			EXPECT_GE((pid_t)r->pid, getpid());
			records += (pid_t)r->pid != getpid();
		}
		stream_release(&s);
	}
	EXPECT_EQ(records, RECORDS);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	stream_close(&s);
}

TEST(all_counters_are_recorded)
{
	struct perf_event_attr attr = stream_attr(
		CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST | PMSCOPE_SNAPSHOT_ALL,
		1);
	const struct pmscope_record_counter *c;
	const struct pmscope_record *r;
	int others = 0, other;

	NEED_SNAPSHOT();
	pin_to(0);
	attr.read_format |= PERF_FORMAT_LOST;
	ASSERT_EQ(stream_open_group(&s, &attr, -1, 0), 0);
	ASSERT_EQ(stream_map(&s, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	attr = snapshot_attr(0x1b);
	other = open_event(&attr, -1, 0, -1);
	ASSERT_GE(other, 0);
	request();
	r = stream_next(&s);
	ASSERT_TRUE(r != NULL);
	for (int i = 0; i < r->nr_counters; i++) {
		c = stream_counter(r, i);
		if (c->flags & PMSCOPE_COUNTER_MEMBER)
			continue;
		EXPECT_EQ(c->id, 0);
		others += (c->type & 0xffff) == 0x1b;
	}
	EXPECT_EQ(others, 1);
	close(other);
	stream_close(&s);
}

KTAP_MAIN
