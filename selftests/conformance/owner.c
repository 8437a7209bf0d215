/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who owns the Profiling Buffer: Table D17-4 and the rules beside it, seen by
 * where operations are sampled. No Realm state.
 */
#include "lib/pmu.h"
#include "lib/spe.h"

static bool lacks(unsigned el)
{
	if (have_spe() && highest_el() >= el)
		return false;
	skip(have_spe() ? "the program does not have that Exception level" :
			  "no FEAT_SPE");
	return true;
}

/* The controls of a row of the table; E2H is 0 unless a test sets it. */
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
	write_sysreg(mdcr_el2 | MDCR_EL2_E2PB(c->e2pb), MDCR_EL2);
	isb();
}

/* Whether a loop at the level is sampled; the registers are set from here. */
static u64 run_loop(u64 rounds)
{
	for (; rounds; rounds--)
		asm volatile("");
	return 0;
}

static bool sampled_at(unsigned el)
{
	spe_setup((u64)spe_buffer, BUFFER_SIZE, 0);
	spe_interval(1, false);
	spe_enable();
	if (el == current_el())
		run_loop(3000);
	else
		run_at(el, run_loop, 3000);
	spe_disable();
	spe_drain();
	return read_sysreg(PMBPTR_EL1) != (u64)spe_buffer;
}

/* RBWRVP and RKFMHR */
static bool state_owns(const struct controls *c)
{
	return (c->nspb >> 1) == c->ns;
}

static bool el2_enabled(const struct controls *c)
{
	return c->ns || c->eel2;
}

static bool el2_owns(const struct controls *c)
{
	return el2_enabled(c) && c->e2pb == 0;
}

static void check(const struct controls *c)
{
	bool el1 = state_owns(c), el2 = state_owns(c) && el2_owns(c);

	apply(c);
	if (!EXPECT_EQ(sampled_at(1), el1) ||
	    (el2_enabled(c) && !EXPECT_EQ(sampled_at(2), el2)))
		note("NS %u EEL2 %u NSPB %u E2PB %u", c->ns, c->eel2, c->nspb,
		     c->e2pb);
}

/* All combinations, in the part of the table with these NS and EEL2. */
static void check_state(bool ns, bool eel2)
{
	static const u8 e2pbs[] = { 0, 2, 3 };

	for (unsigned nspb = 0; nspb < 4; nspb++)
		for (unsigned i = 0; i < ARRAY_SIZE(e2pbs); i++)
			check(&(struct controls){ ns, eel2, nspb, e2pbs[i] });
}

TEST(TableD17_4_Non_secure)
{
	if (!lacks(3))
		check_state(true, false);
}

TEST(TableD17_4_Secure_without_EL2)
{
	if (!lacks(3))
		check_state(false, false);
}

TEST(TableD17_4_Secure_with_EL2)
{
	if (!lacks(3))
		check_state(false, true);
}

TEST(TableD17_4_E_0_is_disabled)
{
	if (lacks(3))
		return;
	apply(&(struct controls){ true, false, 3, 3 });
	spe_setup((u64)spe_buffer, BUFFER_SIZE, 0);
	spe_interval(1, false);
	write_sysreg(0, PMBLIMITR_EL1);
	isb();
	spe_enable();
	run_at(1, run_loop, 3000);
	spe_disable();
	spe_drain();
	EXPECT_EQ(read_sysreg(PMBPTR_EL1), (u64)spe_buffer);
}

TEST(RKRVDC_profiling_is_disabled_at_EL3)
{
	if (lacks(3))
		return;
	for (unsigned nspb = 0; nspb < 4; nspb++) {
		apply(&(struct controls){ true, false, nspb, 0 });
		EXPECT(!sampled_at(3));
	}
}

TEST(RKFMHR_EL1_owns_without_EL2)
{
	if (!have_spe() || highest_el() != 1) {
		skip("has EL2");
		return;
	}
	EXPECT(sampled_at(1));
}

static void set_e2pb(unsigned e2pb)
{
	write_sysreg((read_sysreg(MDCR_EL2) & ~MDCR_EL2_E2PB(3)) |
		     MDCR_EL2_E2PB(e2pb), MDCR_EL2);
	isb();
}

TEST(RTDHBH_owner_EL1_disables_profiling_at_EL2)
{
	if (lacks(2))
		return;
	set_e2pb(3);
	EXPECT(sampled_at(1));
	EXPECT(!sampled_at(2));
}

TEST(RKRVDC_owner_EL2_profiles_both)
{
	if (lacks(2))
		return;
	set_e2pb(0);
	EXPECT(sampled_at(1));
	EXPECT(sampled_at(2));
	set_e2pb(3);
}

TEST(RTDHBH_TGE_disables_profiling_for_owner_EL1)
{
	if (lacks(2))
		return;
	set_e2pb(3);
	write_sysreg(HCR_RW | HCR_E2H | HCR_TGE, hcr_el2);
	isb();
	EXPECT(!sampled_at(2));
	write_sysreg(HCR_RW, hcr_el2);
	isb();
}

static u64 touch_buffer_registers(u64 unused)
{
	u64 traps = TRY((void)read_sysreg(PMBLIMITR_EL1));

	(void)unused;
	traps += TRY((void)read_sysreg(PMBPTR_EL1));
	traps += TRY((void)read_sysreg(PMBSR_EL1));
	return traps;
}

TEST(MDCR_EL2_E2PB_traps_buffer_registers)
{
	static const u8 trapped[] = { true, true, true, false };

	if (lacks(2))
		return;
	for (unsigned e2pb = 0; e2pb < 4; e2pb++) {
		if (e2pb == 1)	/* reserved */
			continue;
		set_e2pb(e2pb);
		EXPECT_EQ(run_at(1, touch_buffer_registers, 0),
			  trapped[e2pb] ? 3 : 0);
		if (trapped[e2pb])
			EXPECT_EQ(trap.el, 2);
		EXPECT_EQ(highest_el() == 2 ? touch_buffer_registers(0) :
			  run_at(2, touch_buffer_registers, 0), 0);
	}
}

static u64 touch_sampling_registers(u64 unused)
{
	u64 traps = TRY((void)read_sysreg(PMSCR_EL1));

	(void)unused;
	traps += TRY((void)read_sysreg(PMSICR_EL1));
	traps += TRY((void)read_sysreg(PMSIRR_EL1));
	traps += TRY((void)read_sysreg(PMSFCR_EL1));
	return traps;
}

TEST(MDCR_EL2_TPMS_traps_sampling_registers)
{
	if (lacks(2))
		return;
	EXPECT_EQ(run_at(1, touch_sampling_registers, 0), 0);
	write_sysreg(read_sysreg(MDCR_EL2) | MDCR_EL2_TPMS, MDCR_EL2);
	isb();
	EXPECT_EQ(run_at(1, touch_sampling_registers, 0), 4);
	EXPECT_EQ(trap.el, 2);
	EXPECT_EQ(run_at(1, touch_buffer_registers, 0), 0);
}

static u64 touch_all(u64 unused)
{
	return touch_buffer_registers(unused) +
	       touch_sampling_registers(unused);
}

/* NSPB[0] is 1 and NSPB[1] is the state of the access: no trap. */
TEST(MDCR_EL3_NSPB_traps_to_EL3)
{
	if (lacks(3))
		return;
	for (unsigned nspb = 0; nspb < 4; nspb++) {
		apply(&(struct controls){ true, false, nspb, 3 });
		EXPECT_EQ(run_at(1, touch_all, 0), nspb == 3 ? 0 : 7);
		if (nspb != 3)
			EXPECT_EQ(trap.el, 3);
		EXPECT_EQ(touch_all(0), 0);
	}
}
