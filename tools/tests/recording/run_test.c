// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs hold the same samples as single reads, with the same threads and
 * mappings, whatever side-band events come between.
 */
#include "bytes.h"
#include "ktap.h"

#include <pmscope/recording.h>

#define RECORDS 3000

static void make(struct bytes *b, uint64_t seed, unsigned int rare)
{
	const struct activity activity = {
		.seed = seed, .records = RECORDS, .rare = rare};

	put_activity(b, &activity);
}

/* The number encoded in the record with each timestamp. */
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
	BYTES b = {};

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
}

TEST(runs_have_the_same_samples)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		compare(seed, 2);
		compare(seed, 100);
	}
}

/* Some records have no time, others an arbitrary one. */
TEST(runs_in_order_of_any_times)
{
	const struct activity activity = {
		.seed = 8, .records = RECORDS, .rare = 500, .wild = 3};
	uint64_t offsets[2 * RECORDS];
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct pmscope_run run;
	BYTES b = {};
	size_t nr = 0, i = 0;

	put_activity(&b, &activity);
	r = open_bytes(&b);
	while (pmscope_recording_next(r, &s) > 0) {
		ASSERT_TRUE(nr < 2 * RECORDS);
		offsets[nr++] = s.batch->offset[s.row];
	}
	pmscope_recording_free(r);
	r = open_bytes(&b);
	while (pmscope_recording_next_run(r, true, &run) > 0)
		for (size_t row = run.first; row < run.end; row++)
			EXPECT_EQ(run.batch->offset[row], offsets[i++]);
	EXPECT_EQ(i, nr);
	pmscope_recording_free(r);
}

static uint64_t latest_time(const struct bytes *b)
{
	struct pmscope_recording *r = open_bytes(b);
	struct pmscope_sample s;
	uint64_t latest = 0;

	while (pmscope_recording_next(r, &s) > 0)
		if (s.has_time && s.time > latest)
			latest = s.time;
	pmscope_recording_free(r);
	return latest;
}

/*
 * An area with a late time waits for the others: what follows it need not be
 * kept until then.
 */
TEST(runs_are_due_in_turn)
{
	const struct activity activity = {
		.seed = 9, .records = RECORDS, .rare = 500, .wild = 3};
	struct pmscope_recording *r;
	struct pmscope_run run;
	BYTES b = {};
	uint64_t due = 0;

	put_activity(&b, &activity);
	r = open_bytes(&b);
	while (pmscope_recording_next_run(r, false, &run) > 0) {
		EXPECT_TRUE(run.due >= due);
		EXPECT_TRUE(run.area < pmscope_recording_areas(r));
		due = run.due;
	}
	EXPECT_EQ(due, latest_time(&b));
	pmscope_recording_free(r);
}

TEST(times_of_a_run)
{
	struct pmscope_recording *r;
	uint64_t times[256], time;
	struct pmscope_run run;
	BYTES b = {};

	make(&b, 4, 500);
	r = open_bytes(&b);
	while (pmscope_recording_next_run(r, false, &run) > 0) {
		const uint64_t *ticks = run.batch->timestamp + run.first;
		size_t nr = run.end - run.first;

		ASSERT_TRUE(nr <= 256);
		ASSERT_TRUE(pmscope_recording_times(r, ticks, nr, times));
		for (size_t i = 0; i < nr; i++) {
			pmscope_recording_time(r, ticks[i], &time);
			EXPECT_EQ(times[i], time);
		}
	}
	pmscope_recording_free(r);
}

/* Else AddressSanitizer ends the program where memory is short. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* From now on memory is short, but for so many bytes. */
static void limit_memory(struct rlimit *before, size_t left)
{
	FILE *file = fopen("/proc/self/statm", "re");
	struct rlimit limit;
	unsigned long pages;

	ASSERT_TRUE(file);
	ASSERT_EQ(fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages), 1);
	fclose(file);
	ASSERT_EQ(getrlimit(RLIMIT_DATA, before), 0);
	limit = *before;
	limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + left;
	ASSERT_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
}

/* All batches are kept, so that there is one that has no memory. */
TEST(nothing_comes_behind_what_had_no_memory)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options), .shared = true};
	const struct activity activity = {
		.seed = 3, .records = 200000, .rare = 50};
	static struct pmscope_batch *kept[10000];
	struct pmscope_recording *r = NULL;
	struct pmscope_run run;
	struct rlimit before;
	BYTES b = {};
	size_t nr = 0;
	int ret;

	put_activity(&b, &activity);
	EXPECT_EQ(pmscope_recording_open(b.data, b.size, &options, &r), 0);
	limit_memory(&before, 1 << 20);
	while ((ret = pmscope_recording_next_run(r, false, &run)) > 0)
		if (ret != PMSCOPE_CHANGES && run.last && nr < 10000)
			kept[nr++] = (struct pmscope_batch *)run.batch;
	EXPECT_EQ(ret, -ENOMEM);
	EXPECT_EQ(pmscope_recording_next_run(r, false, &run), -ENOMEM);
	EXPECT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
	EXPECT_TRUE(nr > 0);
	while (nr)
		pmscope_batch_free(kept[--nr]);
	pmscope_recording_free(r);
}

/*
 * The rows of a batch do not change until it is returned; each batch comes with
 * its last run, and an epoch starts only after PMSCOPE_CHANGES.
 */
TEST(shared_runs_stay)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options), .shared = true};
	struct pmscope_recording *r = NULL;
	struct pmscope_run run = {}, held = {};
	unsigned int changes = 0, lent = 0;
	uint64_t epoch = UINT64_MAX, pc = 0;
	bool told = true;
	BYTES b = {};
	int ret;

	make(&b, 8, 40);
	EXPECT_EQ(pmscope_recording_open(b.data, b.size, &options, &r), 0);
	while ((ret = pmscope_recording_next_run(r, true, &run)) > 0) {
		changes += ret == PMSCOPE_CHANGES;
		if (ret == PMSCOPE_CHANGES) {
			EXPECT_TRUE(!told);
			told = true;
			continue;
		}
		EXPECT_TRUE(told || run.epoch == epoch);
		told = false;
		epoch = run.epoch;
		if (!run.last)
			continue;
		EXPECT_EQ(run.end, run.batch->count);
		EXPECT_TRUE(run.batch != held.batch);
		if (held.batch) {
			EXPECT_EQ(held.batch->pc[0], pc);
			pmscope_recording_reuse(
				r, (struct pmscope_batch *)held.batch);
		}
		held = run;
		pc = run.batch->pc[0];
		lent++;
	}
	EXPECT_EQ(ret, 0);
	EXPECT_TRUE(changes > 10 && lent > 5);
	pmscope_batch_free((struct pmscope_batch *)held.batch);
	pmscope_recording_free(r);
}

/*
 * In an epoch a thread and an address mean the same; an address does so for as
 * long as what its process has mapped has one version.
 */
TEST(an_epoch_is_without_change)
{
	uint64_t epoch = UINT64_MAX, version = 0, now;
	unsigned int epochs = 0, versions = 0;
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	const char *dso = NULL;
	struct pmscope_run run;
	BYTES b = {};

	make(&b, 7, 20);
	r = open_bytes(&b);
	s = (struct pmscope_sample){.pid = 11};
	while (pmscope_recording_next_run(r, false, &run) > 0) {
		pmscope_recording_place(r, &s, 0x5004, &place);
		now = pmscope_recording_version(r, s.pid);
		if (run.epoch == epoch)
			EXPECT_EQ(now, version);
		if (now == version)
			EXPECT_TRUE(place.dso == dso);
		epochs += run.epoch != epoch;
		versions += now != version;
		epoch = run.epoch;
		version = now;
		dso = place.dso;
	}
	/* Changes of other processes do not affect this one. */
	EXPECT_TRUE(versions && versions < epochs / 2);
	pmscope_recording_free(r);
}
