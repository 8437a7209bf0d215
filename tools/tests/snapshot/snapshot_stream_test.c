// SPDX-License-Identifier: GPL-2.0-or-later
#include "session/records.h"
#include <pmscope/stream.h>
#include "ktap.h"

#define COUNTERS 3

/* A record as version 1 of the module writes it */
struct whole {
	struct pmscope_record record;
	struct pmscope_record_counter counter[COUNTERS];
};

static struct whole make(void)
{
	struct whole w = {
		.record =
			{
				.size = sizeof(w),
				.magic = PMSCOPE_RECORD_MAGIC,
				.version = PMSCOPE_RECORD_VERSION,
				.counters_at = sizeof(w.record),
				.counter_size = sizeof(w.counter[0]),
				.nr_counters = COUNTERS,
				.trigger = PMSCOPE_TRIGGER_SPE,
				.cpu = 3,
				.pid = 10,
				.tid = 11,
				.id = 100,
				.time = 12345,
				.aux_size = 77,
			},
	};

	for (int i = 0; i < COUNTERS; i++)
		w.counter[i] = (struct pmscope_record_counter){
			.number = i,
			.flags = i < 2 ? PMSCOPE_COUNTER_MEMBER : 0,
			.id = 100 + i,
			.count = 1000 + i,
		};
	return w;
}

TEST(a_record_is_read)
{
	struct whole w = make();
	struct pmscope_record_counter counter;
	struct pmscope_record record;

	ASSERT_EQ(pmscope_stream_next(&w, sizeof(w), &record), (int)sizeof(w));
	EXPECT_EQ(record.time, 12345);
	EXPECT_EQ(record.aux_size, 77);
	ASSERT_EQ(record.nr_counters, COUNTERS);
	pmscope_stream_counter(&w, &record, 2, &counter);
	EXPECT_EQ(counter.number, 2);
	EXPECT_EQ(counter.count, 1002);
	EXPECT_EQ(pmscope_stream_next(&w, 0, &record), 0);
}

TEST(a_cut_record_has_no_data)
{
	struct whole w = make();
	struct pmscope_record record;

	for (size_t size = 1; size < sizeof(w); size++)
		EXPECT_EQ(pmscope_stream_next(&w, size, &record), -ENODATA);
}

TEST(what_is_no_record_is_refused)
{
	struct pmscope_record record;
	struct whole w = make();

	w.record.magic++;
	EXPECT_EQ(pmscope_stream_next(&w, sizeof(w), &record), -EBADMSG);
	w = make();
	w.record.size -= 1;
	EXPECT_EQ(pmscope_stream_next(&w, sizeof(w), &record), -EBADMSG);
	w = make();
	w.record.nr_counters++;
	EXPECT_EQ(pmscope_stream_next(&w, sizeof(w), &record), -EBADMSG);
	w = make();
	w.record.counters_at = 4;
	EXPECT_EQ(pmscope_stream_next(&w, sizeof(w), &record), -EBADMSG);
	w = make();
	w.record.counter_size = 4;
	EXPECT_EQ(pmscope_stream_next(&w, sizeof(w), &record), -EBADMSG);
	w = make();
	w.record.size = 0xfffffff8;
	EXPECT_EQ(pmscope_stream_next(&w, sizeof(w), &record), -EBADMSG);
}

/* A later module appends members, an earlier one lacks some. */
TEST(other_versions_are_read)
{
	struct {
		struct pmscope_record record;
		uint64_t more;
		struct {
			struct pmscope_record_counter counter;
			uint64_t more;
		} counter[COUNTERS];
	} later = {.more = ~0ULL};
	struct pmscope_record_counter counter;
	struct pmscope_record record;
	struct whole w = make();

	later.record = w.record;
	later.record.size = sizeof(later);
	later.record.counters_at += 8;
	later.record.counter_size += 8;
	for (int i = 0; i < COUNTERS; i++)
		later.counter[i].counter = w.counter[i];
	ASSERT_EQ(pmscope_stream_next(&later, sizeof(later), &record),
		  (int)sizeof(later));
	pmscope_stream_counter(&later, &record, 1, &counter);
	EXPECT_EQ(counter.count, 1001);

	w.record.counters_at = offsetof(struct pmscope_record, pmbsr);
	w.record.counter_size = offsetof(struct pmscope_record_counter, count);
	ASSERT_EQ(pmscope_stream_next(&w, sizeof(w), &record), (int)sizeof(w));
	EXPECT_EQ(record.time, 12345);
	EXPECT_EQ(record.aux_size, 0);
	pmscope_stream_counter(&w, &record, 0, &counter);
	EXPECT_EQ(counter.count, 0);
}

TEST(the_first_whole_record_is_found)
{
	struct whole w[2] = {make(), make()};

	EXPECT_EQ(pmscope_stream_sync(w, sizeof(w)), 0);
	EXPECT_EQ(pmscope_stream_sync((char *)w + 8, sizeof(w) - 8),
		  sizeof(w[0]) - 8);
	EXPECT_EQ(pmscope_stream_sync((char *)w + 8, sizeof(w[0]) - 8),
		  sizeof(w[0]) - 8);
}

/*
 * A stream that arrives piece by piece: the rest of it, and the read records.
 */
struct reader {
	uint8_t data[8192];
	size_t size;
	unsigned int records;
};

/* No record is larger. */
#define KEPT sizeof(struct whole)

static void reader_drop(struct reader *r, size_t bytes)
{
	r->size -= bytes;
	memmove(r->data, r->data + bytes, r->size);
}

/* Seeks back to a record; false if there is none yet. */
static bool reader_sync(struct reader *r)
{
	size_t at = pmscope_stream_sync(r->data, r->size);
	bool found = at < r->size;

	if (!found)
		at = r->size > KEPT ? (r->size - KEPT + 7) / 8 * 8 : 0;
	reader_drop(r, at);
	return found;
}

static void reader_take(struct reader *r, const void *piece, size_t size)
{
	struct pmscope_record record;
	int n;

	memcpy(r->data + r->size, piece, size);
	r->size += size;
	do {
		while ((n = pmscope_stream_next(r->data, r->size, &record)) >
		       0) {
			EXPECT_EQ(record.time, r->records++);
			reader_drop(r, n);
		}
	} while (n == -EBADMSG && reader_sync(r));
}

/* The rest of a record, complete ones, zeros, and more complete ones. */
TEST(a_reader_of_pieces_finds_back)
{
	struct {
		struct whole before[4];
		uint64_t damage[100];
		struct whole behind[4];
	} stream = {};
	const uint8_t *data = (const uint8_t *)&stream + 40;
	size_t size = sizeof(stream) - 40;

	for (unsigned int i = 0; i < 4; i++) {
		stream.before[i] = make();
		stream.before[i].record.time = i - 1;
		stream.behind[i] = make();
		stream.behind[i].record.time = i + 3;
	}
	for (size_t piece = 1; piece <= size; piece += 1 + piece / 16) {
		struct reader r = {};

		for (size_t at = 0; at < size; at += piece)
			reader_take(&r, data + at,
				    size - at < piece ? size - at : piece);
		EXPECT_EQ(r.records, 7);
		EXPECT_EQ(r.size, 0);
	}
}

/* Word by word, in the order of perf_event_open(2). */
TEST(a_record_becomes_a_sample)
{
	static uint64_t sample[8192];
	struct whole w = make();
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			PMSCOPE_STREAM_SAMPLE_TYPE;
	const uint64_t words[] = {
		100,  0,   10 | 11ULL << 32, 12345, 3, 500, 2, 1000, 100,
		1001, 101,
	};
	struct perf_event_header *header = (void *)sample;
	size_t raw_at = sizeof(*header) + sizeof(words), size;
	uint32_t raw_size;

	size = stream_sample(&w, &w.record, type, 500, header);
	EXPECT_EQ(size, raw_at + sizeof(w) + 8);
	EXPECT_EQ(header->size, size);
	EXPECT_EQ(header->type, PERF_RECORD_SAMPLE);
	EXPECT_EQ(memcmp(sample + 1, words, sizeof(words)), 0);
	memcpy(&raw_size, (char *)sample + raw_at, sizeof(raw_size));
	EXPECT_EQ(raw_size, sizeof(w) + 4);
	EXPECT_EQ(memcmp((char *)sample + raw_at + 4, &w, sizeof(w)), 0);
}

TEST(a_record_too_large_for_a_sample_is_refused)
{
	static uint64_t sample[8192];
	struct whole w = make();

	w.record.size = 65528;
	EXPECT_EQ(stream_sample(&w, &w.record, 0, 1, (void *)sample), 0);
}
