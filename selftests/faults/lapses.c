// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures that are blocked and allowed again and again while they are used,
 * with an external agent that captures, too: no trigger delivers stale values.
 */
#include "faults.h"
#include "snapshot/fresh.h"
#include "spe/spe.h"

#define RECORDS	 400
#define PATIENCE 100000

static struct stream s;
static struct fresh fresh;

#define NEED_LAPSES()                                      \
	do {                                               \
		if (!has_fault("lapses"))                  \
			SKIP("captures always work here"); \
		NEED_SNAPSHOT();                           \
		pin_to(0);                                 \
		memset(&fresh, 0, sizeof(fresh));          \
	} while (0)

static void check_fresh(const char *what)
{
	ktap_note("%s: %u records, %u captured, %u stale", what, fresh.records,
		  fresh.captured, fresh_stale(&fresh));
	EXPECT_EQ(fresh_stale(&fresh), 0);
	EXPECT_GE(fresh.records, RECORDS);
}

static void check_stream(const char *what)
{
	check_fresh(what);
	EXPECT_GT(fresh.captured, 0);
	EXPECT_LT(fresh.captured, fresh.records);
	stream_close(&s);
}

static void check_trigger(const char *what, uint64_t trigger, uint64_t period)
{
	ASSERT_EQ(stream_start(&s, CPU_CYCLES | trigger, period, -1, 0), 0);
	for (int i = 0; i < PATIENCE && fresh.records < RECORDS; i++) {
		work(1000);
		fresh_drain(&fresh, &s);
	}
	check_stream(what);
}

BEFORE_EACH(NEED_LAPSES());

CASE(timer, check_trigger("timer", 0, 30000));
CASE(overflow, check_trigger("overflow", PMSCOPE_SNAPSHOT_OVERFLOW, 50000));

TEST(request_by_read)
{
	struct group_value group;

	ASSERT_EQ(stream_start(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_REQUEST, 1, -1,
			       0),
		  0);
	while (fresh.records < RECORDS) {
		ASSERT_TRUE(read_group(s.fds[0], STREAM_MEMBERS, &group));
		EXPECT_EQ(group.value[0], group.value[2]);
		work(2000);
		fresh_drain(&fresh, &s);
	}
	check_stream("request by read(2)");
}

/* @events: from the first, which is cycles */
static void check_group(const char *what, const uint64_t *events, int count)
{
	struct group_value group;
	uint64_t from;
	int fds[MAX_GROUP];

	ASSERT_EQ(start_group(events, count, -1, 0, fds), 0);
	while (fresh.records < RECORDS) {
		from = clock_ns();
		ASSERT_TRUE(read_group(fds[0], count, &group));
		fresh_note(&fresh, from, clock_ns(), group.value[0]);
		work(2000);
	}
	close_group(fds, count);
	check_fresh(what);
}

TEST(group_read)
{
	static const uint64_t events[] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES};
	long before;

	before = snapshot_stat("disabled");
	check_group("read(2)", events, 3);
	EXPECT_GT(snapshot_stat("disabled"), before);
}

/*
 * Every cycle is an instruction here; counters other than that of cycles show
 * freshness.
 */
TEST(group_without_cycles)
{
	static const uint64_t events[] = {INST_RETIRED, INST_RETIRED};

	check_group("instructions", events, 1);
	memset(&fresh, 0, sizeof(fresh));
	check_group("instructions twice", events, 2);
}

static const void *ring_at(const struct stream *ring, uint64_t at, void *to,
			   size_t size)
{
	const unsigned char *data =
		(unsigned char *)ring->ring + ring->ring->data_offset;

	for (size_t i = 0; i < size; i++)
		((unsigned char *)to)[i] =
			data[(at + i) % ring->ring->data_size];
	return to;
}

/* PERF_SAMPLE_TIME and PERF_SAMPLE_READ of a group of two */
struct sample {
	struct perf_event_header header;
	uint64_t time, nr, clock, cycles;
};

static void drain_samples(struct stream *ring)
{
	uint64_t head =
		__atomic_load_n(&ring->ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = ring->ring->data_tail;
	struct sample sample;

	for (; at < head; at += sample.header.size) {
		ring_at(ring, at, &sample, sizeof(sample));
		if (sample.header.type == PERF_RECORD_SAMPLE)
			fresh_note(&fresh, sample.time, sample.time + FRESH_NS,
				   sample.cycles);
	}
	__atomic_store_n(&ring->ring->data_tail, head, __ATOMIC_RELEASE);
}

TEST(sibling_of_a_sampled_event)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(clock),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 50000,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP,
		.disabled = 1,
	};
	struct perf_event_attr cycles = snapshot_attr(CPU_CYCLES);

	cycles.read_format = PERF_FORMAT_GROUP;
	memset(&s, 0, sizeof(s));
	s.fds[0] = open_event(&clock, -1, 0, -1);
	ASSERT_GE(s.fds[0], 0);
	s.fds[1] = open_event(&cycles, -1, 0, s.fds[0]);
	ASSERT_GE(s.fds[1], 0);
	s.page = getpagesize();
	s.ring = mmap(NULL, (STREAM_RING_PAGES + 1) * s.page,
		      PROT_READ | PROT_WRITE, MAP_SHARED, s.fds[0], 0);
	ASSERT_NE(s.ring, MAP_FAILED);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	for (int i = 0; i < PATIENCE && fresh.records < RECORDS; i++) {
		work(1000);
		drain_samples(&s);
	}
	check_fresh("sibling");
}

TEST(spe)
{
	static struct stream spe;

	if (access(SPE_DIR "stats", F_OK))
		SKIP("arm_spe_0 is not pmscope's");
	ASSERT_EQ(stream_start(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_SPE, 1, -1, 0),
		  0);
	ASSERT_EQ(spe_stream_open(&spe, 0, 2), 0);
	for (int i = 0; i < PATIENCE && fresh.records < RECORDS; i++) {
		ioctl(spe.fds[0], PERF_EVENT_IOC_ENABLE, 0);
		work(2000);
		ioctl(spe.fds[0], PERF_EVENT_IOC_DISABLE, 0);
		stream_skip(&spe);
		fresh_drain(&fresh, &s);
	}
	check_stream("SPE");
}

/* The word with which caps/gate begins */
static bool gate_says(const char *word)
{
	return !strncmp(file_text(SNAPSHOT_DIR "caps/gate"), word,
			strlen(word));
}

/* Reads a group until stats/@name has grown. */
static void read_until(int leader, const char *name)
{
	long before = snapshot_stat(name);
	struct group_value group;

	for (int i = 0; i < 100 && snapshot_stat(name) == before; i++)
		read_group(leader, 1, &group);
	EXPECT_GT(snapshot_stat(name), before);
}

TEST(the_gate_says_what_the_last_capture_met)
{
	static const uint64_t event = CPU_CYCLES;
	int fd;

	ASSERT_EQ(start_group(&event, 1, -1, 0, &fd), 0);
	for (int i = 0; i < 10; i++) {
		read_until(fd, "disabled");
		EXPECT_TRUE(gate_says("disabled: "));
		read_until(fd, "captured");
		EXPECT_TRUE(gate_says("allowed: "));
	}
}
