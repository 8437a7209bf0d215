// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts of threads that move between CPUs, with one event per CPU: the report
 * must equal what they did.
 */
#include "command.h"

#include <pmscope/perfdata.h>

#define MS	  1000000
#define TEXT_SIZE 16384
#define CPUS	  4
#define THREADS	  3
#define EVENTS	  2

#define SAMPLE_TYPE                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_READ)
#define READ_FORMAT                                           \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID)

/* Ids of the leader, which counts 3 a ms; its member counts 1000 a ms. */
static uint64_t id_of(unsigned int event, unsigned int cpu)
{
	return 1 + event * CPUS + cpu;
}

struct thread {
	uint64_t enabled[CPUS]; /* ms */
	uint64_t running[CPUS];
	uint64_t count[CPUS];
	/* The known state between its first and last readings. */
	bool is_read[CPUS];
	uint64_t first[CPUS];
	uint64_t last[CPUS];
};

static struct machine {
	struct bytes b;
	uint64_t now;	   /* ms */
	bool clock_of_cpu; /* it goes while the thread is there */
	struct thread thread[THREADS];
} m;

static void put_event(struct bytes *b, unsigned int event, unsigned int cpus,
		      bool inherit)
{
	static const uint64_t configs[] = {0x11, 0x8, 0};
	const struct perf_event_attr attr = {
		.type = 20,
		.size = PERF_ATTR_SIZE_VER5,
		.config = configs[event],
		.inherit = inherit,
		.sample_type = SAMPLE_TYPE,
		.read_format = READ_FORMAT,
		.sample_id_all = 1,
	};
	BYTES body = {};

	bytes_add(&body, &attr, PERF_ATTR_SIZE_VER5);
	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		put(&body, id_of(event, cpu), 8);
	put_record(b, PMSCOPE_RECORD_HEADER_ATTR, 0, &body);
}

static void machine_init(bool inherit)
{
	bytes_fini(&m.b);
	m = (struct machine){};
	bytes_add(&m.b, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	for (unsigned int event = 0; event < EVENTS; event++)
		put_event(&m.b, event, CPUS, inherit);
}

static void put_reading(unsigned int tid, unsigned int cpu)
{
	struct thread *t = &m.thread[tid];
	BYTES body = {};

	put(&body, id_of(0, cpu), 8);
	PUT(&body, 4, 10, 10 + tid);
	PUT(&body, 8, m.now * MS, cpu, EVENTS, t->enabled[cpu] * MS,
	    t->running[cpu] * MS, 3 * t->count[cpu], id_of(0, cpu),
	    1000 * t->count[cpu], id_of(1, cpu));
	put_record(&m.b, PERF_RECORD_SAMPLE, 0, &body);
	if (!t->is_read[cpu])
		t->first[cpu] = t->count[cpu];
	t->is_read[cpu] = true;
	t->last[cpu] = t->count[cpu];
}

/* A thread is on a CPU for a ms; @counts: its counters have the PMU. */
static void run(unsigned int tid, unsigned int cpu, bool counts, bool read)
{
	struct thread *t = &m.thread[tid];

	m.now++;
	for (unsigned int i = 0; i < CPUS; i++)
		t->enabled[i] += !m.clock_of_cpu || i == cpu;
	if (!counts)
		return;
	t->running[cpu]++;
	t->count[cpu]++;
	if (read)
		put_reading(tid, cpu);
}

/* As the recorder reads an event at the end: for all threads, or a CPU. */
static void put_total(uint32_t owner, unsigned int cpu,
		      const struct thread *all)
{
	BYTES body = {};

	PUT(&body, 4, UINT32_MAX, owner);
	PUT(&body, 8, EVENTS, all->enabled[cpu] * MS, all->running[cpu] * MS,
	    3 * all->count[cpu], id_of(0, cpu), 1000 * all->count[cpu],
	    id_of(1, cpu));
	PUT(&body, 4, UINT32_MAX, owner);
	PUT(&body, 8, m.now * MS, cpu, id_of(0, cpu));
	put_record(&m.b, PERF_RECORD_READ, 0, &body);
}

static void put_totals(void)
{
	struct thread all = {};

	for (unsigned int i = 0; i < THREADS; i++)
		for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
			all.enabled[cpu] += m.thread[i].enabled[cpu];
			all.running[cpu] += m.thread[i].running[cpu];
			all.count[cpu] += m.thread[i].count[cpu];
		}
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		put_total(10, cpu, &all);
}

static uint64_t known(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < THREADS; i++)
		for (unsigned int cpu = 0; cpu < CPUS; cpu++)
			sum += m.thread[i].last[cpu] - m.thread[i].first[cpu];
	return sum;
}

static const char *tell(const char *arguments)
{
	static char text[TEXT_SIZE];

	EXPECT_EQ(command_pmscope_text(&m.b, arguments, text, sizeof(text)), 0);
	return text;
}

/* Both events have counted for @ms, of @enabled. */
static void expect_ms(uint64_t ms, uint64_t enabled, uint64_t running)
{
	static const unsigned int a_ms[] = {3, 1000};
	char part[128];
	const char *text = tell("report --format=jsonl");

	for (unsigned int event = 0; event < EVENTS; event++) {
		snprintf(part, sizeof(part), "\"count\":%" PRIu64 ",",
			 a_ms[event] * ms);
		EXPECT_TRUE(strstr(text, part));
	}
	snprintf(part, sizeof(part),
		 "\"enabled_ns\":%" PRIu64 ",\"running_ns\":%" PRIu64 "}",
		 enabled * MS, running * MS);
	EXPECT_TRUE(strstr(text, part));
	text = tell("report");
	EXPECT_EQ(!!strstr(text, "scaled"), running < enabled);
	if (!recount_works())
		SKIP("slices are not computed: no python3 with sqlite3 here");
	recount_file(&m.b, " --counters");
}

/* Time on other CPUs is not missing time. */
PLAIN_TEST(one_thread_on_two_cpus)
{
	machine_init(false);
	for (unsigned int i = 0; i < 41; i++)
		run(0, i % 2, true, true);
	EXPECT_EQ(known(), 39U);
	expect_ms(39, 39, 39);
	/* In the time that the counts are of. */
	EXPECT_TRUE(strstr(tell("report"), "  1000000  "));
}

/* It leaves each CPU before the reading that is due there next. */
PLAIN_TEST(last_intervals_are_not_missed)
{
	unsigned int step = 0;

	machine_init(false);
	for (unsigned int i = 0; i < 200; i++)
		for (unsigned int stay = 0; stay < 3 + i % 7; stay++)
			run(0, i % CPUS, true, ++step % 5 == 0);
	expect_ms(known(), known(), known());
}

PLAIN_TEST(sleeping_is_no_sharing)
{
	machine_init(true);
	for (unsigned int i = 0; i < 90; i++) {
		run(0, i / 10 % CPUS, true, true);
		m.now += i % 5 * 100;
	}
	EXPECT_EQ(known(), 86U);
	expect_ms(86, 86, 86);
}

/* Others have the PMU in two of three ms, wherever it is. */
PLAIN_TEST(shared_counters_are_scaled_over_all_cpus)
{
	machine_init(false);
	for (unsigned int i = 0; i < 120; i++)
		run(0, i / 6 % CPUS, i % 3 == 2, true);
	EXPECT_EQ(known(), 36U);
	expect_ms(3 * 36, 3 * 36, 36);
}

/* Each has its own clock and counters, under common ids. */
PLAIN_TEST(threads_that_inherit)
{
	machine_init(true);
	for (unsigned int i = 0; i < 300; i++)
		run(i / 3 % THREADS, i * 7 / 5 % CPUS, true, true);
	expect_ms(known(), known(), known());
}

/* A new thread reuses the number of an ended one. */
PLAIN_TEST(number_of_a_thread_that_has_ended)
{
	uint64_t before;

	machine_init(true);
	for (unsigned int i = 0; i < 40; i++)
		run(0, i % 2, true, true);
	before = known();
	m.thread[0] = (struct thread){};
	for (unsigned int i = 0; i < 40; i++)
		run(0, 2 + i % 2, true, true);
	for (unsigned int i = 0; i < 30; i++)
		run(0, i % CPUS, true, true);
	expect_ms(before + known(), before + known(), before + known());
}

/* The counters of a CPU count for all threads, and are enabled always. */
PLAIN_TEST(shared_counters_of_cpus_are_scaled_each)
{
	machine_init(false);
	for (unsigned int i = 0; i < 40; i++) {
		unsigned int cpu = i % CPUS, tid = i / CPUS % THREADS;
		const struct thread all = m.thread[0];

		m.thread[tid] = all;
		run(tid, cpu, true, true);
		m.thread[0] = m.thread[tid];
	}
	memset(m.thread + 1, 0, sizeof(m.thread) - sizeof(m.thread[0]));
	EXPECT_EQ(known(), 36U);
	/* 36 ms on each of the four. */
	expect_ms(4 * 36, 4 * 36, 36);
}

/* The clock of a control group is another on each CPU. */
PLAIN_TEST(shared_counters_of_a_control_group)
{
	machine_init(false);
	m.clock_of_cpu = true;
	for (unsigned int i = 0; i < 80; i++)
		run(0, i / 10 % 2, i % 2, true);
	/* 38 ms of each CPU are between its first reading and its last. */
	expect_ms(2 * 38, 2 * 38, 2 * 19);
}

/* A PMU of other CPUs counts there, if it is asked. */
PLAIN_TEST(pmu_of_some_cpus)
{
	bytes_fini(&m.b);
	m = (struct machine){};
	bytes_add(&m.b, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	put_event(&m.b, 0, 2, false);
	put_event(&m.b, 1, 2, false);
	/* Another event is on all of them. */
	put_event(&m.b, 2, CPUS, false);
	for (unsigned int i = 0; i < 80; i++)
		run(0, i / 10 % CPUS, true, i / 10 % CPUS < 2);
	expect_ms(known(), known(), known());
}

/* Everything that it did, also on CPUs without a final reading. */
PLAIN_TEST(totals_have_what_no_reading_has)
{
	unsigned int step = 0;

	machine_init(false);
	for (unsigned int i = 0; i < 50; i++)
		for (unsigned int stay = 0; stay < 1 + i % 7; stay++)
			run(0, i % CPUS, true, ++step % 5 == 0);
	EXPECT_TRUE(known() < step);
	put_totals();
	expect_ms(step, step, step);
}

/* First it is on each CPU for 5 ms; then it is read each time that it moves. */
static void run_then_read(void)
{
	for (unsigned int i = 0; i < 20; i++)
		run(0, i / 5, true, false);
	for (unsigned int i = 0; i < 8; i++)
		run(0, i % CPUS, true, true);
}

/* What ran before the first reading of each CPU was not all after that of CPU
 * 0. */
PLAIN_TEST(counters_that_are_read_late)
{
	machine_init(false);
	run_then_read();
	EXPECT_EQ(known(), 4U);
	expect_ms(4, 4, 4);
}

PLAIN_TEST(totals_of_counters_that_are_read_late)
{
	machine_init(false);
	run_then_read();
	put_totals();
	expect_ms(28, 28, 28);
}

PLAIN_TEST(totals_of_threads_that_inherit)
{
	machine_init(true);
	for (unsigned int i = 0; i < 300; i++)
		run(i / 3 % THREADS, i * 7 / 5 % CPUS, true, i % 4 == 3);
	put_totals();
	expect_ms(300, 300, 300);
	/* They are no samples. */
	EXPECT_TRUE(strstr(tell("report"), " 75 other groups of counters"));
}

PLAIN_TEST(totals_of_shared_counters)
{
	machine_init(true);
	for (unsigned int i = 0; i < 300; i++)
		run(i / 3 % THREADS, i * 7 / 5 % CPUS, i % 5 < 3, true);
	put_totals();
	expect_ms(300, 300, 180);
}

/* One second, in which each CPU's counters ran three of every four ms. */
PLAIN_TEST(totals_of_cpus)
{
	struct thread *all = &m.thread[0];

	machine_init(false);
	for (unsigned int i = 0; i < 1000; i++) {
		m.now++;
		for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
			all->enabled[cpu]++;
			all->running[cpu] += i % 4 != cpu;
			all->count[cpu] += i % 4 != cpu;
		}
	}
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		put_total(UINT32_MAX, cpu, all);
	expect_ms(CPUS * 1000, CPUS * 1000, CPUS * 750);
}

PLAIN_TEST(cycles_and_instructions_of_a_moving_thread)
{
	machine_init(false);
	put_event_name(&m.b, id_of(0, 0), "pmu_snapshot/cpu_cycles/");
	put_event_name(&m.b, id_of(1, 0), "pmu_snapshot/inst_retired/");
	for (unsigned int i = 0; i < 60; i++)
		run(0, i / 2 % CPUS, i % 2, true);
	EXPECT_TRUE(
		strstr(tell("report"), "# 333.333 instructions per cycle\n"));
	EXPECT_TRUE(strstr(tell("report --timeline --limit=1 --format=csv"),
			   ",333.333333,"));
}
