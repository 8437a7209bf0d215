// SPDX-License-Identifier: GPL-2.0-or-later
/* Which block an address was in, by what a program has done. */
#include "command.h"
#include "recording_fixture.h"

#include "recording/recording.h"

#define ALLOC(time, address, size, site)                             \
	(time), (uint64_t)HEAP_BLOCK << HEAP_KIND_SHIFT | (address), \
		(uint64_t)(size) << HEAP_SITE_BITS | (site)
#define FREE(time, address) (time), (address)
#define CHAIN(site, a, b) \
	(site), (uint64_t)HEAP_SITE << HEAP_KIND_SHIFT | 2, (a), (b)
#define NOTED(b, pid, parent, ...)                                \
	put_heap(b, pid, parent, (const uint64_t[]){__VA_ARGS__}, \
		 sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

struct block {
	uint64_t start; /* 0: none is there */
	uint64_t size;
	uint32_t site;
};

struct use {
	uint64_t time;
	uint32_t pid;
	uint64_t address;
	struct block block;
};

static void expect_block(const struct pmscope_recording *recording,
			 const struct pmscope_sample *sample,
			 const struct use *use)
{
	struct pmscope_block block = {};
	bool found = pmscope_recording_block(recording, sample, use->address,
					     &block);

	EXPECT_EQ(sample->time, use->time);
	EXPECT_EQ(sample->pid, use->pid);
	EXPECT_EQ(found, !!use->block.start);
	EXPECT_EQ(block.start, use->block.start);
	EXPECT_EQ(block.size, use->block.size);
	EXPECT_EQ(block.site, use->block.site);
}

/* One after the other, and in runs that threads could share. */
static void expect_uses(struct bytes *b, const struct use *uses, size_t nr)
{
	const struct pmscope_recording_options shared = {.size = sizeof(shared),
							 .shared = true};
	struct pmscope_recording *recording;
	struct pmscope_sample sample;
	struct pmscope_run run;
	size_t k = 0;
	BYTES trace = {};
	int ret;

	for (size_t i = 0; i < nr; i++)
		put_load_of(&trace, uses[i].pid, 0x400000, uses[i].address,
			    uses[i].time);
	put_auxtrace(b, 0, 0, NO_TID, &trace);
	recording = open_bytes(b);
	pmscope_recording_read_blocks(recording);
	for (size_t i = 0; i < nr; i++) {
		ASSERT_EQ(pmscope_recording_next(recording, &sample), 1);
		expect_block(recording, &sample, &uses[i]);
	}
	pmscope_recording_free(recording);
	EXPECT_EQ(pmscope_recording_open(b->data, b->size, &shared, &recording),
		  0);
	pmscope_recording_read_blocks(recording);
	while ((ret = pmscope_recording_next_run(recording, false, &run)) > 0) {
		for (size_t row = run.first;
		     ret == 1 && !run.group && row < run.end; row++) {
			pmscope_recording_run_sample(recording, &run, row,
						     &sample);
			expect_block(recording, &sample, &uses[k++]);
		}
		if (ret == 1 && !run.group && run.last)
			pmscope_recording_reuse(
				recording, (struct pmscope_batch *)run.batch);
	}
	EXPECT_EQ(k, nr);
	pmscope_recording_free(recording);
}
#define EXPECT_USES(b, ...)                                     \
	expect_uses(b, (const struct use[]){__VA_ARGS__},       \
		    sizeof((const struct use[]){__VA_ARGS__}) / \
			    sizeof(struct use))

#define A 0x10000
#define B 0x20000

TEST(blocks_of_one_address)
{
	BYTES b = {};

	begin(&b);
	comm_at(&b, 0, "program", 0, 7, 7);
	NOTED(&b, 7, 0, CHAIN(1, 0x400100, 0x400200), ALLOC(100, A, 4096, 1),
	      FREE(200, A), ALLOC(300, A, 64, 2), ALLOC(400, A, 128, 3));
	NOTED(&b, 7, 0, ALLOC(150, B, 100, 1), FREE(500, B), FREE(501, B + 8));
	EXPECT_USES(&b, {99, 7, A, {}}, {100, 7, A, {A, 4096, 1}},
		    {199, 7, A + 4095, {A, 4096, 1}}, {200, 7, A, {}},
		    {300, 7, A + 63, {A, 64, 2}}, {301, 7, A + 64, {}},
		    {399, 7, A, {A, 64, 2}}, {400, 7, A + 64, {A, 128, 3}},
		    {499, 7, B + 99, {B, 100, 1}}, {500, 7, B + 99, {}},
		    {9999, 7, A, {A, 128, 3}});
}

/* A block in another: of an allocator in memory that it maps. */
TEST(the_innermost_block)
{
	BYTES b = {};

	begin(&b);
	comm_at(&b, 0, "program", 0, 7, 7);
	NOTED(&b, 7, 0, ALLOC(100, A, 0x10000, 1), ALLOC(200, A + 64, 64, 2),
	      FREE(300, A + 64), ALLOC(300, A + 128, 64, 3));
	EXPECT_USES(&b, {150, 7, A + 100, {A, 0x10000, 1}},
		    {250, 7, A + 100, {A + 64, 64, 2}},
		    {250, 7, A + 128, {A, 0x10000, 1}},
		    {350, 7, A + 100, {A, 0x10000, 1}},
		    {350, 7, A + 128, {A + 128, 64, 3}});
}

/* A child has what its parent had, until it ends it; a new program nothing. */
TEST(blocks_of_a_parent)
{
	BYTES b = {};

	begin(&b);
	comm_at(&b, 0, "program", 0, 7, 7);
	fork_at(&b, 200, 8, 8, 7);
	fork_at(&b, 600, 9, 9, 8);
	comm_at(&b, PERF_RECORD_MISC_COMM_EXEC, "other", 700, 8, 8);
	NOTED(&b, 7, 0, ALLOC(100, A, 100, 1), ALLOC(110, B, 100, 2),
	      ALLOC(300, B + 256, 64, 3), FREE(350, A));
	NOTED(&b, 8, 7, FREE(400, B), ALLOC(500, B, 20, 4));
	EXPECT_USES(&b, {250, 8, A, {A, 100, 1}}, {310, 8, B + 256, {}},
		    {360, 7, A, {}}, {360, 8, A + 5, {A, 100, 1}},
		    {380, 8, B, {B, 100, 2}}, {450, 8, B, {}},
		    {510, 8, B, {B, 20, 4}}, {510, 8, B + 50, {}},
		    {510, 7, B + 50, {B, 100, 2}}, {650, 9, B, {B, 20, 4}},
		    {710, 8, B, {}}, {710, 8, A, {}});
}

/* Many threads, several processes, and windows in which few live. */
#define SLOTS	4096
#define SLOT	64
#define THREADS 6
#define STEPS	60000

struct model {
	uint64_t seed;
	uint64_t time;
	struct block at[2][SLOTS]; /* of two processes */
	struct use *uses;
	size_t nr;
	uint64_t words[THREADS][400];
	size_t used[THREADS];
};

static void flush(struct model *m, struct bytes *b, unsigned int thread)
{
	if (m->used[thread])
		put_heap(b, 10 + thread % 2, 0, m->words[thread],
			 m->used[thread]);
	m->used[thread] = 0;
}

static void note(struct model *m, struct bytes *b, unsigned int process,
		 const uint64_t *words, size_t nr)
{
	unsigned int thread = 2 * random_below(&m->seed, THREADS / 2) + process;

	if (m->used[thread] + nr > 1 + random_below(&m->seed, 400) ||
	    m->used[thread] + nr > 400)
		flush(m, b, thread);
	memcpy(m->words[thread] + m->used[thread], words, 8 * nr);
	m->used[thread] += nr;
}

static void step(struct model *m, struct bytes *b)
{
	unsigned int process = random_below(&m->seed, 2);
	unsigned int first = random_below(&m->seed, SLOTS), slots, i;
	struct block *at = m->at[process];
	struct block block = {A + first * SLOT, 0,
			      1 + random_below(&m->seed, 1000)};
	uint64_t address = block.start + random_below(&m->seed, SLOT);

	m->time += random_below(&m->seed, 3);
	if (!random_below(&m->seed, 3)) {
		block = at[first];
		if (address >= block.start + block.size)
			block = (struct block){};
		m->uses[m->nr++] =
			(struct use){++m->time, 10 + process, address, block};
		return;
	}
	if (at[first].start) {
		block = at[first];
		m->time++;
		note(m, b, process,
		     (const uint64_t[]){FREE(m->time, block.start)}, 2);
		for (i = 0; i < SLOTS; i++)
			if (at[i].start == block.start)
				at[i] = (struct block){};
		return;
	}
	slots = 1 + random_below(&m->seed, random_below(&m->seed, 8) ? 8 : 200);
	for (i = first; i < first + slots && i < SLOTS && !at[i].start;)
		i++;
	slots = i - first;
	block.size = slots * SLOT - random_below(&m->seed, SLOT);
	for (i = 0; i < slots; i++)
		at[first + i] = block;
	m->time++;
	note(m, b, process,
	     (const uint64_t[]){
		     ALLOC(m->time, block.start, block.size, block.site)},
	     3);
}

TEST(a_program_with_threads_and_reuse)
{
	FREED struct model *m = calloc(1, sizeof(*m));
	const char *given = getenv("PMSCOPE_SEED");
	BYTES b = {};

	m->seed = given ? strtoull(given, NULL, 0) : 2026;
	m->uses = calloc(STEPS, sizeof(*m->uses));
	m->time = 1000;
	heap_window = 1000;
	begin(&b);
	comm_at(&b, 0, "program", 0, 10, 10);
	comm_at(&b, 0, "program", 0, 11, 11);
	for (int i = 0; i < STEPS; i++)
		step(m, &b);
	for (unsigned int i = 0; i < THREADS; i++)
		flush(m, &b, i);
	expect_uses(&b, m->uses, m->nr);
	EXPECT_GT(m->nr, STEPS / 4);
	heap_window = 1 << 16;
	free(m->uses);
}

/* Of @nr blocks a tenth lives at a time; now and then the newest is loaded. */
static void put_many(struct bytes *b, uint64_t nr)
{
	uint64_t words[5 * 600];
	BYTES trace = {};
	size_t at = 0;

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t time = 1000 + 10 * i, slot = i % (nr / 10);
		const uint64_t entry[] = {FREE(time, A + 256 * slot),
					  ALLOC(time + 1, A + 256 * slot, 256,
						1 + i % 1000)};

		memcpy(words + at, entry, sizeof(entry));
		at += 5;
		if (at == 5 * 600 || i == nr - 1) {
			put_heap(b, 10, 0, words, at);
			at = 0;
		}
		if (i % 100 == 0)
			put_load_of(&trace, 10, 0x400000, A + 256 * slot,
				    time + 5);
	}
	put_auxtrace(b, 0, 0, NO_TID, &trace);
}

/* Memory follows the blocks that live: 40 bytes each, as does a window. */
PLAIN_TEST(memory_of_many_blocks)
{
	const char *given = getenv("PMSCOPE_BLOCKS");
	uint64_t nr = given ? strtoull(given, NULL, 0) : 1000000, samples = 0;
	struct pmscope_recording *recording;
	struct pmscope_sample sample;
	struct pmscope_block block;
	double begun = ktap_seconds();
	size_t most = 0, before;
	BYTES b = {};

	begin(&b);
	comm_at(&b, 0, "program", 0, 10, 10);
	put_many(&b, nr);
	before = memory_in_use();
	begun = ktap_seconds();
	recording = open_bytes(&b);
	pmscope_recording_read_blocks(recording);
	while (pmscope_recording_next(recording, &sample) > 0) {
		size_t used = memory_in_use();

		EXPECT_TRUE(pmscope_recording_block(
			recording, &sample, sample.batch->va[sample.row],
			&block));
		EXPECT_EQ(block.site, 1 + samples * 100 % 1000);
		samples++;
		most = MAX(used, most);
	}
	EXPECT_EQ(samples, nr / 100);
	ktap_note("%.3f s, %zu KiB", ktap_seconds() - begun,
		  (most - before) >> 10);
	EXPECT_LT(most - before, (nr / 10 + heap_window) * 200);
	pmscope_recording_free(recording);
}
