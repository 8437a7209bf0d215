/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU without FEAT_PMUv3p7, as pmss=off leaves it: rules of Arm ARM
 * D13.5.4 that later versions of the PMU replace.
 */
#include "lib/counting.h"

TEST(RJDWFF_SPME_permits_counting_in_Secure_state)
{
	if (lacks_el(3))
		return;
	EXPECT(FIELD(read_sysreg(id_aa64dfr0_el1), 11, 8) < 7);
	count_everywhere(BIT(0), PMCR_E);
	for (unsigned i = 0; i < 4; i++) {
		bool spme = i & 2;

		/* MPMX is RES0. */
		set_mdcr_el3(MDCR_EL3_SPME | MDCR_EL3_MPMX,
			     (spme ? MDCR_EL3_SPME : 0) |
			     (i & 1 ? MDCR_EL3_MPMX : 0));
		EXPECT_EQ(moves(0, 3), spme);
		/* QEMU's own PMU loses HPMN where EL2 is disabled. */
		enter_secure(true, true);
		EXPECT_EQ(moves(0, 1), spme);
		enter_secure(false, false);
		EXPECT(moves(0, 1));
	}
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
