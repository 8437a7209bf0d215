// SPDX-License-Identifier: GPL-2.0-or-later
/* What a record waited for, and the three sentences on a recording. */
#include "ktap.h"
#include "judgement/judgement.h"

#include <pmscope/events.h>

#include <string.h>

#define N1	  (UINT64_C(0x414fd0c1) << 32 | KIND_SOURCED)
#define UNKNOWN	  (UINT64_C(0x00000000) << 32 | KIND_SOURCED)
#define BIT(name) PMSCOPE_EVENT_BIT(name)

/* Codes that Neoverse cores share. */
#define L1	0x0
#define L2	0x8
#define PEER	0x9
#define CLUSTER 0xa
#define SYSTEM	0xb
#define REMOTE	0xd
#define DRAM	0xe

static enum row_cause cause(uint64_t events, uint64_t source)
{
	const struct row_kind kind = {.events = events, .source = source};

	return row_cause_of(&kind);
}

TEST(sources_say_who_answered)
{
	EXPECT_EQ(cause(0, N1 | L1), CAUSE_NONE);
	EXPECT_EQ(cause(BIT(L1D_REFILL), N1 | L2), CAUSE_CACHE);
	EXPECT_EQ(cause(BIT(L1D_REFILL), N1 | PEER), CAUSE_SHARING);
	EXPECT_EQ(cause(BIT(L1D_REFILL), N1 | CLUSTER), CAUSE_SHARING);
	EXPECT_EQ(cause(BIT(L1D_REFILL), N1 | SYSTEM), CAUSE_CACHE);
	EXPECT_EQ(cause(BIT(LLC_REFILL), N1 | DRAM), CAUSE_MEMORY);
}

/* Memory answers more slowly than the tables for it. */
TEST(memory_comes_before_the_TLB)
{
	EXPECT_EQ(cause(BIT(TLB_REFILL), N1 | L1), CAUSE_TLB);
	EXPECT_EQ(cause(BIT(TLB_REFILL) | BIT(L1D_REFILL), N1 | L2), CAUSE_TLB);
	EXPECT_EQ(cause(BIT(TLB_REFILL) | BIT(L1D_REFILL), N1 | DRAM),
		  CAUSE_MEMORY);
}

TEST(events_say_it_without_a_source)
{
	EXPECT_EQ(cause(BIT(L1D_REFILL) | BIT(LLC_REFILL), 0), CAUSE_MEMORY);
	EXPECT_EQ(cause(BIT(LLC_REFILL), UNKNOWN | 7), CAUSE_MEMORY);
	EXPECT_EQ(cause(BIT(SNOOPED) | BIT(LLC_REFILL), 0), CAUSE_SHARING);
	EXPECT_EQ(cause(BIT(SNOOPED), N1 | DRAM), CAUSE_MEMORY);
	EXPECT_EQ(cause(BIT(L1D_REFILL), 0), CAUSE_CACHE);
	EXPECT_EQ(cause(BIT(MISPRED) | BIT(RETIRED), 0), CAUSE_BRANCH);
	EXPECT_EQ(cause(BIT(RETIRED) | BIT(L1D_ACCESS), 0), CAUSE_NONE);
}

/* Rows by function and file. */
#define ROWS 4

static struct row_table table;
static struct row rows[ROWS];

static uint32_t number_of(const char *text)
{
	uint32_t number = 0;

	EXPECT_EQ(strings_intern(&table.strings, text, strlen(text), &number),
		  0);
	return number;
}

static void begin(void)
{
	memset(&table, 0, sizeof(table));
	memset(rows, 0, sizeof(rows));
	table.keys[0] = field_find("sym", 3, FIELD_SORT);
	table.keys[1] = field_find("dso", 3, FIELD_SORT);
	table.nr_keys = 2;
	table.rows = rows;
}

static struct row *add(const char *sym, const char *dso)
{
	struct row *row = &rows[table.nr_rows++];

	row->values[0] = number_of(sym);
	row->values[1] = number_of(dso);
	return row;
}

static void wait_for(struct row *row, enum row_cause cause, uint64_t samples,
		     uint64_t cycles)
{
	row->waits[cause] = (struct row_wait){samples, cycles};
	row->samples += samples;
	table.samples += samples;
	table.total.count += samples;
}

static const char *population;

static void check(const char *what, const char *where, const char *evidence)
{
	struct judgement v;

	ASSERT_EQ(judgement_make(&v, &table,
				 population ? strdup(population) : NULL),
		  0);
	EXPECT_STREQ(v.sentence[JUDGEMENT_WHAT], what);
	if (where)
		EXPECT_STREQ(v.sentence[JUDGEMENT_WHERE], where);
	else
		EXPECT_TRUE(!v.sentence[JUDGEMENT_WHERE]);
	if (evidence)
		EXPECT_STREQ(v.sentence[JUDGEMENT_EVIDENCE], evidence);
	judgement_fini(&v);
	strings_fini(&table.strings);
}

TEST(memory_limits)
{
	struct row *chase, *other;

	begin();
	chase = add("chase", "/bin/x");
	wait_for(chase, CAUSE_MEMORY, 300, 60000);
	wait_for(chase, CAUSE_NONE, 600, 3000);
	other = add("other", "/bin/x");
	wait_for(other, CAUSE_MEMORY, 100, 20000);
	wait_for(other, CAUSE_CACHE, 100, 2000);
	wait_for(other, CAUSE_NONE, 900, 15000);
	check("The program waits for memory: operations that memory answered "
	      "have 80.0% of all cycles of latency.",
	      "Most of that is in chase (/bin/x): 75.0%, 300 samples.",
	      "Evidence: 400 of 2000 samples, 20.00% +- 1.75, with 200.0 "
	      "cycles "
	      "each, all others with 12.5; the next cause is L1 cache misses "
	      "with 2.0% of the cycles.");
}

/* Of the rest of the program nothing is known. */
TEST(filtered_recordings_have_no_share_of_the_program)
{
	begin();
	wait_for(add("chase", "/bin/x"), CAUSE_MEMORY, 300, 60000);
	population = "loads of 30 cycles or more";
	check("Only loads of 30 cycles or more were recorded: of their "
	      "latency, operations that memory answered have 100.0%; their "
	      "share of the program's time is not known.",
	      "Most of that is in chase (/bin/x): 100.0%, 300 samples.", NULL);
	population = NULL;
}

/* 100 of 30 own cycles and 15 more: 4500 of 4500 + 5500. */
TEST(mispredictions_cost_more_than_they_wait)
{
	struct row *row;

	begin();
	row = add("loop", "/bin/x");
	wait_for(row, CAUSE_BRANCH, 100, 3000);
	wait_for(row, CAUSE_NONE, 900, 5500);
	check("The program loses cycles to branches that are predicted "
	      "wrongly: these branches have 45.0% of all cycles of latency, "
	      "if each costs 15 cycles more.",
	      "Most of that is in loop (/bin/x): 100.0%, 100 samples.", NULL);
}

TEST(nothing_limits)
{
	struct row *row;

	begin();
	row = add("loop", "/bin/x");
	wait_for(row, CAUSE_TLB, 10, 99);
	wait_for(row, CAUSE_NONE, 990, 901);
	check("No wait that SPE sees limits the program: the largest, TLB "
	      "misses, has 9.9% of all cycles of latency.",
	      "Most of that is in loop (/bin/x): 100.0%, 10 samples.", NULL);
}

TEST(sharing_limits_sooner)
{
	struct row *row;

	begin();
	row = add("loop", "/bin/x");
	wait_for(row, CAUSE_TLB, 10, 90);
	wait_for(row, CAUSE_SHARING, 10, 30);
	wait_for(row, CAUSE_NONE, 980, 880);
	check("Threads wait for cache lines of each other: operations that "
	      "another core's cache answered have 3.0% of all cycles of "
	      "latency.",
	      "Most of that is in loop (/bin/x): 100.0%, 10 samples.", NULL);
}

/* One function, in two rows of other keys, and a smaller one. */
TEST(rows_of_a_function_count_together)
{
	begin();
	table.nr_keys = 3;
	table.keys[2] = field_find("cpu", 3, FIELD_SORT);
	wait_for(add("small", "/bin/x"), CAUSE_SHARING, 100, 4000);
	wait_for(add("large", "/bin/x"), CAUSE_SHARING, 50, 3000);
	wait_for(add("large", "/bin/x"), CAUSE_SHARING, 50, 3000);
	rows[2].values[2] = 1;
	check("Threads wait for cache lines of each other: operations that "
	      "another core's cache answered have 100.0% of all cycles of "
	      "latency.",
	      "Most of that is in large (/bin/x): 60.0%, 100 samples.", NULL);
}

TEST(rows_of_other_keys)
{
	begin();
	table.nr_keys = 1;
	table.keys[0] = field_find("cpu", 3, FIELD_SORT);
	wait_for(&rows[table.nr_rows++], CAUSE_TLB, 200, 4000);
	rows[0].values[0] = 7;
	check("The program waits for translations of addresses: operations "
	      "that missed the TLB have 100.0% of all cycles of latency.",
	      "Most of that is in cpu 7: 100.0%, 200 samples.", NULL);
}

TEST(few_samples_say_nothing)
{
	begin();
	wait_for(add("f", "/bin/x"), CAUSE_MEMORY, 99, 9900);
	check("Only 99 samples have a latency: too few to tell what limits the "
	      "program.",
	      NULL, NULL);
}

TEST(no_samples_no_sentences)
{
	struct judgement v;

	begin();
	ASSERT_EQ(judgement_make(&v, &table,
				 population ? strdup(population) : NULL),
		  0);
	for (int i = 0; i < JUDGEMENT_SENTENCES; i++)
		EXPECT_TRUE(!v.sentence[i]);
	judgement_fini(&v);
	strings_fini(&table.strings);
}

KTAP_MAIN
