// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many pairs of generated recordings: those of one program are not told apart,
 * those of a program whose inner loop became slower are, and the loop is named.
 */
#include "command.h"

#define PAIRS	  30
#define GATES	  8
#define RECORDS	  6000
#define PERIOD	  1024
#define FUNCTIONS 12
#define TEXT	  UINT64_C(0x400000)
#define FUNCTION  0x10000 /* each is mapped from a file of its own */
#define TASK	  50

/* The inner loop is in /bin/f2. */
#define SLOW 2

enum change {
	SAME,
	SLOWER_LOADS, /* one in five of its loads comes from further away */
	SLOWER_CODE,  /* each of its operations takes three cycles more */
	MORE_OF_IT    /* it is executed half as often again */
};

/* Shares of 2, 4, 6, ... : the last functions are the largest. */
static unsigned int pick_function(uint64_t *state, enum change change)
{
	unsigned int all = FUNCTIONS * (FUNCTIONS + 1) / 2, at, f = 0;
	unsigned int more = change == MORE_OF_IT ? (SLOW + 1) / 2 + 1 : 0;

	at = random_below(state, all + more);
	if (at >= all)
		return SLOW;
	while (at > f)
		at -= ++f;
	return f;
}

/* As of loads: most hit, the misses have a long tail. */
static unsigned int pick_latency(uint64_t *state, unsigned int function,
				 enum change change, bool *missed)
{
	unsigned int latency = 3 + function % 3 + random_below(state, 3);
	unsigned int rate = 20 + 10 * function;

	if (function == SLOW && change == SLOWER_LOADS)
		rate += 200;
	*missed = random_below(state, 1000) < rate;
	if (*missed)
		latency += 10 + random_below(state, 20);
	while (*missed && latency < 2000 && random_below(state, 5) == 0)
		latency *= 2;
	return latency + (function == SLOW && change == SLOWER_CODE ? 3 : 0);
}

static void put_sample(struct bytes *trace, uint64_t *state, uint64_t time,
		       enum change change)
{
	unsigned int function = pick_function(state, change);
	bool missed;
	unsigned int latency = pick_latency(state, function, change, &missed);

	PUT_ADDRESS(trace, PC,
		    UINT64_C(1) << 63 | (TEXT + function * FUNCTION + 0x100));
	PUT_CONTEXT(trace, 0, TASK);
	PUT_OPERATION(trace, LOAD_STORE, 0);
	PUT_EVENTS(trace, 2, 2 | 4 | (missed ? 8 : 0));
	PUT_COUNTER(trace, ISSUE, 2);
	PUT_COUNTER(trace, TOTAL, latency);
	PUT_SOURCE(trace, 1, missed ? 8 : 0);
	put_timestamp(trace, time);
}

static void put_run(struct bytes *b, uint64_t seed, unsigned int records,
		    enum change change)
{
	static const uint64_t cpus[][4] = {{0, NEOVERSE_N1, 10, 0}};
	struct where where = {TASK, TASK, 1, 0};
	BYTES trace = {};
	uint64_t state = seed;

	perfdata_begin(b);
	perfdata_attr(b)->sample_period = PERIOD;
	put_event_name(b, PERFDATA_ID, "arm_spe_0//");
	put_auxtrace_info_v2(b, cpus, 1, 4);
	put_time_conv(b, 0, 1, 0);
	put_comm(b, 0, "program", &where);
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "/bin/f%u", i);
		put_mmap2(b, TEXT + i * FUNCTION, FUNCTION, 0, name, &where);
	}
	for (unsigned int i = 0; i < records; i++)
		put_sample(&trace, &state, 10 + i, change);
	put_auxtrace(b, 0, 0, UINT32_MAX, &trace);
	where.time = 10 + records;
	put_comm(b, 0, "program", &where);
	perfdata_end(b);
}

struct outcome {
	bool differs;
	bool named;
};

static struct outcome compare(uint64_t seed, enum change change,
			      unsigned int records, const char *options)
{
	BYTES old = {}, new = {};
	struct outcome outcome = {};
	char command[512], line[8192];
	unsigned int rows = 0;
	FILE *pipe;

	put_run(&old, 2 * seed + 1, RECORDS, SAME);
	put_run(&new, 1000003 * seed + 5, records, change);
	snprintf(command, sizeof(command), "%s diff --sort=dso --format=csv %s",
		 command_pmscope(), options);
	pipe = command_compares(&old, &new, command);
	while (pipe && fgets(line, sizeof(line), pipe)) {
		bool changed = !strstr(line, ",within noise,") &&
			       !strstr(line, ",too few samples,");

		if (!rows++)
			continue; /* the header */
		outcome.differs |= changed;
		outcome.named |=
			rows == 2 && changed && !strncmp(line, "/bin/f2,", 8);
	}
	EXPECT_TRUE(pipe && !pclose(pipe));
	EXPECT_EQ(rows, 1U + FUNCTIONS);
	return outcome;
}

/* In how many of the pairs they differ, and the loop is first. */
static void compare_pairs(enum change change, unsigned int records,
			  const char *options, unsigned int *differ,
			  unsigned int *named)
{
	*differ = *named = 0;
	for (uint64_t seed = 1; seed <= PAIRS; seed++) {
		struct outcome outcome =
			compare(seed, change, records, options);

		*differ += outcome.differs;
		*named += outcome.named;
	}
	ktap_note("%u of %d pairs differ, the loop is first in %u", *differ,
		  PAIRS, *named);
}

PLAIN_TEST(runs_of_the_same_program)
{
	unsigned int differ, named;

	compare_pairs(SAME, RECORDS, "", &differ, &named);
	EXPECT_TRUE(differ <= PAIRS / 10);
}

/* The promise of the intervals: one in twenty, without any allowance. */
PLAIN_TEST(runs_of_the_same_program_without_noise)
{
	unsigned int differ, named;

	compare_pairs(SAME, RECORDS, "--noise=0", &differ, &named);
	EXPECT_TRUE(differ <= PAIRS / 10);
}

PLAIN_TEST(runs_of_unlike_length)
{
	unsigned int differ, named;

	compare_pairs(SAME, RECORDS / 3, "--noise=0", &differ, &named);
	EXPECT_TRUE(differ <= PAIRS / 10);
}

static void expect_told_apart(enum change change)
{
	unsigned int differ, named;

	compare_pairs(change, RECORDS, "", &differ, &named);
	EXPECT_TRUE(differ >= PAIRS - PAIRS / 10);
	EXPECT_TRUE(named >= PAIRS - PAIRS / 10);
}

PLAIN_CASE(a_loop_whose_loads_miss, expect_told_apart(SLOWER_LOADS));
PLAIN_CASE(a_loop_with_slower_operations, expect_told_apart(SLOWER_CODE));
PLAIN_CASE(a_loop_that_runs_more_often, expect_told_apart(MORE_OF_IT));

/* How many pairs fail @gate, if the newer run has about @records records. */
static unsigned int gates_fail(unsigned int records, const char *gate)
{
	unsigned int failed = 0;

	for (uint64_t seed = 1; seed <= GATES; seed++) {
		BYTES old = {}, new = {};
		char command[512], line[8192], work[64];
		uint64_t state = seed;
		unsigned int more = records + random_below(&state, 9);
		FILE *pipe;
		int status;

		put_run(&old, 2 * seed + 1, RECORDS, SAME);
		put_run(&new, 1000003 * seed + 5, more, SAME);
		snprintf(command, sizeof(command),
			 "%s diff --sort=dso --fail-if='%s' 2>&1",
			 command_pmscope(), gate);
		pipe = command_compares(&old, &new, command);
		if (!pipe || !fgets(line, sizeof(line), pipe))
			return GATES / 2; /* neither all nor none */
		snprintf(work, sizeof(work),
			 "# Work: operations 6.14 M -> %.2f M ",
			 (double)more * PERIOD / 1e6);
		EXPECT_TRUE(!strncmp(line, work, strlen(work)));
		while (fgets(line, sizeof(line), pipe))
			;
		status = pclose(pipe);
		EXPECT_TRUE(WEXITSTATUS(status) == 0 ||
			    WEXITSTATUS(status) == 2);
		failed += WEXITSTATUS(status) == 2;
	}
	ktap_note("%u of %d gates with %s fail", failed, GATES, gate);
	return failed;
}

/* An inner loop that does 10 % more is most of the program. */
PLAIN_TEST(more_work_fails_the_gate)
{
	static const char *const gates[] = {"ops>+5%", "time>+5%", "cost>+5%"};

	for (size_t i = 0; i < ARRAY_SIZE(gates); i++) {
		EXPECT_TRUE(gates_fail(RECORDS + RECORDS / 12, gates[i]) >=
			    GATES - 1);
		EXPECT_EQ(gates_fail(RECORDS, gates[i]), 0U);
	}
}
