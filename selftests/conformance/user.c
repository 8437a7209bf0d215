/* SPDX-License-Identifier: GPL-2.0-or-later */
/* EL0 under PMUSERENR_EL0 and PMUACR_EL1 (FEAT_PMUv3p9). */
#include "lib/pmu.h"

#define ALL (BIT(0) | BIT(1) | BIT(CYCLE_COUNTER) | BIT(INSN_COUNTER))

/* What EL0 shall do; the low byte of a request is the counter number. */
enum action {
	READ = 0x100,
	WRITE = 0x200,
	READ_ENABLES = 0x300,
	WRITE_ENABLES = 0x400,
	ZERO = 0x500,
	READ_PMCR = 0x600,
	READ_PMCEID = 0x700,
	WRITE_PMSWINC = 0x800,
};

#define WRITTEN 0x5555
#define TRAPPED 0xdeadUL

static u64 act(u64 action)
{
	unsigned n = action & 0xff;

	switch (action & ~0xffUL) {
	case READ:
		return read_counter(n);
	case WRITE:
		write_counter(n, WRITTEN);
		return 0;
	case READ_ENABLES:
		return read_sysreg(PMCNTENSET_EL0);
	case WRITE_ENABLES:
		write_sysreg(~0UL, PMCNTENSET_EL0);
		return 0;
	case ZERO:
		write_sysreg(~0UL, PMZR_EL0);
		return 0;
	case READ_PMCR:
		return read_sysreg(PMCR_EL0);
	case READ_PMCEID:
		return read_sysreg(PMCEID0_EL0);
	default:
		write_sysreg(~0UL, PMSWINC_EL0);
		return 0;
	}
}

/* At EL1: EL0's result, or TRAPPED. */
static u64 from_el1(u64 action)
{
	u64 result = 0;

	if (TRY(result = run_at(0, act, action)))
		return trap.el == 1 && ESR_EC(trap.esr) == EC_SYSREG ? TRAPPED :
								       ~0UL;
	return result;
}

static u64 at_el0(u64 action)
{
	return run_at(1, from_el1, action);
}

static void set_counters(void)
{
	for (unsigned n = 0; n <= INSN_COUNTER; n++)
		if (ALL & BIT(n))
			write_counter(n, 0x1000 + n);
}

static void allow(u64 userenr, u64 pmuacr)
{
	set_counters();
	write_sysreg(0xffffffffUL | BIT(INSN_COUNTER), PMCNTENCLR_EL0);
	write_sysreg(userenr, PMUSERENR_EL0);
	set_sysreg(pmuacr, PMUACR_EL1);
}

TEST(PMUSERENR_EL0_0_traps_all)
{
	static const u16 actions[] = {
		READ | 0, READ | CYCLE_COUNTER, READ | INSN_COUNTER, WRITE | 0,
		READ_ENABLES, WRITE_ENABLES, ZERO, READ_PMCR, READ_PMCEID,
		WRITE_PMSWINC
	};

	allow(0, ~0UL);
	for (unsigned i = 0; i < ARRAY_SIZE(actions); i++)
		if (!EXPECT_EQ(at_el0(actions[i]), TRAPPED))
			note("action 0x%x", (u32)actions[i]);
}

TEST(PMUSERENR_EL0_EN_ignores_PMUACR)
{
	allow(PMUSERENR_EN, 0);
	EXPECT_EQ(at_el0(READ | 0), 0x1000);
	EXPECT_EQ(at_el0(READ | CYCLE_COUNTER), 0x1000 + CYCLE_COUNTER);
	EXPECT_NE(at_el0(READ_PMCR), TRAPPED);
	/* The instruction counter needs UEN. */
	EXPECT_EQ(at_el0(READ | INSN_COUNTER), TRAPPED);
}

TEST(PMUSERENR_EL0_ER_and_CR_enable_reads)
{
	allow(PMUSERENR_ER, 0);
	EXPECT_EQ(at_el0(READ | 1), 0x1001);
	EXPECT_EQ(at_el0(WRITE | 1), TRAPPED);
	EXPECT_EQ(at_el0(READ | CYCLE_COUNTER), TRAPPED);
	allow(PMUSERENR_CR, 0);
	EXPECT_EQ(at_el0(READ | CYCLE_COUNTER), 0x1000 + CYCLE_COUNTER);
	EXPECT_EQ(at_el0(READ | 1), TRAPPED);
}

TEST(PMUACR_EL1_selects_counters_to_read)
{
	for (unsigned n = 0; n <= INSN_COUNTER; n++) {
		if (!(ALL & BIT(n)))
			continue;
		allow(PMUSERENR_UEN, BIT(n));
		EXPECT_EQ(at_el0(READ | n), 0x1000 + n);
		allow(PMUSERENR_UEN, ALL & ~BIT(n));
		EXPECT_EQ(at_el0(READ | n), 0);
	}
}

TEST(PMUACR_EL1_selects_counters_to_write)
{
	for (unsigned n = 0; n <= INSN_COUNTER; n++) {
		if (!(ALL & BIT(n)))
			continue;
		allow(PMUSERENR_UEN, BIT(n));
		at_el0(WRITE | n);
		EXPECT_EQ(read_counter(n), WRITTEN);
		allow(PMUSERENR_UEN, ALL & ~BIT(n));
		at_el0(WRITE | n);
		EXPECT_EQ(read_counter(n), 0x1000 + n);
	}
}

TEST(PMUSERENR_EL0_ER_CR_and_IR_make_read_only)
{
	static const struct {
		u64 bit;
		unsigned counter;
	} rows[] = {
		{ PMUSERENR_ER, 1 },
		{ PMUSERENR_CR, CYCLE_COUNTER },
		{ PMUSERENR_IR, INSN_COUNTER },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned n = rows[i].counter;

		allow(PMUSERENR_UEN | rows[i].bit, ALL);
		EXPECT_EQ(at_el0(WRITE | n), 0);
		EXPECT_EQ(read_counter(n), 0x1000 + n);
		EXPECT_EQ(at_el0(READ | n), 0x1000 + n);
	}
}

TEST(PMUACR_EL1_masks_the_enables)
{
	allow(PMUSERENR_UEN, BIT(1) | BIT(INSN_COUNTER));
	write_sysreg(BIT(0), PMCNTENSET_EL0);
	EXPECT_EQ(at_el0(READ_ENABLES), 0);
	at_el0(WRITE_ENABLES);
	EXPECT_REG(PMCNTENSET_EL0, BIT(0) | BIT(1) | BIT(INSN_COUNTER));
	EXPECT_EQ(at_el0(READ_ENABLES), BIT(1) | BIT(INSN_COUNTER));
}

TEST(PMZR_EL0_is_masked_by_PMUACR)
{
	allow(PMUSERENR_UEN, BIT(1) | BIT(INSN_COUNTER));
	at_el0(ZERO);
	EXPECT_EQ(read_counter(0), 0x1000);
	EXPECT_EQ(read_counter(1), 0);
	EXPECT_EQ(read_counter(CYCLE_COUNTER), 0x1000 + CYCLE_COUNTER);
	EXPECT_EQ(read_counter(INSN_COUNTER), 0);
}

TEST(PMZR_EL0_obeys_the_read_only_bits)
{
	allow(PMUSERENR_UEN | PMUSERENR_ER | PMUSERENR_IR, ALL);
	at_el0(ZERO);
	EXPECT_EQ(read_counter(0), 0x1000);
	EXPECT_EQ(read_counter(CYCLE_COUNTER), 0);
	EXPECT_EQ(read_counter(INSN_COUNTER), 0x1000 + INSN_COUNTER);
}

TEST(PMUSERENR_EL0_UEN_traps_PMCR)
{
	allow(PMUSERENR_UEN | PMUSERENR_EN, ALL);
	EXPECT_EQ(at_el0(READ_PMCR), TRAPPED);
}

TEST(PMUSERENR_EL0_TID_traps_PMCEID)
{
	allow(PMUSERENR_EN, ALL);
	EXPECT_EQ(at_el0(READ_PMCEID), read_sysreg(PMCEID0_EL0));
	allow(PMUSERENR_EN | PMUSERENR_TID, ALL);
	EXPECT_EQ(at_el0(READ_PMCEID), TRAPPED);
}

TEST(PMSWINC_EL0_is_masked_by_PMUACR)
{
	allow(PMUSERENR_UEN, BIT(1));
	write_event_type(0, EVENT_SW_INCR);
	write_event_type(1, EVENT_SW_INCR);
	start_counters(BIT(0) | BIT(1));
	at_el0(WRITE_PMSWINC);
	EXPECT_EQ(read_counter(0), 0x1000);
	EXPECT_EQ(read_counter(1), 0x1002);
}

TEST(PMUACR_EL1_reserved_bits)
{
	u64 fields = GENMASK(event_counters() - 1, 0) | BIT(CYCLE_COUNTER) |
		     BIT(INSN_COUNTER);

	set_sysreg(~0UL, PMUACR_EL1);
	EXPECT_REG(PMUACR_EL1, fields);
}
