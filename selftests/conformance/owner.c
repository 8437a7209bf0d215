/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who owns the Profiling Buffer: the rules besides Table D17-4, checked by
 * where operations are sampled, and their traps.
 */
#include "lib/pmu.h"
#include "lib/spe.h"

struct controls {
	bool ns, eel2;
	unsigned nspb, e2pb;
};

static void apply(const struct controls *c)
{
	u64 scr = read_sysreg(SCR_EL3) & ~(SCR_NS | SCR_EEL2);
	u64 mdcr_el3 = read_sysreg(MDCR_EL3) & ~MDCR_EL3_NSPB(3);
	u64 mdcr_el2 = read_sysreg(MDCR_EL2) & ~MDCR_EL2_E2PB(3);

	write_sysreg(scr | (c->ns ? SCR_NS : 0) | (c->eel2 ? SCR_EEL2 : 0),
		     SCR_EL3);
	write_sysreg(mdcr_el3 | MDCR_EL3_NSPB(c->nspb), MDCR_EL3);
	set_sysreg(mdcr_el2 | MDCR_EL2_E2PB(c->e2pb), MDCR_EL2);
}

static u64 loop_at_el0(u64 rounds)
{
	return run_at(0, run_loop, rounds);
}

/* Is a loop at the level sampled? The registers are set here. */
static bool sampled_at(unsigned el)
{
	spe_start(base(), BUFFER_SIZE, 0);
	spe_enable();
	if (el == 0)
		run_at(1, loop_at_el0, 3000);
	else
		run_at(el, run_loop, 3000);
	spe_disable();
	spe_drain();
	return read_sysreg(PMBPTR_EL1) != base();
}

TEST(RKRVDC_profiling_is_disabled_at_EL3, lacks_spe(3))
{
	for (unsigned nspb = 0; nspb < 4; nspb++) {
		apply(&(struct controls){ true, false, nspb, 0 });
		EXPECT(!sampled_at(3));
	}
}

TEST(RKFMHR_EL1_owns_without_EL2,
     skip_if(!have_spe() || highest_el() != 1, "has EL2"))
{
	EXPECT(sampled_at(1));
	EXPECT_EQ(read_sysreg(PMBIDR_EL1) & PMBIDR_P, 0);
}

static void set_e2pb(unsigned e2pb)
{
	change_sysreg(MDCR_EL2, MDCR_EL2_E2PB(3), MDCR_EL2_E2PB(e2pb));
}

TEST(RTDHBH_owner_EL1_disables_profiling_at_EL2, lacks_spe(2))
{
	set_e2pb(3);
	EXPECT(sampled_at(1));
	EXPECT(!sampled_at(2));
}

TEST(RKRVDC_owner_EL2_profiles_both, lacks_spe(2))
{
	set_e2pb(0);
	EXPECT(sampled_at(0));
	EXPECT(sampled_at(1));
	EXPECT(sampled_at(2));
}

TEST(RTDHBH_TGE_disables_profiling_for_owner_EL1, lacks_spe(2))
{
	set_e2pb(3);
	set_sysreg(HCR_RW | HCR_E2H | HCR_TGE, hcr_el2);
	EXPECT(!sampled_at(2));
}

/* Is EL0 of a host at EL2 sampled? */
static bool sampled_under_tge(void)
{
	spe_start(base(), BUFFER_SIZE, 0);
	write_sysreg(HCR_RW | HCR_E2H | HCR_TGE, hcr_el2);
	set_sysreg(PMSCR_EL2_E0HSPE, PMSCR_EL2);
	run_at(0, run_loop, 3000);
	set_sysreg(0, PMSCR_EL2);
	spe_drain();
	set_sysreg(HCR_RW, hcr_el2);
	return read_sysreg(PMBPTR_EL1) != base();
}

TEST(RTDHBH_TGE_disables_profiling_at_EL0,
     lacks_spe(2) ||
     skip_if(highest_el() != 2, "EL0 with TGE is run from EL2 only"))
{
	set_e2pb(3);
	EXPECT(!sampled_under_tge());
	set_e2pb(0);
	EXPECT(sampled_under_tge());
}

static u64 touch_buffer_registers(u64 unused)
{
	u64 traps = TRY((void)read_sysreg(PMBLIMITR_EL1));

	traps += TRY((void)read_sysreg(PMBPTR_EL1));
	traps += TRY((void)read_sysreg(PMBSR_EL1));
	return traps;
}

TEST(MDCR_EL2_E2PB_traps_buffer_registers, lacks_spe(2))
{
	static const u8 trapped[] = { true, true, true, false };

	for (unsigned e2pb = 0; e2pb < 4; e2pb++) {
		if (e2pb == 1)	/* reserved */
			continue;
		set_e2pb(e2pb);
		EXPECT_EQ(run_at(1, touch_buffer_registers, 0),
			  trapped[e2pb] ? 3 : 0);
		if (trapped[e2pb])
			EXPECT_EQ(trap.el, 2);
		EXPECT_EQ(run_at(2, touch_buffer_registers, 0), 0);
	}
}

static u64 touch_sampling_registers(u64 unused)
{
	u64 traps = TRY((void)read_sysreg(PMSCR_EL1));

	traps += TRY((void)read_sysreg(PMSICR_EL1));
	traps += TRY((void)read_sysreg(PMSIRR_EL1));
	traps += TRY((void)read_sysreg(PMSFCR_EL1));
	traps += TRY((void)read_sysreg(PMSIDR_EL1));
	return traps;
}

TEST(MDCR_EL2_TPMS_traps_sampling_registers, lacks_spe(2))
{
	EXPECT_EQ(run_at(1, touch_sampling_registers, 0), 0);
	change_sysreg(MDCR_EL2, 0, MDCR_EL2_TPMS);
	EXPECT_EQ(run_at(1, touch_sampling_registers, 0), 5);
	EXPECT_EQ(trap.el, 2);
	EXPECT_EQ(run_at(1, touch_buffer_registers, 0), 0);
}

static u64 touch_all(u64 unused)
{
	return touch_buffer_registers(unused) +
	       touch_sampling_registers(unused);
}

/* NSPB[0] is 1 and NSPB[1] is the state of the access: no trap. */
TEST(MDCR_EL3_NSPB_traps_to_EL3, lacks_spe(3))
{
	for (unsigned nspb = 0; nspb < 4; nspb++) {
		apply(&(struct controls){ true, false, nspb, 3 });
		EXPECT_EQ(run_at(1, touch_all, 0), nspb == 3 ? 0 : 8);
		if (nspb != 3)
			EXPECT_EQ(trap.el, 3);
		EXPECT_EQ(touch_all(0), 0);
	}
}
