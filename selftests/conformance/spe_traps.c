/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may touch the registers of FEAT_SPE: the fine-grained traps of EL2, the
 * enables of EL3, and what PMBIDR_EL1 says of it.
 */
#include "lib/spe.h"

#define HDFGRTR_EL2	 S3_4_C3_C1_4
#define HDFGWTR_EL2	 S3_4_C3_C1_5

/* Fine-grained traps where 0 traps. */
#define TRAPS_BY_0	 (BIT(62) | BIT(61) | BIT(60) | BIT(59))

struct reg {
	const char *name;
	void (*read)(void);
	void (*write)(void);
	unsigned fgt;
};

#define REG(name)							\
	static void read_##name(void)					\
	{								\
		(void)read_sysreg(name);				\
	}								\
	static void write_##name(void)					\
	{								\
		write_sysreg(0, name);					\
	}

REG(PMSCR_EL1)
REG(PMSNEVFR_EL1)
REG(PMSICR_EL1)
REG(PMSIRR_EL1)
REG(PMSFCR_EL1)
REG(PMSEVFR_EL1)
REG(PMSLATFR_EL1)
REG(PMSDSFR_EL1)
REG(PMBLIMITR_EL1)
REG(PMBPTR_EL1)
REG(PMBSR_EL1)

static void read_PMSIDR_EL1(void)
{
	(void)read_sysreg(PMSIDR_EL1);
}

static void read_PMBIDR_EL1(void)
{
	(void)read_sysreg(PMBIDR_EL1);
}

#define ROW(name, fgt) { #name, read_##name, write_##name, fgt }

static const struct reg regs[] = {
	ROW(PMBLIMITR_EL1, 23),
	ROW(PMBPTR_EL1, 24),
	ROW(PMBSR_EL1, 25),
	ROW(PMSCR_EL1, 26),
	ROW(PMSEVFR_EL1, 27),
	ROW(PMSFCR_EL1, 28),
	ROW(PMSICR_EL1, 29),
	{ "PMSIDR_EL1", read_PMSIDR_EL1, NULL, 30 },
	ROW(PMSIRR_EL1, 31),
	ROW(PMSLATFR_EL1, 32),
	ROW(PMSNEVFR_EL1, 62),
	{ "PMBIDR_EL1", read_PMBIDR_EL1, NULL, 63 },
};

static bool lacks(unsigned el)
{
	if (have_spe() && highest_el() >= el)
		return false;
	skip("no FEAT_SPE, or not that Exception level");
	return true;
}

/* Arguments of touch() */
#define WRITE BIT(8)

static u64 touch(u64 arg)
{
	const struct reg *reg = &regs[arg & 0xff];

	if (arg & WRITE)
		return reg->write ? TRY(reg->write()) : 0;
	return TRY(reg->read());
}

/* One trap at a time: it alone, in EL1 alone, to EL2. */
static void check_fgt(u64 kind)
{
	for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
		u64 bits = TRAPS_BY_0 ^ BIT(regs[i].fgt);

		if (kind == WRITE)
			write_sysreg(bits, HDFGWTR_EL2);
		else
			write_sysreg(bits, HDFGRTR_EL2);
		isb();
		for (unsigned j = 0; j < ARRAY_SIZE(regs); j++) {
			bool wanted = i == j &&
				      (kind != WRITE || regs[j].write);

			if (!EXPECT_EQ(run_at(1, touch, j | kind), wanted))
				note("%s", regs[j].name);
			if (wanted)
				EXPECT_EQ(trap.el, 2);
		}
		EXPECT_EQ(touch(i | kind), 0);
	}
	write_sysreg(TRAPS_BY_0, HDFGRTR_EL2);
	write_sysreg(TRAPS_BY_0, HDFGWTR_EL2);
	isb();
}

TEST(HDFGRTR_EL2_traps_SPE_registers)
{
	if (!lacks(2))
		check_fgt(0);
}

TEST(HDFGWTR_EL2_traps_SPE_registers)
{
	if (!lacks(2))
		check_fgt(WRITE);
}

static u64 touch_pmsnevfr(u64 unused)
{
	(void)unused;
	return TRY(read_PMSNEVFR_EL1()) + TRY(write_PMSNEVFR_EL1());
}

TEST(MDCR_EL3_EnPMSN_traps_PMSNEVFR_EL1)
{
	if (lacks(3))
		return;
	write_sysreg(TRAPS_BY_0, HDFGRTR_EL2);
	write_sysreg(TRAPS_BY_0, HDFGWTR_EL2);
	EXPECT_EQ(run_at(1, touch_pmsnevfr, 0), 0);
	write_sysreg(read_sysreg(MDCR_EL3) & ~MDCR_EL3_ENPMSN, MDCR_EL3);
	isb();
	for (unsigned el = 1; el <= 2; el++) {
		EXPECT_EQ(run_at(el, touch_pmsnevfr, 0), 2);
		EXPECT_EQ(trap.el, 3);
	}
	EXPECT_EQ(touch_pmsnevfr(0), 0);
}

static u64 touch_pmsdsfr(u64 unused)
{
	(void)unused;
	return TRY(read_PMSDSFR_EL1()) + TRY(write_PMSDSFR_EL1());
}

TEST(PMSDSFR_EL1_traps)
{
	u64 fds;

	if (lacks(1))
		return;
	if (!option("spe-fds", &fds)) {
		/* Not there. */
		EXPECT_EQ(touch_pmsdsfr(0), 2);
		return;
	}
	EXPECT_EQ(touch_pmsdsfr(0), 0);
	if (highest_el() < 2)
		return;
	write_sysreg(~FGT2_PMSDSFR, HDFGRTR2_EL2);
	isb();
	EXPECT_EQ(run_at(1, touch_pmsdsfr, 0), 1);
	EXPECT_EQ(trap.el, 2);
	if (highest_el() < 3)
		return;
	write_sysreg(read_sysreg(MDCR_EL3) & ~MDCR_EL3_ENPMS3, MDCR_EL3);
	isb();
	EXPECT_EQ(run_at(2, touch_pmsdsfr, 0), 2);
	EXPECT_EQ(trap.el, 3);
}

static u64 pmbidr_p(u64 unused)
{
	(void)unused;
	return !!(read_sysreg(PMBIDR_EL1) & PMBIDR_P);
}

/* Owned by a higher level, or by another state; a trap alone is no owner. */
TEST(PMBIDR_EL1_P)
{
	static const u8 p_at_el1[] = { 1, 0, 0, 0 };

	if (lacks(2))
		return;
	for (unsigned e2pb = 0; e2pb < 4; e2pb++) {
		if (e2pb == 1)	/* reserved */
			continue;
		write_sysreg((read_sysreg(MDCR_EL2) & ~MDCR_EL2_E2PB(3)) |
			     MDCR_EL2_E2PB(e2pb), MDCR_EL2);
		isb();
		EXPECT_EQ(run_at(1, pmbidr_p, 0), p_at_el1[e2pb]);
		EXPECT_EQ(pmbidr_p(0), 0);
	}
	if (highest_el() < 3)
		return;
	for (unsigned nspb = 0; nspb < 4; nspb++) {
		write_sysreg((read_sysreg(MDCR_EL3) & ~MDCR_EL3_NSPB(3)) |
			     MDCR_EL3_NSPB(nspb), MDCR_EL3);
		isb();
		EXPECT_EQ(run_at(1, pmbidr_p, 0), nspb < 2);
		EXPECT_EQ(run_at(2, pmbidr_p, 0), nspb < 2);
		EXPECT_EQ(pmbidr_p(0), 0);
	}
}
