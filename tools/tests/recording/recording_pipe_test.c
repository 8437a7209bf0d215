// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording that comes from a pipe, beside the same in memory: samples,
 * places, losses and errors are the same, and bytes that are done with are not
 * read again. PMSCOPE_SEED repeats a failed run.
 */
#include "recording_fixture.h"

#include "recording/recording.h"

/* A pipe: @file is what comes, @data what came so far. */
struct feed {
	const struct bytes *file;
	uint8_t *data;
	size_t size;
	size_t done;
	size_t most; /* held at any time */
	uint64_t *seed;
};

static int64_t more(void *context)
{
	struct feed *s = context;
	size_t left = s->file->size - s->size;
	size_t n = 1 + random_below(s->seed, 4096);

	n = MIN(n, left);
	memcpy(s->data + s->size, s->file->data + s->size, n);
	s->size += n;
	s->most = MAX(s->most, s->size - s->done);
	return n;
}

static void done(void *context, size_t offset)
{
	struct feed *s = context;

	EXPECT_TRUE(offset >= s->done && offset <= s->size);
	memset(s->data + s->done, 0xdb, offset - s->done);
	s->done = offset;
}

static struct pmscope_recording *open_source(struct feed *s, bool shared)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options),
		.more = more,
		.done = done,
		.context = s,
		.shared = shared,
	};
	struct pmscope_recording *recording;

	s->data = calloc(1, s->file->size);
	s->size = 16;
	memcpy(s->data, s->file->data, s->size);
	EXPECT_EQ(pmscope_recording_open(s->data, s->size, &options,
					 &recording),
		  0);
	return recording;
}

static struct pmscope_recording *open_whole(const struct bytes *file)
{
	struct pmscope_recording *recording;

	EXPECT_EQ(pmscope_recording_open(file->data, file->size, NULL,
					 &recording),
		  0);
	return recording;
}

static const char *place_of(struct pmscope_recording *recording,
			    const struct pmscope_sample *sample)
{
	const char *dso =
		dso_at(recording, sample, sample->batch->pc[sample->row]);

	return dso ? dso : "nothing";
}

static uint64_t block_of(struct pmscope_recording *recording,
			 const struct pmscope_sample *sample)
{
	struct pmscope_block block = {};

	pmscope_recording_block(recording, sample,
				sample->batch->va[sample->row], &block);
	return block.start << 16 | block.size;
}

static void expect_same_sample(struct pmscope_recording *a,
			       const struct pmscope_sample *x,
			       struct pmscope_recording *b,
			       const struct pmscope_sample *y)
{
	char dso[64];

	EXPECT_EQ(x->time, y->time);
	EXPECT_EQ(x->cpu, y->cpu);
	EXPECT_EQ(x->tid, y->tid);
	EXPECT_EQ(x->pid, y->pid);
	EXPECT_EQ(x->batch->pc[x->row], y->batch->pc[y->row]);
	EXPECT_EQ(x->batch->offset[x->row], y->batch->offset[y->row]);
	snprintf(dso, sizeof(dso), "%s", place_of(a, x));
	EXPECT_STREQ(dso, place_of(b, y));
	EXPECT_EQ(block_of(a, x), block_of(b, y));
}

static void expect_same_losses(const struct pmscope_losses *a,
			       const struct pmscope_losses *b)
{
	EXPECT_EQ(a->decode.records, b->decode.records);
	EXPECT_EQ(a->decode.bytes, b->decode.bytes);
	EXPECT_EQ(a->decode.cut_bytes, b->decode.cut_bytes);
	EXPECT_EQ(a->decode.bad_bytes, b->decode.bad_bytes);
	EXPECT_EQ(a->decode.damaged, b->decode.damaged);
	EXPECT_EQ(a->missing_trace, b->missing_trace);
	EXPECT_EQ(a->doubled_trace, b->doubled_trace);
	EXPECT_EQ(a->lost_records, b->lost_records);
}

/* Returns how many bytes were held at most. */
static size_t compare(const struct bytes *file, uint64_t *seed)
{
	struct feed s = {.file = file, .seed = seed};
	struct pmscope_recording *a = open_whole(file);
	struct pmscope_recording *b = open_source(&s, false);
	struct pmscope_sample x, y;

	pmscope_recording_read_blocks(a);
	pmscope_recording_read_blocks(b);
	while (pmscope_recording_next(a, &x) > 0) {
		int ret = pmscope_recording_next(b, &y);

		EXPECT_EQ(ret, 1);
		if (ret != 1)
			break;
		expect_same_sample(a, &x, b, &y);
	}
	EXPECT_EQ(pmscope_recording_next(b, &y), 0);
	expect_same_losses(pmscope_recording_losses(a),
			   pmscope_recording_losses(b));
	EXPECT_EQ(pmscope_recording_losses(b)->late_samples, 0);
	EXPECT_STREQ(pmscope_recording_error(a), pmscope_recording_error(b));
	EXPECT_TRUE(pmscope_recording_nr_traces(b) > 0);
	pmscope_recording_free(a);
	pmscope_recording_free(b);
	free(s.data);
	return s.most;
}

static void make(struct rounds *r, struct bytes *b, unsigned int nr)
{
	rounds_begin(r, b);
	for (unsigned int i = 0; i < nr; i++)
		rounds_put(r, b);
	rounds_end(r, b);
}

static uint64_t new_seed(void)
{
	const char *given = getenv("PMSCOPE_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0)
			      : ((uint64_t)time(NULL) << 20) + getpid();

	printf("# PMSCOPE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

static void set_limits(uint64_t hold)
{
	stream_limits = (struct stream_limits){hold, 4 * hold, hold / 8};
}

TEST(a_pipe_gives_the_samples_of_the_file)
{
	uint64_t seed = new_seed();

	set_limits(128 << 10);
	for (unsigned int i = 0; i < 12; i++) {
		struct rounds r = {
			.seed = seed + i,
			.records = 1 + random_below(&seed, 30),
			.lag = i % 3,
			.gaps = i % 2,
			.compressed = i % 4 == 3,
		};
		BYTES b = {};
		size_t most;

		make(&r, &b, 4000 / r.records);
		most = compare(&b, &seed);
		EXPECT_GT(b.size, 512 << 10);
		/* Rounds are smaller than a quarter of what is held. */
		EXPECT_LT(most, 192 << 10);
	}
}

TEST(a_pipe_that_is_cut)
{
	uint64_t seed = new_seed();
	struct rounds r = {.seed = seed, .records = 10};
	BYTES b = {};
	size_t size;

	set_limits(64 << 10);
	make(&r, &b, 100);
	size = b.size;
	for (unsigned int i = 0; i < 60; i++) {
		b.size = size - 1 - random_below(&seed, size - 1000);
		compare(&b, &seed);
	}
	b.size = size;
}

/* Without rounds nothing tells what may still come: all samples are there. */
TEST(a_pipe_without_rounds)
{
	uint64_t seed = new_seed(), nr = 0;
	struct rounds r = {
		.seed = seed, .records = 10, .lag = 100, .endless = true};
	struct feed s = {.seed = &seed};
	struct pmscope_recording *recording;
	struct pmscope_sample sample;
	BYTES b = {};

	set_limits(64 << 10);
	make(&r, &b, 500);
	s.file = &b;
	recording = open_source(&s, false);
	while (pmscope_recording_next(recording, &sample) > 0)
		nr++;
	EXPECT_EQ(nr, r.total);
	EXPECT_TRUE(pmscope_recording_losses(recording)->late_samples > 0);
	EXPECT_LT(s.most, 300 << 10);
	pmscope_recording_free(recording);
	free(s.data);
}

/* Runs end before bytes are given back, and threads are told. */
TEST(runs_of_a_pipe)
{
	uint64_t seed = new_seed(), nr = 0, changes = 0;
	struct rounds r = {.seed = seed, .records = 10, .lag = 2};
	struct feed s = {.seed = &seed};
	struct pmscope_recording *recording;
	struct pmscope_run run;
	BYTES b = {};
	int ret;

	set_limits(64 << 10);
	make(&r, &b, 400);
	s.file = &b;
	recording = open_source(&s, true);
	while ((ret = pmscope_recording_next_run(recording, false, &run)) > 0) {
		size_t before = s.done;

		changes += ret == PMSCOPE_CHANGES;
		if (ret == PMSCOPE_CHANGES)
			continue;
		EXPECT_EQ(s.done, before);
		nr += run.group ? 0 : run.end - run.first;
		if (!run.group && run.last)
			pmscope_recording_reuse(
				recording, (struct pmscope_batch *)run.batch);
	}
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(nr, r.total);
	EXPECT_TRUE(changes > 10);
	pmscope_recording_free(recording);
	free(s.data);
}

/* A record whose data is larger than any AUX area. */
TEST(a_trace_that_never_ends)
{
	uint64_t seed = new_seed();
	struct rounds r = {.seed = seed, .records = 10};
	struct feed s = {.seed = &seed};
	struct pmscope_recording *recording;
	struct pmscope_sample sample;
	BYTES b = {}, body = {};
	uint64_t nr = 0;

	set_limits(64 << 10);
	make(&r, &b, 10);
	put(&body, UINT64_C(1) << 40, 8);
	put_zeros(&body, 32);
	put_record(&b, PMSCOPE_RECORD_AUXTRACE, 0, &body);
	put_zeros(&b, 100000);
	s.file = &b;
	recording = open_source(&s, false);
	while (pmscope_recording_next(recording, &sample) > 0)
		nr++;
	EXPECT_EQ(nr, r.total);
	EXPECT_TRUE(strstr(pmscope_recording_error(recording),
			   "in a pipe at most"));
	EXPECT_TRUE(s.size < b.size);
	pmscope_recording_free(recording);
	free(s.data);
}
