/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timestamp packets: PMSCR_EL1 and PMSCR_EL2, their fields TS and PCT (Arm ARM
 * D24.7, CollectTimeStamp() of its pseudocode). The offsets of the counters are
 * far apart, so a timestamp shows which was subtracted.
 */
#include "lib/spe.h"

#define CNTHCTL_EL2	 S3_4_C14_C1_0
#define CNTVOFF_EL2	 S3_4_C14_C0_3
#define CNTPOFF_EL2	 S3_4_C14_C0_6
#define CNTHCTL_ECV	 BIT(12)
#define SCR_ECVEN	 BIT(28)

#define VIRTUAL_OFFSET	 BIT(44)
#define PHYSICAL_OFFSET	 BIT(48)
#define A_WHILE		 BIT(36)

#define HEADER_TIMESTAMP 0x71

static const u64 cell;

enum time { NO_TIME, VIRTUAL, PHYSICAL, GUEST_PHYSICAL, WRONG };

/* 1 for FEAT_ECV, 2 with FEAT_ECV_POFF */
static unsigned ecv(void)
{
	return FIELD(read_sysreg(id_aa64mmfr0_el1), 63, 60);
}

static void set_offsets(bool on)
{
	write_sysreg(on ? VIRTUAL_OFFSET : 0, CNTVOFF_EL2);
	if (highest_el() == 3) {
		u64 scr = read_sysreg(SCR_EL3) & ~SCR_ECVEN;

		write_sysreg(scr | (on ? SCR_ECVEN : 0), SCR_EL3);
	}
	if (ecv() > 1) {
		write_sysreg(on ? PHYSICAL_OFFSET : 0, CNTPOFF_EL2);
		write_sysreg(on ? CNTHCTL_ECV | 3 : 3, CNTHCTL_EL2);
	}
	isb();
}

/* Firmware that the machine only plays leaves SCR_EL3.ECVEn at 0. */
static enum time guest_physical(void)
{
	return highest_el() == 3 && ecv() > 1 ? GUEST_PHYSICAL : PHYSICAL;
}

static enum time time_of(u64 stamp, u64 start)
{
	u64 since = stamp - start;

	return since < A_WHILE ? PHYSICAL :
	       since + VIRTUAL_OFFSET < A_WHILE ? VIRTUAL :
	       since + PHYSICAL_OFFSET < A_WHILE ? GUEST_PHYSICAL : WRONG;
}

/* The time of the first operation that is sampled at a level. */
static enum time sample(unsigned el, u64 pmscr_el1, u64 pmscr_el2)
{
	u64 start = read_sysreg(cntpct_el0), stamp;

	spe_sample_loads(el, &cell, pmscr_el1, pmscr_el2);
	if (!spe_record_packet(spe_buffer, (u8 *)read_sysreg(PMBPTR_EL1),
			       HEADER_TIMESTAMP, &stamp))
		return NO_TIME;
	return time_of(stamp, start);
}

TEST(PMSCR_EL1_TS_without_EL2,
     skip_if(!have_spe() || highest_el() != 1, "has EL2"))
{
	EXPECT_EQ(sample(1, 0, 0), NO_TIME);
	for (unsigned pct = 0; pct < 4; pct++)
		EXPECT_EQ(sample(1, PMSCR_TS | PMSCR_PCT(pct), 0), PHYSICAL);
}

TEST(PMSCR_TS_is_that_of_the_owner, lacks_spe(2))
{
	EXPECT_EQ(sample(1, PMSCR_TS, 0), PHYSICAL);
	EXPECT_EQ(sample(1, 0, PMSCR_TS), NO_TIME);
	own_buffer(2);
	EXPECT_EQ(sample(2, 0, PMSCR_TS), PHYSICAL);
	EXPECT_EQ(sample(2, PMSCR_TS, 0), NO_TIME);
	EXPECT_EQ(sample(1, 0, PMSCR_TS), PHYSICAL);
	EXPECT_EQ(sample(1, PMSCR_TS, 0), NO_TIME);
}

/* EL2 overrides the request of EL1: rows by PMSCR_EL2.PCT. */
TEST(PMSCR_PCT_with_owner_EL1, lacks_spe(2))
{
	static const unsigned pct[] = { 0, 1, 3 };
	const enum time wanted[3][3] = {
		{ VIRTUAL, VIRTUAL, VIRTUAL },
		{ VIRTUAL, PHYSICAL, guest_physical() },
		{ VIRTUAL, guest_physical(), guest_physical() },
	};

	set_offsets(true);
	for (unsigned el2 = 0; el2 < 3; el2++)
		for (unsigned el1 = 0; el1 < 3; el1++)
			EXPECT_EQ(sample(1, PMSCR_TS | PMSCR_PCT(pct[el1]),
					 PMSCR_PCT(pct[el2])),
				  wanted[el2][el1]);
	set_offsets(false);
}

/* PMSCR_EL1.PCT is ignored. */
TEST(PMSCR_PCT_with_owner_EL2, lacks_spe(2))
{
	own_buffer(2);
	set_offsets(true);
	for (unsigned el = 1; el <= 2; el++)
		for (unsigned pct = 0; pct < 4; pct++) {
			u64 pmscr_el1 = PMSCR_PCT(pct);

			EXPECT_EQ(sample(el, pmscr_el1, PMSCR_TS), VIRTUAL);
			EXPECT_EQ(sample(el, pmscr_el1,
					 PMSCR_TS | PMSCR_PCT(1)), PHYSICAL);
			EXPECT_EQ(sample(el, pmscr_el1,
					 PMSCR_TS | PMSCR_PCT(3)),
				  guest_physical());
		}
	set_offsets(false);
}

static u64 sample_virtual_in_host(u64 unused)
{
	return sample(2, PMSCR_TS, PMSCR_TS);
}

/* At EL2 with HCR_EL2.E2H the virtual offset is zero. */
TEST(PMSCR_EL2_PCT_0_in_the_host, lacks_spe(2))
{
	own_buffer(2);
	set_offsets(true);
	set_sysreg(HCR_RW | HCR_E2H, hcr_el2);
	EXPECT_EQ(run_at(2, sample_virtual_in_host, 0), PHYSICAL);
	set_sysreg(HCR_RW, hcr_el2);
	set_offsets(false);
}

TEST(PMSCR_PCT_3_needs_ECVEn_and_ECV, lacks_spe(3))
{
	u64 pmscr = PMSCR_TS | PMSCR_PCT(3);

	set_offsets(true);
	EXPECT_EQ(sample(1, pmscr, PMSCR_PCT(3)), GUEST_PHYSICAL);
	set_sysreg(3, CNTHCTL_EL2);
	EXPECT_EQ(sample(1, pmscr, PMSCR_PCT(3)), PHYSICAL);
	write_sysreg(CNTHCTL_ECV | 3, CNTHCTL_EL2);
	change_sysreg(SCR_EL3, SCR_ECVEN, 0);
	EXPECT_EQ(sample(1, pmscr, PMSCR_PCT(3)), PHYSICAL);
	set_offsets(false);
}

/* In Secure state without EL2 the Effective PMSCR_EL2.PCT is 0b01. */
TEST(PMSCR_EL2_PCT_has_no_effect_with_EL2_disabled, lacks_spe(3))
{
	set_offsets(true);
	change_sysreg(MDCR_EL3, MDCR_EL3_NSPB(2), 0);
	change_sysreg(SCR_EL3, SCR_NS, 0);
	for (unsigned pct = 0; pct < 4; pct++) {
		EXPECT_EQ(sample(1, PMSCR_TS, PMSCR_PCT(pct)), VIRTUAL);
		EXPECT_EQ(sample(1, PMSCR_TS | PMSCR_PCT(1), PMSCR_PCT(pct)),
			  PHYSICAL);
		EXPECT_EQ(sample(1, PMSCR_TS | PMSCR_PCT(3), PMSCR_PCT(pct)),
			  GUEST_PHYSICAL);
	}
	change_sysreg(SCR_EL3, 0, SCR_NS);
	set_offsets(false);
}

/* Without EL2 PCT has a fixed value; without FEAT_ECV its bit 7 is RES0. */
TEST(PMSCR_PCT_bits, lacks_spe(1))
{
	u64 bits = PMSCR_PCT(highest_el() > 1 && ecv() ? 3 : 1);

	write_sysreg(PMSCR_PCT(3), PMSCR_EL1);
	EXPECT_REG(PMSCR_EL1, bits);
	write_sysreg(0, PMSCR_EL1);
	EXPECT_REG(PMSCR_EL1, highest_el() == 1 ? PMSCR_PCT(1) : 0);
	if (highest_el() == 1)
		return;
	write_sysreg(PMSCR_PCT(3), PMSCR_EL2);
	EXPECT_REG(PMSCR_EL2, bits);
}
