// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The AUX area by system calls: watermarks, snapshot mode, areas that go away,
 * and what ioctls do to an event that runs. A task samples itself and reads; no
 * data is late then, so nothing may be lost or flagged.
 */
#include "ktap.h"
#include "spe.h"

#define PAGES	  16
#define TRUNCATED PERF_AUX_FLAG_TRUNCATED
#define OVERWRITE PERF_AUX_FLAG_OVERWRITE

static struct stream s;

/* Summary of all PERF_RECORD_AUX of an event */
struct pieces {
	int nr;
	int gaps;
	int late;
	uint64_t end;
	uint64_t longest;
	uint64_t flags;
};

/* For this task on any CPU, with its AUX area; 0 or a negative errno. */
static int open_self(struct perf_event_attr *attr, int pages, int prot)
{
	return stream_open_as(&s, attr, 0, -1, pages, prot);
}

static int turn_on(void)
{
	return enable_group(s.fds[0]);
}

static int turn_off(void)
{
	return disable_group(s.fds[0]);
}

/* Between two pieces there is padding at most: less than a page. */
static void note_piece(struct pieces *p, const struct aux_record *aux)
{
	p->gaps += aux->offset < p->end || aux->offset - p->end >= s.page;
	p->end = aux->offset + aux->size;
	p->late += p->end > s.tail + s.aux_size;
	if (aux->size > p->longest)
		p->longest = aux->size;
	p->flags |= aux->flags;
	p->nr++;
}

/* Notes the PERF_RECORD_AUX records; their data counts as read then. */
static void drain(struct pieces *p)
{
	struct aux_record aux;

	while (next_aux(s.ring, &aux))
		note_piece(p, &aux);
	stream_skip(&s);
}

/* Works and reads until the head has come to @position. */
static void run_to(struct pieces *p, uint64_t position)
{
	for (int i = 0; i < 10000 && stream_head(&s) < position; i++) {
		work(2000);
		drain(p);
	}
}

static void check_watermark(uint32_t watermark)
{
	struct perf_event_attr attr = spe_attr(0, 256);
	struct pieces p = {};
	uint64_t most;

	attr.aux_watermark = watermark;
	ASSERT_EQ(open_self(&attr, PAGES, PROT_READ | PROT_WRITE), 0);
	most = watermark ? watermark : s.aux_size / 2;
	most = (most + 2 * s.page - 1) / s.page * s.page;
	ASSERT_EQ(turn_on(), 0);
	run_to(&p, 3 * s.aux_size);
	EXPECT_EQ(turn_off(), 0);
	drain(&p);
	EXPECT_GE(p.end, 3 * s.aux_size);
	EXPECT_EQ(p.gaps, 0);
	EXPECT_EQ(p.late, 0);
	EXPECT_LE(p.longest, most);
	EXPECT_EQ(p.flags & ~(uint64_t)PERF_AUX_FLAG_COLLISION, 0);
	stream_close(&s);
}

BEFORE_EACH(NEED_SPE());

/* perf core has them from 1 to half of the area. */
TEST(watermarks_of_any_size)
{
	static const uint32_t watermark[] = {0,	   1,	 63,	4095, 4096,
					     4097, 8191, 20001, 32767};

	for (size_t i = 0; i < sizeof(watermark) / sizeof(watermark[0]); i++)
		check_watermark(watermark[i]);
}

/* No wakeup before the area is full: then it stops. */
TEST(watermark_behind_the_end)
{
	struct perf_event_attr attr = spe_attr(0, 256);
	struct pieces p = {};
	uint64_t end;

	attr.aux_watermark = UINT32_MAX;
	ASSERT_EQ(open_self(&attr, 2, PROT_READ | PROT_WRITE), 0);
	ASSERT_EQ(turn_on(), 0);
	work(2000000);
	EXPECT_EQ(turn_off(), 0);
	drain(&p);
	end = p.end;
	EXPECT_GT(end, 0);
	EXPECT_LE(end, s.aux_size);
	EXPECT_TRUE(p.flags & TRUNCATED);
	EXPECT_EQ(p.gaps, 0);

	/* It goes on where there is room. */
	ASSERT_EQ(turn_on(), 0);
	work(500);
	EXPECT_EQ(turn_off(), 0);
	p.flags = 0;
	drain(&p);
	EXPECT_GT(p.end, end);
	EXPECT_EQ(p.flags & TRUNCATED, 0);
}

TEST(snapshot_mode_overwrites)
{
	struct perf_event_attr attr = spe_attr(0, 256);
	uint64_t flags = 0;

	ASSERT_EQ(open_self(&attr, 2, PROT_READ), 0);
	for (int i = 0; i < 8; i++) {
		ASSERT_EQ(turn_on(), 0);
		work(100000);
		ASSERT_EQ(turn_off(), 0);
		flags |= stream_aux_flags(&s);
	}
	EXPECT_TRUE(flags & OVERWRITE);
	EXPECT_EQ(flags & ~(OVERWRITE | (uint64_t)PERF_AUX_FLAG_COLLISION), 0);
}

/* Only powers of two are valid sizes, for any user. */
TEST(areas_of_other_sizes)
{
	struct perf_event_attr attr = spe_attr(0, 4096);

	EXPECT_EQ(open_self(&attr, 3, PROT_READ | PROT_WRITE), -EINVAL);
}

/* The area is unmapped, and mapped again, under an event that is enabled. */
TEST(area_that_goes_away)
{
	struct perf_event_attr attr = spe_attr(0, 256);

	ASSERT_EQ(open_self(&attr, PAGES, PROT_READ | PROT_WRITE), 0);
	for (int i = 0; i < 3; i++) {
		uint64_t before = stream_head(&s);

		ASSERT_EQ(turn_on(), 0);
		work(10000);
		munmap(s.aux, s.aux_size);
		work(10000);
		EXPECT_EQ(turn_off(), 0);
		EXPECT_GE(stream_head(&s), before);
		s.aux = mmap(NULL, s.aux_size, PROT_READ | PROT_WRITE,
			     MAP_SHARED, s.fds[0], s.ring->aux_offset);
		ASSERT_NE((uintptr_t)s.aux, (uintptr_t)MAP_FAILED);
	}
	ASSERT_EQ(turn_on(), 0);
	work(10000);
	EXPECT_EQ(turn_off(), 0);
	EXPECT_GT(stream_head(&s), 0);
}

/* Bytes that the same work makes */
static uint64_t bytes_of_work(void)
{
	uint64_t before = stream_head(&s);

	if (turn_on())
		return 0;
	work(200000);
	turn_off();
	stream_skip(&s);
	return s.tail - before;
}

/* Four times the interval, while it is on and while it is off. */
TEST(period_that_changes)
{
	struct perf_event_attr attr = spe_attr(0, 1024);
	uint64_t period = 4096, dense, sparse;

	ASSERT_EQ(open_self(&attr, 64, PROT_READ | PROT_WRITE), 0);
	dense = bytes_of_work();
	ASSERT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period), 0);
	sparse = bytes_of_work();
	EXPECT_GT(dense, 3 * sparse);
	EXPECT_LT(dense, 5 * sparse);

	period = 1024;
	ASSERT_EQ(turn_on(), 0);
	ASSERT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period), 0);
	dense = bytes_of_work();
	EXPECT_GT(dense, 3 * sparse);
	EXPECT_LT(dense, 5 * sparse);
	period = 0;
	EXPECT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period), -1);
}

/*
 * The period changes where no window finds room any more: that event waits to be
 * enabled by its reader, as one does whose area has filled up.
 */
TEST(period_that_changes_where_no_room_is)
{
	struct perf_event_attr attr = spe_attr(0, 256);
	uint64_t period = 512, end;
	struct pieces p = {};

	pin_to(0);
	ASSERT_EQ(open_self(&attr, PAGES, PROT_READ | PROT_WRITE), 0);
	ASSERT_EQ(turn_on(), 0);
	run_to(&p, 2 * s.aux_size);
	EXPECT_EQ(p.flags & TRUNCATED, 0);
	/* Unread data begins with the next page. */
	s.tail = (p.end / s.page + 1) * s.page - s.aux_size;
	stream_release(&s);
	ASSERT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period), 0);
	drain(&p);
	EXPECT_TRUE(p.flags & TRUNCATED);

	end = p.end;
	ASSERT_EQ(turn_on(), 0);
	work(20000);
	EXPECT_EQ(turn_off(), 0);
	drain(&p);
	EXPECT_GT(p.end, end);
}

/* PERF_EVENT_IOC_REFRESH: that many pieces with data more */
TEST(an_event_ends_after_the_pieces_it_was_given)
{
	struct perf_event_attr attr = spe_attr(0, 256);
	struct aux_record aux;
	int full = 0;

	ASSERT_EQ(open_self(&attr, PAGES, PROT_READ | PROT_WRITE), 0);
	ASSERT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_REFRESH, 3), 0);
	for (int i = 0; i < 100; i++) {
		work(2000);
		usleep(100);
		while (next_aux(s.ring, &aux))
			full += aux.size > 0;
		stream_skip(&s);
	}
	EXPECT_EQ(full, 3);
}

/* From another CPU, where there is one, for as long as the task runs. */
static void disturb(void)
{
	pin_to(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	for (uint64_t i = 0;; i++) {
		uint64_t period = 256 << i % 4;

		turn_on();
		ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period);
		ioctl(s.fds[0], PERF_EVENT_IOC_REFRESH, 1);
		turn_off();
		ioctl(s.fds[0], PERF_EVENT_IOC_RESET, 0);
	}
}

TEST(ioctls_from_elsewhere)
{
	struct perf_event_attr attr = spe_attr(0, 256);
	struct pieces p = {};
	pid_t child;

	pin_to(0);
	ASSERT_EQ(open_self(&attr, PAGES, PROT_READ | PROT_WRITE), 0);
	child = fork();
	if (!child)
		disturb();
	for (int i = 0; i < 20000 && p.nr < 100; i++) {
		work(500);
		drain(&p);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	turn_off();
	drain(&p);
	printf("# %d pieces\n", p.nr);
	EXPECT_EQ(p.gaps, 0);
	EXPECT_EQ(p.late, 0);
	EXPECT_EQ(p.flags & ~(uint64_t)PERF_AUX_FLAG_COLLISION, 0);
}
