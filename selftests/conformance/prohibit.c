/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where counting is prohibited: Arm ARM D13.5.4. */
#include "lib/counting.h"

TEST(RWVDWZ_without_EL3_every_state_counts,
     skip_if(highest_el() == 3, "the machine has EL3"))
{
	count_everywhere(BIT(0) | CYCLES | INSNS,
			 PMCR_E | PMCR_DP);
	for (unsigned el = 1; el <= highest_el(); el++) {
		EXPECT_COUNT(el, BIT(0) | CYCLES | INSNS, 0);
	}
}

TEST(RMMZLZ_HPMD_prohibits_the_first_range_at_EL2, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMD);
	count_everywhere(BIT(0) | BIT(2), PMCR_E);
	EXPECT(moves(0, 1));
	EXPECT(!moves(0, 2));
	EXPECT(moves(2, 1));
	EXPECT(moves(2, 2));
}

TEST(RCSRMB_HPMD_prohibits_PMICNTR_at_EL2, lacks_el(2))
{
	count_everywhere(INSNS, PMCR_E);
	EXPECT(moves(INSN_COUNTER, 2));
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPMD);
	EXPECT(!moves(INSN_COUNTER, 2));
	EXPECT(moves(INSN_COUNTER, 1));
}

TEST(RGKPZH_cycle_counter_runs_where_events_are_prohibited, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPMD);
	count_everywhere(CYCLES, PMCR_E);
	EXPECT(moves(CYCLE_COUNTER, 2));
	count_everywhere(CYCLES, PMCR_E | PMCR_DP);
	EXPECT(!moves(CYCLE_COUNTER, 2));
	EXPECT(moves(CYCLE_COUNTER, 1));
}

TEST(RGKPZH_HCCD_stops_the_cycle_counter_at_EL2, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HCCD);
	count_everywhere(CYCLES, PMCR_E);
	EXPECT(!moves(CYCLE_COUNTER, 2));
	EXPECT(moves(CYCLE_COUNTER, 1));
}

/* By the values of MDCR_EL3.{SPME,MPMX}; MDCR_EL2 is for machines with EL2. */
#define ROW(name, unfit, counters, ...)					\
	TEST(name, unfit)						\
	{								\
		static const struct place places[] = { __VA_ARGS__ };	\
									\
		if (have_el(2))						\
			set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);	\
		expect_places(places, ARRAY_SIZE(places), counters,	\
			      set_spme_mpmx);				\
	}

/* At EL3, for both ranges; Non-secure state is not affected. */
ROW(RGNGCW_SPME_and_MPMX_at_EL3, lacks_el(3) || lacks_el(2), BIT(0) | BIT(2),
    { 0, 3, NS, 0x4 }, { 2, 3, NS, 0xc }, { 0, 1, NS, 0xf }, { 2, 1, NS, 0xf })
/* Without EL2 all event counters are in the first range. */
ROW(RGNGCW_SPME_and_MPMX_at_EL3_without_EL2,
    lacks_el(3) || skip_if(have_el(2), "the machine has EL2"), BIT(0) | BIT(1),
    { 0, 3, NS, 0x4 }, { 1, 3, NS, 0x4 }, { 0, 1, NS, 0xf })
ROW(RGNGCW_SPME_and_MPMX_at_Secure_EL0, lacks_el(3), BIT(0),
    { 0, 0, S, 0xe }, { 0, 0, NS, 0xf })
ROW(RGNGCW_SPME_and_MPMX_at_Secure_EL1, lacks_el(3), BIT(0), { 0, 1, S, 0xe })
/* {1,1} lets PMICNTR count at EL3, as EL2 is implemented here. */
ROW(RCSRMB_PMICNTR_at_EL3, lacks_el(3) || lacks_el(2), INSNS,
    { INSN_COUNTER, 3, NS, 0xc }, { INSN_COUNTER, 1, NS, 0xf })
ROW(RCSRMB_PMICNTR_at_EL3_without_EL2,
    lacks_el(3) || skip_if(have_el(2), "the machine has EL2"), INSNS,
    { INSN_COUNTER, 3, NS, 0x4 }, { INSN_COUNTER, 1, NS, 0xf })
ROW(RCSRMB_PMICNTR_in_Secure_state, lacks_el(3), INSNS,
    { INSN_COUNTER, 1, S, 0xe }, { INSN_COUNTER, 0, S, 0xe })
/* PMCR.DP: the cycle counter stops where the first range is prohibited. */
ROW(RGKPZH_DP_stops_the_cycle_counter_at_EL3, lacks_el(3), CYCLES,
    { CYCLE_COUNTER, 3, NS, 0x4, PMCR_DP },
    { CYCLE_COUNTER, 1, NS, 0xf, PMCR_DP }, { CYCLE_COUNTER, 3, NS, 0xf })
ROW(RGKPZH_DP_stops_the_cycle_counter_in_Secure_state, lacks_el(3), CYCLES,
    { CYCLE_COUNTER, 1, S, 0xe, PMCR_DP },
    { CYCLE_COUNTER, 0, S, 0xe, PMCR_DP }, { CYCLE_COUNTER, 1, S, 0xf })

/* Counting at Secure EL2 needs permission for Secure state and for EL2. */
TEST(RMMZLZ_Secure_EL2_takes_both_permissions, lacks_el(3) || lacks_el(2))
{
	count_everywhere(BIT(0) | BIT(2) | INSNS, PMCR_E);
	for (unsigned i = 0; i < 4; i++) {
		bool secure = i & 2, hpmd = i & 1;

		set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME |
			     (hpmd ? MDCR_EL2_HPMD : 0));
		set_mdcr_el3(MDCR_EL3_SPME | MDCR_EL3_MPMX,
			     secure ? MDCR_EL3_SPME : 0);
		EXPECT_EQ(moves_secure(0, 2, true), secure && !hpmd);
		EXPECT_EQ(moves_secure(2, 2, true), secure);
		EXPECT_EQ(moves_secure(INSN_COUNTER, 2, true), secure && !hpmd);
	}
}

/* The Note: HPMN 0 leaves no event counter in the first range. */
TEST(RGKPZH_DP_with_HPMN_0, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(0) | MDCR_EL2_HPMD);
	count_everywhere(CYCLES, PMCR_E | PMCR_DP);
	EXPECT(!moves(CYCLE_COUNTER, 2));
	EXPECT(moves(CYCLE_COUNTER, 1));
}

TEST(RGKPZH_SCCD_stops_the_cycle_counter_in_Secure_state, lacks_el(3))
{
	count_everywhere(CYCLES, PMCR_E);
	for (unsigned i = 0; i < 4; i++) {
		bool sccd = i & 2;

		set_mdcr_el3(MDCR_EL3_SCCD | MDCR_EL3_MCCD,
			     (sccd ? MDCR_EL3_SCCD : 0) |
			     (i & 1 ? MDCR_EL3_MCCD : 0));
		EXPECT_EQ(moves_secure(CYCLE_COUNTER, 1, false), !sccd);
		EXPECT_EQ(moves_secure(CYCLE_COUNTER, 0, false), !sccd);
		EXPECT(moves(CYCLE_COUNTER, 1));
		EXPECT_EQ(moves(CYCLE_COUNTER, 3), i == 0);
	}
}

TEST(RGKPZH_SCCD_and_MCCD_stop_the_cycle_counter_at_EL3, lacks_el(3))
{
	count_everywhere(CYCLES, PMCR_E);
	EXPECT(moves(CYCLE_COUNTER, 3));
	set_mdcr_el3(0, MDCR_EL3_SCCD);
	EXPECT(!moves(CYCLE_COUNTER, 3));
	EXPECT(moves(CYCLE_COUNTER, 1));
	set_mdcr_el3(MDCR_EL3_SCCD, MDCR_EL3_MCCD);
	EXPECT(!moves(CYCLE_COUNTER, 3));
	EXPECT(moves(CYCLE_COUNTER, 1));
}

static u64 write_and_read(u64 value)
{
	write_counter(0, value);
	return read_counter(0);
}

TEST(RTDGMF_prohibited_counters_stay_accessible, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(event_counters()) | MDCR_EL2_HPMD);
	count_everywhere(BIT(0), PMCR_E);
	EXPECT_EQ(run_at(2, write_and_read, 77), 77);
}
