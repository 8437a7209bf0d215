/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions retired, counted one by one: PMICNTR_EL0 and INST_RETIRED.
 * With icount and without the numbers are the same, but for what faults.
 */
#include "lib/frame.h"
#include "lib/pmu.h"

#define NOPS 100

static void count(u64 filter)
{
	write_event_type(0, EVENT_INST_RETIRED | filter);
	write_event_type(INSN_COUNTER, filter);
	start_counters(BIT(0) | BIT(INSN_COUNTER));
}

/* From one read of PMICNTR_EL0 to the next: the NOPs and one MRS. */
static u64 count_nops(u64 unused)
{
	u64 before, after;

	asm volatile("mrs %0, " STRING(PMICNTR_EL0) "\n"
		     ".rept " STRING(NOPS) "\n"
		     "nop\n"
		     ".endr\n"
		     "mrs %1, " STRING(PMICNTR_EL0)
		     : "=r"(before), "=r"(after));
	return after - before;
}

TEST(PMICNTR_EL0_counts_each_instruction)
{
	count(FILTER_NSH);
	for (unsigned i = 0; i < 10; i++)
		EXPECT_EQ(count_nops(0), NOPS + 1);
}

static u64 count_loop(u64 rounds)
{
	u64 before, after;

	asm volatile("mrs %0, " STRING(PMICNTR_EL0) "\n"
		     "1:	subs %2, %2, #1\n"
		     "b.ne 1b\n"
		     "mrs %1, " STRING(PMICNTR_EL0)
		     : "=r"(before), "=r"(after), "+r"(rounds) : : "cc");
	return after - before;
}

TEST(PMICNTR_EL0_counts_branches)
{
	count(FILTER_NSH);
	for (u64 rounds = 1; rounds < 5000; rounds = rounds * 2 + 1)
		EXPECT_EQ(count_loop(rounds), 2 * rounds + 1);
}

TEST(INST_RETIRED_equals_PMICNTR)
{
	count(FILTER_NSH);
	work(5000);
	stop_counters();
	EXPECT_EQ(read_counter(0), read_counter(INSN_COUNTER));
}

static u64 nops(u64 unused)
{
	asm volatile(".rept " STRING(NOPS) "\n nop\n .endr");
	return unused;
}

/* P excludes EL1: only the visit to EL0 is counted. */
static u64 count_el0(u64 (*fn)(u64))
{
	u64 before = read_counter(INSN_COUNTER);

	run_at(0, fn, 0);
	return read_counter(INSN_COUNTER) - before;
}

static u64 empty(u64 unused)
{
	return unused;
}

static u64 el0_instructions(u64 unused)
{
	u64 before;

	count(FILTER_P);
	EXPECT_EQ(count_el0(nops) - count_el0(empty), NOPS);
	before = read_counter(INSN_COUNTER);
	work(1000);
	EXPECT_EQ(read_counter(INSN_COUNTER), before);
	return unused;
}

ROW_OF(PMICFILTR_EL0_P_filters_EL1, false, run_at(1, el0_instructions, 0))

static u64 one_nop(u64 unused)
{
	asm volatile("nop");
	return unused;
}

/* PMUSERENR_EL0 is 0: the exception comes before the instruction retires. */
static u64 one_trapped(u64 unused)
{
	asm volatile("mrs xzr, " STRING(PMCR_EL0));
	return unused;
}

static u64 faulting(u64 unused)
{
	u64 trapped = 0;

	count(FILTER_P);
	EXPECT_EQ(TRY(trapped = count_el0(one_trapped)), 1);
	EXPECT_EQ(count_el0(one_nop) - trapped, 1);
	return unused;
}

/* With icount, QEMU counts the attempt: a cycle stays an instruction. */
ROW_OF(PMICNTR_EL0_leaves_out_what_does_not_retire,
       skip_if(property("icount", 0), "icount"), run_at(1, faulting, 0))

static u64 no_instruction(u64 unused)
{
	count(FILTER_U);
	work(1000);
	EXPECT_NE(read_counter(INSN_COUNTER), 0);
	write_counter(INSN_COUNTER, 0);
	write_event_type(INSN_COUNTER, FILTER_P);
	work(1000);
	EXPECT(read_counter(INSN_COUNTER) < 50);
	return unused;
}

ROW_OF(PMICFILTR_EL0_U_leaves_EL1, false, run_at(1, no_instruction, 0))

/* A counter of the external agent, which starts it without an instruction. */
TEST(ILNLLM_the_third_range_counts_instructions, !have_frame())
{
	u64 before;

	frame_write(PMCCR_EPMN(4) | PMCCR_EPME, FRAME_PMCCR);
	frame_write(EVENT_INST_RETIRED | FILTER_NSH, FRAME_PMEVTYPER(4));
	frame_write(BIT(4), FRAME_PMCNTENSET);
	before = frame_read(FRAME_PMEVCNTR(4));
	work(2000);
	EXPECT(frame_read(FRAME_PMEVCNTR(4)) - before >= 2000);
	EXPECT(frame_read(FRAME_PMEVCNTR(4)) - before < 6000);
	frame_write(BIT(4), FRAME_PMCNTENCLR);
}
