// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams: what a timer or the overflow of a pmu_snapshot event with a
 * sample_period writes to its AUX area, of a CPU, a task, and its children.
 */

#include "stream_check.h"

#define RECORDS 20
/* Turns of work() until a test gives up: minutes even where it is slow */
#define PATIENCE 200000

static struct stream s;

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

/*
 * The counts rise by @step and more, but for the latency of the first.  A timer
 * may be late on a busy host.
 */
static void check_periodic(int trigger, uint64_t step)
{
	const struct pmscope_record *r;
	uint64_t time = 0, first = 0;

	for (int i = 0; i < RECORDS; i++) {
		r = wait_for_record();
		ASSERT_TRUE(r != NULL);
		check_record(&s, r, trigger);
		if (trigger != PMSCOPE_TRIGGER_TIMER)
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
	if (trigger != PMSCOPE_TRIGGER_TIMER)
		EXPECT_EQ(stream_aux_flags(&s) & PERF_AUX_FLAG_PARTIAL, 0);
}

BEFORE_EACH(NEED_SNAPSHOT());

static void check_stream(uint64_t config, pid_t pid, int cpu, int trigger,
			 uint64_t step)
{
	if (cpu >= 0)
		pin_to(cpu);
	ASSERT_EQ(stream_start(&s, CPU_CYCLES | config, 1000000, pid, cpu), 0);
	check_periodic(trigger, step);
}

CASE(timer_on_a_cpu, check_stream(0, -1, 0, PMSCOPE_TRIGGER_TIMER, 0));
CASE(timer_of_a_task, check_stream(0, 0, -1, PMSCOPE_TRIGGER_TIMER, 0));
CASE(overflow_of_the_event, check_stream(PMSCOPE_SNAPSHOT_OVERFLOW, -1, 0,
					 PMSCOPE_TRIGGER_OVERFLOW, 1000000));
CASE(overflow_in_a_task, check_stream(PMSCOPE_SNAPSHOT_OVERFLOW, 0, -1,
				      PMSCOPE_TRIGGER_OVERFLOW, 1000000));

TEST(a_frequency_sets_the_timer)
{
	struct perf_event_attr attr = stream_attr(CPU_CYCLES, 0);
	long limit;

	/* perf core lowers the limit if interrupts take long. */
	limit = sysfs_number("/proc/sys/kernel/perf_event_max_sample_rate");
	attr.freq = 1;
	attr.sample_freq = limit < 1000 ? limit : 1000;
	pin_to(0);
	ASSERT_EQ(stream_open_group(&s, &attr, -1, 0), 0);
	ASSERT_EQ(stream_map(&s, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_TIMER, 0);
}

TEST(a_timer_takes_a_new_period_at_once)
{
	uint64_t period = 1000000;

	pin_to(0);
	ASSERT_EQ(stream_start(&s, CPU_CYCLES, 1000000000000, -1, 0), 0);
	ASSERT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period), 0);
	check_periodic(PMSCOPE_TRIGGER_TIMER, 0);
}

/*
 * More than a CPU can do: without a pause after each record, nothing but the
 * timers would run.
 */
TEST(short_periods_leave_time_to_others)
{
	struct perf_event_attr attr =
		stream_attr(INST_RETIRED, PMSCOPE_TIMER_PERIOD_MIN);
	long missed;
	static struct stream many[4];

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

#define RIVALS 3

struct told {
	long records, lost, throttled;
	uint64_t first, last;
};

static void hear(struct stream *from, struct told *told)
{
	const struct pmscope_record *r;

	while ((r = stream_next(from))) {
		if (told->records++)
			told->lost += r->lost;
		else
			told->first = r->time;
		told->last = r->time;
		told->throttled += !!(r->flags & PMSCOPE_RECORD_THROTTLED);
	}
	stream_release(from);
}

/* A task that is busy, with streams that ask for more than a CPU can do */
static void rival(uid_t uid, int streams, struct told *told)
{
	struct perf_event_attr attr =
		stream_attr(CPU_CYCLES, PMSCOPE_TIMER_PERIOD_MIN);
	static struct stream many[RIVALS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (uid && become_nobody(0))
		_exit(1);
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	for (int i = 0; i < streams; i++)
		if (stream_open_one(&many[i], &attr, 0, -1, STREAM_AUX_PAGES) ||
		    enable_group(many[i].fds[0]))
			_exit(1);
	for (;;) {
		work(1000);
		for (int i = 0; i < streams; i++)
			hear(&many[i], told);
	}
}

/* A second of a 1 ms stream of CPU 0, beside the rival's */
static struct told stream_beside(uid_t uid, int streams, struct told *rivals)
{
	struct perf_event_attr attr = stream_attr(CPU_CYCLES, 1000000);
	struct told told = {0};
	pid_t child = fork();

	if (!child)
		rival(uid, streams, rivals);
	if (!stream_open_alone(&s, &attr, 0, STREAM_AUX_PAGES) &&
	    !enable_group(s.fds[0]))
		for (int i = 0; i < 50; i++) {
			usleep(20000);
			hear(&s, &told);
		}
	stream_close(&s);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return told;
}

/* Each record's time is that of a period; all others are told as lost. */
static void check_losses(const struct told *told)
{
	long periods = (told->last - told->first) / 1000000;
	long known = told->records - 1 + told->lost;

	EXPECT_GE(known, periods - periods / 10 - 20);
	EXPECT_LE(known, periods + periods / 10 + 20);
}

static double percent(const struct told *told)
{
	return 100. * told->records / (told->records + told->lost);
}

/* Nobody's streams, and not even the user's own, starve another stream. */
TEST(short_periods_of_others_take_no_records)
{
	static const uid_t uids[] = {NOBODY, 0};
	struct told alone, beside, *rivals;
	double share;

	PARANOID_IS(2);
	rivals = mmap(NULL, sizeof(*rivals), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(rivals != MAP_FAILED);
	pin_to(0);
	alone = stream_beside(0, 0, rivals);
	check_losses(&alone);
	/* On a busy host a record may take many periods, and rest then. */
	share = percent(&alone) > 98 ? 0.7 : 0.02;
	for (int i = 0; i < 2; i++) {
		memset(rivals, 0, sizeof(*rivals));
		beside = stream_beside(uids[i], RIVALS, rivals);
		printf("# user %d: %.0f %% of the periods, alone %.0f %%; "
		       "rival %ld records, %ld lost, %ld throttled\n",
		       uids[i], percent(&beside), percent(&alone),
		       rivals->records, rivals->lost, rivals->throttled);
		EXPECT_TRUE(percent(&beside) >= percent(&alone) * share);
		check_losses(&beside);
		EXPECT_GT(rivals->records, 0);
		EXPECT_GT(rivals->lost, 0);
		EXPECT_GT(rivals->throttled, 0);
	}
}

/* Reads @s, whose records go on, and checks those that there are. */
static int check_counts_against_registers(int64_t *ahead)
{
	const struct pmscope_record_counter *c;
	const struct pmscope_record *r;
	struct group_value group;
	int records = 0;

	EXPECT_TRUE(read_group(s.fds[0], STREAM_MEMBERS, &group));
	for (; (r = stream_next(&s)); records++) {
		for (int i = 0; i < STREAM_MEMBERS; i++) {
			c = stream_counter(r, i);
			if (!ahead[i])
				ahead[i] = c->count - c->value;
			EXPECT_EQ(c->count - c->value, (uint64_t)ahead[i]);
		}
	}
	stream_release(&s);
	return records;
}

/*
 * The count of an event moves as its counter does. With pseudo-NMI overflows
 * come in the middle of reads, too, also between the two words that a fold
 * writes.
 */
TEST(overflows_inside_of_reads)
{
	int64_t ahead[STREAM_MEMBERS] = {0};
	int records = 0;

	pin_to(0);
	ASSERT_EQ(stream_start(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_OVERFLOW,
			       20011, -1, 0),
		  0);
	while (records < 20000 && ktap_result != KTAP_FAIL)
		records += check_counts_against_registers(ahead);
}

#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

/* The last overflow before perf core stops the trigger until the next tick */
TEST(a_throttled_trigger_is_reported)
{
	long rate = sysfs_number(MAX_RATE);
	const struct pmscope_record *r;
	int records = 0, throttled = 0;

	if (!set_number(MAX_RATE, 10000))
		SKIP("cannot write " MAX_RATE);
	pin_to(0);
	ASSERT_EQ(stream_start(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_OVERFLOW,
			       10007, -1, 0),
		  0);
	for (int i = 0; i < PATIENCE && throttled < 2; i++) {
		work(1000);
		while ((r = stream_next(&s))) {
			throttled += !!(r->flags & PMSCOPE_RECORD_THROTTLED);
			records++;
		}
		stream_release(&s);
	}
	set_number(MAX_RATE, rate);
	EXPECT_GE(throttled, 2);
	EXPECT_GT(records, throttled);
}

/* Turns of less than a period each: the time of all of them counts. */
TEST(a_timer_goes_on_where_its_task_does)
{
	int records = 0;

	ASSERT_EQ(stream_start(&s, CPU_CYCLES, 50000000, 0, -1), 0);
	for (int i = 0; i < 5000 && records < 3; i++) {
		work(10000);
		usleep(100);
		while (stream_next(&s))
			records++;
	}
	EXPECT_GE(records, 3);
}

/* Tasks that this task forks from now on write to the area of CPU 0. */
static int stream_to_children(uint64_t config)
{
	struct perf_event_attr attr = stream_attr(config, 1000000);
	int ret;

	pin_to(0);
	attr.inherit = 1;
	ret = stream_open_group(&s, &attr, 0, 0);
	if (!ret)
		ret = stream_map(&s, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	return ret ? ret : enable_group(s.fds[0]);
}

/*
 * Tasks whose events are all inherited exchange them: with this one, which is
 * not, the children of a task have others than it has.
 */
static int open_alone(void)
{
	struct perf_event_attr alone =
		event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	return open_event(&alone, 0, -1, -1);
}

/* A child of the task writes to the area of its CPU, with its own PID. */
static void check_children(uint64_t config, int trigger)
{
	const struct pmscope_record *r;
	int alone = open_alone();
	bool seen = false;
	pid_t child;

	ASSERT_GE(alone, 0);
	ASSERT_EQ(stream_to_children(config), 0);
	child = fork();
	if (!child)
		for (;;)
			work(1000);
	for (int i = 0; i < PATIENCE && !seen; i++) {
		work(1000);
		while ((r = stream_next(&s))) {
			check_record(&s, r, trigger);
			seen |= (pid_t)r->pid == child;
		}
		stream_release(&s);
	}
	EXPECT_TRUE(seen);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(alone);
	stream_close(&s);
}

TEST(children_stream_too)
{
	check_children(CPU_CYCLES, PMSCOPE_TRIGGER_TIMER);
	check_children(CPU_CYCLES | PMSCOPE_SNAPSHOT_OVERFLOW,
		       PMSCOPE_TRIGGER_OVERFLOW);
}

/* Has a busy child as soon as there is something to read from @go. */
static void run_with_child(int go)
{
	char byte;

	open_alone();
	if (read(go, &byte, 1) != 1 || fork())
		pause();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		work(1000);
}

/* Without an area, of a task and its children; the descriptor. */
static int open_family(pid_t task)
{
	struct perf_event_attr attr = stream_attr(CPU_CYCLES, 1000000);

	attr.disabled = 0;
	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_LOST;
	return open_event(&attr, task, -1, -1);
}

/* The original event reports the losses of its children. */
TEST(lost_records_of_children_are_reported)
{
	struct {
		uint64_t count, lost;
	} told = {0};
	int go[2], fd;
	pid_t task;

	ASSERT_EQ(pipe(go), 0);
	task = fork();
	if (!task)
		run_with_child(go[0]);
	fd = open_family(task);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(write(go[1], "", 1), 1);
	for (int i = 0; i < PATIENCE / 10 && told.lost < 50; i++) {
		work(1000);
		ASSERT_EQ(read(fd, &told, sizeof(told)), sizeof(told));
	}
	EXPECT_GE(told.lost, 50);
	kill(task, SIGKILL);
	waitpid(task, NULL, 0);
}

/* A process in its own PID namespace, whose child writes to @to and is busy */
static void run_in_namespace(int to)
{
	pid_t child;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWPID))
		_exit(1);
	if (fork())
		pause();
	/* It is the first of the namespace, and its end kills the others. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	open_alone();
	/* Made by one who is in the namespace, not by one who made it. */
	child = fork();
	if (child)
		pause();
	write(to, "", 1);
	for (;;)
		work(1000);
}

/*
 * PIDs in records are those of the opener's PID namespace, also for a child
 * that was created in another one.
 */
TEST(children_in_a_pid_namespace_have_the_owners_pids)
{
	const struct pmscope_record *r;
	int ready[2], records = 0;
	char byte;

	if (geteuid())
		SKIP("needs root");
	if (access("/proc/self/ns/pid", F_OK))
		SKIP("this kernel has no PID namespaces");
	ASSERT_EQ(stream_to_children(CPU_CYCLES), 0);
	ASSERT_EQ(pipe(ready), 0);
	if (!fork())
		run_in_namespace(ready[1]);
	ASSERT_EQ(read(ready[0], &byte, 1), 1);
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
}
