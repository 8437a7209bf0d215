/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table D17-4: the owning translation regime, row by row. Each regime maps the
 * buffer at a different address, so the pointers that work show which regime
 * translates them.
 */
#include "lib/spe.h"
#include "lib/mmu.h"

enum regime { DISABLED, EL1_0, EL2, EL2_0 };

enum state { SECURE, NON_SECURE, REALM };

/* The controls of a row; E2PB is 0b00, 0b10 or 0b11. */
struct controls {
	bool e;
	enum state state;
	bool eel2;
	unsigned nspbe, nspb, e2pb;
	bool e2h;
};

static bool have_realm(void)
{
	return FIELD(read_sysreg(id_aa64pfr0_el1), 55, 52);
}

static bool lacks(enum state state)
{
	if (have_spe() && highest_el() == 3 &&
	    (state != REALM || have_realm()))
		return false;
	skip(state == REALM ? "no FEAT_RME" : "no FEAT_SPE, or no EL3");
	return true;
}

static void apply(const struct controls *c)
{
	u64 scr = read_sysreg(SCR_EL3) & ~(SCR_NS | SCR_NSE | SCR_EEL2);
	u64 mdcr_el3 = read_sysreg(MDCR_EL3) &
		       ~(MDCR_EL3_NSPB(3) | MDCR_EL3_NSPBE);
	u64 mdcr_el2 = read_sysreg(MDCR_EL2) & ~MDCR_EL2_E2PB(3);

	scr |= c->state == SECURE ? 0 : SCR_NS;
	scr |= c->state == REALM ? SCR_NSE : 0;
	scr |= c->eel2 ? SCR_EEL2 : 0;
	write_sysreg(scr, SCR_EL3);
	write_sysreg(mdcr_el3 | MDCR_EL3_NSPB(c->nspb) |
		     (c->nspbe ? MDCR_EL3_NSPBE : 0), MDCR_EL3);
	write_sysreg(mdcr_el2 | MDCR_EL2_E2PB(c->e2pb), MDCR_EL2);
	set_sysreg(HCR_RW | (c->e2h ? HCR_E2H : 0), hcr_el2);
	mmu_enable_el1();
	mmu_enable_el2(c->e2h);
}

enum outcome { NOTHING, WRITTEN, FAULT };

static enum outcome profile(unsigned el, u64 pointer, bool e)
{
	*(volatile u64 *)spe_buffer = 0;
	spe_setup(pointer, SPE_PAGE, 0);
	if (!e)
		change_sysreg(PMBLIMITR_EL1, PMBLIMITR_E, 0);
	spe_interval(1, false);
	spe_enable();
	run_at(el, run_loop, 400);
	spe_disable();
	spe_drain();
	if (read_sysreg(PMBSR_EL1))
		return FAULT;
	return *(volatile u64 *)spe_buffer ? WRITTEN : NOTHING;
}

static enum outcome wanted(enum regime owner, bool maps_it)
{
	if (owner == DISABLED)
		return NOTHING;
	return maps_it ? WRITTEN : FAULT;
}

static void check_at(unsigned el, const struct controls *c, enum regime owner)
{
	u64 base = (u64)spe_buffer;
	bool good = true;

	good &= EXPECT_EQ(profile(el, mmu_alias(base), c->e),
			  wanted(owner, owner == EL1_0));
	good &= EXPECT_EQ(profile(el, mmu_alias_el2(base), c->e),
			  wanted(owner, owner == EL2 || owner == EL2_0));
	good &= EXPECT_EQ(profile(el, mmu_alias_el2_upper(base), c->e),
			  wanted(owner, owner == EL2_0));
	if (!good)
		note("EL%u: E %u state %u EEL2 %u NSPBE %u NSPB %u E2PB %u "
		     "E2H %u", el, c->e, c->state, c->eel2, c->nspbe,
		     c->nspb, c->e2pb, c->e2h);
}

/* EL1, and EL2 if implemented: EL2 is sampled only if it owns the buffer. */
static void check(const struct controls *c, enum regime owner)
{
	apply(c);
	check_at(1, c, owner);
	if (c->state != SECURE || c->eel2)
		check_at(2, c, owner == EL1_0 ? DISABLED : owner);
	/* RKRVDC and RTDHBH: never at EL3. */
	spe_start((u64)spe_buffer, SPE_PAGE, 0);
	spe_enable();
	run_loop(1000);
	spe_disable();
	spe_drain();
	EXPECT_REG(PMBPTR_EL1, (u64)spe_buffer);
	mmu_disable_el1();
	mmu_disable_el2();
}

static const u8 all_e2pb[] = { 0, 2, 3 };

/* The row's fixed controls, and all values of those marked x. */
#define EACH_NSPB for (c.nspb = upper << 1; c.nspb >> 1 == upper; c.nspb++)
#define EACH_E2PB for (unsigned i = 0; i < ARRAY_SIZE(all_e2pb) &&	\
		       (c.e2pb = all_e2pb[i], true); i++)
#define EACH_E2PB_1X for (c.e2pb = 2; c.e2pb < 4; c.e2pb++)
#define EACH_E2H for (unsigned h = 0; h < 2 && (c.e2h = h, true); h++)

TEST(TableD17_4_E_0_Disabled, lacks(NON_SECURE))
{
	struct controls c = { .e = false, .state = NON_SECURE };
	const unsigned upper = 1;

	EACH_NSPB EACH_E2PB EACH_E2H
		check(&c, DISABLED);
	c = (struct controls){ .state = SECURE, .eel2 = true, .nspb = 1 };
	EACH_E2PB
		check(&c, DISABLED);
}

TEST(TableD17_4_Secure_EEL2_0_Secure_EL1_0, lacks(SECURE))
{
	struct controls c = { .e = true, .state = SECURE };
	const unsigned upper = 0;

	EACH_NSPB EACH_E2PB EACH_E2H
		check(&c, EL1_0);
}

TEST(TableD17_4_Secure_EEL2_1_E2PB_1x_Secure_EL1_0, lacks(SECURE))
{
	struct controls c = { .e = true, .state = SECURE, .eel2 = true };
	const unsigned upper = 0;

	EACH_NSPB EACH_E2PB_1X EACH_E2H
		check(&c, EL1_0);
}

TEST(TableD17_4_Secure_EEL2_1_E2PB_00_E2H_0_Secure_EL2, lacks(SECURE))
{
	struct controls c = { .e = true, .state = SECURE, .eel2 = true };
	const unsigned upper = 0;

	EACH_NSPB
		check(&c, EL2);
}

TEST(TableD17_4_Secure_EEL2_1_E2PB_00_E2H_1_Secure_EL2_0, lacks(SECURE))
{
	struct controls c = { .e = true, .state = SECURE, .eel2 = true,
			      .e2h = true };
	const unsigned upper = 0;

	EACH_NSPB
		check(&c, EL2_0);
}

TEST(TableD17_4_Secure_NSPB_1x_Disabled, lacks(SECURE))
{
	struct controls c = { .e = true, .state = SECURE };
	const unsigned upper = 1;

	for (unsigned eel2 = 0; eel2 < 2; eel2++) {
		c.eel2 = eel2;
		EACH_NSPB EACH_E2PB EACH_E2H
			check(&c, DISABLED);
	}
}

TEST(TableD17_4_Non_secure_E2PB_1x_Non_secure_EL1_0, lacks(NON_SECURE))
{
	struct controls c = { .e = true, .state = NON_SECURE };
	const unsigned upper = 1;

	EACH_NSPB EACH_E2PB_1X EACH_E2H
		check(&c, EL1_0);
}

TEST(TableD17_4_Non_secure_E2PB_00_E2H_0_Non_secure_EL2, lacks(NON_SECURE))
{
	struct controls c = { .e = true, .state = NON_SECURE };
	const unsigned upper = 1;

	EACH_NSPB
		check(&c, EL2);
}

TEST(TableD17_4_Non_secure_E2PB_00_E2H_1_Non_secure_EL2_0, lacks(NON_SECURE))
{
	struct controls c = { .e = true, .state = NON_SECURE, .e2h = true };
	const unsigned upper = 1;

	EACH_NSPB
		check(&c, EL2_0);
}

TEST(TableD17_4_Non_secure_NSPB_0x_Disabled, lacks(NON_SECURE))
{
	struct controls c = { .e = true, .state = NON_SECURE };
	const unsigned upper = 0;

	EACH_NSPB EACH_E2PB EACH_E2H
		check(&c, DISABLED);
}

TEST(TableD17_4_Realm_E2PB_1x_Realm_EL1_0, lacks(REALM))
{
	struct controls c = { .e = true, .state = REALM, .nspbe = 1 };
	const unsigned upper = 1;

	EACH_NSPB EACH_E2PB_1X EACH_E2H
		check(&c, EL1_0);
}

TEST(TableD17_4_Realm_E2PB_00_E2H_0_Realm_EL2, lacks(REALM))
{
	struct controls c = { .e = true, .state = REALM, .nspbe = 1 };
	const unsigned upper = 1;

	EACH_NSPB
		check(&c, EL2);
}

TEST(TableD17_4_Realm_E2PB_00_E2H_1_Realm_EL2_0, lacks(REALM))
{
	struct controls c = { .e = true, .state = REALM, .nspbe = 1,
			      .e2h = true };
	const unsigned upper = 1;

	EACH_NSPB
		check(&c, EL2_0);
}

/* The owner is another state, or the reserved value of {NSPBE, NSPB}. */
TEST(TableD17_4_Realm_owns_Disabled_elsewhere, lacks(REALM))
{
	struct controls c = { .e = true };

	for (unsigned state = SECURE; state <= REALM; state++)
		for (unsigned owner = 0; owner < 8; owner++) {
			c.state = state;
			c.nspbe = owner >> 2;
			c.nspb = owner & 3;
			if (state == (c.nspbe ? REALM :
				      c.nspb & 2 ? NON_SECURE : SECURE) &&
			    (state != REALM || c.nspb & 2))
				continue;
			EACH_E2PB
				check(&c, DISABLED);
		}
}

/* IYCDWQ: NSPBE is RES0 without FEAT_RME. */
TEST(RBWRVP_NSPBE_without_FEAT_RME,
     lacks(NON_SECURE) || skip_if(have_realm(), "FEAT_RME"))
{
	struct controls c = { .e = true, .state = NON_SECURE, .nspbe = 1,
			      .nspb = 3, .e2pb = 3 };

	check(&c, EL1_0);
}
