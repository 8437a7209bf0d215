/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Freezing counters on overflow: Arm ARM D13.5.2.1; and of the freezing on an
 * SPE management event, which buffer.c checks, what concerns the cycle counter.
 */
#include "lib/counting.h"

TEST(RFGSDP_FZO_freezes_the_first_range)
{
	u64 mask = BIT(0) | BIT(1) | BIT(CYCLE_COUNTER) | BIT(INSN_COUNTER);

	count_everywhere(mask, PMCR_E | PMCR_FZO);
	EXPECT(moves(0, 1));
	overflow(1);
	EXPECT(!moves(0, 1));
	EXPECT(!moves(1, 1));
	EXPECT(!moves(INSN_COUNTER, 1));
	/* PMCR.DP is 0. */
	EXPECT(moves(CYCLE_COUNTER, 1));
}

TEST(RFGSDP_FZO_freezes_the_cycle_counter_with_DP)
{
	count_everywhere(BIT(0) | BIT(CYCLE_COUNTER),
			 PMCR_E | PMCR_FZO | PMCR_DP);
	EXPECT(moves(CYCLE_COUNTER, 1));
	overflow(0);
	EXPECT(!moves(CYCLE_COUNTER, 1));
}

TEST(RFGSDP_overflow_of_PMICNTR_freezes)
{
	count_everywhere(BIT(0) | BIT(INSN_COUNTER), PMCR_E | PMCR_FZO);
	overflow(INSN_COUNTER);
	EXPECT(!moves(0, 1));
}

TEST(RFGSDP_overflow_of_PMCCNTR_does_not_freeze)
{
	count_everywhere(BIT(0) | BIT(CYCLE_COUNTER), PMCR_E | PMCR_FZO);
	overflow(CYCLE_COUNTER);
	EXPECT(moves(0, 1));
	EXPECT(moves(CYCLE_COUNTER, 1));
}

TEST(RFGSDP_without_FZO_nothing_freezes)
{
	count_everywhere(BIT(0) | BIT(1), PMCR_E);
	overflow(1);
	EXPECT(moves(0, 1));
	EXPECT(moves(1, 1));
}

TEST(RFGSDP_clearing_the_flag_thaws)
{
	count_everywhere(BIT(0), PMCR_E | PMCR_FZO);
	overflow(0);
	EXPECT(!moves(0, 1));
	set_sysreg(BIT(0), PMOVSCLR_EL0);
	EXPECT(moves(0, 1));
}

TEST(RFGSDP_freezes_on_a_counted_overflow)
{
	count_everywhere(BIT(0) | BIT(1), 0);
	write_counter(0, -(u64)WORK);
	write_sysreg(PMCR_LC | PMCR_LP | PMCR_E | PMCR_FZO, PMCR_EL0);
	work(20 * WORK);
	EXPECT_REG(PMOVSCLR_EL0, BIT(0));
	EXPECT(!moves(0, 1));
	EXPECT(!moves(1, 1));
	/* Counter 1 stopped soon after counter 0 overflowed. */
	EXPECT(read_counter(1) >= WORK);
	EXPECT(read_counter(1) < 10 * WORK);
}

TEST(ILMSFT_a_frozen_counter_reads_the_same)
{
	u64 value;

	count_everywhere(BIT(0) | BIT(1), 0);
	write_counter(0, -(u64)WORK);
	write_sysreg(PMCR_LC | PMCR_LP | PMCR_E | PMCR_FZO, PMCR_EL0);
	while (!read_sysreg(PMOVSCLR_EL0))
		isb();
	isb();
	value = read_counter(1);
	for (unsigned i = 0; i < 100; i++)
		EXPECT_EQ(read_counter(1), value);
}

TEST(RBHFSF_HPMFZO_freezes_the_second_range, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZO);
	count_everywhere(BIT(0) | BIT(2) | BIT(3), PMCR_E);
	EXPECT(moves(2, 1));
	overflow(3);
	EXPECT(!moves(2, 1));
	EXPECT(!moves(3, 1));
	EXPECT(moves(0, 1));
}

TEST(RBHFSF_first_range_does_not_freeze_the_second, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZO);
	count_everywhere(BIT(0) | BIT(2), PMCR_E | PMCR_FZO);
	overflow(0);
	EXPECT(!moves(0, 1));
	EXPECT(moves(2, 1));
}

TEST(RFGSDP_second_range_does_not_freeze_the_first, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);
	count_everywhere(BIT(0) | BIT(2), PMCR_E | PMCR_FZO);
	overflow(2);
	EXPECT(moves(0, 1));
	EXPECT(moves(2, 1));
}

/* HPMFZO affects nothing but the second range. */
TEST(RBHFSF_HPMFZO_leaves_the_other_counters, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZO);
	count_everywhere(BIT(0) | BIT(2) | BIT(CYCLE_COUNTER) |
			 BIT(INSN_COUNTER), PMCR_E | PMCR_DP);
	overflow(2);
	EXPECT(!moves(2, 1));
	EXPECT(moves(0, 1));
	EXPECT(moves(CYCLE_COUNTER, 1));
	EXPECT(moves(INSN_COUNTER, 1));
	/* FZO is 0. */
	overflow(0);
	EXPECT(moves(0, 1));
	EXPECT(moves(INSN_COUNTER, 1));
}

/* In Secure state without Secure EL2, as anywhere. */
TEST(RBHFSF_applies_when_EL2_is_disabled, lacks_el(3) || lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZO);
	count_everywhere(BIT(0) | BIT(2) | BIT(3), PMCR_E);
	enter_secure(true, false);
	EXPECT(moves(2, 1));
	overflow(3);
	EXPECT(!moves(2, 1));
	EXPECT(moves(0, 1));
	enter_secure(false, false);
}

TEST(RFGSDP_applies_when_EL2_is_disabled, lacks_el(3) || lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);
	count_everywhere(BIT(0) | BIT(1) | BIT(2), PMCR_E | PMCR_FZO);
	enter_secure(true, false);
	overflow(2);
	EXPECT(moves(0, 1));
	overflow(1);
	EXPECT(!moves(0, 1));
	EXPECT(moves(2, 1));
	enter_secure(false, false);
}

/* With HPMN 0 only PMICNTR_EL0 can freeze the first range. */
TEST(RFGSDP_with_HPMN_0, lacks_el(2))
{
	u64 mask = BIT(0) | BIT(CYCLE_COUNTER) | BIT(INSN_COUNTER);

	set_mdcr_el2(MDCR_HPMN(0) | MDCR_EL2_HPME);
	count_everywhere(mask, PMCR_E | PMCR_FZO | PMCR_DP);
	overflow(0);
	EXPECT(moves(0, 1));
	EXPECT(moves(CYCLE_COUNTER, 1));
	EXPECT(moves(INSN_COUNTER, 1));
	overflow(INSN_COUNTER);
	EXPECT(moves(0, 1));
	EXPECT(!moves(CYCLE_COUNTER, 1));
	EXPECT(!moves(INSN_COUNTER, 1));
}

/* FEAT_SPE_DPFZS: frozen with PMCR_EL0.{FZS,DP} {1,1}; without it, never. */
TEST(RHSGZX_DPFZS_freezes_the_cycle_counter_with_DP)
{
	bool dpfzs = FIELD(read_sysreg(id_aa64dfr1_el1), 55, 52);

	write_sysreg(PMBSR_S, PMBSR_EL1);
	set_sysreg(PMBLIMITR_E | PMBLIMITR_PMFZ, PMBLIMITR_EL1);
	for (unsigned i = 0; i < 4; i++) {
		bool fzs = i & 2, dp = i & 1;

		count_everywhere(BIT(0) | BIT(CYCLE_COUNTER),
				 PMCR_E | (fzs ? PMCR_FZS : 0) |
				 (dp ? PMCR_DP : 0));
		EXPECT_EQ(moves(CYCLE_COUNTER, 1), !(dpfzs && fzs && dp));
		EXPECT_EQ(moves(0, 1), !fzs);
	}
	set_sysreg(0, PMBLIMITR_EL1);
	EXPECT(moves(CYCLE_COUNTER, 1));
	set_sysreg(0, PMBSR_EL1);
}

static void stop_spe(bool stopped)
{
	write_sysreg(stopped ? PMBSR_S : 0, PMBSR_EL1);
	set_sysreg(stopped ? PMBLIMITR_E | PMBLIMITR_PMFZ : 0, PMBLIMITR_EL1);
}

/* In Secure state without Secure EL2, as anywhere. */
TEST(RHSGZX_HPMFZS_applies_when_EL2_is_disabled, lacks_el(3) || lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZS);
	count_everywhere(BIT(0) | BIT(2), PMCR_E);
	stop_spe(true);
	enter_secure(true, false);
	EXPECT(!moves(2, 1));
	EXPECT(!moves(2, 0));
	EXPECT(moves(0, 1));
	count_everywhere(BIT(0) | BIT(2), PMCR_E | PMCR_FZS);
	EXPECT(!moves(0, 1));
	stop_spe(false);
	EXPECT(moves(0, 1));
	EXPECT(moves(2, 1));
	enter_secure(false, false);
}

/* The freeze of the second range (HPMFZS) leaves the cycle counter running. */
TEST(RHSGZX_HPMFZS_leaves_the_cycle_counter, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZS |
		     MDCR_EL2_E2PB(3));
	write_sysreg(PMBSR_S, PMBSR_EL1);
	set_sysreg(PMBLIMITR_E | PMBLIMITR_PMFZ, PMBLIMITR_EL1);
	count_everywhere(BIT(0) | BIT(2) | BIT(CYCLE_COUNTER) |
			 BIT(INSN_COUNTER), PMCR_E | PMCR_DP);
	EXPECT(!moves(2, 1));
	EXPECT(moves(0, 1));
	EXPECT(moves(CYCLE_COUNTER, 1));
	EXPECT(moves(INSN_COUNTER, 1));
	write_sysreg(0, PMBLIMITR_EL1);
	set_sysreg(0, PMBSR_EL1);
}
