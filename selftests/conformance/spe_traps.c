/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may access the registers of FEAT_SPE: the fine-grained traps of EL2, the
 * enables of EL3, and PMBIDR_EL1.
 */
#include "lib/fgt.h"
#include "lib/spe.h"

#define REGS(RW, RO, WO)						\
	RW(PMBLIMITR_EL1, 23) RW(PMBPTR_EL1, 24) RW(PMBSR_EL1, 25)	\
	RW(PMSCR_EL1, 26) RW(PMSEVFR_EL1, 27) RW(PMSFCR_EL1, 28)	\
	RW(PMSICR_EL1, 29) RO(PMSIDR_EL1, 30) RW(PMSIRR_EL1, 31)	\
	RW(PMSLATFR_EL1, 32) RW(PMSNEVFR_EL1, 62) RO(PMBIDR_EL1, 63)

FGT_TABLE(REGS)
FGT_BOTH(PMSDSFR_EL1, 0)

ROW_OF(HDFGRTR_EL2_traps_SPE_registers, lacks_spe(2),
       check_fgt(regs, ARRAY_SIZE(regs), false))
ROW_OF(HDFGWTR_EL2_traps_SPE_registers, lacks_spe(2),
       check_fgt(regs, ARRAY_SIZE(regs), true))

static u64 touch_pmsnevfr(u64 unused)
{
	return TRY(read_PMSNEVFR_EL1()) + TRY(write_PMSNEVFR_EL1());
}

TEST(MDCR_EL3_EnPMSN_traps_PMSNEVFR_EL1, lacks_spe(3))
{
	clear_fgt();
	EXPECT_EQ(run_at(1, touch_pmsnevfr, 0), 0);
	change_sysreg(MDCR_EL3, MDCR_EL3_ENPMSN, 0);
	for (unsigned el = 1; el <= 2; el++) {
		EXPECT_EQ(run_at(el, touch_pmsnevfr, 0), 2);
		EXPECT_EQ(trap.el, 3);
	}
	EXPECT_EQ(touch_pmsnevfr(0), 0);
}

static u64 touch_pmsdsfr(u64 unused)
{
	return TRY(read_PMSDSFR_EL1()) + TRY(write_PMSDSFR_EL1());
}

TEST(PMSDSFR_EL1_traps, lacks_spe(1))
{
	u64 fds;

	if (!option("spe-fds", &fds)) {
		/* Not there. */
		EXPECT_EQ(touch_pmsdsfr(0), 2);
		return;
	}
	EXPECT_EQ(touch_pmsdsfr(0), 0);
	if (!have_el(2))
		return;
	set_sysreg(~FGT2_PMSDSFR, HDFGRTR2_EL2);
	EXPECT_EQ(run_at(1, touch_pmsdsfr, 0), 1);
	EXPECT_EQ(trap.el, 2);
	if (highest_el() < 3)
		return;
	change_sysreg(MDCR_EL3, MDCR_EL3_ENPMS3, 0);
	EXPECT_EQ(run_at(2, touch_pmsdsfr, 0), 2);
	EXPECT_EQ(trap.el, 3);
}

static u64 pmbidr_p(u64 unused)
{
	return !!(read_sysreg(PMBIDR_EL1) & PMBIDR_P);
}

/* Owned by a higher level, or by another state; a trap alone is no owner. */
TEST(PMBIDR_EL1_P, lacks_spe(2))
{
	static const u8 p_at_el1[] = { 1, 0, 0, 0 };

	for (unsigned e2pb = 0; e2pb < 4; e2pb++) {
		if (e2pb == 1)	/* reserved */
			continue;
		change_sysreg(MDCR_EL2, MDCR_EL2_E2PB(3), MDCR_EL2_E2PB(e2pb));
		EXPECT_EQ(run_at(1, pmbidr_p, 0), p_at_el1[e2pb]);
		EXPECT_EQ(pmbidr_p(0), 0);
	}
	if (highest_el() < 3)
		return;
	for (unsigned nspb = 0; nspb < 4; nspb++) {
		change_sysreg(MDCR_EL3, MDCR_EL3_NSPB(3), MDCR_EL3_NSPB(nspb));
		EXPECT_EQ(run_at(1, pmbidr_p, 0), nspb < 2);
		EXPECT_EQ(run_at(2, pmbidr_p, 0), nspb < 2);
		EXPECT_EQ(pmbidr_p(0), 0);
	}
}
