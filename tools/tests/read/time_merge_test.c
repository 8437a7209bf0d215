// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of many areas, compared with a merge that scans all areas for each row.
 */
#include "command.h"
#include "read/load.h"

#define AREAS 7
#define ROWS  10000 /* of all areas */
#define RUN   40

struct area {
	uint64_t times[ROWS];
	uint64_t due[ROWS];
	size_t nr;
	size_t at;
};

static struct area areas[AREAS];
static uint64_t state;

/* Not before the one before; or, if @wild, at times unknown or earlier. */
static uint64_t some_time(uint64_t before, bool wild)
{
	switch (random_below(&state, wild ? 50 : 1)) {
	case 1:
		return 0;
	case 2:
		return random_below(&state, 1000);
	default:
		return before + random_below(&state, 3);
	}
}

static void add_time(struct area *a, uint64_t time)
{
	uint64_t due = a->nr ? a->due[a->nr - 1] : 0;

	a->times[a->nr] = time;
	a->due[a->nr++] = MAX(time, due);
}

static void make_rows(uint64_t seed, bool wild)
{
	state = seed;
	memset(areas, 0, sizeof(areas));
	for (size_t i = 0; i < ROWS; i++) {
		struct area *a = &areas[random_below(&state, AREAS)];
		uint64_t before = a->nr ? a->times[a->nr - 1] : 0;

		add_time(a, some_time(before ? before : 500, wild));
	}
}

static size_t first_area(void)
{
	size_t first = AREAS;

	for (size_t i = 0; i < AREAS; i++)
		if (areas[i].at < areas[i].nr &&
		    (first == AREAS ||
		     areas[i].due[areas[i].at] <
			     areas[first].due[areas[first].at]))
			first = i;
	return first;
}

/* The length of a row depends on its number, so some take many steps. */
static size_t row_text(char *p, size_t area, size_t row)
{
	return sprintf(p, "%zu %zu%*s\n", area, row, (int)(row % 90), "");
}

static void merge(struct bytes *b)
{
	char text[128];
	size_t i;

	while ((i = first_area()) < AREAS)
		bytes_add(b, text, row_text(text, i, areas[i].at++));
}

static void add_row(struct output *out, size_t area, size_t row, uint64_t time)
{
	char *p = output_reserve(out, 128);
	size_t length = row_text(p, area, row);

	output_commit(out, p + length);
	lines_add(out->lines, time, length);
}

/* Like the runs of a recording; a filter drops all rows of some. */
static void add_run(struct output *out, size_t area)
{
	struct area *a = &areas[area];
	size_t nr = 1 + random_below(&state, RUN);

	nr = MIN(nr, a->nr - a->at);
	lines_begin(out->lines, area, a->due[a->at], nr);
	for (; nr; nr--, a->at++)
		add_row(out, area, a->at, a->times[a->at]);
}

struct ordering {
	struct output out; /* nothing of it is written */
	struct output held;
	struct lines lines;
	struct time_merge *order;
};

static void ordering_begin(struct ordering *o, size_t nr_areas)
{
	*o = (struct ordering){};
	output_hold(&o->out);
	output_hold(&o->held);
	o->held.lines = &o->lines;
	o->order = time_merge_new(nr_areas, &o->out);
}

static void ordering_end(struct ordering *o)
{
	time_merge_free(o->order);
	output_free(&o->out);
	output_free(&o->held);
	lines_free(&o->lines);
}

/* The output of a merge of all rows, some runs at a time. */
static void put_in_order(struct bytes *b)
{
	size_t area, given = 0;
	struct ordering o;

	ordering_begin(&o, AREAS);
	while ((area = first_area()) < AREAS) {
		add_run(&o.held, area);
		if (random_below(&state, 4))
			continue;
		given += o.held.used;
		EXPECT_FALSE(time_merge_take(o.order, &o.held));
		/* At most about one run of each area waits. */
		EXPECT_TRUE(given - o.out.used < AREAS * RUN * 100);
	}
	time_merge_take(o.order, &o.held);
	time_merge_end(o.order);
	bytes_add(b, o.out.buffer, o.out.used);
	ordering_end(&o);
}

static void compare(uint64_t seed, bool wild)
{
	BYTES expected = {}, got = {};

	make_rows(seed, wild);
	merge(&expected);
	make_rows(seed, wild);
	put_in_order(&got);
	EXPECT_EQ(got.size, expected.size);
	EXPECT_TRUE(got.size == expected.size &&
		    !memcmp(got.data, expected.data, got.size));
}

TEST(rows_of_many_areas)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		compare(seed, false);
		compare(seed, true);
	}
}

/*
 * A row without an area, such as a counter group, comes after all rows so far.
 */
TEST(behind_all_others)
{
	struct ordering o;

	ordering_begin(&o, 2);
	lines_begin(&o.lines, 1, 10, 1);
	add_row(&o.held, 1, 0, 10);
	lines_begin(&o.lines, 0, 10, 1);
	add_row(&o.held, 0, 0, 10);
	lines_begin(&o.lines, LINES_NO_AREA, UINT64_MAX, 1);
	add_row(&o.held, 9, 0, UINT64_MAX);
	time_merge_take(o.order, &o.held);
	EXPECT_EQ(o.out.used, strlen("0 0\n1 0\n9 0\n"));
	EXPECT_TRUE(!memcmp(o.out.buffer, "0 0\n1 0\n9 0\n", o.out.used));
	ordering_end(&o);
}

/* A waiting row uses the memory it needs, not a whole buffer. */
TEST(many_areas_with_a_row_each)
{
	static const uint32_t many = 4000;
	struct ordering o;

	ordering_begin(&o, many);
	for (uint32_t area = 0; area < many; area++) {
		uint64_t time = many - area; /* so that all wait */

		lines_begin(&o.lines, area, time, 1);
		add_row(&o.held, area, area, time);
		EXPECT_FALSE(time_merge_take(o.order, &o.held));
	}
	EXPECT_LE(memory_in_use(), 40U << 20);
	time_merge_end(o.order);
	ordering_end(&o);
}
