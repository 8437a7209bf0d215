// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every figure of report, computed a second time by recount/recount.py, which
 * shares no code with pmscope, for recordings of all kinds.
 */
#include "recording_fixture.h"
#include "command.h"

#include <glob.h>

#define CPU_CYCLES   0x11
#define INST_RETIRED 0x08

static void recount(struct bytes *b)
{
	if (!recount_works())
		SKIP("no python3 with sqlite3 here");
	recount_file(b, "");
	bytes_fini(b);
}

static void recount_ended(struct bytes *b)
{
	perfdata_end(b);
	recount(b);
}

static void recount_activity(const struct activity *activity)
{
	struct bytes b = {};

	put_activity(&b, activity);
	recount(&b);
}

PLAIN_CASE(tasks_that_fork_switch_and_take_names,
	   recount_activity(&(struct activity){
		   .seed = 7, .records = 1000, .rare = 20, .counted = true}));

PLAIN_CASE(records_of_any_packets,
	   recount_activity(&(struct activity){
		   .seed = 8, .records = 1000, .rare = 50, .wild = 2}));

PLAIN_CASE(traces_with_damage,
	   recount_activity(&(struct activity){.seed = 9,
					       .records = 3000,
					       .rare = 50,
					       .wild = 20,
					       .bad_bytes = 100}));

static void put_machine(struct bytes *b)
{
	perfdata_begin(b);
	put_skewed_machine(b, NEOVERSE_N1, 4, 0xab);
}

PLAIN_TEST(CPUs_of_two_kinds_and_their_sources)
{
	struct bytes b = {};

	put_machine(&b);
	put_skewed_traces(&b, 5, 4, 300);
	recount_ended(&b);
}

PLAIN_TEST(traces_of_threads)
{
	struct bytes b = {};

	put_machine(&b);
	for (uint32_t task = 0; task < SKEWED_TASKS; task++) {
		struct skewed s = {.random = 77 + task,
				   .ticks = 1 + task,
				   .task = SKEWED_TASK + task};
		BYTES trace = {};

		for (unsigned int i = 0; i < 200; i++)
			put_skewed(&trace, &s);
		put_auxtrace(&b, task, NO_ID, SKEWED_TASK + task, &trace);
	}
	recount_ended(&b);
}

/* A random access: any thread, any CPU, one of a few lines. */
static void put_access(struct bytes *trace, uint64_t *state, uint64_t time)
{
	static const uint8_t operations[] = {0x00, 0x01, 0x06, 0x07, 0x1e};
	uint64_t va = 0x9000 + random_below(state, 40) * 24;
	uint16_t events = random_next(state) & 0x0402;

	PUT_ADDRESS(trace, PC,
		    UINT64_C(1) << 63 | (SKEWED_TEXT + random_below(state, 8)));
	PUT_CONTEXT(trace, 0, SKEWED_TASK + random_below(state, SKEWED_TASKS));
	if (random_below(state, 8))
		PUT_OPERATION(trace, LOAD_STORE,
			      operations[random_below(state, 5)]);
	PUT_ADDRESS(trace, VA, va);
	if (random_below(state, 2))
		PUT_ADDRESS(trace, PA, UINT64_C(1) << 63 | (va - 0x1000));
	/* LLC-REFILL, REMOTE-ACCESS, SNOOPED */
	PUT_EVENTS(trace, 4,
		   events | random_below(state, 2) << 9 |
			   random_below(state, 2) << 23);
	if (random_below(state, 3))
		PUT_SOURCE(trace, 1, random_below(state, 20));
	if (random_below(state, 4))
		PUT_COUNTER(trace, TOTAL, random_below(state, 300));
	put_timestamp(trace, time);
}

PLAIN_TEST(lines_that_threads_share)
{
	struct bytes b = {};
	uint64_t state = 22;

	put_machine(&b);
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		BYTES trace = {};

		for (uint64_t time = 0; time < 200; time++)
			put_access(&trace, &state, 1000 + 4 * time + cpu);
		put_auxtrace(&b, cpu, cpu, NO_ID, &trace);
	}
	recount_ended(&b);
}

static void put_latency(struct bytes *trace, uint16_t cycles, uint64_t time)
{
	PUT_COUNTER(trace, TOTAL, cycles);
	put_timestamp(trace, time);
}

/* One CPU has 16-bit counters, the other 12-bit, and both reach the limit. */
PLAIN_TEST(latencies_at_the_limits_and_at_powers_of_two)
{
	struct bytes b = {};
	uint64_t state = 3;

	begin(&b);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		uint32_t limit = cpu ? 0xffff : 0xfff;
		BYTES trace = {};

		for (unsigned int i = 0; i < 500; i++) {
			uint32_t power = 1U << random_below(&state, 17);
			uint32_t cycles = power - random_below(&state, 2);

			put_latency(&trace, MIN(cycles, limit),
				    10 * i + cpu + 1);
		}
		put_auxtrace(&b, cpu, cpu, NO_ID, &trace);
	}
	recount_ended(&b);
}

/* Rows of 1, 2, 3, ... samples: the ranks of all percentiles. */
PLAIN_TEST(percentiles_of_few_samples)
{
	struct bytes b = {}, trace = {};
	uint64_t time = 1;

	begin(&b);
	for (uint64_t row = 1; row <= 101; row += row < 21 ? 1 : 10)
		for (uint64_t i = 1; i <= row; i++) {
			PUT_SOURCE(&trace, 2, row);
			put_latency(&trace, 10 * i, time++);
		}
	put_auxtrace(&b, 0, 0, NO_ID, &trace);
	bytes_fini(&trace);
	recount_ended(&b);
}

/* The rarest of 100 codes are merged into one source, "other". */
PLAIN_TEST(more_sources_than_are_shown)
{
	struct bytes b = {}, trace = {};
	uint64_t time = 1;

	begin(&b);
	for (uint64_t code = 0; code < 100; code++)
		for (uint64_t i = 0; i <= code % 13; i++) {
			PUT_SOURCE(&trace, 1, code);
			put_timestamp(&trace, time++);
		}
	put_auxtrace(&b, 0, 0, NO_ID, &trace);
	bytes_fini(&trace);
	recount_ended(&b);
}

static void put_numbers(struct bytes *b, uint32_t type, uint64_t a,
			uint64_t more)
{
	struct where where = {10, 10, 5, 0};
	BYTES body = {};

	PUT(&body, 8, a, more);
	put_side_band(b, type, 0, &body, &where);
}

/* Each kind of loss that a recording can contain. */
PLAIN_TEST(records_that_were_lost)
{
	struct bytes b = {}, area = {}, body = {};
	struct where where = {10, 10, 5, 0};
	struct skewed s = {.random = 11, .ticks = 1};

	put_machine(&b);
	put_numbers(&b, PERF_RECORD_LOST, PERFDATA_ID, 17);
	put_numbers(&b, PERF_RECORD_LOST, PERFDATA_ID, 3);
	put_numbers(&b, PERF_RECORD_LOST_SAMPLES, 5, 0);
	put_numbers(&b, PERF_RECORD_MAX + 5, 1, 2);
	put_zeros(&body, 40);
	put_record(&b, PMSCOPE_RECORD_AUXTRACE_ERROR, 0, &body);
	put_record(&b, 4000, 0, &body);
	while (area.size < 20000)
		put_skewed(&area, &s);
	put_aux_at(&b, 0, 8000, PERF_AUX_FLAG_TRUNCATED, &where);
	put_aux_at(&b, 8000, 12000, PERF_AUX_FLAG_COLLISION, &where);
	put_aux_at(&b, 20000, 5000, 0, &where);
	put_auxtrace_part(&b, 0, &area, 0, 6400);
	put_auxtrace_part(&b, 0, &area, 8000, 8333);
	put_auxtrace_part(&b, 0, &area, 8333, 20000);
	bytes_fini(&area);
	bytes_fini(&body);
	recount_ended(&b);
}

/* More than a timeline has columns for, and than report shows. */
PLAIN_TEST(groups_of_many_events)
{
	struct snapshot_value values[70];
	struct bytes b = {};
	uint64_t state = 16;

	bytes_add(&b, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	for (uint64_t id = 0; id < 70; id++) {
		values[id] = (struct snapshot_value){id, 0};
		put_snapshot_event(&b, id,
				   id == 68   ? CPU_CYCLES
				   : id == 69 ? INST_RETIRED
					      : 0x100 + id,
				   id % 3 ? "pmu_snapshot/same/" : "");
	}
	for (uint64_t time = 0; time < 50; time++) {
		put_snapshot_group(&b, time & 1, time * 77000, values, 70);
		for (uint64_t id = 0; id < 70; id++)
			values[id].value += random_below(&state, 1000000);
	}
	recount(&b);
}

static void put_totals(struct bytes *b, uint32_t counters, uint32_t cpu,
		       uint64_t time, const uint64_t counted[3])
{
	struct snapshot_value values[3];

	for (uint64_t i = 0; i < 3; i++)
		values[i] = (struct snapshot_value){10 * counters + i + 1,
						    counted[i]};
	put_snapshot_group(b, cpu, time, values, 3);
}

/* The second CPU lost records, the third has none and lost some. */
static void put_sampled(struct bytes *b, uint32_t readers)
{
	static const uint64_t counted[][3] = {
		{4096000, 1000, 800}, {9096000, 3000, 2700}, {100000, 50, 40}};

	perfdata_begin_pipe(b);
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		for (uint64_t i = 0; i < 3; i++)
			put_snapshot_event(b, 10 * cpu + i + 1, 0x4000 + i,
					   "pmu_snapshot/sample/");
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_time_conv(b, 0, 1, 0);
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		for (uint64_t time = 1; time < 3; time++)
			put_totals(b, cpu, cpu % readers, time, counted[cpu]);
	put_skewed_traces(b, 21, 2, 400);
}

PLAIN_TEST(operations_that_samples_stand_for)
{
	struct bytes b = {};

	put_sampled(&b, 3);
	recount(&b);
}

/* It does not follow which CPU lost them. */
PLAIN_TEST(operations_of_all_CPUs_together)
{
	struct bytes b = {};
	static const uint64_t more[3] = {5000000, 1500, 1300};

	put_sampled(&b, 3);
	put_totals(&b, 0, 1, 5, more);
	recount(&b);
}

/* Small recordings that are not part of the project, if available. */
PLAIN_TEST(recordings_from_elsewhere)
{
	static const char *const pattern =
		PMSCOPE_TESTS "/../../../shared/cases/*.data";
	char command[RECOUNT_COMMAND], line[2 * RECOUNT_COMMAND];
	glob_t found;

	if (!recount_works())
		SKIP("no python3 with sqlite3 here");
	if (glob(pattern, 0, NULL, &found))
		SKIP("no %s", pattern);
	recount_command(command);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		ktap_note("%s", strrchr(found.gl_pathv[i], '/') + 1);
		snprintf(line, sizeof(line), "%s -i '%s'", command,
			 found.gl_pathv[i]);
		recount_tell(popen(line, "r"));
	}
	globfree(&found);
}
