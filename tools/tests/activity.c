// SPDX-License-Identifier: GPL-2.0-or-later
#include "activity.h"
#include "random.h"
#include "stream.h"

#include <stdio.h>

#define TYPE_ARM_SPE 4
#define NO_TID	     UINT32_MAX
#define TASKS	     4
#define PIECE	     100000 /* bytes of an AUXTRACE record, or some more */

/* Two counters read together, at the end of a sample. */
static void put_counts(struct bytes *b, const struct where *where)
{
	struct bytes body = {};

	put(&body, PERFDATA_ID, 8);
	put(&body, where->pid, 4);
	put(&body, where->tid, 4);
	put(&body, where->time, 8);
	put(&body, where->cpu, 8);
	put(&body, 2, 8);
	for (unsigned int i = 0; i < 2; i++) {
		put(&body, where->time * (i + 3), 8);
		put(&body, PERFDATA_ID, 8);
	}
	put_record(b, PERF_RECORD_SAMPLE, 0, &body);
	bytes_fini(&body);
}

static void put_event(struct bytes *b, const struct activity *activity,
		      uint64_t *state, uint64_t time)
{
	uint32_t pid = 10 + random_below(state, TASKS);
	struct where where = {pid, pid, time,
			      random_below(state, ACTIVITY_CPUS)};
	char name[16];

	snprintf(name, sizeof(name), "/n%u", random_below(state, 5));
	switch (random_below(state, activity->counted ? 5 : 4)) {
	case 0:
		put_comm(b, 0, name, &where);
		break;
	case 1:
		put_mmap2(b, 0x5000, 0x1000, 0, name, &where);
		break;
	case 2:
		put_side_band(b, PERF_RECORD_SWITCH, 0, &(struct bytes){},
			      &where);
		break;
	case 3:
		put_fork(b, 10, 10, &where);
		break;
	default:
		put_counts(b, &where);
	}
}

static void put_spe(struct bytes *trace, const struct activity *activity,
		    uint64_t *state, uint64_t time)
{
	uint64_t pc = 0x4ff0 + random_below(state, 0x20);

	if (activity->wild && !random_below(state, activity->wild))
		put_shaped_record(trace, state, 40);
	else if (random_below(state, 2))
		put_load(trace, pc, 0x9000, time);
	else
		put_load_of(trace, 10 + random_below(state, 6), pc, 0x9000,
			    time);
}

static void put_trace(struct bytes *b, const struct activity *activity,
		      uint64_t *state, uint32_t cpu, struct bytes *trace)
{
	corrupt(trace, state, activity->bad_bytes);
	put_auxtrace(b, cpu, cpu, NO_TID, trace);
	bytes_fini(trace);
	*trace = (struct bytes){};
}

void put_activity(struct bytes *b, const struct activity *activity)
{
	struct bytes trace[ACTIVITY_CPUS] = {};
	uint64_t state = activity->seed;

	perfdata_begin(b);
	if (activity->counted)
		perfdata_read_groups(b);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_time_conv(b, 0, 1, 0);
	for (uint64_t time = 1; time <= activity->records; time++) {
		uint32_t cpu = random_below(&state, ACTIVITY_CPUS);

		if (!random_below(&state, activity->rare))
			put_event(b, activity, &state, time);
		put_spe(&trace[cpu], activity, &state, time);
		if (trace[cpu].size > PIECE)
			put_trace(b, activity, &state, cpu, &trace[cpu]);
	}
	for (uint32_t cpu = 0; cpu < ACTIVITY_CPUS; cpu++)
		put_trace(b, activity, &state, cpu, &trace[cpu]);
	perfdata_end(b);
}
