// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generated code that was replaced over time: a sample gets the name of its
 * time.
 */
#include "bytes.h"
#include "command.h"
#include "elf_fixture.h"
#include "jitdump.h"
#include "ktap.h"
#include "random.h"
#include "recording_fixture.h"

#include "symbols/jit.h"

#include <pmscope/symbols.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CODE	  0x5000
#define DUMP	  "/jit-7.dump"
#define TEXT_SIZE 16384
/* How far other clocks are ahead of perf's default clock. */
#define SKEW 1000000

static void write_dump(const struct bytes *dump)
{
	ASSERT_TRUE(fixture_open());
	ASSERT_TRUE(fixture_write("root" DUMP, dump->data, dump->size));
}

/* "second" replaces "first" at 125; "moved" moves there at 135. */
static void write_some(uint64_t flags)
{
	struct bytes dump = {};

	put_jit_header(&dump, flags);
	put_jit_load(&dump, SKEW + 50, 7, CODE, "first");
	put_jit_load(&dump, SKEW + 60, 7, CODE + 0x100, "moved");
	put_jit_load(&dump, SKEW + 70, 7, CODE + 0x200, "always");
	put_jit_load(&dump, SKEW + 125, 7, CODE, "second");
	put_jit_move(&dump, SKEW + 135, 7, CODE + 0x100, CODE);
	write_dump(&dump);
	bytes_fini(&dump);
}

static void put_at(struct bytes *b, const struct bytes *area, size_t from,
		   uint64_t time)
{
	struct where where = {7, 7, time, 0};

	put_aux_at(b, from, area->size - from, 0, &where);
	put_auxtrace_part(b, 0, area, from, area->size);
}

/* Loads at 110 to 140, by the replaced code and by "always". */
static void make(struct bytes *b, int clockid)
{
	uint64_t skew = clockid < 0 ? 0 : SKEW;
	struct where start = {7, 7, 106 + skew, 0};
	struct bytes area = {};

	begin(b);
	if (clockid >= 0)
		perfdata_use_clockid(b, clockid);
	comm_at(b, 0, "jit", 100 + skew, 7, 7);
	map_at(b, CODE, "//anon", 101 + skew, 7);
	map_at(b, 0x90000, DUMP, 102 + skew, 7);
	put_itrace_start(b, &start);
	for (uint64_t time = 110; time <= 140; time += 10) {
		size_t from = area.size;

		put_load_of(&area, 7, CODE, 0x9000, time);
		put_load_of(&area, 7, CODE + 0x200, 0x9000, time + 1);
		put_at(b, &area, from, time + 2 + skew);
	}
	bytes_fini(&area);
	perfdata_end(b);
}

static void read_pmscope(int clockid, const char *arguments,
			 char text[TEXT_SIZE])
{
	struct bytes b = {};
	char line[256];

	make(&b, clockid);
	snprintf(line, sizeof(line), "%s --symfs=%s", arguments,
		 fixture_path("root"));
	EXPECT_EQ(command_pmscope_text(&b, line, text, TEXT_SIZE), 0);
	bytes_fini(&b);
}

#define SCRIPT "script --format=csv -F sym"

TEST(script_has_the_names_of_their_time)
{
	char text[TEXT_SIZE];

	write_some(0);
	read_pmscope(CLOCK_MONOTONIC, SCRIPT, text);
	EXPECT_STREQ(text, "sym\nfirst\nalways\nfirst\nalways\nsecond\n"
			   "always\nmoved\nalways\n");
	fixture_close();
}

TEST(report_has_a_row_for_each)
{
	char text[TEXT_SIZE];

	write_some(0);
	read_pmscope(CLOCK_MONOTONIC, "report --sort=symbol --format=csv",
		     text);
	EXPECT_TRUE(strstr(text, "\nalways,4,"));
	EXPECT_TRUE(strstr(text, "\nfirst,2,"));
	EXPECT_TRUE(strstr(text, "\nsecond,1,"));
	EXPECT_TRUE(strstr(text, "\nmoved,1,"));
	fixture_close();
}

static void expect_the_last(int clockid, uint64_t flags)
{
	char text[TEXT_SIZE];

	write_some(flags);
	read_pmscope(clockid, SCRIPT, text);
	EXPECT_STREQ(text, "sym\nmoved\nalways\nmoved\nalways\nmoved\n"
			   "always\nmoved\nalways\n");
	fixture_close();
}

/* Times of different clocks cannot be compared, so the last name is used. */
TEST(without_the_clock_of_the_dump_the_last_name)
{
	expect_the_last(-1, 0);
	expect_the_last(CLOCK_BOOTTIME, 0);
	expect_the_last(CLOCK_MONOTONIC, 1);
}

#define NR	  300
#define ADDRESSES 64

struct load {
	uint64_t time, address, size;
};

/*
 * Returns the last of the loads up to @time, else the first one; sets @found to
 * how many there are at @address.
 */
static long expected(const struct load *loads, size_t nr, uint64_t address,
		     uint64_t time, size_t *found)
{
	long first = -1, last = -1;

	*found = 0;
	for (size_t i = 0; i < nr; i++) {
		if (address - loads[i].address >= loads[i].size)
			continue;
		++*found;
		if (first < 0)
			first = i;
		if (loads[i].time <= time)
			last = i;
	}
	return last < 0 ? first : last;
}

static void put_random(struct bytes *b, struct load *loads, uint64_t *random)
{
	uint64_t time = 1;

	for (size_t i = 0; i < NR; i++) {
		struct load *l = &loads[i];
		char name[16];
		size_t at = b->size;

		time += random_below(random, 3);
		*l = (struct load){time, random_below(random, ADDRESSES),
				   1 + random_below(random, 8)};
		snprintf(name, sizeof(name), "%zu", i);
		put_jit_load(b, l->time, 7, l->address, name);
		memcpy(b->data + at + 40, &l->size, sizeof(l->size));
	}
}

/* Compares with a linear search. */
TEST(any_loads_at_any_time)
{
	struct load loads[NR];
	struct missing missing = {};
	struct jit_symbols jit = {.missing = &missing};
	struct jit_index index = {};
	struct bytes dump = {};
	uint64_t random = 7;

	put_jit_header(&dump, 0);
	put_random(&dump, loads, &random);
	write_dump(&dump);
	ASSERT_EQ(jit_read_dump(&index, fixture_path("root" DUMP), 7, &jit), 0);
	for (uint64_t time = 1; time <= loads[NR - 1].time + 1; time++) {
		for (uint64_t at = 0; at < ADDRESSES + 10; at++) {
			struct pmscope_around around = {at, 1000};
			bool changes = false;
			size_t nr, nr_around;
			long number = expected(loads, NR, at, time, &nr);
			const struct symbol *s =
				jit_find_at(&jit, at, time, &around, &changes);

			EXPECT_EQ(s ? atol(s->name) : -1, number);
			EXPECT_EQ(changes, nr > 1);
			/* The ends of @around have the same answer. */
			EXPECT_EQ(expected(loads, NR, at - around.before, time,
					   &nr_around),
				  number);
			EXPECT_EQ(nr_around, nr);
			EXPECT_EQ(expected(loads, NR, at + around.behind, time,
					   &nr_around),
				  number);
			EXPECT_EQ(nr_around, nr);
		}
	}
	jit_fini(&jit);
	jit_index_fini(&index);
	bytes_fini(&dump);
	fixture_close();
}

KTAP_MAIN
