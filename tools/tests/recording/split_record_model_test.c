// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An AUX area in pieces, one AUXTRACE record each, beside the same in a single
 * one: wherever it is cut, and whatever is wrong with it, the samples and the
 * losses are the same, and faults are where their bytes are in the file.
 * PMSCOPE_SEED repeats a failed run.
 */
#include "recording_fixture.h"

#define STREAMS 400

struct reading {
	struct bytes file;
	uint64_t *places;
	struct pmscope_recording *recording;
};

static void put_piece(struct reading *r, const struct bytes *area, size_t from,
		      size_t to)
{
	uint64_t place;

	put_auxtrace_part(&r->file, 0, area, from, to);
	place = r->file.size - (to - from);
	for (size_t i = from; i < to; i++)
		r->places[i] = place + i - from;
}

/* An area without records, so that pieces are not consecutive. */
static void put_other(struct bytes *file, uint64_t *offset)
{
	BYTES padding = {};

	put_zeros(&padding, 16);
	put_auxtrace_at(file, *offset, 1, 1, NO_TID, &padding);
	*offset += padding.size;
}

static void reading_begin(struct reading *r, const struct bytes *area)
{
	*r = (struct reading){};
	r->places = calloc(area->size + 1, sizeof(*r->places));
	begin(&r->file);
}

static void reading_open(struct reading *r, bool skip_by_size)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options), .skip_by_size = skip_by_size};

	perfdata_end(&r->file);
	ASSERT_EQ(pmscope_recording_open(r->file.data, r->file.size, &options,
					 &r->recording),
		  0);
}

static void reading_fini(struct reading *r)
{
	pmscope_recording_free(r->recording);
	bytes_fini(&r->file);
	free(r->places);
}

static size_t index_of(const struct reading *r, uint64_t place)
{
	size_t i = 0;

	while (r->places[i] && r->places[i] != place)
		i++;
	return i;
}

#define SAME(column) EXPECT_EQ(a->column[i], b->column[j])

static void expect_same_row(const struct pmscope_batch *a, size_t i,
			    const struct pmscope_batch *b, size_t j)
{
	SAME(has);
	SAME(pc);
	SAME(target);
	SAME(va);
	SAME(pa);
	SAME(previous);
	SAME(timestamp);
	SAME(events);
	SAME(context_el1);
	SAME(context_el2);
	SAME(total);
	SAME(issue);
	SAME(translate);
	SAME(alt_issue);
	SAME(counter);
	SAME(source);
	SAME(op_class);
	SAME(op);
}

static const struct pmscope_decode_stats *stats_of(const struct reading *r)
{
	return &pmscope_recording_losses(r->recording)->decode;
}

static void expect_same_stats(const struct reading *whole,
			      const struct reading *parts)
{
	const struct pmscope_decode_stats *a = stats_of(whole);
	const struct pmscope_decode_stats *b = stats_of(parts);

	EXPECT_EQ(a->records, b->records);
	EXPECT_EQ(a->damaged, b->damaged);
	EXPECT_EQ(a->unknown, b->unknown);
	EXPECT_EQ(a->bad_bytes, b->bad_bytes);
	EXPECT_EQ(a->cut_bytes, b->cut_bytes);
	if (a->bad_bytes)
		EXPECT_EQ(index_of(whole, a->first_bad),
			  index_of(parts, b->first_bad));
	if (a->cut_bytes)
		EXPECT_EQ(index_of(whole, a->first_cut),
			  index_of(parts, b->first_cut));
}

static void expect_same(const struct reading *whole,
			const struct reading *parts)
{
	struct pmscope_sample a, b;

	while (pmscope_recording_next(whole->recording, &a) > 0) {
		ASSERT_EQ(pmscope_recording_next(parts->recording, &b), 1);
		expect_same_row(a.batch, a.row, b.batch, b.row);
		EXPECT_EQ(index_of(whole, a.batch->offset[a.row]),
			  index_of(parts, b.batch->offset[b.row]));
	}
	EXPECT_EQ(pmscope_recording_next(parts->recording, &b), 0);
	expect_same_stats(whole, parts);
}

/* In pieces of up to @most bytes. */
static void compare(const struct bytes *area, uint64_t *state, uint32_t most,
		    bool skip_by_size)
{
	struct reading whole, parts;
	uint64_t other = 0;

	reading_begin(&whole, area);
	put_piece(&whole, area, 0, area->size);
	reading_open(&whole, skip_by_size);
	reading_begin(&parts, area);
	for (size_t at = 0, to; at < area->size; at = to) {
		to = at + 1 + random_below(state, most);
		to = MIN(to, area->size);
		put_piece(&parts, area, at, to);
		if (!random_below(state, 4))
			put_other(&parts.file, &other);
	}
	reading_open(&parts, skip_by_size);
	expect_same(&whole, &parts);
	EXPECT_EQ(stats_of(&whole)->bytes, area->size);
	EXPECT_EQ(stats_of(&parts)->bytes, area->size + other);
	reading_fini(&whole);
	reading_fini(&parts);
}

/* More headers than payloads, so that packets have any kind and size. */
static void put_headers(struct bytes *b, uint64_t *state, size_t size)
{
	static const uint8_t headers[] = {0x00, 0x00, 0x01, 0x20, 0x21, 0x22,
					  0x23, 0x23, 0x42, 0x48, 0x65, 0x71,
					  0x98, 0xb0, 0xb2, 0x30, 0xf0, 0xff};

	while (size--) {
		uint32_t which = random_below(state, sizeof(headers) + 2);

		put(b,
		    which < sizeof(headers) ? headers[which]
					    : random_next(state) >> 56,
		    1);
	}
}

static void compare_streams(bool skip_by_size)
{
	static const uint32_t pieces[] = {1, 3, 17, 90, 700};
	uint64_t state = stream_seed(20261126);

	for (unsigned int i = 0; i < STREAMS; i++) {
		BYTES area = {};

		if (i % 2) {
			put_headers(&area, &state,
				    1 + random_below(&state, 300));
		} else {
			put_stream(&area, &state,
				   1 + random_below(&state, 1000));
			corrupt(&area, &state, random_below(&state, 40));
			area.size -= random_below(&state, area.size);
		}
		compare(&area, &state, pieces[i % 5], skip_by_size);
	}
}

CASE(streams, compare_streams(false));
CASE(streams_with_unknown_packets_skipped_by_size, compare_streams(true));
