// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs of two kinds (big.LITTLE): a task's group of pmu_snapshot counts
 * completely on both, or is refused; each kind has its own PMU.
 */

#include "ktap.h"
#include "snapshot/stream.h"

#define ROUNDS	 40
#define GROUP	 3
#define OPS	 20000
#define MOST_OPS (OPS + 5000)
/* An event that no counter but the event counters counts */
#define L1D_CACHE 0x04

static const uint64_t events[GROUP] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES};

static unsigned long long midr(int cpu)
{
	unsigned long long value = 0;
	char path[96];

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
		 cpu);
	sscanf(file_text(path), "%llx", &value);
	return value;
}

/* A CPU of another kind than CPU 0, or 0. */
static int other_kind(void)
{
	int nr = sysconf(_SC_NPROCESSORS_ONLN);

	for (int cpu = 1; cpu < nr; cpu++)
		if (midr(cpu) != midr(0))
			return cpu;
	return 0;
}

#define NEED_TWO_KINDS(other)                           \
	int other = other_kind();                       \
                                                        \
	NEED_SNAPSHOT();                                \
	if (!other)                                     \
		SKIP("the CPUs here are of one kind")

/* Before 6.2 the counters of one of the kinds do not stop as one. */
#define TASK_GROUP_OPENS(opening)                                     \
	do {                                                          \
		int err_ = opening;                                   \
                                                                      \
		if (err_ == -EOPNOTSUPP)                              \
			SKIP("this kernel counts tasks on CPUs of one " \
			     "kind only");                            \
		ASSERT_EQ(err_, 0);                                   \
	} while (0)

static int open_task_group(bool inherit, int *fds)
{
	struct perf_event_attr attr = snapshot_attr(0);

	attr.inherit = inherit;
	attr.exclude_kernel = 1;
	return open_group_as(attr, events, GROUP, 0, -1, fds);
}

static void check_group(int leader, uint64_t least, uint64_t most)
{
	struct group_value group;

	ASSERT_TRUE(read_group(leader, GROUP, &group));
	EXPECT_EQ(group.enabled, group.running);
	EXPECT_EQ(group.value[0], group.value[2]);
	EXPECT_GE(group.value[1], least);
	EXPECT_LE(group.value[1], most);
}

TEST(a_task_that_changes_between_kinds)
{
	int fds[GROUP];

	NEED_TWO_KINDS(other);
	TASK_GROUP_OPENS(open_task_group(false, fds));
	ASSERT_EQ(enable_group(fds[0]), 0);
	for (int i = 1; i <= ROUNDS; i++) {
		pin_to(i & 1 ? other : 0);
		operations(OPS);
		check_group(fds[0], OPS * i, MOST_OPS * i);
	}
}

TEST(children_on_either_kind)
{
	int fds[GROUP], status;
	pid_t child;

	NEED_TWO_KINDS(other);
	pin_to(0);
	TASK_GROUP_OPENS(open_task_group(true, fds));
	ASSERT_EQ(enable_group(fds[0]), 0);
	for (int i = 1; i <= 4; i++) {
		child = fork();
		if (!child) {
			pin_to(i & 1 ? other : 0);
			operations(OPS);
			_exit(0);
		}
		ASSERT_EQ(waitpid(child, &status, 0), child);
		check_group(fds[0], OPS * i, MOST_OPS * i);
	}
}

TEST(a_cpu_of_either_kind)
{
	int fds[GROUP], cpu[2] = {0};

	NEED_TWO_KINDS(other);
	cpu[1] = other;
	for (int i = 0; i < 2; i++) {
		struct group_value group;

		ASSERT_EQ(start_group(events, GROUP, -1, cpu[i], fds), 0);
		pin_to(cpu[i]);
		operations(OPS);
		ASSERT_TRUE(read_group(fds[0], GROUP, &group));
		EXPECT_EQ(group.enabled, group.running);
		EXPECT_EQ(group.value[0], group.value[2]);
		EXPECT_GE(group.value[1], OPS);
		close_group(fds, GROUP);
	}
}

/* The largest group that opens; *@err is why one more does not. */
static int largest_group(pid_t pid, int cpu, int *err)
{
	uint64_t configs[MAX_GROUP];
	int fds[MAX_GROUP], count;

	for (count = 0; count < MAX_GROUP; count++) {
		configs[count] = L1D_CACHE;
		*err = open_group(configs, count + 1, pid, cpu, fds);
		if (*err)
			break;
		close_group(fds, count + 1);
	}
	return count;
}

/* Refused at once, and not when the task comes to the kind that has fewer. */
TEST(a_group_that_fits_one_kind_only)
{
	int first, second, task, err = 0;

	NEED_TWO_KINDS(other);
	first = largest_group(-1, 0, &err);
	EXPECT_EQ(err, -ENOSPC);
	second = largest_group(-1, other, &err);
	EXPECT_EQ(err, -ENOSPC);
	ktap_note("%d counters, %d on the other kind", first, second);
	EXPECT_EQ(sysfs_number(SNAPSHOT_DIR "caps/counters"),
		  first < second ? first : second);
	task = largest_group(0, -1, &err);
	if (err == -EOPNOTSUPP)
		return;
	EXPECT_EQ(err, -ENOSPC);
	EXPECT_EQ(task, first < second ? first : second);
}

static int count_records(struct stream *s, int cpu)
{
	const struct pmscope_record *r;
	int count = 0;

	while ((r = stream_next(s))) {
		EXPECT_EQ(stream_counter(r, 0)->count,
			  stream_counter(r, 1)->count);
		count += (int)r->cpu == cpu;
	}
	stream_release(s);
	return count;
}

/* The trigger needs a counter, too. The delay of its interrupt is unknown. */
TEST(a_stream_that_changes_between_kinds)
{
	struct stream s;

	NEED_TWO_KINDS(other);
	pin_to(0);
	TASK_GROUP_OPENS(stream_open(&s,
				     INST_RETIRED | PMSCOPE_SNAPSHOT_OVERFLOW,
				     10 * OPS, 0, -1));
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	for (int i = 0; i < 8; i++) {
		int cpu = i & 1 ? other : 0, turns = 0;

		pin_to(cpu);
		do
			operations(20 * OPS);
		while (!count_records(&s, cpu) && ++turns < 1000);
		EXPECT_LT(turns, 1000);
	}
	disable_group(s.fds[0]);
}
