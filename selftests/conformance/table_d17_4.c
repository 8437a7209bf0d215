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
	return lacks_spe(3) ||
	       skip_if(state == REALM && !have_realm(), "no FEAT_RME");
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

/* The row's fixed controls, and the values of those marked x as masks. */
struct row {
	struct controls fixed;
	u8 nspb, e2pb, e2h;
	enum regime owner;
};

#define NSPB_0X	 (BIT(0) | BIT(1))
#define NSPB_1X	 (BIT(2) | BIT(3))
#define E2PB_00	 BIT(0)
#define E2PB_1X	 (BIT(2) | BIT(3))
#define E2PB_ALL (E2PB_00 | E2PB_1X)
#define E2H_0	 BIT(0)
#define E2H_1	 BIT(1)
#define E2H_ANY	 (E2H_0 | E2H_1)

static void check_row(struct row *row)
{
	struct controls *c = &row->fixed;

	for (unsigned i = 0; i < 32; i++) {
		c->nspb = i / 8;
		c->e2pb = i / 2 % 4;
		c->e2h = i % 2;
		if (row->nspb & BIT(c->nspb) && row->e2pb & BIT(c->e2pb) &&
		    row->e2h & BIT(c->e2h))
			check(c, row->owner);
	}
}

#define ROW(name, state, ...)						\
	TEST(name, lacks(state))					\
	{								\
		static struct row rows[] = { __VA_ARGS__ };		\
									\
		for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)		\
			check_row(&rows[i]);				\
	}

#define S_0	{ true, SECURE }
#define S_1	{ true, SECURE, true }
#define NS	{ true, NON_SECURE }
#define RL	{ true, REALM, .nspbe = 1 }

ROW(TableD17_4_E_0_Disabled, NON_SECURE,
    { { false, NON_SECURE }, NSPB_1X, E2PB_ALL, E2H_ANY, DISABLED },
    { { false, SECURE, true }, BIT(1), E2PB_ALL, E2H_0, DISABLED })
ROW(TableD17_4_Secure_EEL2_0_Secure_EL1_0, SECURE,
    { S_0, NSPB_0X, E2PB_ALL, E2H_ANY, EL1_0 })
ROW(TableD17_4_Secure_EEL2_1_E2PB_1x_Secure_EL1_0, SECURE,
    { S_1, NSPB_0X, E2PB_1X, E2H_ANY, EL1_0 })
ROW(TableD17_4_Secure_EEL2_1_E2PB_00_E2H_0_Secure_EL2, SECURE,
    { S_1, NSPB_0X, E2PB_00, E2H_0, EL2 })
ROW(TableD17_4_Secure_EEL2_1_E2PB_00_E2H_1_Secure_EL2_0, SECURE,
    { S_1, NSPB_0X, E2PB_00, E2H_1, EL2_0 })
ROW(TableD17_4_Secure_NSPB_1x_Disabled, SECURE,
    { S_0, NSPB_1X, E2PB_ALL, E2H_ANY, DISABLED },
    { S_1, NSPB_1X, E2PB_ALL, E2H_ANY, DISABLED })
ROW(TableD17_4_Non_secure_E2PB_1x_Non_secure_EL1_0, NON_SECURE,
    { NS, NSPB_1X, E2PB_1X, E2H_ANY, EL1_0 })
ROW(TableD17_4_Non_secure_E2PB_00_E2H_0_Non_secure_EL2, NON_SECURE,
    { NS, NSPB_1X, E2PB_00, E2H_0, EL2 })
ROW(TableD17_4_Non_secure_E2PB_00_E2H_1_Non_secure_EL2_0, NON_SECURE,
    { NS, NSPB_1X, E2PB_00, E2H_1, EL2_0 })
ROW(TableD17_4_Non_secure_NSPB_0x_Disabled, NON_SECURE,
    { NS, NSPB_0X, E2PB_ALL, E2H_ANY, DISABLED })
ROW(TableD17_4_Realm_E2PB_1x_Realm_EL1_0, REALM,
    { RL, NSPB_1X, E2PB_1X, E2H_ANY, EL1_0 })
ROW(TableD17_4_Realm_E2PB_00_E2H_0_Realm_EL2, REALM,
    { RL, NSPB_1X, E2PB_00, E2H_0, EL2 })
ROW(TableD17_4_Realm_E2PB_00_E2H_1_Realm_EL2_0, REALM,
    { RL, NSPB_1X, E2PB_00, E2H_1, EL2_0 })

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
			for (c.e2pb = 0; c.e2pb < 4; c.e2pb += !c.e2pb + 1)
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
