/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the SPU writes to PMBSR_EL1: when software sees it, and an External abort
 * that is no management event.
 */
#include "lib/spe.h"

/* PMBIRQ is PPI 5, INTID 21. */
#define GICR_ISPENDR0 (*(volatile u32 *)0x080b0200)
#define PMBIRQ BIT(21)

static bool lacks(const char *property)
{
	u64 value = 0;

	if (have_spe() && option(property, &value) && value)
		return false;
	skip(property);
	return true;
}

/* Records are counted from reset, so this test must be the first. */
TEST(D17_7_4_EA_without_S, lacks("spe-abort-quiet"))
{
	spe_setup(base(), BUFFER_SIZE, 0);
	spe_interval(1, false);
	profile_at(1, 20 * 257);
	EXPECT_REG(PMBSR_EL1, PMBSR_EA);
	EXPECT(read_sysreg(PMBPTR_EL1) > base() + 10 * max_size());
	EXPECT(!(GICR_ISPENDR0 & PMBIRQ));
}

static void expect_unseen(void)
{
	EXPECT_REG(PMBSR_EL1, 0);
}

/* No exception comes meanwhile, which would be a synchronization event, too. */
TEST(D17_7_PMBSR_EL1_needs_a_PSB_and_then_an_ISB, lacks("spe-late"))
{
	spe_setup(base(), SPE_PAGE, 0);
	spe_interval(1, false);
	spe_enable();
	run_loop(100 * 257);
	spe_disable();
	EXPECT(GICR_ISPENDR0 & PMBIRQ);
	expect_unseen();
	isb();
	expect_unseen();
	asm volatile("hint #17" : : : "memory");
	expect_unseen();
	isb();
	EXPECT_EQ(read_sysreg(PMBSR_EL1) & ~PMBSR_COLL, PMBSR_S | 1);
}

TEST(D17_7_a_write_of_PMBSR_EL1_is_seen, lacks("spe-late"))
{
	spe_setup(base(), SPE_PAGE, 0);
	spe_interval(1, false);
	spe_enable();
	run_loop(100 * 257);
	spe_disable();
	write_sysreg(PMBSR_COLL, PMBSR_EL1);
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL);
	spe_drain();
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL);
}
