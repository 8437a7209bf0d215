// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decoding ahead, with any number of threads, gives the same result as without,
 * however traces are broken. PMSCOPE_SEED repeats a failed run.
 */
#include "bytes.h"
#include "ktap.h"

#include <pmscope/recording.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define CPUS	    3
#define THREADS_MAX 3
#define ROWS	    (1U << 20)

/**
 * struct broken - how the traces are
 * @wild: records of any packets, with any time
 * @bad: so many bytes of each trace are overwritten
 * @breaks: so many times the last record before one is not whole
 * @ring: the AUX areas are overwritten
 * @torn: in traces of any size, the last about one byte
 */
struct broken {
	bool wild;
	unsigned int bad;
	unsigned int breaks;
	bool ring;
	bool torn;
};

/* In the middle of it no record boundary is visible. */
static void put_endless_record(struct bytes *trace, uint64_t *state)
{
	for (uint32_t i = random_below(state, 4000); i; i--)
		put_packet(trace, PMSCOPE_PACKET_ADDRESS, 0, 8, 0x5000);
	put_timestamp(trace, 1);
}

static void put_records(struct bytes *trace, uint64_t *state, size_t size,
			bool wild)
{
	uint64_t time = random_below(state, 100);

	while (trace->size < size) {
		time += random_below(state, 10);
		if (wild && !random_below(state, 2000))
			put_endless_record(trace, state);
		else if (wild && !random_below(state, 4))
			put_stream(trace, state, 4000);
		else
			put_load_of(trace, 10 + random_below(state, 5), 0x5000,
				    0x9000, time);
	}
}

static void put_trace(struct bytes *b, uint64_t *state, uint32_t cpu,
		      const struct bytes *trace, bool torn)
{
	size_t size;

	for (size_t at = 0; at < trace->size; at += size) {
		size = trace->size - at;
		if (torn && size > 1)
			size = 1 + random_below(state, size);
		put_auxtrace_part(b, cpu, trace, at, at + size);
	}
}

/* Two traces of a CPU; the first does not continue in the second. */
static void put_cpu(struct bytes *b, uint64_t *state, uint32_t cpu,
		    const struct broken *broken)
{
	const struct where where = {10, 10, 1, cpu};

	for (int i = 0; i < 2; i++) {
		BYTES trace = {};

		put_records(&trace, state, random_below(state, 1200000),
			    broken->wild);
		corrupt(&trace, state, broken->bad);
		put_trace(b, state, cpu, &trace, broken->torn);
	}
	for (unsigned int i = 0; i < broken->breaks; i++)
		put_aux(b, random_below(state, 1200000), PERF_AUX_FLAG_PARTIAL,
			&where);
	if (broken->ring)
		put_aux(b, 1, PERF_AUX_FLAG_OVERWRITE, &where);
}

static void make(struct bytes *b, uint64_t *state, const struct broken *broken)
{
	perfdata_begin(b);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_time_conv(b, 0, 1, 0);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		put_cpu(b, state, cpu, broken);
	perfdata_end(b);
}

struct reading {
	struct pmscope_recording *recording;
	atomic_bool over;
	atomic_size_t bytes; /* decoded ahead */
	uint64_t *rows;
	size_t nr;
	struct pmscope_losses losses;
};

static uint64_t row_hash(const struct pmscope_sample *s)
{
	const struct pmscope_batch *b = s->batch;
	uint64_t hash = s->cpu;

	hash = hash * 31 + s->tid;
	hash = hash * 31 + b->has[s->row];
	hash = hash * 31 + b->offset[s->row];
	hash = hash * 31 + b->timestamp[s->row];
	hash = hash * 31 + b->va[s->row];
	return hash * 31 + b->events[s->row];
}

static void *decode_ahead(void *data)
{
	struct reading *reading = data;
	size_t bytes;

	while (!atomic_load(&reading->over)) {
		bytes = pmscope_recording_ahead(reading->recording);
		atomic_fetch_add(&reading->bytes, bytes);
		if (!bytes)
			sched_yield();
	}
	return NULL;
}

/* No thread but @mine decodes ahead: this one does from time to time. */
static void take_rows(struct reading *reading, bool mine)
{
	struct pmscope_sample s;

	while (pmscope_recording_next(reading->recording, &s) > 0) {
		ASSERT_TRUE(reading->nr < ROWS);
		reading->rows[reading->nr++] = row_hash(&s);
		if (mine && reading->nr % 500 == 1)
			reading->bytes +=
				pmscope_recording_ahead(reading->recording);
	}
	reading->losses = *pmscope_recording_losses(reading->recording);
}

static void read_all(const struct bytes *b, struct reading *reading,
		     unsigned int threads, bool mine)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options), .ahead = threads + mine};
	pthread_t thread[THREADS_MAX];

	*reading = (struct reading){.rows = calloc(ROWS, sizeof(uint64_t))};
	ASSERT_TRUE(reading->rows);
	ASSERT_EQ(pmscope_recording_open(b->data, b->size, &options,
					 &reading->recording),
		  0);
	for (unsigned int i = 0; i < threads; i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL, decode_ahead,
					 reading),
			  0);
	take_rows(reading, mine);
	atomic_store(&reading->over, true);
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pmscope_recording_free(reading->recording);
}

static void compare(const struct bytes *b, const struct reading *plain,
		    unsigned int threads, size_t wanted)
{
	struct reading ahead;

	read_all(b, &ahead, threads, !threads);
	ASSERT_EQ(ahead.nr, plain->nr);
	EXPECT_TRUE(
		!memcmp(ahead.rows, plain->rows, plain->nr * sizeof(uint64_t)));
	EXPECT_TRUE(
		!memcmp(&ahead.losses, &plain->losses, sizeof(plain->losses)));
	EXPECT_TRUE(threads || ahead.bytes >= wanted);
	free(ahead.rows);
}

static void compare_all(const struct broken *broken)
{
	uint64_t state = stream_seed(20261122);

	for (int i = 0; i < 2; i++) {
		struct reading plain;
		BYTES b = {};

		make(&b, &state, broken);
		read_all(&b, &plain, 0, false);
		EXPECT_EQ(plain.bytes, 0U);
		compare(&b, &plain, 0, broken->torn ? 1 : b.size / 4);
		for (unsigned int threads = 1; threads <= THREADS_MAX;
		     threads++)
			compare(&b, &plain, threads, 0);
		free(plain.rows);
	}
}

CASE(whole_traces, compare_all(&(struct broken){}));
CASE(records_of_any_packets, compare_all(&(struct broken){.wild = true}));
CASE(damaged_traces, compare_all(&(struct broken){.wild = true, .bad = 500}));
CASE(traces_with_breaks, compare_all(&(struct broken){.breaks = 20}));
CASE(rings, compare_all(&(struct broken){.wild = true, .ring = true}));

TEST(torn_records)
{
	compare_all(&(struct broken){.wild = true, .torn = true});
	compare_all(&(struct broken){
		.wild = true, .bad = 500, .breaks = 20, .torn = true});
}

/* A thread that did not announce itself has nothing to decode. */
TEST(nobody_decodes_ahead)
{
	uint64_t state = stream_seed(1);
	struct pmscope_recording *r;
	struct pmscope_sample s;
	BYTES b = {};

	make(&b, &state, &(struct broken){});
	ASSERT_EQ(pmscope_recording_open(b.data, b.size, NULL, &r), 0);
	EXPECT_EQ(pmscope_recording_ahead(r), 0U);
	EXPECT_EQ(pmscope_recording_next(r, &s), 1);
	EXPECT_EQ(pmscope_recording_ahead(r), 0U);
	pmscope_recording_free(r);
}
