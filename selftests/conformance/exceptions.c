/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions retired up to an exception that one of them takes: those before
 * it retire, it does so only when the exception is what it is for. With icount
 * QEMU counts the attempt, too: a cycle stays an instruction.
 */
#include "lib/pmu.h"

#define SPSR_EL0 0x3c0
#define SPSR_SS	 BIT(21)
#define MDSCR_SS BIT(0)
#define HCR_TSC	 BIT(19)

#define EC_UNKNOWN  0x00
#define EC_SVC	    0x15
#define EC_SYSREG   0x18
#define EC_PC_ALIGN 0x22
#define EC_DATA	    0x24
#define EC_STEP	    0x32
#define EC_SMC	    0x17

/*
 * u64 visit_el0(u64 pc, u64 spsr): enters EL0 until an exception from there,
 * and returns ESR_EL1. Any other exception returns, too.
 */
u64 visit_el0(u64 pc, u64 spsr);
asm(".balign 2048\n"
    "visit_vectors:\n"
    ".rept 16\n"
    "	b	1f\n"
    ".balign 128\n"
    ".endr\n"
    "1:	msr	vbar_el1, x3\n"
    "	isb\n"
    "	mrs	x0, esr_el1\n"
    "	ret\n"
    "visit_el0:\n"
    "	mrs	x3, vbar_el1\n"
    "	adr	x4, visit_vectors\n"
    "	msr	vbar_el1, x4\n"
    "	msr	elr_el1, x0\n"
    "	msr	spsr_el1, x1\n"
    "	isb\n"
    "	eret\n");

extern char three_nops[], misaligned_branch[], undefined[], trapped[],
	unaligned_load[], call[];
asm("three_nops:\n"
    "	nop\n"
    "	nop\n"
    "	nop\n"
    "call:\n"
    "	nop\n"
    "	nop\n"
    "	nop\n"
    "	svc	#0\n"
    "undefined:\n"
    "	nop\n"
    "	nop\n"
    "	nop\n"
    "	udf	#0\n"
    "trapped:\n"
    "	nop\n"
    "	nop\n"
    "	nop\n"
    "	mrs	xzr, " STRING(PMCR_EL0) "\n"
    "misaligned_branch:\n"
    "	nop\n"
    "	adr	x9, misaligned_branch + 1\n"
    "	br	x9\n"
    "unaligned_load:\n"
    "	nop\n"
    "	nop\n"
    "	adr	x9, unaligned_load + 1\n"
    "	ldr	x9, [x9]\n");

/* Only the levels that the filter selects. */
static void count(u64 filter)
{
	write_event_type(0, EVENT_INST_RETIRED | filter);
	write_event_type(INSN_COUNTER, filter);
	write_counter(0, 0);
	write_counter(INSN_COUNTER, 0);
	start_counters(BIT(0) | BIT(INSN_COUNTER));
}

static bool cannot_count(void)
{
	return skip_if(property("icount", 0), "icount");
}

struct visit {
	char *pc;
	u64 spsr;
	unsigned ec;
	u64 instructions;
};

static u64 counted_visit(u64 arg)
{
	const struct visit *visit = (void *)arg;
	u64 esr;

	count(FILTER_P);
	esr = visit_el0((u64)visit->pc, SPSR_EL0 | visit->spsr);
	EXPECT_EQ(ESR_EC(esr), visit->ec);
	EXPECT_EQ(read_counter(INSN_COUNTER), visit->instructions);
	EXPECT_EQ(read_counter(0), visit->instructions);
	return 0;
}

static void expect_visit(char *pc, u64 spsr, unsigned ec, u64 instructions)
{
	struct visit visit = { pc, spsr, ec, instructions };

	if (!cannot_count())
		run_at(1, counted_visit, (u64)&visit);
}

ROW_OF(INST_RETIRED_counts_an_SVC, false, expect_visit(call, 0, EC_SVC, 4))
ROW_OF(INST_RETIRED_leaves_out_an_undefined_instruction, false,
       expect_visit(undefined, 0, EC_UNKNOWN, 3))
ROW_OF(INST_RETIRED_leaves_out_a_trapped_instruction, false,
       expect_visit(trapped, 0, EC_SYSREG, 3))
ROW_OF(INST_RETIRED_leaves_out_an_aborted_load, false,
       expect_visit(unaligned_load, 0, EC_DATA, 3))
ROW_OF(INST_RETIRED_counts_a_branch_to_a_misaligned_address, false,
       expect_visit(misaligned_branch, 0, EC_PC_ALIGN, 3))

/* PSTATE.SS is 1: one instruction is stepped; 0: none (D2.12). */
TEST(INST_RETIRED_counts_a_stepped_instruction)
{
	set_sysreg(MDSCR_SS, mdscr_el1);
	expect_visit(three_nops, SPSR_SS, EC_STEP, 1);
	expect_visit(three_nops, 0, EC_STEP, 0);
	set_sysreg(0, mdscr_el1);
}

static u64 one_nop(u64 unused)
{
	asm volatile("nop");
	return unused;
}

static u64 one_smc(u64 unused)
{
	asm volatile("smc #0");
	return unused;
}

static u64 count_el1(u64 (*fn)(u64))
{
	u64 before = read_counter(INSN_COUNTER);

	run_at(1, fn, 0);
	return read_counter(INSN_COUNTER) - before;
}

/* NSH is 0: what runs at EL2, also the handler, does not count. */
TEST(INST_RETIRED_leaves_out_an_SMC_that_EL2_traps,
     cannot_count() ||
     skip_if(highest_el() != 2, "EL1 comes back by another call than HVC"))
{
	u64 smc = 0;

	set_sysreg(HCR_RW | HCR_TSC, hcr_el2);
	count(0);
	EXPECT_EQ(TRY(smc = count_el1(one_smc)), 1);
	EXPECT_EQ(trap.el, 2);
	EXPECT_EQ(ESR_EC(trap.esr), EC_SMC);
	EXPECT_EQ(count_el1(one_nop) - smc, 1);
}
