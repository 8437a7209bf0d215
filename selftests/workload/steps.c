// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steps COUNT TURNS - counts itself, a group of 6, after each step.
 *
 * A step makes TURNS turns of a loop, one step twice as many as the one before
 * the last.  The same run takes the same instructions in user space, whatever
 * captures.  A line for each step: instructions and cycles of user space, of
 * the kernel and of both as read(2) returns them; the same six of the record
 * that the read requests; the record's back end (enum pmscope_backend), CNTVCT_EL0,
 * and for how many ticks of it the counters stood still.
 */
#include "snapshot/stream.h"

#define MEMBERS	  6
#define STEPS_MAX 1000

static const struct {
	uint64_t event;
	bool user, kernel;
} member[MEMBERS] = {
	{INST_RETIRED, true, false}, {CPU_CYCLES, true, false},
	{INST_RETIRED, false, true}, {CPU_CYCLES, false, true},
	{INST_RETIRED, true, true},  {CPU_CYCLES, true, true},
};

/*
 * The values after a step, printed at the end because numbers differ in length.
 */
static struct step {
	uint64_t read[MEMBERS], record[MEMBERS];
	uint64_t backend, cntvct, stopped;
} step[STEPS_MAX];

static struct perf_event_attr member_attr(int i)
{
	struct perf_event_attr attr = snapshot_attr(member[i].event);

	if (!i)
		attr = stream_attr(member[i].event | PMSCOPE_SNAPSHOT_REQUEST,
				   1);
	attr.exclude_user = !member[i].user;
	attr.exclude_kernel = !member[i].kernel;
	return attr;
}

/* 0 or a negative errno */
static int open_members(struct stream *s)
{
	int leader = -1;

	for (int i = 0; i < MEMBERS; i++) {
		struct perf_event_attr attr = member_attr(i);
		int fd = open_event(&attr, 0, -1, leader);

		if (fd < 0)
			return fd;
		if (!i)
			leader = fd;
	}
	*s = (struct stream){.fds = {leader}, .count = 1};
	return stream_map(s, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
}

static bool take_step(struct stream *s, struct step *to, int turns)
{
	const struct pmscope_record *r;
	struct group_value group;

	work(turns);
	if (!read_group(s->fds[0], MEMBERS, &group))
		return false;
	r = stream_next(s);
	if (!r || r->nr_counters != MEMBERS)
		return false;
	for (int i = 0; i < MEMBERS; i++) {
		to->read[i] = group.value[i];
		to->record[i] = stream_counter(r, i)->count;
	}
	to->backend = r->backend;
	to->cntvct = r->cntvct;
	to->stopped = r->stopped;
	stream_release(s);
	return true;
}

static void print_step(const struct step *of)
{
	for (int i = 0; i < MEMBERS; i++)
		printf("%llu ", (unsigned long long)of->read[i]);
	for (int i = 0; i < MEMBERS; i++)
		printf("%llu ", (unsigned long long)of->record[i]);
	printf("%llu %llu %llu\n", (unsigned long long)of->backend,
	       (unsigned long long)of->cntvct, (unsigned long long)of->stopped);
}

int main(int argc, char **argv)
{
	/* Avoid preemption as far as possible. */
	const struct sched_param first = {.sched_priority = 1};
	static struct stream s;
	int count, turns, err;

	if (argc != 3 || atoi(argv[1]) > STEPS_MAX) {
		fprintf(stderr, "usage: steps COUNT TURNS\n");
		return 1;
	}
	count = atoi(argv[1]);
	turns = atoi(argv[2]);
	pin_to(0);
	sched_setscheduler(0, SCHED_FIFO, &first);
	memset(step, 0, sizeof(step));
	err = open_members(&s);
	if (err || enable_group(s.fds[0])) {
		fprintf(stderr, "steps: %s\n", strerror(err ? -err : errno));
		return 1;
	}
	for (int i = 0; i < count; i++)
		if (!take_step(&s, &step[i], turns << (i & 1))) {
			fprintf(stderr, "steps: step %d has no record\n", i);
			return 1;
		}
	for (int i = 0; i < count; i++)
		print_step(&step[i]);
	return 0;
}
