// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu_external: a CPU is counted from another one. It is the last CPU that has a
 * frame, and isolated; the program that it runs is a child.
 */
#include "../ktap.h"
#include "../snapshot/events.h"

#include <sys/mman.h>

#define EXTERNAL_DIR "/sys/bus/event_source/devices/pmu_external/"
#define ITERATIONS   2000000UL
#define LONG_RUN     (1UL << 40)
#define PERIOD	     100000

/* What the child tells, and how it is told */
static struct {
	volatile bool runs;
	volatile bool stop;
} *shared;

static pid_t child;
static int to_child, from_child, watched;

/* The end of a list as "0-1", "0,3" or "2" */
static int last_cpu(const char *path)
{
	FILE *file = fopen(path, "r");
	int cpu = -1;

	if (!file)
		return -1;
	while (fscanf(file, "%d%*[-,\n]", &cpu) == 1)
		;
	fclose(file);
	return cpu;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void spin(uint64_t iterations)
{
	while (iterations && !shared->stop) {
		uint64_t turn = iterations < 1000000 ? iterations : 1000000;

		iterations -= turn;
		__asm__ volatile("1: subs %0, %0, #1\n"
				 "b.ne 1b\n" : "+r"(turn) : : "cc");
	}
}

static void child_main(int in, int out)
{
	uint64_t iterations;

	pin(watched);
	while (read(in, &iterations, sizeof(iterations)) ==
	       sizeof(iterations)) {
		shared->runs = true;
		spin(iterations);
		shared->runs = false;
		if (write(out, &iterations, sizeof(iterations)) < 0)
			break;
	}
	_exit(0);
}

static bool start_child(void)
{
	int in[2], out[2];

	if (child)
		return true;
	if (pipe(in) || pipe(out))
		return false;
	child = fork();
	if (!child) {
		close(in[1]);
		child_main(in[0], out[1]);
	}
	to_child = in[1];
	from_child = out[0];
	return child > 0;
}

/* Does the child sleep? Then nothing of it is on its way to a counter. */
static bool child_sleeps(void)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	file = fopen(path, "r");
	if (!file)
		return true;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state == 'S';
}

static void await_child(void)
{
	while (!child_sleeps())
		usleep(1000);
}

static void begin_run(uint64_t iterations)
{
	shared->stop = false;
	if (write(to_child, &iterations, sizeof(iterations)) < 0)
		abort();
}

static void end_run(void)
{
	uint64_t iterations;

	if (read(from_child, &iterations, sizeof(iterations)) < 0)
		abort();
	await_child();
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t event)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = event,
		.exclude_kernel = 1,
		.read_format = PERF_FORMAT_GROUP |
			       PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static int open_attr(struct perf_event_attr *attr, pid_t task, int cpu, int group)
{
	return syscall(SYS_perf_event_open, attr, task, cpu, group, 0);
}

static struct perf_event_attr external_attr(uint64_t event)
{
	return attr_of(sysfs_number(EXTERNAL_DIR "type"), event);
}

/* Of what the user runs on the watched CPU */
static int open_user(uint64_t event, int group)
{
	struct perf_event_attr attr = external_attr(event);

	return open_attr(&attr, -1, watched, group);
}

static int open_kernel(uint64_t event, int group)
{
	struct perf_event_attr attr = external_attr(event);

	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	return open_attr(&attr, -1, watched, group);
}

static int refusal(struct perf_event_attr *attr, pid_t task, int cpu, int group)
{
	int fd = open_attr(attr, task, cpu, group), error = errno;

	if (fd < 0)
		return error;
	close(fd);
	return 0;
}

static bool read_all(int fd, struct group_value *group)
{
	return read(fd, group, sizeof(*group)) > 0;
}

static uint64_t value_of(int fd)
{
	struct group_value group = { 0 };

	return read_all(fd, &group) ? group.value[0] : 0;
}

/* All interrupts of the watched CPU, IPIs among them */
static uint64_t interrupts(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[4096], *at, *end;
	uint64_t sum = 0, count;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		at = strchr(line, ':');
		if (!at++)
			continue;
		for (int cpu = 0; cpu <= watched; cpu++, at = end) {
			count = strtoull(at, &end, 10);
			if (end == at)
				break;
			if (cpu == watched)
				sum += count;
		}
	}
	fclose(file);
	return sum;
}

static void prepare(void)
{
	watched = last_cpu(EXTERNAL_DIR "cpumask");
	if (sysfs_number(EXTERNAL_DIR "type") < 0) {
		SKIP("no pmu_external here");
	} else if (watched < 1) {
		SKIP("no second CPU has a frame");
	}
	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pin(0);
	ASSERT_TRUE(start_child());
	await_child();
}

BEFORE_EACH(prepare())

/* Against the counter of the program itself, and pmu_snapshot's of the CPU */
TEST(counts_are_the_programs_own)
{
	struct perf_event_attr own = attr_of(PERF_TYPE_RAW, INST_RETIRED);
	struct perf_event_attr snapshot =
		attr_of(sysfs_number(SNAPSHOT_DIR "type"), INST_RETIRED);
	int external = open_user(INST_RETIRED, -1);
	int task = open_attr(&own, child, -1, -1), other = -1;
	uint64_t before, own_before, other_before = 0, count;

	ASSERT_GE(external, 0);
	ASSERT_GE(task, 0);
	if ((int)snapshot.type >= 0) {
		other = open_attr(&snapshot, -1, watched, -1);
		ASSERT_GE(other, 0);
		other_before = value_of(other);
	}
	before = value_of(external);
	own_before = value_of(task);
	for (int i = 0; i < 5; i++) {
		begin_run(ITERATIONS);
		while (i == 3 && shared->runs)
			value_of(external);
		end_run();
	}
	count = value_of(external) - before;
	EXPECT_GE(count, 5 * 2 * ITERATIONS);
	EXPECT_EQ(count, value_of(task) - own_before);
	if (other >= 0) {
		EXPECT_EQ(count, value_of(other) - other_before);
		close(other);
	}
	close(task);
	close(external);
}

TEST(a_group_is_of_one_instant)
{
	int leader = open_user(INST_RETIRED, -1);
	int sibling = open_user(INST_RETIRED, leader);
	struct group_value first = { 0 }, group = { 0 };
	unsigned int reads = 0, moved = 0;

	ASSERT_GE(leader, 0);
	ASSERT_GE(sibling, 0);
	ASSERT_TRUE(read_all(leader, &first));
	begin_run(20 * ITERATIONS);
	while (!shared->runs)
		;
	while (shared->runs && reads < 2000) {
		ASSERT_TRUE(read_all(leader, &group));
		moved += group.value[0] > first.value[0];
		if (group.value[0] - first.value[0] !=
		    group.value[1] - first.value[1])
			break;
		reads++;
	}
	shared->stop = true;
	end_run();
	EXPECT_GE(reads, 100);
	EXPECT_EQ(group.value[0] - first.value[0],
		  group.value[1] - first.value[1]);
	EXPECT_GT(moved, 50);
	EXPECT_EQ(group.enabled, group.running);
	close(sibling);
	close(leader);
}

/* What happens on the watched CPU in a second */
struct second {
	unsigned int reads;
	uint64_t irqs;
	uint64_t user;
	uint64_t kernel;
};

/* It is read at up to 10 kHz, or only at the begin and the end. */
static struct second a_second(int leader, bool reads)
{
	struct timespec pause = { .tv_sec = !reads,
				  .tv_nsec = reads ? PERIOD : 0 };
	struct group_value first = { 0 }, last = { 0 };
	struct second s = { .irqs = interrupts() };
	double end = ktap_seconds() + 1;

	read_all(leader, &first);
	do {
		nanosleep(&pause, NULL);
		s.reads += read_all(leader, &last);
	} while (ktap_seconds() < end);
	s.irqs = interrupts() - s.irqs;
	s.user = last.value[0] - first.value[0];
	s.kernel = last.value[1] - first.value[1];
	ktap_note("%u reads: %" PRIu64 " interrupts, %" PRIu64
		  " instructions of the kernel", s.reads, s.irqs, s.kernel);
	return s;
}

/*
 * The kernel has a timer or an IPI there a few times a second, whoever looks; each takes
 * some 3,500 instructions. perf would have one for each read.
 */
TEST(a_watched_CPU_does_nothing_for_it)
{
	int leader = open_user(INST_RETIRED, -1);
	int kernel = open_kernel(INST_RETIRED, leader);
	struct second alone, seen;

	if (!getenv("PMSCOPE_EXACT"))
		SKIP("the host may let the tick run here");
	ASSERT_GE(leader, 0);
	ASSERT_GE(kernel, 0);
	begin_run(LONG_RUN);
	while (!shared->runs)
		;
	/* The tick stops when it has found one runnable task. */
	usleep(500000);
	alone = a_second(leader, false);
	seen = a_second(leader, true);
	EXPECT_TRUE(shared->runs);
	shared->stop = true;
	end_run();
	EXPECT_GE(seen.reads, 500);
	EXPECT_GT(seen.user, 0);
	EXPECT_LE(seen.irqs, alone.irqs + 3);
	EXPECT_LT(seen.kernel, alone.kernel + 15000);
	close(kernel);
	close(leader);
}

static uint64_t cost_of_a_run(int task)
{
	uint64_t before = value_of(task);

	begin_run(10 * ITERATIONS);
	end_run();
	return value_of(task) - before;
}

/* With own-cycles=on a cycle is an instruction. */
TEST(a_program_takes_as_many_cycles_as_unwatched)
{
	struct perf_event_attr own = attr_of(PERF_TYPE_RAW, CPU_CYCLES);
	int task = open_attr(&own, child, -1, -1), external;
	struct group_value group;
	uint64_t alone, before;

	if (!getenv("PMSCOPE_EXACT"))
		SKIP("cycles differ from run to run here");
	ASSERT_GE(task, 0);
	cost_of_a_run(task);
	alone = cost_of_a_run(task);
	external = open_user(CPU_CYCLES, -1);
	ASSERT_GE(external, 0);
	before = value_of(task);
	begin_run(10 * ITERATIONS);
	while (!shared->runs)
		;
	while (shared->runs)
		ASSERT_TRUE(read_all(external, &group));
	end_run();
	EXPECT_EQ(value_of(task) - before, alone);
	close(external);
	close(task);
}

TEST(what_cannot_be_watched_is_refused)
{
	struct perf_event_attr attr = external_attr(INST_RETIRED);
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(clock),
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};
	int leader;

	EXPECT_EQ(refusal(&attr, -1, watched, -1), 0);
	EXPECT_EQ(refusal(&attr, 0, -1, -1), EOPNOTSUPP);
	EXPECT_EQ(refusal(&attr, child, watched, -1), EOPNOTSUPP);
	attr.sample_period = 1000;
	EXPECT_EQ(refusal(&attr, -1, watched, -1), EOPNOTSUPP);
	attr = external_attr(0x10000);
	EXPECT_EQ(refusal(&attr, -1, watched, -1), EINVAL);
	attr = external_attr(INST_RETIRED);
	attr.config1 = 1;
	EXPECT_EQ(refusal(&attr, -1, watched, -1), EINVAL);
	attr = external_attr(INST_RETIRED);
	leader = open_attr(&clock, -1, watched, -1);
	EXPECT_EQ(refusal(&attr, -1, watched, leader), EINVAL);
	close(leader);
	leader = open_attr(&attr, -1, watched, -1);
	EXPECT_EQ(refusal(&attr, -1, 0, leader), EINVAL);
	close(leader);
}

/* More than there are counters, and then again as many */
TEST(counters_are_given_back)
{
	int fd[64], opened, again;

	for (opened = 0; opened < 64; opened++)
		if ((fd[opened] = open_user(INST_RETIRED, -1)) < 0)
			break;
	EXPECT_EQ(errno, EBUSY);
	EXPECT_GE(opened, 1);
	for (int i = 0; i < opened; i++)
		close(fd[i]);
	for (again = 0; again < opened; again++)
		if ((fd[again] = open_user(INST_RETIRED, -1)) < 0)
			break;
	EXPECT_EQ(again, opened);
	while (again--)
		close(fd[again]);
}
