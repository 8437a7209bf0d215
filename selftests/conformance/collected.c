/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that PMSCR_EL1 and PMSCR_EL2 permit: physical addresses and contexts
 * (Arm ARM D24.7, CollectPhysicalAddress() and CollectContextIDR1() and 2() of
 * its pseudocode). For timestamps see timestamps.c.
 */
#include "lib/counting.h"
#include "lib/spe.h"

#define HEADER_PA	 0xb3
#define HEADER_CONTEXT1	 0x64
#define HEADER_CONTEXT2	 0x65

#define CONTEXT1	 0x11110001
#define CONTEXT2	 0x22220002

static const u64 cell;

static void set_owner(unsigned el)
{
	set_mdcr_el2(MDCR_EL2_E2PB(el == 1 ? 3 : 0));
}

static bool packet(u8 header, u64 *value)
{
	return spe_record_packet(spe_buffer, (u8 *)read_sysreg(PMBPTR_EL1),
				 header, value);
}

static bool collects_pa(unsigned el, u64 pmscr_el1, u64 pmscr_el2)
{
	u64 pa;

	spe_sample_loads(el, &cell, pmscr_el1, pmscr_el2);
	EXPECT_NE(read_sysreg(PMBPTR_EL1), base());
	if (!packet(HEADER_PA, &pa))
		return false;
	EXPECT_EQ(pa & GENMASK(55, 0), (u64)&cell);
	return true;
}

TEST(PMSCR_EL1_PA_without_EL2,
     skip_if(!have_spe() || highest_el() != 1, "has EL2"))
{
	EXPECT(collects_pa(1, PMSCR_PA, 0));
	EXPECT(!collects_pa(1, 0, 0));
}

/* EL2 must permit it, and EL1 must request it if it owns the buffer. */
TEST(PMSCR_PA_of_both_levels, lacks_spe(2))
{
	for (unsigned i = 0; i < 4; i++) {
		u64 el1 = i & 1 ? PMSCR_PA : 0, el2 = i & 2 ? PMSCR_PA : 0;

		set_owner(1);
		EXPECT_EQ(collects_pa(1, el1, el2), el1 && el2);
		set_owner(2);
		EXPECT_EQ(collects_pa(1, el1, el2), !!el2);
		EXPECT_EQ(collects_pa(2, el1, el2), !!el2);
	}
}

/* NS and NSE of an address: bits 63 and 60 */
#define ADDRESS_STATE (BIT(63) | BIT(60))
#define HEADER_PC 0xb0

static void expect_states(u64 pc_state, u64 pa_state)
{
	u64 pc = 0, pa = 0;

	spe_sample_loads(1, &cell, PMSCR_PA, PMSCR_PA);
	EXPECT(packet(HEADER_PC, &pc));
	EXPECT(packet(HEADER_PA, &pa));
	EXPECT_EQ(pc & ADDRESS_STATE, pc_state);
	EXPECT_EQ(pa & ADDRESS_STATE, pa_state);
}

/* With stage 1 off a Secure access is to a Secure physical address. */
TEST(addresses_tell_their_Security_state, lacks_spe(3))
{
	u64 realm = FIELD(read_sysreg(id_aa64pfr0_el1), 55, 52);

	if (have_el(2))
		set_owner(1);
	set_mdcr_el3(MDCR_EL3_NSPB(3) | MDCR_EL3_NSPBE, MDCR_EL3_NSPB(3));
	expect_states(BIT(63), BIT(63));
	set_mdcr_el3(MDCR_EL3_NSPB(2), 0);
	enter_secure(true, false);
	expect_states(0, 0);
	enter_secure(false, false);
	if (!realm)
		return;
	set_mdcr_el3(0, MDCR_EL3_NSPB(3) | MDCR_EL3_NSPBE);
	change_sysreg(SCR_EL3, 0, SCR_NSE);
	expect_states(ADDRESS_STATE, ADDRESS_STATE);
	change_sysreg(SCR_EL3, SCR_NSE, 0);
}

/* In Secure state without EL2 the Effective PMSCR_EL2.PA is 1. */
TEST(PMSCR_EL2_PA_has_no_effect_with_EL2_disabled, lacks_spe(3))
{
	set_mdcr_el3(MDCR_EL3_NSPB(2), 0);
	enter_secure(true, false);
	EXPECT(collects_pa(1, PMSCR_PA, 0));
	EXPECT(!collects_pa(1, 0, PMSCR_PA));
}

static void expect_contexts(unsigned el, u64 pmscr_el1, u64 pmscr_el2,
			    bool first, bool second)
{
	u64 value = 0;

	write_sysreg(CONTEXT1, contextidr_el1);
	if (have_el(2))
		write_sysreg(CONTEXT2, S3_4_C13_C0_1);
	spe_sample_loads(el, &cell, pmscr_el1, pmscr_el2);
	EXPECT_NE(read_sysreg(PMBPTR_EL1), base());
	EXPECT_EQ(packet(HEADER_CONTEXT1, &value), first);
	EXPECT_EQ(value, first ? CONTEXT1 : 0);
	value = 0;
	EXPECT_EQ(packet(HEADER_CONTEXT2, &value), second);
	EXPECT_EQ(value, second ? CONTEXT2 : 0);
}

TEST(PMSCR_CX_selects_the_contexts, lacks_spe(1))
{
	for (unsigned i = 0; i < 4; i++) {
		u64 el1 = i & 1 ? PMSCR_CX : 0, el2 = i & 2 ? PMSCR_CX : 0;

		expect_contexts(1, el1, el2, el1, el2 && have_el(2));
	}
}

/* Samples of EL2 have no CONTEXTIDR_EL1. */
TEST(PMSCR_EL1_CX_is_not_for_EL2, lacks_spe(2))
{
	set_owner(2);
	expect_contexts(2, PMSCR_CX, 0, false, false);
	expect_contexts(2, PMSCR_CX, PMSCR_CX, false, true);
	expect_contexts(1, PMSCR_CX, PMSCR_CX, true, true);
}

/* With HCR_EL2.TGE 1, neither do samples of EL0. */
TEST(PMSCR_EL1_CX_is_not_for_EL0_with_TGE,
     skip_if(lacks_spe(2) || highest_el() != 2, "EL2 is not the highest"))
{
	set_owner(2);
	set_sysreg(HCR_RW | HCR_TGE, hcr_el2);
	expect_contexts(0, PMSCR_CX, PMSCR_CX, false, true);
}

TEST(PMSCR_EL2_CX_has_no_effect_with_EL2_disabled, lacks_spe(3))
{
	set_mdcr_el3(MDCR_EL3_NSPB(2), 0);
	enter_secure(true, false);
	expect_contexts(1, PMSCR_CX, PMSCR_CX, true, false);
}
