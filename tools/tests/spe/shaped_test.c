// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records decoded by their shapes equal those decoded packet by packet, which
 * happens if a batch has room for one. PMSCOPE_SEED repeats a failed run.
 */
#include "chunks.h"
#include "ktap.h"
#include "random.h"
#include "skewed.h"
#include "stream.h"

#include "spe/record.h"
#include "spe/shape.h"

#define ROWS   (1U << 13)
#define OFFSET (UINT64_C(1) << 40)
#define UNSET  0xa5
#define BEHIND 8 /* rows that are checked behind the last */
#define LAST   PMSCOPE_DECODE_LAST

static const struct {
	size_t field, width;
	bool brief;
	const char *name;
} columns[] = {
#define COLUMN(name, brief)                                                \
	{                                                                  \
		offsetof(struct pmscope_batch, name),                      \
			sizeof(*((struct pmscope_batch *)0)->name), brief, \
			#name                                              \
	}
	COLUMN(has, true),	   COLUMN(offset, false),
	COLUMN(pc, true),	   COLUMN(target, false),
	COLUMN(va, false),	   COLUMN(pa, false),
	COLUMN(previous, false),   COLUMN(timestamp, true),
	COLUMN(events, true),	   COLUMN(context_el1, true),
	COLUMN(context_el2, true), COLUMN(total, true),
	COLUMN(issue, false),	   COLUMN(translate, false),
	COLUMN(alt_issue, false),  COLUMN(source, true),
	COLUMN(op_class, false),   COLUMN(op, false),
	COLUMN(counter, false),
#undef COLUMN
};

#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

/*
 * Columns as decoded one by one, and in the other way; UNSET in all other rows.
 */
static struct rows {
	struct pmscope_batch *batch;
	struct pmscope_decode_stats stats;
	size_t end;
} right, rows;

struct way {
	unsigned int flags;
	size_t room;  /* for so many rows each time */
	size_t limit; /* 0: by the public function, which remembers no shapes */
};

static uint8_t *cells(const struct pmscope_batch *b, size_t column, size_t row)
{
	uint8_t *const *start = (void *)((char *)b + columns[column].field);

	return *start + row * columns[column].width;
}

static void unset(struct rows *to)
{
	if (!to->batch)
		to->batch = pmscope_batch_new(ROWS);
	if (!to->batch)
		abort();
	for (size_t i = 0; i < NR_COLUMNS; i++)
		memset(cells(to->batch, i, 0), UNSET, ROWS * columns[i].width);
	to->batch->count = 0;
	to->stats = (struct pmscope_decode_stats){};
	to->end = 0;
}

static bool is_unset(const struct pmscope_batch *b, size_t row)
{
	uint8_t unset[BEHIND * sizeof(uint64_t)];
	bool is = true;

	memset(unset, UNSET, sizeof(unset));
	for (size_t i = 0; i < NR_COLUMNS; i++)
		is &= !memcmp(cells(b, i, row), unset,
			      BEHIND * columns[i].width);
	return is;
}

/* All of @b; its rows start at @row of the expected ones. */
static void expect_right(const struct pmscope_batch *b, size_t row, bool brief)
{
	ASSERT_LE(row + b->count, right.batch->count);
	for (size_t i = 0; i < NR_COLUMNS; i++)
		ktap_check((brief && !columns[i].brief) ||
				   !memcmp(cells(b, i, 0),
					   cells(right.batch, i, row),
					   b->count * columns[i].width),
			   __FILE__, __LINE__, columns[i].name);
}

static void decode(struct rows *to, const struct bytes *b, struct way way)
{
	struct pmscope_batch *batch;
	struct shapes shapes;
	size_t used;

	unset(to);
	batch = to->batch;
	shapes_init(&shapes);
	do {
		const uint8_t *from = b->data + to->end;
		size_t size = b->size - to->end;
		uint64_t at = OFFSET + to->end;

		batch->capacity = batch->count + way.room;
		ASSERT_LE(batch->capacity, ROWS - BEHIND);
		used = way.limit ? decode_until(from, size, at, way.flags,
						way.limit - to->end, &shapes,
						batch, &to->stats)
				 : pmscope_decode(from, size, at, way.flags,
						  batch, &to->stats);
		ASSERT_LE(batch->count, batch->capacity);
		ASSERT_TRUE(is_unset(batch, batch->capacity));
		to->end += used;
	} while (used && (!way.limit || to->end < way.limit));
}

static void compare(const struct bytes *b, struct way way)
{
	int before = ktap_result;

	decode(&rows, b, way);
	expect_right(rows.batch, 0, false);
	EXPECT_EQ(rows.batch->count, right.batch->count);
	EXPECT_EQ(rows.end, right.end);
	EXPECT_MEMEQ(&rows.stats, &right.stats, sizeof(rows.stats));
	if (ktap_result != before)
		ktap_note("flags %x, room %zu, limit %zu", way.flags, way.room,
			  way.limit);
}

static void compare_chunks(const struct bytes *b, unsigned int flags,
			   size_t bytes)
{
	const struct spe_span span = {b->data, b->size, OFFSET};
	const struct pmscope_batch *batch;
	struct chunks chunks;
	size_t row = 0;

	chunks_begin(&chunks, &span, bytes, flags);
	batch = chunks.chunk.batch;
	ASSERT_TRUE(batch);
	while (chunks_next(&chunks)) {
		EXPECT_LE(batch->count, batch->capacity);
		expect_right(batch, row, flags & PMSCOPE_DECODE_BRIEF);
		row += batch->count;
	}
	EXPECT_EQ(row, right.batch->count);
	EXPECT_MEMEQ(&chunks.stats, &right.stats, sizeof(right.stats));
	pmscope_batch_free(chunks.chunk.batch);
}

static void compare_ways(const struct bytes *b, unsigned int flags)
{
	static const size_t sizes[] = {1999, 3998, 65536};
	size_t room = 4;

	decode(&right, b, (struct way){flags | LAST, 1, 0});
	EXPECT_EQ(right.end, b->size);
	for (; room < 1000; room = room < 40 ? room + 1 : 2 * room) {
		compare(b, (struct way){flags | LAST, room, 0});
		compare(b, (struct way){flags | LAST, room, b->size});
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		compare_chunks(b, flags, sizes[i]);
}

static void compare_all(struct bytes *b)
{
	compare_ways(b, 0);
	compare_ways(b, PMSCOPE_DECODE_BRIEF);
	compare_ways(b, PMSCOPE_DECODE_SKIP_BY_SIZE);
	bytes_fini(b);
}

/* Header bytes. */
#define PC	  "\xb0"
#define TARGET	  "\xb1"
#define VA	  "\xb2"
#define PA	  "\xb3"
#define PREVIOUS  "\xb4"
#define UNKNOWN	  "\x21\xb0"
#define TOTAL	  "\x98"
#define ISSUE	  "\x99"
#define TRANSLATE "\x9a"
#define ALT_ISSUE "\x9c"
#define EL1	  "\x64"
#define EL2	  "\x65"
#define EVENTS_1  "\x42"
#define EVENTS_2  "\x52"
#define EVENTS_4  "\x62"
#define EVENTS_8  "\x72"
#define SOURCE_1  "\x43"
#define SOURCE_4  "\x63"
#define SOURCE_8  "\x73"
#define OTHER	  "\x48"
#define LOAD	  "\x49"
#define BRANCH	  "\x4a"
#define TIMESTAMP "\x71"
#define END	  "\x01"

/* Padded to @length before its last packet; after an END, to 64. */
struct layout {
	size_t length;
	const char *headers;
};

static void put_layout(struct bytes *b, uint64_t *state,
		       const struct layout *layout)
{
	size_t begin = b->size;

	for (const uint8_t *h = (const void *)layout->headers; *h; h++) {
		size_t size = *h < 0x40 ? 0 : 1U << (*h >> 4 & 3);

		while (!h[1] && b->size + 1 + size < begin + layout->length)
			put_zeros(b, 1);
		put(b, *h, 1);
		put(b, random_next(state), size);
		if (*h == *END)
			put_zeros(b, -(b->size - begin) & 63);
	}
}

/* Runs of one, and all mixed. */
static void compare_layouts(const struct layout *layouts, size_t nr)
{
	uint64_t state = stream_seed(20261201);
	struct bytes b = {};

	for (unsigned int run = 0; run < 100; run++) {
		const struct layout *one = &layouts[random_below(&state, nr)];
		unsigned int same = random_below(&state, 40);

		for (unsigned int n = same + random_below(&state, 20); n; n--)
			put_layout(
				&b, &state,
				n < same ? one
					 : &layouts[random_below(&state, nr)]);
	}
	compare_all(&b);
}

#define COMPARE_LAYOUTS(...)                                      \
	do {                                                      \
		static const struct layout all[] = {__VA_ARGS__}; \
                                                                  \
		compare_layouts(all, sizeof(all) / sizeof(*all)); \
	} while (0)

CASE(records_of_about_64_bytes,
     COMPARE_LAYOUTS({63, PC VA EL2 OTHER EVENTS_2 ISSUE TIMESTAMP},
		     {64, PC VA EL2 LOAD EVENTS_2 TOTAL TIMESTAMP},
		     {65, PC TARGET EL1 BRANCH EVENTS_2 TIMESTAMP},
		     {63, PC VA SOURCE_1 END}, {64, PC VA SOURCE_8 END},
		     {65, PC VA SOURCE_4 END}));

CASE(payloads_of_all_sizes,
     COMPARE_LAYOUTS({0, PC EVENTS_1 OTHER SOURCE_1 TIMESTAMP},
		     {0, SOURCE_8 LOAD EVENTS_8 EL1 TIMESTAMP},
		     {0, TOTAL EVENTS_4 SOURCE_4 BRANCH END},
		     {0, EVENTS_8 VA EVENTS_1 SOURCE_8 SOURCE_1 END},
		     {0, EVENTS_1 EVENTS_8 LOAD OTHER END},
		     {0, ISSUE SOURCE_8 TRANSLATE EL2 EVENTS_4 END},
		     {0, TIMESTAMP}, {0, SOURCE_8 END}));

CASE(packets_that_few_records_have,
     COMPARE_LAYOUTS({0, PC VA PA EL1 EL2 LOAD SOURCE_1 TIMESTAMP},
		     {0, PC VA EL1 EL2 LOAD SOURCE_1 TIMESTAMP},
		     {0, PC PREVIOUS TARGET EL2 BRANCH TIMESTAMP},
		     {0, PC ISSUE ALT_ISSUE EL2 OTHER TIMESTAMP},
		     {0, PC UNKNOWN VA PA OTHER EVENTS_2 TIMESTAMP},
		     {0, PC TARGET VA EL1 EL2 OTHER SOURCE_1 TOTAL END}));

CASE(physical_addresses,
     COMPARE_LAYOUTS({0, PC VA PA LOAD EVENTS_2 TOTAL TIMESTAMP},
		     {0, PC OTHER EVENTS_2 TOTAL TIMESTAMP}));

CASE(padding_behind_records,
     COMPARE_LAYOUTS({0, PC VA EL2 LOAD EVENTS_2 TOTAL TRANSLATE END},
		     {0, PC EL2 OTHER EVENTS_2 END}, {0, PC TIMESTAMP}));

typedef void put_stream_fn(struct bytes *b, uint64_t *state, size_t size);

/* Whole ones, and then more and more damaged. */
static void compare_streams(put_stream_fn *put_some, size_t size, uint64_t seed)
{
	uint64_t state = stream_seed(seed);

	for (int i = 0; i < 8; i++) {
		struct bytes b = {};

		put_some(&b, &state, size);
		corrupt(&b, &state, i / 2 * 20);
		compare_all(&b);
	}
}

CASE(layouts_of_known_cpus,
     compare_streams(put_skewed_stream, 100000, 20261202));

CASE(layouts_of_any_kind, compare_streams(put_stream, 50000, 20261203));

/*
 * The bytes end at the end of the allocation, so AddressSanitizer catches a
 * read past it.
 */
static void compare_begin(const struct bytes *b, size_t size,
			  unsigned int flags)
{
	struct bytes begin = {.data = malloc(size), .size = size};

	ASSERT_TRUE(begin.data);
	memcpy(begin.data, b->data, size);
	decode(&right, &begin, (struct way){flags, 1, 0});
	compare(&begin, (struct way){flags, 256, 0});
	compare(&begin, (struct way){flags, 256, size});
	bytes_fini(&begin);
}

TEST(bytes_that_end_anywhere)
{
	uint64_t state = stream_seed(20261204);

	for (int i = 0; i < 8; i++) {
		BYTES b = {};

		put_skewed_stream(&b, &state, 3000);
		for (size_t cut = 0; cut <= 200; cut++) {
			compare_begin(&b, b.size - cut, 0);
			compare_begin(&b, b.size - cut, LAST);
		}
	}
}

/* No record starts at or after them. */
TEST(limits)
{
	uint64_t state = stream_seed(20261205);
	BYTES b = {};

	put_skewed_stream(&b, &state, 4000);
	for (size_t limit = 1; limit < b.size; limit++) {
		decode(&right, &b, (struct way){LAST, 1, limit});
		compare(&b, (struct way){LAST, 256, limit});
	}
}

/*
 * A record of 64 bytes that starts like another and differs only in its
 * operation.
 */
static void put_access(struct bytes *b, uint64_t *state, uint64_t operation,
		       const char *headers)
{
	const struct layout behind = {0, headers};
	size_t begin = b->size;

	put(b, *PC, 1);
	put(b, random_next(state), 8);
	put(b, operation, 2);
	put_layout(b, state, &behind);
	put_zeros(b, begin + 64 - b->size);
}

TEST(loads_and_stores_are_distinguished)
{
	uint64_t state = stream_seed(20261207);
	struct bytes b = {};

	while (b.size < 6400) {
		put_access(&b, &state, 0x0048, EVENTS_2 TIMESTAMP);
		put_access(&b, &state, 0x0048, EVENTS_2 TIMESTAMP);
		put_access(&b, &state, 0x0049, EVENTS_2 VA SOURCE_1 TIMESTAMP);
		put_access(&b, &state, 0x0149, EVENTS_2 VA TIMESTAMP);
	}
	compare_all(&b);
}

TEST(padded_records)
{
	static const struct layout layout = {0, PC VA LOAD EVENTS_2 END};
	uint64_t state = stream_seed(20261206);
	struct bytes b = {};

	while (b.size < 6400)
		put_layout(&b, &state, &layout);
	compare_all(&b);
}
