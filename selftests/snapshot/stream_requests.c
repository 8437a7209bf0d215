// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams in which each read(2) makes a record: its contents, and what happens
 * when the AUX area is full, wraps, or is missing.
 */
#include "stream_check.h"

static struct stream s;

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

BEFORE_EACH(NEED_SNAPSHOT());

/* The caller has the very counts that are recorded. */
TEST(a_read_requests_a_record)
{
	struct request_value v;
	const struct pmscope_record *r;
	long before;

	open_requests(1, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	before = captures();
	for (int i = 0; i < 200; i++) {
		v = request();
		ASSERT_EQ(v.nr, STREAM_MEMBERS);
		r = stream_next(&s);
		ASSERT_TRUE(r != NULL);
		check_record(&s, r, PMSCOPE_TRIGGER_READ);
		for (int m = 0; m < STREAM_MEMBERS; m++)
			EXPECT_EQ(stream_counter(r, m)->count,
				  v.member[m].value);
		ASSERT_TRUE(stream_next(&s) == NULL);
		stream_release(&s);
	}
	EXPECT_EQ(captures() - before, 200);
	EXPECT_EQ(v.member[0].lost, 0);
}

TEST(the_period_divides_requests)
{
	int records = 0;

	open_requests(3, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 30; i++)
		request();
	while (stream_next(&s))
		records++;
	EXPECT_EQ(records, 10);
}

/* Some times as many as a page has room for */
static int many(void)
{
	return getpagesize() / 40;
}

/* Records are dropped whole and counted, and the next one reports it. */
TEST(a_full_area_loses_whole_records)
{
	struct request_value v;
	const struct pmscope_record *r;
	unsigned int fit = 0;
	long lost;

	open_requests(1, 1, PROT_READ | PROT_WRITE);
	lost = sysfs_number(SNAPSHOT_DIR "stats/records_lost");
	for (int i = 0; i < many(); i++)
		v = request();
	while ((r = stream_next(&s))) {
		EXPECT_EQ(r->lost, 0);
		fit++;
	}
	EXPECT_EQ(stream_head(&s), s.tail);
	EXPECT_EQ(fit, s.aux_size / (s.tail / fit));
	EXPECT_EQ(request().member[0].lost, many() + 1 - fit);
	EXPECT_EQ(stream_aux_flags(&s), 0);

	stream_release(&s);
	v = request();
	r = stream_next(&s);
	ASSERT_TRUE(r != NULL);
	EXPECT_EQ(r->lost, many() + 1 - fit);
	EXPECT_EQ(stream_aux_flags(&s), PERF_AUX_FLAG_PARTIAL);
	EXPECT_EQ(v.member[0].lost, many() + 1 - fit);
	EXPECT_EQ(sysfs_number(SNAPSHOT_DIR "stats/records_lost") - lost,
		  many() + 1 - fit);

	/* This is reported once. */
	request();
	r = stream_next(&s);
	ASSERT_TRUE(r != NULL);
	EXPECT_EQ(r->lost, 0);
	EXPECT_EQ(stream_aux_flags(&s), 0);
}

/* Many times around the area: no record is torn. */
TEST(records_wrap)
{
	struct request_value v;
	const struct pmscope_record *r;

	open_requests(1, 1, PROT_READ | PROT_WRITE);
	while (s.tail <= 10 * s.aux_size) {
		v = request();
		r = stream_next(&s);
		ASSERT_TRUE(r != NULL);
		check_record(&s, r, PMSCOPE_TRIGGER_READ);
		ASSERT_EQ(stream_counter(r, 1)->count, v.member[1].value);
		stream_release(&s);
	}
}

/* An area mapped read-only keeps the latest records. */
TEST(snapshot_mode_keeps_the_latest)
{
	struct request_value v = {0};
	uint64_t head, size = 0, last = 0;
	const struct pmscope_record *r;
	int records = 0;

	open_requests(1, 1, PROT_READ);
	for (int i = 0; i < many(); i++)
		v = request();
	EXPECT_EQ(v.member[0].lost, 0);
	ASSERT_EQ(disable_group(s.fds[0]), 0);
	head = stream_head(&s);
	EXPECT_GT(head, s.aux_size);

	/* The oldest is cut: the first complete one starts with the magic. */
	for (s.tail = head - s.aux_size; s.tail < head; s.tail += 8) {
		struct pmscope_record whole;

		stream_copy(&s, s.tail, &whole, sizeof(whole));
		if (stream_is_whole(&whole, head - s.tail))
			break;
	}
	while ((r = stream_next(&s))) {
		check_record(&s, r, PMSCOPE_TRIGGER_READ);
		size = r->size;
		last = stream_counter(r, 0)->count;
		records++;
	}
	EXPECT_EQ(s.tail, head);
	ASSERT_GT(size, 0);
	EXPECT_EQ(head, many() * size);
	EXPECT_GE(records, (int)(s.aux_size / size) - 1);
	EXPECT_EQ(last, v.member[0].value);
}

static int is_ready(void)
{
	struct pollfd fd = {.fd = s.fds[0], .events = POLLIN};

	return poll(&fd, 1, 0);
}

TEST(poll_wakes_at_the_watermark)
{
	open_requests(1, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	EXPECT_EQ(is_ready(), 0);
	request();
	EXPECT_EQ(is_ready(), 0);
	for (int i = 0; i < 10; i++)
		request();
	EXPECT_EQ(is_ready(), 1);
}

/* Nowhere to write: the counts are right, the records are counted as lost. */
TEST(without_an_area_all_are_lost)
{
	struct perf_event_attr attr =
		stream_attr(CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, 1);
	struct request_value v;

	pin_to(0);
	attr.read_format |= PERF_FORMAT_LOST;
	ASSERT_EQ(stream_open_group(&s, &attr, -1, 0), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	for (int i = 0; i < 10; i++)
		v = request();
	EXPECT_EQ(v.member[0].lost, 10);
	EXPECT_EQ(v.member[0].value, v.member[2].value);
}

/*
 * All that perf core does with an area while the stream runs leaves it alone.
 */
TEST(an_area_that_comes_and_goes)
{
	struct perf_event_attr attr =
		stream_attr(CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, 1);
	struct request_value v, last = {0};

	pin_to(0);
	attr.read_format |= PERF_FORMAT_LOST;
	ASSERT_EQ(stream_open_group(&s, &attr, -1, 0), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	for (int i = 0; i < 9; i++) {
		if (i == 3)
			ASSERT_EQ(stream_map(&s, STREAM_AUX_PAGES,
					     PROT_READ | PROT_WRITE),
				  0);
		if (i == 6)
			ASSERT_EQ(munmap(s.aux, s.aux_size), 0);
		v = request();
		EXPECT_GT(v.member[0].value, last.member[0].value);
		EXPECT_EQ(v.member[0].value, v.member[2].value);
		EXPECT_EQ(v.member[0].lost, i < 3 ? i + 1 : i < 6 ? 3 : i - 2);
		last = v;
	}
}

/* Reads of the group do not change the counts of a stream, and vice versa. */
TEST(a_stream_counts_as_a_plain_group)
{
	int plain[STREAM_MEMBERS];
	struct group_value group;
	uint64_t before, after;
	struct request_value v;

	open_requests(1, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	ASSERT_EQ(start_group(stream_events, STREAM_MEMBERS, -1, 0, plain), 0);
	for (int i = 0; i < 100; i++) {
		v = request();
		before = v.member[0].value;
		ASSERT_TRUE(read_group(plain[0], STREAM_MEMBERS, &group));
		EXPECT_EQ(group.value[0], group.value[2]);
		after = request().member[0].value;
		EXPECT_GT(after, before);
	}
}

/* A member that also streams is not the event that is read. */
TEST(requests_are_the_leaders_among_streams)
{
	struct perf_event_attr attr = stream_attr(CPU_CYCLES, 1000000000000);
	struct request_value v[2] = {0};
	int timer;

	open_requests(1, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	attr.disabled = 0;
	timer = open_event(&attr, -1, 0, s.fds[0]);
	ASSERT_GE(timer, 0);
	EXPECT_EQ(read(s.fds[0], v, sizeof(v)), sizeof(v[0]) + 16);
	EXPECT_TRUE(stream_next(&s) != NULL);
}

TEST(all_counters_are_recorded)
{
	struct perf_event_attr attr = stream_attr(
		CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST | PMSCOPE_SNAPSHOT_ALL,
		1);
	const struct pmscope_record_counter *c;
	const struct pmscope_record *r;
	uint64_t numbers = 0;
	int others = 0, other;

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
		if (c->flags & PMSCOPE_COUNTER_MEMBER) {
			numbers |= 1ULL << c->number;
			continue;
		}
		EXPECT_EQ(c->id, 0);
		EXPECT_FALSE(numbers >> c->number & 1);
		others += (c->type & 0xffff) == 0x1b;
	}
	EXPECT_EQ(others, 1);
}
