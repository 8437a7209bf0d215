// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu_external: a CPU is counted from another one. It is the last CPU that has a
 * frame, and isolated; the program that it runs is a child.
 */
#include "../ktap.h"
#include "../snapshot/stream.h"

#include <sys/mman.h>

#define EXTERNAL_DIR "/sys/bus/event_source/devices/pmu_external/"
#define ITERATIONS   2000000UL
#define LONG_RUN     (1UL << 40)
#define PERIOD	     100000
#define AUX_PAGES    128
/* Instead of iterations */
#define SHARES	     ~0UL

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

/*
 * Three quarters of its time are in the first loop, a quarter in the second; turns
 * differ, so that they are in step with no timer.
 */
static void spend_shares(void)
{
	uint64_t long_turn, short_turn, random = 1;

	while (!shared->stop) {
		random = random * 6364136223846793005 + 1442695040888963407;
		short_turn = 1000 + (random >> 53);
		long_turn = 3 * short_turn;
		__asm__ volatile(".globl watch_long, watch_short, watch_end\n"
				 "watch_long: subs %0, %0, #1\n"
				 "b.ne watch_long\n"
				 "watch_short: subs %1, %1, #1\n"
				 "b.ne watch_short\n"
				 "watch_end:\n"
				 : "+r"(long_turn), "+r"(short_turn) : : "cc");
	}
}

static void child_main(int in, int out)
{
	uint64_t iterations;

	pin(watched);
	while (read(in, &iterations, sizeof(iterations)) ==
	       sizeof(iterations)) {
		shared->runs = true;
		if (iterations == SHARES)
			spend_shares();
		else
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

/* Streams */

extern const char watch_long[], watch_short[], watch_end[];

static struct stream s;

/* A group of what user code does, and how much the kernel, each @period ns */
static int start_stream(uint64_t period)
{
	struct perf_event_attr attr = external_attr(CPU_CYCLES);

	memset(&s, 0, sizeof(s));
	attr.sample_period = period;
	attr.disabled = 1;
	s.count = 3;
	s.fds[0] = open_attr(&attr, -1, watched, -1);
	s.fds[1] = open_user(INST_RETIRED, s.fds[0]);
	s.fds[2] = open_kernel(INST_RETIRED, s.fds[0]);
	if (s.fds[0] < 0 || s.fds[1] < 0 || s.fds[2] < 0)
		return -errno;
	return stream_map(&s, AUX_PAGES, PROT_READ | PROT_WRITE) ?:
	       ioctl(s.fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

/* What the records of a stream hold */
struct heard {
	long records, lost, pcs, strange, in_long, in_short;
	uint64_t first[3], last[3], begin, end;
	uint32_t flags, context;
};

static void hear_pc(struct heard *h, const struct pmscope_record *r)
{
	uint64_t pc = r->pc & ((1UL << 56) - 1);

	h->pcs++;
	/* From EL0, in Non-secure state */
	h->strange += r->pc >> 61 != 4;
	h->in_long += pc >= (uintptr_t)watch_long && pc < (uintptr_t)watch_short;
	h->in_short += pc >= (uintptr_t)watch_short && pc < (uintptr_t)watch_end;
}

static void hear(struct heard *h)
{
	const struct pmscope_record *r;

	while ((r = stream_next(&s))) {
		h->strange += r->cpu != (uint32_t)watched || r->pid ||
			      r->backend < PMSCOPE_BACKEND_EXTERNAL ||
			      r->trigger != PMSCOPE_TRIGGER_TIMER ||
			      r->nr_counters != 3 || r->time <= h->end;
		for (int i = 0; i < 3; i++) {
			uint64_t count = stream_counter(r, i)->count;

			h->strange += count < h->last[i] ||
				stream_counter(r, i)->flags !=
					PMSCOPE_COUNTER_MEMBER;
			h->last[i] = count;
			if (!h->records)
				h->first[i] = count;
		}
		if (h->records++)
			h->lost += r->lost;
		else
			h->begin = r->time;
		h->end = r->time;
		h->flags |= r->flags;
		if (r->flags & PMSCOPE_RECORD_HAS_CONTEXT)
			h->context = r->contextidr;
		if (r->flags & PMSCOPE_RECORD_HAS_PC)
			hear_pc(h, r);
	}
	stream_release(&s);
}

static void hear_for(struct heard *h, double seconds)
{
	double end = ktap_seconds() + seconds;

	memset(h, 0, sizeof(*h));
	stream_skip(&s);
	do {
		usleep(5000);
		hear(h);
	} while (ktap_seconds() < end);
}

/* Where the machine has a PC, as sysfs tells */
static bool has_pc(void)
{
	char none[16];

	snprintf(none, sizeof(none), "cpu%d none", watched);
	return !strstr(file_text(EXTERNAL_DIR "caps/pc"), none);
}

TEST(a_stream_tells_where_a_program_is)
{
	struct second alone;
	struct heard h;
	uint64_t irqs;
	int leader, kernel;

	if (!getenv("PMSCOPE_EXACT"))
		SKIP("the host may stop a CPU for many periods");
	leader = open_user(INST_RETIRED, -1);
	kernel = open_kernel(INST_RETIRED, leader);
	ASSERT_GE(kernel, 0);
	begin_run(SHARES);
	while (!shared->runs)
		;
	usleep(500000);
	alone = a_second(leader, false);
	close(kernel);
	close(leader);
	ASSERT_EQ(start_stream(PERIOD), 0);
	irqs = interrupts();
	hear_for(&h, 1);
	irqs = interrupts() - irqs;
	shared->stop = true;
	end_run();
	ktap_note("%ld records, %ld lost; %ld in the long loop, %ld in the short; "
		  "%" PRIu64 " interrupts, %" PRIu64 " instructions of the kernel",
		  h.records, h.lost, h.in_long, h.in_short, irqs,
		  h.last[2] - h.first[2]);
	EXPECT_EQ(h.strange, 0);
	EXPECT_EQ(h.lost, 0);
	EXPECT_GE(h.records, 9900);
	EXPECT_EQ((h.end - h.begin + PERIOD / 2) / PERIOD, h.records - 1);
	EXPECT_LE(irqs, alone.irqs + 3);
	EXPECT_LT(h.last[2] - h.first[2], alone.kernel + 15000);
	EXPECT_GT(h.last[1] - h.first[1], 10000000);
	if (h.flags & PMSCOPE_RECORD_HAS_CONTEXT && h.context)
		EXPECT_EQ(h.context, child);
	EXPECT_EQ(h.pcs > 0, has_pc());
	if (has_pc()) {
		/* Four standard deviations of as many samples are 0.017. */
		EXPECT_GT(h.pcs, h.records * 99 / 100);
		EXPECT_GE(h.in_long + h.in_short, h.pcs * 98 / 100);
		EXPECT_GE(h.in_long, (h.in_long + h.in_short) * 733 / 1000);
		EXPECT_LE(h.in_long, (h.in_long + h.in_short) * 767 / 1000);
	}
	stream_close(&s);
}

TEST(a_program_takes_as_many_cycles_when_streamed)
{
	struct perf_event_attr own = attr_of(PERF_TYPE_RAW, CPU_CYCLES);
	int task = open_attr(&own, child, -1, -1);
	uint64_t alone;
	struct heard h = { 0 };

	if (!getenv("PMSCOPE_EXACT"))
		SKIP("cycles differ from run to run here");
	ASSERT_GE(task, 0);
	cost_of_a_run(task);
	alone = cost_of_a_run(task);
	ASSERT_EQ(start_stream(PERIOD), 0);
	EXPECT_EQ(cost_of_a_run(task), alone);
	hear(&h);
	EXPECT_GE(h.records, 100);
	stream_close(&s);
	close(task);
}

/* The last record of a program that sleeps has what a read returns. */
TEST(a_stream_counts_what_a_read_does)
{
	struct group_value group = { 0 };
	struct heard h;

	ASSERT_EQ(start_stream(1000000), 0);
	begin_run(ITERATIONS);
	end_run();
	hear_for(&h, 0.1);
	ASSERT_TRUE(read_all(s.fds[0], &group));
	EXPECT_GE(h.records, 2);
	EXPECT_EQ(h.strange, 0);
	EXPECT_GE(h.last[1], 2 * ITERATIONS);
	EXPECT_EQ(h.last[0], group.value[0]);
	EXPECT_EQ(h.last[1], group.value[1]);
	stream_close(&s);
}

/* An idle CPU is in the kernel: its PC is for those who may profile that. */
TEST(kernel_PCs_are_for_who_may_see_them)
{
	struct perf_event_attr attr = external_attr(INST_RETIRED);
	const struct pmscope_record *r;
	struct heard h;
	int seen = 0;

	if (!has_pc())
		SKIP("no PC here");
	ASSERT_EQ(start_stream(1000000), 0);
	hear_for(&h, 0.1);
	EXPECT_GE(h.records, 2);
	EXPECT_EQ(h.pcs, 0);
	stream_close(&s);
	attr.sample_period = 1000000;
	attr.exclude_kernel = 0;
	ASSERT_EQ(stream_open_alone(&s, &attr, watched, AUX_PAGES), 0);
	usleep(100000);
	while ((r = stream_next(&s)))
		if (r->flags & PMSCOPE_RECORD_HAS_PC) {
			EXPECT_NE(r->pc >> 61 & 3, 0);
			EXPECT_EQ(r->pc >> 55 & 1, 1);
			seen++;
		}
	EXPECT_GE(seen, 2);
	stream_close(&s);
}

TEST(the_context_takes_CAP_PERFMON)
{
	struct perf_event_attr attr = external_attr(INST_RETIRED);
	struct heard h;

	attr.sample_period = 1000000;
	ASSERT_EQ(stream_open_as_nobody(&s, &attr, watched, AUX_PAGES), 0);
	begin_run(LONG_RUN);
	hear_for(&h, 0.2);
	shared->stop = true;
	end_run();
	EXPECT_GE(h.records, 2);
	EXPECT_EQ(h.flags & PMSCOPE_RECORD_HAS_CONTEXT, 0);
	EXPECT_EQ(h.pcs > 0, has_pc());
	stream_close(&s);
}

/* The CPU that reads goes, and only the watched one is left. */
TEST(no_CPU_streams_itself)
{
	int reader = watched;
	struct heard h;

	if (sysconf(_SC_NPROCESSORS_ONLN) != 2)
		SKIP("not two CPUs");
	watched = 0;
	ASSERT_EQ(start_stream(1000000), 0);
	hear_for(&h, 0.1);
	EXPECT_GE(h.records, 2);
	if (!set_online(reader, '0'))
		SKIP("the CPU that reads cannot go offline");
	hear_for(&h, 0.1);
	EXPECT_EQ(h.records, 0);
	ASSERT_TRUE(set_online(reader, '1'));
	stream_close(&s);
	/* It has lost its CPU. */
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	child = 0;
}

TEST(streams_that_cannot_be_are_refused)
{
	struct perf_event_attr attr = external_attr(INST_RETIRED);
	uint64_t period = PMSCOPE_TIMER_PERIOD_MIN - 1;
	int leader;

	attr.sample_period = period;
	EXPECT_EQ(refusal(&attr, -1, watched, -1), EINVAL);
	attr.sample_period = PMSCOPE_TIMER_PERIOD_MIN;
	EXPECT_EQ(refusal(&attr, 0, -1, -1), EOPNOTSUPP);
	leader = open_attr(&attr, -1, watched, -1);
	ASSERT_GE(leader, 0);
	EXPECT_EQ(ioctl(leader, PERF_EVENT_IOC_PERIOD, &period), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(refusal(&attr, -1, watched, leader), EINVAL);
	close(leader);
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
