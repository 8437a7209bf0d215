/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Freezing counters on overflow: Arm ARM D13.5.2.1; and of the freezing on an
 * SPE management event, which buffer.c checks, what concerns the cycle counter.
 */
#include "lib/counting.h"

struct step {
	u64 overflow;		/* flags that are set first */
	u64 moving, still;	/* counters, then, at EL1 */
};

static void check(u64 mdcr_el2, bool secure, u64 counters, u64 pmcr,
		  const struct step *steps, unsigned count)
{
	if (mdcr_el2)
		set_mdcr_el2(mdcr_el2);
	count_everywhere(counters, pmcr);
	if (secure)
		enter_secure(true, false);
	for (unsigned i = 0; i < count; i++) {
		set_sysreg(steps[i].overflow, PMOVSSET_EL0);
		if (!EXPECT_COUNT(1, steps[i].moving, steps[i].still))
			note("step %u", i);
	}
}

#define ROW_AT(name, unfit, mdcr_el2, secure, counters, pmcr, ...)	\
	TEST(name, unfit)						\
	{								\
		static const struct step steps[] = { __VA_ARGS__ };	\
									\
		check(mdcr_el2, secure, counters, pmcr, steps,		\
		      ARRAY_SIZE(steps));				\
	}
#define ROW(name, counters, pmcr, ...)					\
	ROW_AT(name, false, 0, false, counters, pmcr, __VA_ARGS__)
#define ROW_EL2(name, mdcr_el2, counters, pmcr, ...)			\
	ROW_AT(name, lacks_el(2), mdcr_el2, false, counters, pmcr, __VA_ARGS__)
/* In Secure state without Secure EL2. */
#define ROW_SECURE(name, mdcr_el2, counters, pmcr, ...)			\
	ROW_AT(name, lacks_el(3) || lacks_el(2), mdcr_el2, true, counters, \
	       pmcr, __VA_ARGS__)

/* The last row: PMCR.DP is 0. */
ROW(RFGSDP_FZO_freezes_the_first_range,
    BIT(0) | BIT(1) | CYCLES | INSNS, PMCR_E | PMCR_FZO,
    { 0, BIT(0), 0 },
    { BIT(1), CYCLES, BIT(0) | BIT(1) | INSNS })
ROW(RFGSDP_FZO_freezes_the_cycle_counter_with_DP,
    BIT(0) | CYCLES, PMCR_E | PMCR_FZO | PMCR_DP,
    { 0, CYCLES, 0 }, { BIT(0), 0, CYCLES })
ROW(RFGSDP_overflow_of_PMICNTR_freezes,
    BIT(0) | INSNS, PMCR_E | PMCR_FZO, { INSNS, 0, BIT(0) })
ROW(RFGSDP_overflow_of_PMCCNTR_does_not_freeze,
    BIT(0) | CYCLES, PMCR_E | PMCR_FZO, { CYCLES, BIT(0) | CYCLES, 0 })
ROW(RFGSDP_without_FZO_nothing_freezes,
    BIT(0) | BIT(1), PMCR_E, { BIT(1), BIT(0) | BIT(1), 0 })

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
	EXPECT_COUNT(1, 0, BIT(0) | BIT(1));
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

#define HPME	 (MDCR_HPMN(2) | MDCR_EL2_HPME)
#define HPMFZO	 (HPME | MDCR_EL2_HPMFZO)

ROW_EL2(RBHFSF_HPMFZO_freezes_the_second_range,
	HPMFZO, BIT(0) | BIT(2) | BIT(3), PMCR_E,
	{ 0, BIT(2), 0 }, { BIT(3), BIT(0), BIT(2) | BIT(3) })
ROW_EL2(RBHFSF_first_range_does_not_freeze_the_second,
	HPMFZO, BIT(0) | BIT(2), PMCR_E | PMCR_FZO, { BIT(0), BIT(2), BIT(0) })
ROW_EL2(RBHFSF_PMICNTR_does_not_freeze_the_second_range,
	HPMFZO, BIT(0) | BIT(2) | CYCLES, PMCR_E | PMCR_FZO,
	{ INSNS, BIT(2), BIT(0) }, { CYCLES, BIT(2), BIT(0) })
ROW_EL2(RFGSDP_second_range_does_not_freeze_the_first,
	HPME, BIT(0) | BIT(2), PMCR_E | PMCR_FZO, { BIT(2), BIT(0) | BIT(2), 0 })
/* HPMFZO affects nothing but the second range; FZO is 0. */
ROW_EL2(RBHFSF_HPMFZO_leaves_the_other_counters,
	HPMFZO, BIT(0) | BIT(2) | CYCLES | INSNS, PMCR_E | PMCR_DP,
	{ BIT(2), BIT(0) | CYCLES | INSNS, BIT(2) },
	{ BIT(0), BIT(0) | INSNS, 0 })
ROW_SECURE(RBHFSF_applies_when_EL2_is_disabled,
	   HPMFZO, BIT(0) | BIT(2) | BIT(3), PMCR_E,
	   { 0, BIT(2), 0 }, { BIT(3), BIT(0), BIT(2) })
ROW_SECURE(RFGSDP_applies_when_EL2_is_disabled,
	   HPME, BIT(0) | BIT(1) | BIT(2), PMCR_E | PMCR_FZO,
	   { BIT(2), BIT(0), 0 }, { BIT(1), BIT(2), BIT(0) })
/* With HPMN 0 only PMICNTR_EL0 can freeze the first range. */
ROW_EL2(RFGSDP_with_HPMN_0,
	MDCR_HPMN(0) | MDCR_EL2_HPME, BIT(0) | CYCLES | INSNS,
	PMCR_E | PMCR_FZO | PMCR_DP,
	{ BIT(0), BIT(0) | CYCLES | INSNS, 0 },
	{ INSNS, BIT(0), CYCLES | INSNS })

static void stop_spe(bool stopped)
{
	write_sysreg(stopped ? PMBSR_S : 0, PMBSR_EL1);
	set_sysreg(stopped ? PMBLIMITR_E | PMBLIMITR_PMFZ : 0, PMBLIMITR_EL1);
}

/* FEAT_SPE_DPFZS: frozen with PMCR_EL0.{FZS,DP} {1,1}; without it, never. */
TEST(RHSGZX_DPFZS_freezes_the_cycle_counter_with_DP)
{
	bool dpfzs = FIELD(read_sysreg(id_aa64dfr1_el1), 55, 52);

	stop_spe(true);
	for (unsigned i = 0; i < 4; i++) {
		bool fzs = i & 2, dp = i & 1;

		count_everywhere(BIT(0) | CYCLES,
				 PMCR_E | (fzs ? PMCR_FZS : 0) |
				 (dp ? PMCR_DP : 0));
		EXPECT_EQ(moves(CYCLE_COUNTER, 1), !(dpfzs && fzs && dp));
		EXPECT_EQ(moves(0, 1), !fzs);
	}
	set_sysreg(0, PMBLIMITR_EL1);
	EXPECT(moves(CYCLE_COUNTER, 1));
}

/* In Secure state without Secure EL2, as anywhere. */
TEST(RHSGZX_HPMFZS_applies_when_EL2_is_disabled, lacks_el(3) || lacks_el(2))
{
	set_mdcr_el2(HPME | MDCR_EL2_HPMFZS);
	count_everywhere(BIT(0) | BIT(2), PMCR_E);
	stop_spe(true);
	enter_secure(true, false);
	EXPECT(!moves(2, 1));
	EXPECT(!moves(2, 0));
	EXPECT(moves(0, 1));
	count_everywhere(BIT(0) | BIT(2), PMCR_E | PMCR_FZS);
	EXPECT(!moves(0, 1));
	stop_spe(false);
	EXPECT_COUNT(1, BIT(0) | BIT(2), 0);
}

/* The freeze of the second range (HPMFZS) leaves the cycle counter running. */
TEST(RHSGZX_HPMFZS_leaves_the_cycle_counter, lacks_el(2))
{
	set_mdcr_el2(HPME | MDCR_EL2_HPMFZS | MDCR_EL2_E2PB(3));
	stop_spe(true);
	count_everywhere(BIT(0) | BIT(2) | CYCLES | INSNS, PMCR_E | PMCR_DP);
	EXPECT_COUNT(1, BIT(0) | CYCLES | INSNS, BIT(2));
}
