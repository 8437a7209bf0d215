/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stage 2 of the owning translation regime: Arm ARM D17.7.3. */
#include "lib/spe.h"
#include "lib/mmu.h"

static u64 write_records(u64 unused)
{
	profile_at(1, 3 * 257);
	return unused;
}

static u64 profile_to(u64 pointer)
{
	spe_start(pointer, SPE_PAGE, 0);
	run_at(1, write_records, 0);
	spe_drain();
	return read_sysreg(PMBSR_EL1);
}

static void expect_written(u64 pointer)
{
	*(volatile u64 *)spe_buffer = 0;
	EXPECT_EQ(profile_to(pointer), 0);
	EXPECT(read_sysreg(PMBPTR_EL1) > pointer);
	EXPECT_NE(*(volatile u64 *)spe_buffer, 0);
}

static void expect_fault(u64 pointer, unsigned ec, unsigned fsc)
{
	profile_to(pointer);
	EXPECT_EVENT(ec, fsc, pointer);
	EXPECT_EQ(read_sysreg(PMBSR_EL1) & (PMBSR_EA | PMBSR_DL), 0);
}

/* Stage 1 is off: the pointers are IPAs. */
TEST(RDQTTB_stage_2_translates, lacks_spe(2))
{
	mmu_enable_stage2(0);
	expect_written(base());
	expect_written(mmu_alias_ipa(base()));
}

TEST(RDQTTB_stage_2_translation_fault, lacks_spe(2))
{
	mmu_enable_stage2(0);
	expect_fault(MMU_UNMAPPED, PMBSR_EC_STAGE2, FSC_TRANSLATION_L1);
}

TEST(RDQTTB_stage_2_permission_fault, lacks_spe(2))
{
	mmu_enable_stage2(0);
	expect_fault(mmu_read_only(base()), PMBSR_EC_STAGE2,
		     FSC_PERMISSION_L1);
}

TEST(RDQTTB_stage_2_access_flag_fault, lacks_spe(2))
{
	mmu_enable_stage2(0);
	expect_fault(mmu_no_access_flag(base()), PMBSR_EC_STAGE2,
		     FSC_ACCESS_FLAG_L1);
}

/* To both pages stage 1 gives Normal memory, to the first stage 2 does not. */
TEST(D17_7_7_stage_2_makes_the_difference,
     lacks_spe(2) || skip_if(property("sync-choice", 0) != 1, "sync-choice"))
{
	u64 edge = mmu_stage2_edge(), align = property("spe-align", 64);

	mmu_enable_el1();
	mmu_enable_stage2(0);
	spe_start(edge - align, align + SPE_PAGE, 0);
	run_at(1, write_records, 0);
	spe_drain();
	EXPECT_EVENT(PMBSR_EC_STAGE2, FSC_ALIGNMENT, edge - align);
}

/* Stage 1 leads to an IPA; its own faults come first. */
TEST(RDQTTB_both_stages, lacks_spe(2))
{
	mmu_enable_el1();
	mmu_enable_stage2(0);
	expect_written(mmu_alias(base()));
	expect_fault(MMU_UNMAPPED, PMBSR_EC_STAGE1, FSC_TRANSLATION_L1);
	expect_fault(mmu_read_only(base()), PMBSR_EC_STAGE1,
		     FSC_PERMISSION_L1);
	mmu_hide_stage2_ram(true);
	expect_fault(mmu_far_alias(base()), PMBSR_EC_STAGE2,
		     FSC_TRANSLATION_L1);
	mmu_hide_stage2_ram(false);
	expect_written(mmu_far_alias(base()));
}

/* The stage 1 walk finds its table in a hole of stage 2. */
TEST(RDQTTB_stage_2_fault_on_a_stage_1_walk, lacks_spe(2))
{
	mmu_enable_el1();
	mmu_enable_stage2(0);
	mmu_hide_stage2_ram(true);
	expect_fault(mmu_by_hidden_table(base()), PMBSR_EC_STAGE2,
		     FSC_TRANSLATION_L1);
}

/* HCR_EL2.DC disables stage 1, whatever SCTLR_EL1.M is, and enables stage 2. */
TEST(RDQTTB_HCR_EL2_DC, lacks_spe(2))
{
	mmu_enable_el1();
	mmu_enable_stage2(HCR_DC);
	expect_written(mmu_alias_ipa(base()));
	expect_fault(MMU_UNMAPPED, PMBSR_EC_STAGE2, FSC_TRANSLATION_L1);
}

TEST(RTDHBH_stage_2_only_with_HCR_EL2_VM, lacks_spe(2))
{
	mmu_enable_stage2(0);
	set_sysreg(HCR_RW, hcr_el2);
	expect_written(base());
	EXPECT(profile_to(mmu_alias_ipa(base())) & PMBSR_EA);
}

/* After the fault is mended: the same pointers, S cleared. */
TEST(RHLXGD_restart_after_a_stage_2_fault, lacks_spe(2))
{
	u64 pointer = mmu_far_alias(base());

	mmu_enable_el1();
	mmu_enable_stage2(0);
	mmu_hide_stage2_ram(true);
	expect_fault(pointer, PMBSR_EC_STAGE2, FSC_TRANSLATION_L1);
	/* The cause was not fixed, so it faults again. */
	set_sysreg(0, PMBSR_EL1);
	run_at(1, write_records, 0);
	spe_drain();
	EXPECT_EQ(PMBSR_EC(read_sysreg(PMBSR_EL1)), PMBSR_EC_STAGE2);
	EXPECT_REG(PMBPTR_EL1, pointer);
	mmu_hide_stage2_ram(false);
	set_sysreg(0, PMBSR_EL1);
	run_at(1, write_records, 0);
	spe_drain();
	EXPECT_PROFILED(pointer);
}
