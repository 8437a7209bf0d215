// SPDX-License-Identifier: GPL-2.0-or-later
/* What a record waited for, and the three sentences on a recording. */
#include "ktap.h"
#include "judgement/judgement.h"

#include <pmscope/events.h>
#include <pmscope/packet.h>

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

/* The part for the translation counts on its own. */
TEST(caches_come_before_the_TLB)
{
	EXPECT_EQ(cause(BIT(TLB_REFILL), N1 | L1), CAUSE_TLB);
	EXPECT_EQ(cause(BIT(TLB_REFILL) | BIT(L1D_REFILL), N1 | L2),
		  CAUSE_CACHE);
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
static struct row rows[ROWS], *row; /* the last one */
static struct row_needs needs;

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
	memset(&needs, 0, sizeof(needs));
	table.keys[0] = field_find("sym", 3, FIELD_SORT);
	table.keys[1] = field_find("dso", 3, FIELD_SORT);
	table.nr_keys = 2;
	table.rows = rows;
	table.needs = &needs;
}

BEFORE_EACH(begin());

static struct row *add(const char *sym, const char *dso)
{
	row = &rows[table.nr_rows++];
	row->values[0] = number_of(sym);
	row->values[1] = number_of(dso);
	return row;
}

static void wait_as(struct row *of, enum row_cause cause, uint64_t samples,
		    unsigned int total, unsigned int issue,
		    unsigned int translate)
{
	for (uint64_t i = 0; i < samples; i++) {
		EXPECT_EQ(row_waits_add(&of->waits, &needs, cause, total, issue,
					translate),
			  0);
		EXPECT_EQ(histogram_add(&table.total, total), 0);
	}
	of->samples += samples;
	table.samples += samples;
}

/* Together @cycles, all of them their own. */
static void wait_for(struct row *of, enum row_cause cause, uint64_t samples,
		     uint64_t cycles)
{
	wait_as(of, cause, samples, cycles / samples, 0, 0);
}

static const char *population, *second = "";

static void check(const char *what, const char *where, const char *evidence)
{
	struct judgement v;

	histogram_finish(&table.total);
	ASSERT_EQ(judgement_make(&v, &table,
				 population ? strdup(population) : NULL, NULL),
		  0);
	EXPECT_STREQ(v.sentence[JUDGEMENT_WHAT], what);
	if (where)
		EXPECT_STREQ(v.sentence[JUDGEMENT_WHERE], where);
	else
		EXPECT_TRUE(!v.sentence[JUDGEMENT_WHERE]);
	if (evidence)
		EXPECT_STREQ(v.sentence[JUDGEMENT_EVIDENCE], evidence);
	EXPECT_STREQ(v.sentence[JUDGEMENT_SECOND] ?: "", second);
	second = "";
	judgement_fini(&v);
	strings_fini(&table.strings);
	histogram_fini(&table.total);
	for (int i = 0; i < ROWS; i++)
		free(rows[i].waits);
}

#define LATENCY(share) \
	", and what waits for them, have " share " of all cycles of latency."
#define MEMORY(share)                                           \
	"The program waits for memory: operations that memory " \
	"answered" LATENCY(share)
#define SHARING(share)                                 \
	"Threads wait for cache lines of each other: " \
	"operations that another core's cache answered" LATENCY(share)

TEST(memory_limits)
{
	add("chase", "/bin/x");
	wait_for(row, CAUSE_MEMORY, 300, 60000);
	wait_for(row, CAUSE_NONE, 600, 3000);
	add("other", "/bin/x");
	wait_for(row, CAUSE_MEMORY, 100, 20000);
	wait_for(row, CAUSE_CACHE, 100, 2000);
	wait_for(row, CAUSE_NONE, 900, 14400);
	check(MEMORY("78.5% +- 3.3"),
	      "Most of that is in chase (/bin/x): 75.0%, 300 samples.",
	      "Evidence: 400 of 2000 samples, 20.00% +- 1.75, with 200.0 "
	      "own cycles each, all others with 12.1.");
}

TEST(evidence_of_all_samples_has_no_others)
{
	add("chase", "/bin/x");
	wait_for(row, CAUSE_MEMORY, 200, 119000);
	check(MEMORY("99.3% +- 1.1"),
	      "Most of that is in chase (/bin/x): 100.0%, 200 samples.",
	      "Evidence: all 200 samples, with 595.0 own cycles each.");
}

/* Of the rest of the program nothing is known. */
TEST(filtered_recordings_have_no_share_of_the_program)
{
	wait_for(add("chase", "/bin/x"), CAUSE_MEMORY, 300, 60000);
	population = "loads of 30 cycles or more";
	check("Only loads of 30 cycles or more were taken: of their "
	      "latency, operations that memory answered, and what waits for "
	      "them, have 98.0% +- 1.6; their "
	      "share of the program's time is not known.",
	      "Most of that is in chase (/bin/x): 100.0%, 300 samples.", NULL);
	population = NULL;
}

/* 15 cycles each: 3000 of 6000 + 5400 + 3000. */
TEST(mispredictions_cost_more_than_they_wait)
{
	add("loop", "/bin/x");
	wait_for(row, CAUSE_BRANCH, 200, 6000);
	wait_for(row, CAUSE_NONE, 900, 5500);
	check("The program loses cycles to branches that are predicted "
	      "wrongly: these branches have 20.8% +- 3.2 of all cycles of "
	      "latency, "
	      "if each costs 15 cycles more.",
	      "Most of that is in loop (/bin/x): 100.0%, 200 samples.", NULL);
}

TEST(nothing_limits)
{
	add("loop", "/bin/x");
	wait_for(row, CAUSE_TLB, 10, 110);
	wait_for(row, CAUSE_NONE, 990, 990);
	check("No wait that SPE sees limits the program: the largest, TLB "
	      "misses, has 9.1% +- 2.4 of all cycles of latency.",
	      "Most of that is in loop (/bin/x): 100.0%, 10 samples.", NULL);
}

TEST(sharing_limits_sooner)
{
	add("loop", "/bin/x");
	wait_for(row, CAUSE_TLB, 12, 240);
	second = "Second, TLB misses: 15.7% +- 4.6 of all cycles; 100.0% of "
		 "that in loop (/bin/x); use huge pages, or touch fewer pages "
		 "at a time.";
	wait_for(row, CAUSE_SHARING, 20, 240);
	wait_for(row, CAUSE_NONE, 970, 970);
	check(SHARING("15.2% +- 4.5"),
	      "Most of that is in loop (/bin/x): 100.0%, 20 samples.", NULL);
}

/* As of an out-of-order core: 30 operations wait for each load. */
TEST(what_waits_belongs_to_what_it_waits_for)
{
	add("sum", "/bin/x");
	wait_as(row, CAUSE_MEMORY, 124, 124, 4, 0);
	wait_as(row, CAUSE_ARITHMETIC, 3876, 106, 104, 0);
	/* 4 cycles are what a load and an issue need: 116 of 120 are lost. */
	EXPECT_EQ((124 * 116 + 3876 * 100 * 116 / 120) * 1000L /
			  (124 * 124 + 3876 * 106),
		  912);
	check(MEMORY("91.3% +- 0.9"),
	      "Most of that is in sum (/bin/x): 100.0%, 124 samples.",
	      "Evidence: 124 of 4000 samples, 3.10% +- 0.54, with 120.0 own "
	      "cycles each, all others with 2.0.");
}

TEST(a_chain_of_divisions_waits_for_itself)
{
	add("loop", "/bin/x");
	wait_as(row, CAUSE_ARITHMETIC, 1000, 28, 26, 0);
	wait_as(row, CAUSE_ARITHMETIC, 1000, 28, 15, 0);
	wait_as(row, CAUSE_ARITHMETIC, 1000, 3, 2, 0);
	wait_as(row, CAUSE_NONE, 1000, 3, 2, 0);
	/* 12 and 1 of 13 and 2 cycles of their own, and as much of 24 and 13
	 * before */
	EXPECT_EQ((13 * 15 + 13 * (24 + 13)) * 1000L / (15 * (28 + 28 + 3 + 3)),
		  726);
	check("The program waits for results of its own arithmetic: "
	      "operations with a long latency, such as divisions, and what "
	      "waits for them, have 72.7% +- 1.8 of all cycles of latency.",
	      "Most of that is in loop (/bin/x): 100.0%, 3000 samples.", NULL);
}

/* What is quick may be the end of the chain: a load of 14 and 3 additions. */
TEST(a_chain_has_other_links)
{
	add("walk", "/bin/x");
	wait_as(row, CAUSE_CACHE, 1000, 594, 580, 1);
	wait_as(row, CAUSE_ARITHMETIC, 1000, 583, 580, 0);
	wait_as(row, CAUSE_ARITHMETIC, 2000, 581, 580, 0);
	wait_as(row, CAUSE_ARITHMETIC, 1000, 1, 0, 0);
	wait_as(row, CAUSE_NONE, 1000, 5, 0, 1);
	/* The load waits with 9 of 14 cycles, a multiplication with 2 of 3. */
	second = "Second, dependencies: 7.1% +- 0.8 of all cycles; 100.0% of "
		 "that in walk (/bin/x); break the chain: several sums at a "
		 "time, or a multiplication instead of a division.";
	check("The program waits for caches behind the L1: operations that "
	      "missed the L1 cache, and what waits for them, have 52.8% +- 1.5 "
	      "of all cycles of latency.",
	      "Most of that is in walk (/bin/x): 100.0%, 1000 samples.", NULL);
}

/* All that is known is that both took longer; those of a few others are. */
TEST(counters_at_their_limit_do_not_hide_the_cause)
{
	add("chase", "/bin/x");
	wait_as(row, CAUSE_MEMORY, 990, 4095, 4095, 45);
	wait_as(row, CAUSE_ARITHMETIC, 2970, 4095, 4095, 0);
	wait_as(row, CAUSE_MEMORY, 10, 209, 4, 50);
	wait_as(row, CAUSE_ARITHMETIC, 30, 3, 2, 0);
	/* 151 of 155 and 44 of 45 cycles of each load, in 200 */
	second = "Second, TLB misses: 22.0% +- 1.3 of all cycles; 100.0% of "
		 "that in chase (/bin/x); use huge pages, or touch fewer pages "
		 "at a time.";
	check(MEMORY("75.4% +- 1.3"),
	      "Most of that is in chase (/bin/x): 100.0%, 1000 samples.", NULL);
}

/* They came for others, and belong to what these wait for. */
TEST(late_answers_of_the_L1_cache_wait_for_lines_on_their_way)
{
	add("sum", "/bin/x");
	wait_as(row, CAUSE_MEMORY, 100, 204, 0, 0);
	wait_as(row, CAUSE_NONE, 100, 104, 0, 0);
	wait_as(row, CAUSE_NONE, 800, 4, 0, 0);
	/* 200 and 100 of 204 and 104 */
	EXPECT_EQ((200 + 100) * 1000L / (204 + 104 + 8 * 4), 882);
	check(MEMORY("88.2% +- 4.3"),
	      "Most of that is in sum (/bin/x): 100.0%, 100 samples.", NULL);
}

TEST(misses_that_cost_nothing_are_no_cause)
{
	add("loop", "/bin/x");
	wait_as(row, CAUSE_CACHE, 572, 8, 4, 1);
	wait_as(row, CAUSE_NONE, 3428, 8, 4, 1);
	check("No wait that SPE sees limits the program.", NULL, NULL);
}

TEST(translation_is_a_part_of_its_own)
{
	add("loop", "/bin/x");
	wait_as(row, CAUSE_MEMORY, 1000, 240, 2, 180);
	wait_as(row, CAUSE_ARITHMETIC, 3000, 3, 2, 0);
	/* One cycle of a translation and four of a load are needed. */
	EXPECT_EQ(1000 * 179 * 1000L / (1000 * 240 + 3000 * 3), 718);
	EXPECT_EQ(1000 * (58 - 4) * 1000L / (1000 * 240 + 3000 * 3), 216);
	second = "Second, memory: 21.7% +- 2.5 of all cycles; 100.0% of that "
		 "in loop (/bin/x); prefetch, or keep what is used together "
		 "in fewer cache lines.";
	check("The program waits for translations of addresses: translations "
	      "of addresses, and what waits for them, have 71.9% +- 2.7 of "
	      "all cycles of latency.",
	      "Most of that is in loop (/bin/x): 100.0%, 1000 samples.",
	      "Evidence: 1000 of 4000 samples, 25.00% +- 1.34, with 238.0 own "
	      "cycles each, 180.0 of them for translations, all others with "
	      "1.0.");
}

TEST(operations_tell_the_rest)
{
	const unsigned int load_store = PMSCOPE_OPERATION_LOAD_STORE;

	EXPECT_EQ(row_cause_with(CAUSE_NONE, load_store, 0), CAUSE_NONE);
	EXPECT_EQ(row_cause_with(CAUSE_NONE, load_store, 1), CAUSE_STORE);
	EXPECT_EQ(row_cause_with(CAUSE_MEMORY, load_store, 1), CAUSE_MEMORY);
	EXPECT_EQ(row_cause_with(CAUSE_SHARING, load_store, 6), CAUSE_ATOMIC);
	EXPECT_EQ(row_cause_with(CAUSE_CACHE, load_store, 7), CAUSE_ATOMIC);
	EXPECT_EQ(row_cause_with(CAUSE_NONE, PMSCOPE_OPERATION_OTHER, 0),
		  CAUSE_ARITHMETIC);
	EXPECT_EQ(cause(BIT(LLC_REFILL) | BIT(REMOTE_ACCESS), 0), CAUSE_REMOTE);
}

TEST(rows_of_a_function_count_together)
{
	table.nr_keys = 3;
	table.keys[2] = field_find("cpu", 3, FIELD_SORT);
	wait_for(add("small", "/bin/x"), CAUSE_SHARING, 100, 4000);
	wait_for(add("large", "/bin/x"), CAUSE_SHARING, 50, 3000);
	wait_for(add("large", "/bin/x"), CAUSE_SHARING, 50, 3000);
	rows[2].values[2] = 1;
	check(SHARING("92.0% +- 3.8"),
	      "Most of that is in large (/bin/x): 60.9%, 100 samples.", NULL);
}

TEST(rows_of_other_keys)
{
	table.nr_keys = 1;
	table.keys[0] = field_find("cpu", 3, FIELD_SORT);
	wait_for(&rows[table.nr_rows++], CAUSE_TLB, 200, 4000);
	rows[0].values[0] = 7;
	check("The program waits for translations of addresses: "
	      "translations of addresses, and what waits for them, have "
	      "80.0% +- 5.5 of all cycles of latency.",
	      "Most of that is in cpu 7: 100.0%, 200 samples.", NULL);
}

/* Where rows are not by function, any may wait for any other. */
TEST(waits_of_rows_of_other_keys)
{
	table.nr_keys = 1;
	table.keys[0] = field_find("cpu", 3, FIELD_SORT);
	rows[1].values[0] = 7;
	wait_as(&rows[table.nr_rows++], CAUSE_ARITHMETIC, 3876, 106, 104, 0);
	wait_as(&rows[table.nr_rows++], CAUSE_MEMORY, 124, 124, 4, 0);
	check(MEMORY("91.3% +- 0.9"),
	      "Most of that is in cpu 7: 100.0%, 124 samples.", NULL);
}

/* 3,100 cycles each, but for the last digit of their sums */
TEST(equal_causes_are_told_in_their_order)
{
	table.nr_keys = 1;
	table.keys[0] = field_find("cpu", 3, FIELD_SORT);
	for (int i = 0; i < 3; i++) {
		row = &rows[table.nr_rows++];
		row->values[0] = i;
		wait_as(row, CAUSE_MEMORY, i == 2 ? 11 : 10, 104, 0, 0);
		wait_as(row, CAUSE_CACHE, i == 0 ? 11 : 10, 104, 0, 0);
	}
	wait_as(&rows[0], CAUSE_NONE, 70, 14, 10, 0);
	second = "Second, L1 cache misses: 46.1% +- 10.9 of all cycles; 35.5% "
		 "of that in cpu 0; work on less data at a time, so that it "
		 "stays in the L1 cache.";
	check(MEMORY("46.1% +- 10.9"),
	      "The largest part of that is in cpu 2: 35.5%, 11 samples.", NULL);
}

TEST(few_samples_say_nothing)
{
	wait_for(add("f", "/bin/x"), CAUSE_MEMORY, 99, 9900);
	check("Only 99 samples have a latency: too few to tell what limits the "
	      "program: record longer, or with a smaller -c.",
	      NULL, NULL);
}

TEST(no_samples_no_sentences)
{
	struct judgement v;

	ASSERT_EQ(judgement_make(&v, &table,
				 population ? strdup(population) : NULL, NULL),
		  0);
	for (int i = 0; i < JUDGEMENT_SENTENCES; i++)
		EXPECT_TRUE(!v.sentence[i]);
	judgement_fini(&v);
	strings_fini(&table.strings);
}
