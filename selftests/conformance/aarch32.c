/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EL0 using AArch32 below an AArch64 EL1: captures, and the PMU registers
 * under PMUSERENR_EL0 and PMUACR_EL1. And what an AArch32 EL1 or EL2 changes.
 */
#include "lib/counting.h"
#include "lib/spe.h"

/* CRm and opc2 of registers with CRn 9. */
enum reg {
	PMCR = 0xc0,
	PMCNTENSET = 0xc1,
	PMOVSR = 0xc3,
	PMSELR = 0xc5,
	PMCEID0 = 0xc6,
	PMXEVTYPER = 0xd1,
	PMXEVCNTR = 0xd2,
	PMOVSSET = 0xe3,
};

/* ... and with CRn 14. */
#define N14		 0x100
#define PMEVCNTR(n)	 (N14 | (8 + (n) / 8) << 4 | (n) % 8)
#define PMEVTYPER(n)	 (N14 | (12 + (n) / 8) << 4 | (n) % 8)
#define PMCCFILTR	 (N14 | 0xf7)

#define TRAPPED 0xdeadUL
#define ALL (BIT(0) | BIT(1) | CYCLES)

/* MRC or MCR p15, 0, r0, CRn, CRm, opc2 */
static u32 transfer(unsigned reg, bool isread)
{
	u32 crn = reg & N14 ? 14 : 9, crm = reg >> 4 & 15, opc2 = reg & 15;

	return 0xee000f10 | (isread ? 1U << 20 : 0) | crn << 16 | opc2 << 5 |
	       crm;
}

struct access {
	unsigned reg;
	bool isread;
	u64 value;
};

static u64 access_from_el1(u64 arg)
{
	const struct access *access = (const struct access *)arg;
	static u32 code[2];
	u64 result = 0;

	code[0] = transfer(access->reg, access->isread);
	code[1] = A32_EXIT;
	dsb();
	asm volatile("ic iallu" : : : "memory");
	dsb();
	isb();
	if (TRY(result = run_at_aarch32(code, access->value)))
		return trap.el == 1 && ESR_EC(trap.esr) == EC_CP15 ? TRAPPED :
								     ~0UL;
	return result;
}

static u64 access32(unsigned reg, bool isread, u64 value)
{
	struct access access = { reg, isread, value };

	return run_at(1, access_from_el1, (u64)&access);
}

static u64 read32(unsigned reg)
{
	return access32(reg, true, 0);
}

static u64 write32(unsigned reg, u64 value)
{
	return access32(reg, false, value);
}

static void allow(u64 userenr, u64 pmuacr)
{
	write_counter(0, 0x1000);
	write_counter(1, 0x1001);
	write_counter(CYCLE_COUNTER, 0x101f);
	write_event_type(0, 0);
	write_event_type(1, 0);
	write_sysreg(0xffffffffUL, PMCNTENCLR_EL0);
	write_sysreg(userenr, PMUSERENR_EL0);
	set_sysreg(pmuacr, PMUACR_EL1);
}

static u64 loop32(u64 rounds)
{
	static const u32 code[] = {
		0xe2500001,	/* subs r0, r0, #1 */
		0x1afffffd,	/* bne .-4 */
		A32_EXIT,
	};

	return run_at_aarch32(code, rounds);
}

/* The counter counts at EL0 only, so its value shows when the capture was. */
TEST(ILXYBX_capture_occurs_in_AArch32_state, lacks_property("pmss-external"))
{
	u64 interval = property("pmss-external", 0), saved, total;

	set_sse(SSE_ALLOWED);
	write_event_type(0, EVENT_CPU_CYCLES | FILTER_P);
	start_counters(BIT(0));
	loop32(4 * interval);
	stop_counters();
	saved = read_saved(0);
	total = read_counter(0);
	EXPECT_REG(PMSSCR_EL1, STATUS_CAPTURED);
	EXPECT(total >= 8 * interval);
	EXPECT(saved > 0);
	EXPECT(saved < total);
}

/* All counters count in AArch32 state. */
TEST(ILXYBX_counters_count_in_AArch32_state,
     skip_if(highest_el() > 1, "for EL1"))
{
	write_event_type(0, EVENT_INST_RETIRED | FILTER_P);
	write_event_type(INSN_COUNTER, FILTER_P);
	start_counters(BIT(0) | INSNS);
	loop32(1000);
	stop_counters();
	EXPECT_EQ(read_counter(0), read_counter(INSN_COUNTER));
	EXPECT(read_counter(0) >= 2000);
	EXPECT(read_counter(0) < 2020);
}

TEST(AArch32_PMUSERENR_EL0_0_traps_all)
{
	static const u16 regs[] = { PMCR, PMCNTENSET, PMOVSR, PMOVSSET, PMSELR,
				    PMCEID0, PMXEVTYPER, PMXEVCNTR,
				    PMEVCNTR(0), PMEVTYPER(0), PMCCFILTR };

	allow(0, ~0UL);
	for (unsigned i = 0; i < ARRAY_SIZE(regs); i++)
		if (!EXPECT_EQ(read32(regs[i]), TRAPPED))
			note("register 0x%x", (u32)regs[i]);
}

TEST(AArch32_PMUACR_EL1_selects_counters)
{
	allow(PMUSERENR_UEN, BIT(1));
	EXPECT_EQ(read32(PMEVCNTR(0)), 0);
	EXPECT_EQ(read32(PMEVCNTR(1)), 0x1001);
	write32(PMEVCNTR(0), 0x55);
	write32(PMEVCNTR(1), 0x66);
	EXPECT_EQ(read_counter(0), 0x1000);
	EXPECT_EQ(read_counter(1), 0x66);
	write32(PMEVTYPER(0), EVENT_CPU_CYCLES);
	write32(PMEVTYPER(1), EVENT_CPU_CYCLES);
	EXPECT_EQ(read_event_type(0), 0);
	EXPECT_EQ(read_event_type(1), EVENT_CPU_CYCLES);
	set_sysreg(1, PMSELR_EL0);
	EXPECT_EQ(read32(PMXEVCNTR), 0x66);
	EXPECT_EQ(read32(PMXEVTYPER), EVENT_CPU_CYCLES);
	set_sysreg(0, PMSELR_EL0);
	EXPECT_EQ(read32(PMXEVCNTR), 0);
	EXPECT_EQ(read32(PMCCFILTR), 0);
}

TEST(AArch32_PMUACR_EL1_masks_the_enables)
{
	allow(PMUSERENR_UEN, BIT(1) | CYCLES);
	write_sysreg(BIT(0), PMCNTENSET_EL0);
	EXPECT_EQ(read32(PMCNTENSET), 0);
	write32(PMCNTENSET, 0xffffffff);
	EXPECT_REG(PMCNTENSET_EL0, ALL);
	EXPECT_EQ(read32(PMCNTENSET), BIT(1) | CYCLES);
	write32(PMOVSSET, 0xffffffff);
	EXPECT_REG(PMOVSCLR_EL0, BIT(1) | CYCLES);
	write32(PMOVSR, 0xffffffff);
	EXPECT_REG(PMOVSCLR_EL0, 0);
}

TEST(AArch32_PMUSERENR_EL0_UEN_traps_PMCR_and_TID_PMCEID)
{
	allow(PMUSERENR_UEN | PMUSERENR_EN, ~0UL);
	EXPECT_EQ(read32(PMCR), TRAPPED);
	EXPECT_EQ(read32(PMCEID0), read_sysreg(PMCEID0_EL0) & 0xffffffff);
	allow(PMUSERENR_EN, ~0UL);
	EXPECT_EQ(read32(PMCR), read_sysreg(PMCR_EL0) & 0xffffffff);
	allow(PMUSERENR_EN | PMUSERENR_TID, ~0UL);
	EXPECT_EQ(read32(PMCEID0), TRAPPED);
}

/* A field that AArch32 cannot see keeps its value. */
TEST(AArch32_writes_keep_the_high_halves)
{
	allow(PMUSERENR_EN, 0);
	write_counter(0, 0x1234567800000000UL);
	write32(PMEVCNTR(0), 0x9abc);
	EXPECT_EQ(read_counter(0), 0x1234567800009abcUL);
	set_sysreg(PMCR_LC | PMCR_FZS, PMCR_EL0);
	write32(PMCR, PMCR_LC | PMCR_FZO);
	EXPECT_EQ(read_sysreg(PMCR_EL0) & (PMCR_FZS | PMCR_FZO | PMCR_LC),
		  PMCR_FZS | PMCR_FZO | PMCR_LC);
	if (highest_el() < 3)
		return;
	write_event_type(0, FILTER_M);
	write32(PMEVTYPER(0), EVENT_CPU_CYCLES | FILTER_U);
	EXPECT_EQ(read_event_type(0), FILTER_M | FILTER_U | EVENT_CPU_CYCLES);
}

/* MDCR_EL2.HPMN hides counters from AArch32, too. */
TEST(AArch32_counters_beyond_HPMN_trap_to_EL2, lacks_el(2))
{
	change_sysreg(MDCR_EL2, MDCR_HPMN_MASK, MDCR_HPMN(1));
	allow(PMUSERENR_EN, 0);
	EXPECT_EQ(read32(PMEVTYPER(0)), 0);
	EXPECT_EQ(read32(PMEVTYPER(1)), ~0UL);
	EXPECT_EQ(trap.el, 2);
	EXPECT_EQ(read32(PMEVCNTR(1)), ~0UL);
	EXPECT_EQ(trap.el, 2);
	write32(PMCNTENSET, 0xffffffff);
	EXPECT_REG(PMCNTENSET_EL0, BIT(0) | CYCLES);
}

/* Is a capture at the highest level, which is AArch64, allowed? */
static bool captures(void)
{
	static u64 value = 0x5000;

	write_counter(0, ++value);
	capture();
	return read_saved(0) == value;
}

/* PMECR_EL1.SSE has no effect where EL1 is AArch32. */
TEST(PMECR_EL1_SSE_of_an_AArch32_EL1,
     lacks_el(2) || skip_if(highest_el() > 2, "EL2 is not the highest"))
{
	set_sse(SSE_ALLOWED);
	EXPECT(captures());
	set_sysreg(0, hcr_el2);
	EXPECT(!captures());
	/* If EL2 decides, it makes no difference. */
	set_mdcr_el2(MDCR_HPMN(event_counters()) | MDCR_PMSSE(3));
	EXPECT(captures());
}

/* MDCR_EL2.PMSSE has no effect either if EL2 is AArch32. */
TEST(MDCR_EL2_PMSSE_of_an_AArch32_EL2, lacks_el(3) || lacks_el(2))
{
	set_sysreg(MDCR_HPMN(event_counters()) | MDCR_PMSSE(3), MDCR_EL2);
	EXPECT(captures());
	change_sysreg(SCR_EL3, SCR_RW, 0);
	EXPECT(!captures());
	set_mdcr_el3(0, MDCR_PMSSE(3));
	EXPECT(captures());
}

/* The highest level is AArch64, so PMBLIMITR_EL1 has its effect. */
TEST(IHMLGP_SPE_freezes_counters_in_AArch32_state,
     lacks_spe(1) || skip_if(highest_el() > 1, "for EL1"))
{
	for (unsigned stopped = 0; stopped < 2; stopped++) {
		write_event_type(0, EVENT_INST_RETIRED | FILTER_P);
		write_event_type(INSN_COUNTER, FILTER_P);
		write_counter(0, 0);
		write_counter(INSN_COUNTER, 0);
		write_sysreg(stopped ? PMBSR_S : 0, PMBSR_EL1);
		set_sysreg(PMBLIMITR_E | PMBLIMITR_PMFZ, PMBLIMITR_EL1);
		write_sysreg(BIT(0) | INSNS, PMCNTENSET_EL0);
		set_sysreg(PMCR_LC | PMCR_E | PMCR_FZS, PMCR_EL0);
		loop32(1000);
		EXPECT_EQ(read_counter(0) == 0, stopped);
		EXPECT_EQ(read_counter(INSN_COUNTER) == 0, stopped);
	}
}

TEST(RGNGCW_SUNIDEN_permits_counting_at_EL0_below_an_AArch32_EL1, lacks_el(3))
{
	count_everywhere(BIT(0) | INSNS, PMCR_E);
	for (unsigned i = 0; i < 8; i++) {
		set_spme_mpmx(i);
		set_sysreg(i & 4 ? SUNIDEN : 0, SDER32_EL3);
		if (!EXPECT_EQ(counts_below_aarch32(0, 0), i != 0))
			note("SUNIDEN %u, SPME %u, MPMX %u", i >> 2, i >> 1 & 1,
			     i & 1);
		EXPECT_EQ(counts_below_aarch32(1, 0), (i & 3) != 0);
		/* It has no effect with an AArch64 EL1. */
		EXPECT_EQ(moves_secure(0, 0, false), (i & 3) != 0);
		EXPECT_EQ(moves_secure(0, 1, false), (i & 3) != 0);
		/* RCSRMB: nor on PMICNTR_EL0. */
		EXPECT_EQ(counts_below_aarch32(0, INSN_COUNTER), (i & 3) != 0);
	}
	set_sysreg(0, SDER32_EL3);
}
