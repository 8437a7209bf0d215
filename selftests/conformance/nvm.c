/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_SPE_nVM: a Profiling Buffer in physical or intermediate physical
 * memory, Arm ARM D17.7.2.
 */
#include "lib/counting.h"
#include "lib/spe.h"
#include "lib/mmu.h"

/* OAMax of RQJNFT: FEAT_D128 is not implemented. */
#define OAMAX_LPA	 51
#define OAMAX		 47

#define FSC_ADDRESS_SIZE_L0 0x00

static bool lacks_nvm(unsigned el)
{
	return lacks_spe(el) ||
	       skip_if(!ID_AA64DFR2_SPE_NVM(read_sysreg(ID_AA64DFR2_EL1)),
		       "no FEAT_SPE_nVM");
}

static unsigned pa_bits(void)
{
	static const u8 bits[] = { 32, 36, 40, 42, 44, 48, 52, 56 };

	return bits[FIELD(read_sysreg(id_aa64mmfr0_el1), 2, 0)];
}

static void set_envm(bool on)
{
	if (have_el(2))
		set_sysreg(on ? PMSCR_ENVM : 0, PMSCR_EL2);
}

/* Two records, at EL1; the tests with EL2 keep PMSCR_EL2. */
static u64 write_records(u64 unused)
{
	set_sysreg(PMSCR_E1SPE, PMSCR_EL1);
	for (unsigned i = 0; i < 400; i++)
		asm volatile("");
	set_sysreg(0, PMSCR_EL1);
	spe_drain();
	return 0;
}

/* PMBSR_EL1 after some records at that pointer. */
static u64 profile_to(u64 pointer, u64 pmblimitr_bits)
{
	u64 envm = have_el(2) ? read_sysreg(PMSCR_EL2) & PMSCR_ENVM : 0;

	spe_start(pointer, SPE_PAGE, pmblimitr_bits);
	if (have_el(2))
		set_sysreg(envm, PMSCR_EL2);
	run_at(1, write_records, 0);
	spe_drain();
	return read_sysreg(PMBSR_EL1);
}

static void expect_written(u64 pointer, u64 pmblimitr_bits)
{
	*(volatile u64 *)spe_buffer = 0;
	EXPECT_EQ(profile_to(pointer, pmblimitr_bits), 0);
	EXPECT(read_sysreg(PMBPTR_EL1) > pointer);
	EXPECT_NE(*(volatile u64 *)spe_buffer, 0);
}

static void expect_fault(u64 pointer, u64 pmblimitr_bits, unsigned ec,
			 unsigned fsc)
{
	profile_to(pointer, pmblimitr_bits);
	EXPECT_EVENT(ec, fsc, pointer);
}

TEST(RSDWFC_PMBMAR_EL1_fields, lacks_nvm(1))
{
	write_sysreg(~0UL, PMBMAR_EL1);
	EXPECT_REG(PMBMAR_EL1, 0x3ff);
	write_sysreg(0, PMBMAR_EL1);
	EXPECT_REG(PMBMAR_EL1, 0);
}

TEST(RSDWFC_each_memory_type, lacks_nvm(1))
{
	/* Device, Normal Non-cacheable, Write-Through, Write-Back */
	static const u8 attr[] = { 0x00, 0x04, 0x0c, 0x44, 0xbb, 0xff };
	static const u8 sh[] = { 0, 2, 3 };

	set_envm(true);
	for (unsigned i = 0; i < ARRAY_SIZE(attr); i++)
		for (unsigned j = 0; j < ARRAY_SIZE(sh); j++) {
			write_sysreg(attr[i] | sh[j] << 8, PMBMAR_EL1);
			expect_written(base(), PMBLIMITR_NVM);
		}
}

TEST(IJXFJK_nVM_selects_the_kind_of_address, lacks_nvm(1))
{
	set_envm(true);
	mmu_enable_el1();
	/* The alias is only virtual: there is no memory at this address. */
	expect_written(mmu_alias(base()), 0);
	EXPECT(profile_to(mmu_alias(base()), PMBLIMITR_NVM) & PMBSR_EA);
	expect_written(base(), PMBLIMITR_NVM);
}

TEST(IFRCPH_SCTLR_M_and_C_are_ignored, lacks_nvm(1))
{
	set_envm(true);
	mmu_enable_el1();
	mmu_hide_alias(true);
	expect_fault(mmu_alias(base()), 0, PMBSR_EC_STAGE1,
		     FSC_TRANSLATION_L1);
	mmu_hide_alias(false);
	/* Mapped by stage 1 only; and mapped nowhere else. */
	expect_written(base(), PMBLIMITR_NVM);
	EXPECT(profile_to(mmu_alias(base()), PMBLIMITR_NVM) & PMBSR_EA);
	change_sysreg(sctlr_el1, 0, BIT(2));
	expect_written(base(), PMBLIMITR_NVM);
	EXPECT(profile_to(mmu_alias(base()), PMBLIMITR_NVM) & PMBSR_EA);
	mmu_disable_el1();
	change_sysreg(sctlr_el1, BIT(2), 0);
	expect_written(base(), PMBLIMITR_NVM);
}

TEST(RPSLVX_EnVM_0_makes_the_Effective_nVM_0, lacks_nvm(2))
{
	mmu_enable_el1();
	set_envm(false);
	expect_written(mmu_alias(base()), PMBLIMITR_NVM);
	set_envm(true);
	EXPECT(profile_to(mmu_alias(base()), PMBLIMITR_NVM) & PMBSR_EA);
}

TEST(RPSLVX_EnVM_has_no_effect_when_EL2_owns, lacks_nvm(2))
{
	own_buffer(2);
	set_envm(false);
	mmu_enable_el2(false);
	expect_written(mmu_alias_el2(base()), 0);
	EXPECT(profile_to(mmu_alias_el2(base()), PMBLIMITR_NVM) & PMBSR_EA);
	expect_written(base(), PMBLIMITR_NVM);
}

/* Memory of QEMU's virt machine that is in the Secure address space only. */
#define SECURE_RAM 0x0e000000UL

static void own_secure(bool secure, bool eel2)
{
	enter_secure(secure, eel2);
	change_sysreg(MDCR_EL3, MDCR_EL3_NSPB(3),
		      MDCR_EL3_NSPB(secure ? 1 : 3));
}

/* Secure state without EL2: EnVM has no effect either. */
TEST(RPSLVX_EnVM_has_no_effect_with_EL2_disabled, lacks_nvm(3) || lacks_el(2))
{
	own_secure(true, false);
	set_envm(false);
	mmu_enable_el1();
	EXPECT(profile_to(mmu_alias(base()), PMBLIMITR_NVM) & PMBSR_EA);
	/* RRPSLW: a physical address in the owning Security state. */
	expect_written(base(), PMBLIMITR_NVM);
}

TEST(RRPSLW_intermediate_physical_addresses, lacks_nvm(2))
{
	set_envm(true);
	mmu_enable_stage2(0);
	expect_written(mmu_alias_ipa(base()), PMBLIMITR_NVM);
	expect_fault(MMU_UNMAPPED, PMBLIMITR_NVM, PMBSR_EC_STAGE2,
		     FSC_TRANSLATION_L1);
	expect_fault(mmu_read_only(base()), PMBLIMITR_NVM, PMBSR_EC_STAGE2,
		     FSC_PERMISSION_L1);
	mmu_disable_stage2();
	/* Now a physical address, at which nothing is. */
	EXPECT(profile_to(mmu_alias_ipa(base()), PMBLIMITR_NVM) & PMBSR_EA);
}

/* The records are written at EL1, or at EL3 if that drains them. */
static bool written_to_secure_ram(bool drain_at_el3)
{
	*(volatile u64 *)SECURE_RAM = 0;
	if (drain_at_el3) {
		spe_start(SECURE_RAM, SPE_PAGE, PMBLIMITR_NVM);
		if (have_el(2))
			write_sysreg(PMSCR_ENVM, PMSCR_EL2);
		set_sysreg(PMSCR_E1SPE, PMSCR_EL1);
		run_at(1, run_loop, 300);
		spe_drain();
		set_sysreg(0, PMSCR_EL1);
	} else {
		profile_to(SECURE_RAM, PMBLIMITR_NVM);
	}
	if (read_sysreg(PMBSR_EL1) & PMBSR_EA)
		return false;
	EXPECT_PROFILED(SECURE_RAM);
	EXPECT_NE(*(volatile u64 *)SECURE_RAM, 0);
	return true;
}

/* The address is one of the owning Security state. */
TEST(RRPSLW_physical_address_space, lacks_nvm(3))
{
	set_envm(true);
	for (unsigned at_el3 = 0; at_el3 < 2; at_el3++) {
		own_secure(false, false);
		EXPECT(!written_to_secure_ram(at_el3));
		own_secure(true, false);
		EXPECT(written_to_secure_ram(at_el3));
		if (!have_el(2))
			continue;
		own_secure(true, true);
		EXPECT(written_to_secure_ram(at_el3));
		/* The same of a buffer that EL2 owns. */
		own_buffer(2);
		EXPECT(written_to_secure_ram(at_el3));
		own_secure(false, true);
		EXPECT(!written_to_secure_ram(at_el3));
		own_buffer(1);
	}
}

/* VSTCR_EL2 decides where a Secure IPA leads. */
TEST(RDQTTB_stage_2_of_Secure_state, lacks_nvm(3) || lacks_el(2))
{
	set_envm(true);
	own_secure(true, true);
	mmu_enable_secure_stage2(0);
	EXPECT(written_to_secure_ram(false));
	EXPECT(written_to_secure_ram(true));
	/* An IPA that stage 2 maps to another address, and an unmapped one. */
	expect_written(mmu_alias_ipa(base()), PMBLIMITR_NVM);
	expect_fault(MMU_UNMAPPED, PMBLIMITR_NVM, PMBSR_EC_STAGE2,
		     FSC_TRANSLATION_L1);
	mmu_enable_secure_stage2(VSTCR_SA);
	EXPECT(!written_to_secure_ram(false));
	expect_written(mmu_alias_ipa(base()), PMBLIMITR_NVM);
	mmu_enable_secure_stage2(VSTCR_SA | VSTCR_SW);
	EXPECT(!written_to_secure_ram(false));
	mmu_disable_stage2();
	/* Stage 2 is off: a Secure physical address. */
	EXPECT(written_to_secure_ram(false));
}

TEST(RRPSLW_stage_2_is_not_for_an_owner_EL2, lacks_nvm(2))
{
	own_buffer(2);
	mmu_enable_stage2(0);
	EXPECT(profile_to(mmu_alias_ipa(base()), PMBLIMITR_NVM) & PMBSR_EA);
	expect_written(base(), PMBLIMITR_NVM);
}

TEST(RQJNFT_address_beyond_the_PA_size, lacks_nvm(1))
{
	u64 mmfr0 = read_sysreg(id_aa64mmfr0_el1);
	unsigned oamax = FIELD(mmfr0, 2, 0) >= 6 ? OAMAX_LPA : OAMAX;

	set_envm(true);
	/* At the largest PA size none is beyond, and all bits are of the address. */
	EXPECT(profile_to(base() | BIT(pa_bits() - 1), PMBLIMITR_NVM) & PMBSR_EA);
	for (unsigned bit = pa_bits(); bit <= oamax; bit++)
		expect_fault(base() | BIT(bit), PMBLIMITR_NVM,
			     PMBSR_EC_STAGE1, FSC_ADDRESS_SIZE_L0);
	expect_written(base(), PMBLIMITR_NVM);
}

/* One of two behaviors is permitted; the model takes the fault. */
TEST(RXBFCM_bits_beyond_OAMax, lacks_nvm(1))
{
	set_envm(true);
	for (unsigned bit = OAMAX_LPA + 1; bit < 64; bit++)
		expect_fault(base() | BIT(bit), PMBLIMITR_NVM,
			     PMBSR_EC_STAGE1, FSC_ADDRESS_SIZE_L0);
}

/* As MDCR_EL2 is; PMSCR_EL2 is not of FEAT_SPE_nVM, but here are such machines. */
TEST(PMSCR_EL2_is_RES0_without_EL2,
     lacks_spe(3) || skip_if(have_el(2), "has EL2"))
{
	u64 value = ~0UL;

	EXPECT_EQ(TRY(write_sysreg(~0UL, PMSCR_EL2)), 0);
	EXPECT_EQ(TRY(value = read_sysreg(PMSCR_EL2)), 0);
	EXPECT_EQ(value, 0);
	EXPECT_REG(MDCR_EL2, 0);
}

TEST(PMBIDR_EL1_AddrMode, lacks_nvm(1))
{
	set_envm(true);
	EXPECT_EQ(PMBIDR_ADDRMODE(read_sysreg(PMBIDR_EL1)), 1);
}

static u64 read_pmbidr(u64 unused)
{
	return read_sysreg(PMBIDR_EL1);
}

TEST(PMBIDR_EL1_AddrMode_at_EL1, lacks_nvm(2))
{
	set_envm(true);
	EXPECT_EQ(PMBIDR_ADDRMODE(run_at(1, read_pmbidr, 0)), 1);
	set_envm(false);
	EXPECT_EQ(PMBIDR_ADDRMODE(run_at(1, read_pmbidr, 0)), 0);
	own_buffer(2);
	EXPECT_EQ(PMBIDR_ADDRMODE(run_at(1, read_pmbidr, 0)), 0);
	EXPECT(run_at(1, read_pmbidr, 0) & PMBIDR_P);
}

static u64 touch_pmbmar(u64 unused)
{
	return TRY((void)read_sysreg(PMBMAR_EL1)) +
	       (TRY(write_sysreg(0, PMBMAR_EL1)) << 1);
}

TEST(PMBMAR_EL1_traps_to_EL2,
     lacks_nvm(2) || !FIELD(read_sysreg(id_aa64dfr0_el1), 19, 16))
{
	EXPECT_EQ(run_at(1, touch_pmbmar, 0), 0);
	set_sysreg(~FGT2_PMBMAR, HDFGRTR2_EL2);
	EXPECT_EQ(run_at(1, touch_pmbmar, 0), 1);
	EXPECT_EQ(touch_pmbmar(0), 0);
	write_sysreg(~0UL, HDFGRTR2_EL2);
	set_sysreg(~FGT2_PMBMAR, HDFGWTR2_EL2);
	EXPECT_EQ(run_at(1, touch_pmbmar, 0), 2);
	EXPECT_EQ(trap.el, 2);
	write_sysreg(~0UL, HDFGWTR2_EL2);
	change_sysreg(MDCR_EL2, MDCR_EL2_E2PB(1), 0);
	EXPECT_EQ(run_at(1, touch_pmbmar, 0), 3);
	EXPECT_EQ(trap.el, 2);
}

TEST(MDCR_EL3_EnPMS4_traps_PMBMAR_EL1, lacks_nvm(3))
{
	change_sysreg(MDCR_EL3, MDCR_EL3_ENPMS4, 0);
	for (unsigned el = 1; el <= 1U + have_el(2); el++) {
		EXPECT_EQ(run_at(el, touch_pmbmar, 0), 3);
		EXPECT_EQ(trap.el, 3);
	}
	EXPECT_EQ(touch_pmbmar(0), 0);
}
