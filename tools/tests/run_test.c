// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs hold the same samples as one at a time, with the same threads and
 * mappings, whatever the side-band events between them.
 */
#include "bytes.h"
#include "ktap.h"
#include "random.h"

#include <pmscope/recording.h>

#include <stdlib.h>

#define TYPE_ARM_SPE 4
#define NO_TID	     UINT32_MAX
#define CPUS	     3
#define TASKS	     4
#define RECORDS	     3000

/* One of what happens between records: maps, names, forks, switches. */
static void put_event(struct bytes *b, uint64_t *state, uint64_t time)
{
	uint32_t pid = 10 + random_below(state, TASKS);
	struct where where = {pid, pid, time, random_below(state, CPUS)};
	char name[16];

	snprintf(name, sizeof(name), "/n%u", random_below(state, 5));
	switch (random_below(state, 4)) {
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
	default:
		put_fork(b, 10, 10, &where);
	}
}

static void make(struct bytes *b, uint64_t seed, unsigned int rare)
{
	struct bytes trace[CPUS] = {};
	uint64_t state = seed;

	perfdata_begin(b);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_time_conv(b, 0, 1, 0);
	for (uint64_t time = 1; time <= RECORDS; time++) {
		uint32_t cpu = random_below(&state, CPUS);
		uint64_t pc = 0x4ff0 + random_below(&state, 0x20);

		if (!random_below(&state, rare))
			put_event(b, &state, time);
		if (random_below(&state, 2))
			put_load(&trace[cpu], pc, 0x9000, time);
		else
			put_load_of(&trace[cpu], 10 + random_below(&state, 6),
				    pc, 0x9000, time);
	}
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		put_auxtrace(b, cpu, cpu, NO_TID, &trace[cpu]);
		bytes_fini(&trace[cpu]);
	}
	perfdata_end(b);
}

/* What was told of the record with each timestamp, as a number. */
static void note(const struct pmscope_recording *r,
		 const struct pmscope_sample *s, uint64_t *told)
{
	struct pmscope_place place;
	uint64_t hash = s->tid * 31 + s->pid;

	pmscope_recording_place(r, s, 0x5004, &place);
	for (const char *c = s->comm ? s->comm : "?"; *c; c++)
		hash = hash * 31 + *c;
	for (const char *c = place.dso ? place.dso : "?"; *c; c++)
		hash = hash * 31 + *c;
	told[s->batch->timestamp[s->row]] += hash * 31 + s->cpu;
}

static struct pmscope_recording *open_bytes(const struct bytes *b)
{
	struct pmscope_recording *r = NULL;

	EXPECT_EQ(pmscope_recording_open(b->data, b->size, NULL, &r), 0);
	return r;
}

static void compare(uint64_t seed, unsigned int rare)
{
	uint64_t one[RECORDS + 1] = {}, many[RECORDS + 1] = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct pmscope_run run;
	struct bytes b = {};

	make(&b, seed, rare);
	r = open_bytes(&b);
	while (pmscope_recording_next(r, &s) > 0)
		note(r, &s, one);
	pmscope_recording_free(r);
	r = open_bytes(&b);
	while (pmscope_recording_next_run(r, false, &run) > 0) {
		for (size_t row = run.first; row < run.end; row++) {
			pmscope_recording_run_sample(r, &run, row, &s);
			note(r, &s, many);
		}
	}
	pmscope_recording_free(r);
	for (size_t i = 1; i <= RECORDS; i++)
		EXPECT_EQ(one[i], many[i]);
	bytes_fini(&b);
}

TEST(runs_have_the_same_samples)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		compare(seed, 2);
		compare(seed, 100);
	}
}

TEST(runs_in_order)
{
	struct pmscope_recording *r;
	struct pmscope_run run;
	struct bytes b = {};
	uint64_t last = 0;

	make(&b, 3, 50);
	r = open_bytes(&b);
	while (pmscope_recording_next_run(r, true, &run) > 0) {
		for (size_t row = run.first; row < run.end; row++) {
			EXPECT_EQ(run.batch->timestamp[row], last + 1);
			last = run.batch->timestamp[row];
		}
	}
	EXPECT_EQ(last, RECORDS);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* In an epoch a thread and an address mean the same. */
TEST(an_epoch_is_without_change)
{
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	uint64_t epoch = UINT64_MAX;
	const char *dso = NULL;
	struct pmscope_run run;
	struct bytes b = {};

	make(&b, 7, 20);
	r = open_bytes(&b);
	s = (struct pmscope_sample){.pid = 11};
	while (pmscope_recording_next_run(r, false, &run) > 0) {
		pmscope_recording_place(r, &s, 0x5004, &place);
		if (run.epoch == epoch)
			EXPECT_TRUE(place.dso == dso);
		epoch = run.epoch;
		dso = place.dso;
	}
	pmscope_recording_free(r);
	bytes_fini(&b);
}

KTAP_MAIN
