/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slots for operations: PMMIR_EL1.SLOTS, and the events that divide them, with
 * those of branches. machine.rst describes the model.
 */
#include "lib/pmu.h"

#define ROUNDS 100
#define TIMES  10

static u64 slots(void)
{
	return property("slots", 0);
}

static bool lacks_slots(void)
{
	return skip_if(!slots(), "has no slots");
}

static void nothing(void)
{
}

/* Goes back ROUNDS - 1 times. */
static void go_back(void)
{
	u64 rounds = ROUNDS;

	asm volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(rounds) : : "cc");
}

static void go_back_by_cbnz(void)
{
	u64 rounds = ROUNDS;

	asm volatile("1: sub %0, %0, #1\n cbnz %0, 1b" : "+r"(rounds));
}

/* Bit 6 of what counts down from 99 is 0 at 63: 36 times back. */
static void go_back_by_tbnz(void)
{
	u64 rounds = ROUNDS;

	asm volatile("1: sub %0, %0, #1\n tbnz %0, #6, 1b" : "+r"(rounds));
}

#define REPEAT(insns)                           \
	asm volatile("cmp xzr, xzr\n"           \
		     ".rept " STRING(TIMES) "\n" \
		     insns "\n"                 \
		     ".endr" : : : "x9", "cc")

static void go_ahead(void)
{
	REPEAT("b.eq 1f\n 1:");
}

static void stay(void)
{
	REPEAT("b.ne 1f\n 1:");
}

/* QEMU also ends a block of code here. */
static void synchronize(void)
{
	REPEAT("isb");
}

static void go_ahead_always(void)
{
	REPEAT("b 1f\n 1:");
}

static void go_ahead_by_tbz(void)
{
	REPEAT("tbz xzr, #40, 1f\n 1:");
}

static void go_indirectly(void)
{
	REPEAT("adr x9, 1f\n br x9\n 1:");
}

static void call_and_return(void)
{
	asm volatile("mov x10, x30\n"
		     ".rept " STRING(TIMES) "\n"
		     "bl 2f\n"
		     ".endr\n"
		     "b 3f\n"
		     "2: ret\n"
		     "3: mov x30, x10" : : : "x10", "x30");
}

/* Calls each function, even one in which nothing is done. */
static void __attribute__((noipa)) run(const u16 *events, unsigned n,
				       void (*fn)(void))
{
	for (unsigned i = 0; i < n; i++) {
		write_event_type(i, events[i] | FILTER_NSH);
		write_counter(i, 0);
	}
	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	write_counter(CYCLE_COUNTER, 0);
	start_counters(GENMASK(n - 1, 0) | BIT(CYCLE_COUNTER));
	fn();
	stop_counters();
}

/* Instructions of the function, without its call. */
static u64 count(u16 event, void (*fn)(void))
{
	u64 with;

	run(&event, 1, fn);
	with = read_counter(0);
	run(&event, 1, nothing);
	return with - read_counter(0);
}

static const struct {
	void (*fn)(void);
	unsigned branches;
	unsigned mispredicted;
	unsigned redirected;
} programs[] = {
	{ go_back, ROUNDS, 1, ROUNDS - 1 },
	{ go_back_by_cbnz, ROUNDS, 1, ROUNDS - 1 },
	{ go_back_by_tbnz, 37, 1, 36 },
	{ go_ahead, TIMES, TIMES, 0 },
	{ stay, TIMES, 0, 0 },
	{ synchronize, 0, 0, 0 },
	{ go_ahead_always, TIMES, 0, TIMES },
	{ go_ahead_by_tbz, TIMES, TIMES, 0 },
	{ go_indirectly, TIMES, TIMES, 0 },
	{ call_and_return, 2 * TIMES + 1, 0, 2 * TIMES + 1 },
};

ROW_OF(PMMIR_EL1_tells_the_slots, false, EXPECT_REG(PMMIR_EL1, slots()))

/* Bits 16 and 18 of PMCEID0, 1, 2 and 26 to 31 of PMCEID1. */
TEST(PMCEID_lists_events_of_slots_where_there_are_slots)
{
	u64 ids[] = { read_sysreg(PMCEID0_EL0), read_sysreg(PMCEID1_EL0) };
	u64 stalls = BIT(3) | BIT(4) | BIT(28);

	EXPECT_EQ(!!(ids[0] & BIT(16)), !!slots());
	EXPECT_EQ(!!(ids[0] & BIT(18)), !!slots());
	EXPECT_EQ(ids[1] & (BIT(1) | BIT(2)), slots() ? BIT(1) | BIT(2) : 0);
	EXPECT_EQ(ids[1] & (GENMASK(31, 26) & ~stalls),
		  slots() ? GENMASK(31, 26) & ~stalls : 0);
	EXPECT_EQ(ids[1] & stalls, stalls);
}

TEST(BR_RETIRED_counts_each_branch)
{
	for (unsigned i = 0; i < ARRAY_SIZE(programs); i++) {
		u64 wanted = slots() ? programs[i].branches : 0;

		if (!EXPECT_EQ(count(EVENT_BR_RETIRED, programs[i].fn), wanted) ||
		    !EXPECT_EQ(count(EVENT_BR_PRED, programs[i].fn), wanted))
			note("program %u", i);
	}
}

TEST(BR_MIS_PRED_counts_what_goes_elsewhere)
{
	for (unsigned i = 0; i < ARRAY_SIZE(programs); i++) {
		u64 wanted = slots() ? programs[i].mispredicted : 0;

		if (!EXPECT_EQ(count(EVENT_BR_MIS_PRED, programs[i].fn), wanted) ||
		    !EXPECT_EQ(count(EVENT_BR_MIS_PRED_RETIRED, programs[i].fn),
			       wanted))
			note("program %u", i);
	}
}

TEST(STALL_SLOT_FRONTEND_counts_behind_taken_branches, lacks_slots())
{
	for (unsigned i = 0; i < ARRAY_SIZE(programs); i++)
		if (!EXPECT_EQ(count(EVENT_STALL_SLOT_FRONTEND, programs[i].fn),
			       programs[i].redirected * (slots() - 1)))
			note("program %u", i);
}

TEST(OP_RETIRED_equals_INST_RETIRED, lacks_slots())
{
	const u16 events[] = { EVENT_INST_RETIRED, EVENT_OP_RETIRED };

	run(events, ARRAY_SIZE(events), go_ahead);
	EXPECT_EQ(read_counter(0), read_counter(1));
	EXPECT(read_counter(0) > TIMES);
}

TEST(OP_SPEC_is_more_by_what_was_not_foreseen, lacks_slots())
{
	const u16 events[] = { EVENT_OP_RETIRED, EVENT_OP_SPEC,
			       EVENT_BR_MIS_PRED };

	run(events, ARRAY_SIZE(events), go_ahead);
	EXPECT_EQ(read_counter(1) - read_counter(0),
		  read_counter(2) * (slots() - 1));
	EXPECT(read_counter(2) >= TIMES);
}

TEST(STALL_SLOT_is_all_that_holds_no_operation, lacks_slots())
{
	const u16 events[] = { EVENT_OP_SPEC, EVENT_STALL_SLOT,
			       EVENT_STALL_SLOT_FRONTEND,
			       EVENT_STALL_SLOT_BACKEND };
	u64 icount = property("icount", 0), cycles;

	for (unsigned i = 0; i < ARRAY_SIZE(programs); i++) {
		run(events, ARRAY_SIZE(events), programs[i].fn);
		EXPECT_EQ(read_counter(1), read_counter(2) + read_counter(3));
		cycles = read_counter(CYCLE_COUNTER);
		if (icount &&
		    !EXPECT_EQ(read_counter(0) + read_counter(1),
			       cycles * slots()))
			note("program %u", i);
	}
}

TEST(STALL_counts_cycles_without_an_operation, lacks_slots())
{
	const u16 events[] = { EVENT_STALL, EVENT_STALL_BACKEND,
			       EVENT_STALL_FRONTEND, EVENT_INST_RETIRED };
	u64 icount = property("icount", 0);

	run(events, ARRAY_SIZE(events), go_back);
	EXPECT_EQ(read_counter(0), read_counter(1));
	EXPECT_EQ(read_counter(2), 0);
	if (icount)
		EXPECT_EQ(read_counter(0) + read_counter(3),
			  read_counter(CYCLE_COUNTER));
}
