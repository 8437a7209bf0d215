// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generated code that was replaced over time: a sample gets the name of its
 * time.
 */
#include "symbols_scenario.h"

#include "symbols/dso.h"

#define CODE 0x5000
#define DUMP "/jit-7.dump"
/* How far other clocks are ahead of perf's default clock. */
#define SKEW 1000000

/* "second" replaces "first" at 125; "moved" moves there at 135. */
#define DUMPED(flags)                                           \
	JIT(flags), JIT_LOAD(SKEW + 50, 7, CODE, "first"),      \
		JIT_LOAD(SKEW + 60, 7, CODE + 0x100, "moved"),  \
		JIT_LOAD(SKEW + 70, 7, CODE + 0x200, "always"), \
		JIT_LOAD(SKEW + 125, 7, CODE, "second"),        \
		JIT_MOVE(SKEW + 135, 7, CODE + 0x100, CODE),    \
		STORE("root" DUMP)

/* Loads at 110 to 140, by the replaced code and by "always". */
#define LOADS_AT(time, skew)                                    \
	T_LOAD_OF(time, 7, CODE, 0x9000),                       \
		T_LOAD_OF((time) + 1, 7, CODE + 0x200, 0x9000), \
		AUX_PART((time) + 2 + (skew), 7)
#define RECORDED(skew)                                                         \
	COMM(100 + (skew), 7, 7, "jit"), MAP(101 + (skew), 7, CODE, "//anon"), \
		MAP(102 + (skew), 7, 0x90000, DUMP),                           \
		ITRACE(106 + (skew), 0, 7, 7), LOADS_AT(110, skew),            \
		LOADS_AT(120, skew), LOADS_AT(130, skew), LOADS_AT(140, skew)
#define SCRIPT COMMAND("script --format=csv -F sym --symfs=$D/root")

SCENARIO(script_has_the_names_of_their_time, CLOCK(CLOCK_MONOTONIC),
	 RECORDED(SKEW), DUMPED(0), SCRIPT,
	 OUT("sym\nfirst\nalways\nfirst\nalways\nsecond\n"
	     "always\nmoved\nalways\n"));

SCENARIO(report_has_a_row_for_each, CLOCK(CLOCK_MONOTONIC), RECORDED(SKEW),
	 DUMPED(0),
	 COMMAND("report --sort=symbol --format=csv --symfs=$D/root"),
	 HAS("\nalways,4,"), HAS("\nfirst,2,"), HAS("\nsecond,1,"),
	 HAS("\nmoved,1,"));

#define THE_LAST                                                 \
	SCRIPT, OUT("sym\nmoved\nalways\nmoved\nalways\nmoved\n" \
		    "always\nmoved\nalways\n")

/* Times of different clocks cannot be compared, so the last name is used. */
SCENARIO(without_the_clock_of_the_dump_the_last_name, RECORDED(0), DUMPED(0),
	 THE_LAST, ANEW, CLOCK(CLOCK_BOOTTIME), RECORDED(SKEW), DUMPED(0),
	 THE_LAST, ANEW, CLOCK(CLOCK_MONOTONIC), RECORDED(SKEW), DUMPED(1),
	 THE_LAST);

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

TEST(any_loads_at_any_time)
{
	struct load loads[NR];
	struct unreadable_files missing = {};
	struct jit_symbols jit = {.missing = &missing};
	struct jit_index index = {};
	BYTES dump = {};
	uint64_t random = 7;

	put_jit_header(&dump, 0);
	put_random(&dump, loads, &random);
	ASSERT_TRUE(fixture_open() &&
		    fixture_write("root" DUMP, dump.data, dump.size));
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
	fixture_close();
}
