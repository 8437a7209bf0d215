/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU without FEAT_PMUv3p7, as pmss=off leaves it or an older type of CPU has
 * it: rules of Arm ARM D13.5.4 that later versions of the PMU replace.
 */
#include "lib/counting.h"

/* FEAT_Debugv8p2 replaced the rule RJRYNM by RJDWFF. */
static bool has_debugv8p2(void)
{
	return FIELD(read_sysreg(id_aa64dfr0_el1), 3, 0) >= 8;
}

static unsigned pmu_version(void)
{
	return FIELD(read_sysreg(id_aa64dfr0_el1), 11, 8);
}

/* All counters of the first range: HPMN is their number, and MPMX is RES0. */
static void check_secure_state(void)
{
	bool sel2 = FIELD(read_sysreg(id_aa64pfr0_el1), 39, 36);

	EXPECT(pmu_version() < 7);
	if (have_el(2))
		set_mdcr_el2(MDCR_HPMN(event_counters()));
	count_everywhere(BIT(0), PMCR_E);
	for (unsigned i = 0; i < 4; i++) {
		bool spme = i & 2;

		set_mdcr_el3(MDCR_EL3_SPME | MDCR_EL3_MPMX,
			     (spme ? MDCR_EL3_SPME : 0) |
			     (i & 1 ? MDCR_EL3_MPMX : 0));
		EXPECT_EQ(moves(0, 3), spme);
		for (unsigned eel2 = 0; eel2 <= sel2; eel2++) {
			enter_secure(true, eel2);
			EXPECT_EQ(moves(0, 3), spme);
			EXPECT_EQ(moves(0, 1), spme);
			EXPECT_EQ(moves(0, 0), spme);
			if (eel2)
				EXPECT_EQ(moves(0, 2), spme);
		}
		enter_secure(false, false);
		EXPECT(moves(0, 1));
		EXPECT(moves(0, 0));
	}
}

static void check_suniden(void)
{
	if (have_el(2))
		set_mdcr_el2(MDCR_HPMN(event_counters()));
	set_mdcr_el3(MDCR_EL3_SPME, 0);
	count_everywhere(BIT(0), PMCR_E);
	for (unsigned on = 0; on < 2; on++) {
		set_sysreg(on ? SUNIDEN : 0, SDER32_EL3);
		EXPECT_EQ(counts_below_aarch32(0, 0), on);
		EXPECT(!counts_below_aarch32(1, 0));
		/* It has no effect with an AArch64 EL1. */
		EXPECT(!moves_secure(0, 0, false));
	}
	set_sysreg(0, SDER32_EL3);
}

static bool lacks_debugv8p2(bool wanted)
{
	return lacks_el(3) ||
	       skip_if(has_debugv8p2() != wanted, "FEAT_Debugv8p2, or not");
}

ROW_OF(RJRYNM_SPME_permits_counting_in_Secure_state, lacks_debugv8p2(false),
       check_secure_state())
ROW_OF(RJDWFF_SPME_permits_counting_in_Secure_state, lacks_debugv8p2(true),
       check_secure_state())
ROW_OF(RJRYNM_SUNIDEN_permits_counting_at_EL0, lacks_debugv8p2(false),
       check_suniden())
ROW_OF(RJDWFF_SUNIDEN_permits_counting_at_EL0, lacks_debugv8p2(true),
       check_suniden())

/* PMCR.DP, with the cycle counter in use. */
TEST(RGKPZH_DP_before_FEAT_PMUv3p7, lacks_el(3))
{
	for (unsigned i = 0; i < 4; i++) {
		bool spme = i & 2, dp = i & 1;

		set_mdcr_el3(MDCR_EL3_SPME, spme ? MDCR_EL3_SPME : 0);
		count_everywhere(CYCLES,
				 PMCR_E | (dp ? PMCR_DP : 0));
		EXPECT_EQ(moves_secure(CYCLE_COUNTER, 1, false), spme || !dp);
		EXPECT(moves(CYCLE_COUNTER, 1));
	}
}

/* HDCR.HPMN, and HPME for what it leaves, in all states. */
TEST(IQKDTZ_HPMN_before_FEAT_PMUv3p7, lacks_el(2))
{
	for (unsigned i = 0; i < 4; i++) {
		bool e = i & 2, hpme = i & 1;

		set_mdcr_el2(MDCR_HPMN(2) | (hpme ? MDCR_EL2_HPME : 0));
		count_everywhere(BIT(0) | BIT(2), e ? PMCR_E : 0);
		for (unsigned secure = 0; secure <= have_el(3); secure++) {
			if (secure)
				enter_secure(true, false);
			EXPECT_EQ(moves(0, 1), e);
			EXPECT_EQ(moves(2, 1), hpme);
		}
		if (have_el(3))
			enter_secure(false, false);
	}
}

TEST(RMMZLZ_HPMD_needs_FEAT_PMUv3p1, lacks_el(2))
{
	bool v3p1 = pmu_version() >= 4;

	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMD);
	count_everywhere(BIT(0) | BIT(2), PMCR_E);
	EXPECT_EQ(moves(0, 2), !v3p1);
	EXPECT(moves(2, 2));
	EXPECT(moves(0, 1));
}

TEST(RFGSDP_FZO_needs_FEAT_PMUv3p7)
{
	count_everywhere(BIT(0), PMCR_E | PMCR_FZO);
	EXPECT_EQ(read_sysreg(PMCR_EL0) & PMCR_FZO, 0);
	overflow(0);
	EXPECT(moves(0, 1));
}

TEST(PMSSCR_EL1_needs_FEAT_PMUv3_SS)
{
	EXPECT_EQ(FIELD(read_sysreg(id_aa64dfr0_el1), 19, 16), 0);
	EXPECT_EQ(TRY((void)read_sysreg(PMSSCR_EL1)), 1);
	EXPECT_EQ(ESR_EC(trap.esr), EC_UNKNOWN);
	EXPECT_EQ(TRY((void)read_saved(0)), 1);
	EXPECT_EQ(TRY((void)read_sysreg(PMCCNTSVR_EL1)), 1);
	EXPECT_EQ(TRY((void)read_sysreg(PMECR_EL1)), 1);
}
