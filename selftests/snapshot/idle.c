// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A CPU that is switched off whenever it has nothing to do: its PMU and the gate
 * of its captures come back as they were, and no count is torn or lost.
 */

#include "ktap.h"
#include "stream.h"

#define ROUNDS 50
/* Naps until a test gives up on the idle governor */
#define PATIENCE 5000
/* More than any PE retires in a nanosecond */
#define INSTRUCTIONS_A_NS 64

static const uint64_t twice[] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES};

static struct stream s;

/*
 * How often CPU 0 was in an idle state deeper than WFI; negative if it has
 * none.
 */
static long deep_idles(void)
{
	char path[96];
	long sum = -1, usage;

	for (int i = 1;; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu0/cpuidle/state%d/usage",
			 i);
		usage = sysfs_number(path);
		if (usage < 0)
			return sum;
		sum = i == 1 ? usage : sum + usage;
	}
}

/* True if the CPU was switched off in between. */
static bool nap(void)
{
	long before = deep_idles();

	for (int i = 0; i < PATIENCE; i++) {
		usleep(1000);
		if (deep_idles() > before)
			return true;
	}
	return false;
}

#define NEED_DEEP_IDLE()                                        \
	do {                                                    \
		NEED_SNAPSHOT();                                \
		if (deep_idles() < 0)                           \
			SKIP("CPU 0 has no idle state but WFI"); \
		pin_to(0);                                      \
		ASSERT_TRUE(nap());                             \
	} while (0)

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static bool same_backend(void)
{
	static char first[4096];
	const char *backend = file_text(SNAPSHOT_DIR "caps/backend");

	if (!first[0])
		strcpy(first, backend);
	return first[0] && !strcmp(first, backend);
}

/* Captures that were refused, on all CPUs */
static long refused(void)
{
	return sysfs_number(SNAPSHOT_DIR "stats/disabled") +
	       sysfs_number(SNAPSHOT_DIR "stats/prohibited") +
	       sysfs_number(SNAPSHOT_DIR "stats/timed_out");
}

BEFORE_EACH(NEED_DEEP_IDLE());

TEST(counts_are_whole_and_rise)
{
	struct group_value old, new;
	uint64_t since;
	int fds[3];

	ASSERT_EQ(open_group(twice, 3, -1, 0, fds), 0);
	since = now_ns();
	ASSERT_EQ(enable_group(fds[0]), 0);
	ASSERT_TRUE(read_group(fds[0], 3, &old));
	for (int i = 0; i < ROUNDS; i++) {
		work(1000);
		ASSERT_TRUE(nap());
		ASSERT_TRUE(read_group(fds[0], 3, &new));
		ASSERT_EQ(new.value[0], new.value[2]);
		ASSERT_EQ(new.enabled, new.running);
		ASSERT_GE(new.value[0], old.value[0]);
		/* A turn of work() is four instructions or more. */
		ASSERT_GE(new.value[1], old.value[1] + 4000);
		ASSERT_LT(new.value[1],
			  (now_ns() - since) * INSTRUCTIONS_A_NS);
		old = new;
	}
}

static uint64_t user_instructions(pid_t pid, int cpu, int *fd)
{
	struct perf_event_attr attr = snapshot_attr(INST_RETIRED);
	struct group_value value = {};

	attr.exclude_kernel = 1;
	if (*fd < 0)
		*fd = open_event(&attr, pid, cpu, -1);
	return read_group(*fd, 1, &value) ? value.value[0] : 0;
}

/* The task's own count leaves the CPU before it is switched off. */
TEST(a_cpu_counts_all_of_its_tasks)
{
	uint64_t of_task, of_cpu;
	int task = -1, cpu = -1;

	of_cpu = user_instructions(-1, 0, &cpu);
	of_task = user_instructions(0, -1, &task);
	ASSERT_GE(cpu, 0);
	ASSERT_GE(task, 0);
	for (int i = 0; i < ROUNDS; i++) {
		work(10000);
		ASSERT_TRUE(nap());
	}
	of_task = user_instructions(0, -1, &task) - of_task;
	of_cpu = user_instructions(-1, 0, &cpu) - of_cpu;
	EXPECT_GE(of_task, ROUNDS * 40000);
	EXPECT_GE(of_cpu, of_task);
}

TEST(captures_are_not_refused)
{
	struct group_value group;
	long before, frozen;
	int fds[3];

	ASSERT_TRUE(same_backend());
	before = refused();
	frozen = sysfs_number(SNAPSHOT_DIR "stats/frozen");
	ASSERT_EQ(start_group(twice, 3, -1, 0, fds), 0);
	for (int i = 0; i < ROUNDS; i++) {
		ASSERT_TRUE(nap());
		ASSERT_TRUE(read_group(fds[0], 3, &group));
	}
	EXPECT_EQ(refused(), before);
	if (!frozen)
		EXPECT_EQ(sysfs_number(SNAPSHOT_DIR "stats/frozen"), 0);
	EXPECT_TRUE(same_backend());
}

/* Takes the records that are there, and returns how many. */
static int drain(uint64_t *time, uint64_t *cycles)
{
	const struct pmscope_record *r;
	int records = 0;

	for (; (r = stream_next(&s)); records++) {
		EXPECT_EQ(r->result, PMSCOPE_CAPTURED);
		EXPECT_GT(r->time, *time);
		EXPECT_GT(stream_counter(r, 0)->count, *cycles);
		EXPECT_EQ(stream_counter(r, 0)->count,
			  stream_counter(r, 2)->count);
		*time = r->time;
		*cycles = stream_counter(r, 0)->count;
	}
	stream_release(&s);
	return records;
}

/* Its timer also wakes the CPU. */
TEST(a_stream_goes_on)
{
	uint64_t time = 0, cycles = 0;
	int records = 0, naps = 0;
	long before;

	ASSERT_EQ(stream_start(&s, CPU_CYCLES, 4000000, -1, 0), 0);
	before = deep_idles();
	while (records < ROUNDS || deep_idles() < before + ROUNDS) {
		ASSERT_LT(naps++, PATIENCE);
		usleep(1000);
		records += drain(&time, &cycles);
		ASSERT_EQ(ktap_result, KTAP_PASS);
	}
}
