/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_SPE_EXC as far as registers show it: which PMBSR_ELx reports an event
 * (RHJXHT), what stops profiling, and when PMBIRQ is asserted.
 */
#include "lib/counting.h"
#include "lib/spe.h"
#include "lib/mmu.h"

static bool lacks_exc(unsigned el)
{
	return lacks_spe(el) ||
	       skip_if(!ID_AA64DFR2_SPE_EXC(read_sysreg(ID_AA64DFR2_EL1)),
		       "no FEAT_SPE_EXC");
}

static u64 pmbsr(unsigned el)
{
	return el == 1 ? read_sysreg(PMBSR_EL1) :
	       el == 2 ? read_sysreg(PMBSR_EL2) : read_sysreg(PMBSR_EL3);
}

static void set_pmsee(unsigned el3)
{
	set_mdcr_el3(MDCR_EL3_PMSEE(3), MDCR_EL3_PMSEE(el3));
}

static void set_ee(unsigned el3, unsigned el2, unsigned el1)
{
	set_pmsee(el3);
	write_sysreg(PMSCR_EE(el2), PMSCR_EL2);
	set_sysreg(PMSCR_EE(el1), PMSCR_EL1);
}

static u64 write_records(u64 count)
{
	u64 pmscr = read_sysreg(PMSCR_EL1);

	set_sysreg(pmscr | PMSCR_E1SPE, PMSCR_EL1);
	for (unsigned i = 0; i < count * 128; i++)
		asm volatile("");
	set_sysreg(pmscr, PMSCR_EL1);
	spe_drain();
	return 0;
}

/* Leaves one S set: the level of the register, or 0. */
static unsigned event(u64 pointer, unsigned el3, unsigned el2, unsigned el1)
{
	unsigned where = 0;

	spe_setup(pointer, SPE_PAGE, 0);
	write_sysreg(0, PMBSR_EL2);
	write_sysreg(0, PMBSR_EL3);
	spe_interval(1, false);
	set_ee(el3, el2, el1);
	run_at(1, write_records, SPE_PAGE / 16);
	spe_drain();
	for (unsigned el = 1; el <= 3; el++)
		if (pmbsr(el) & PMBSR_S)
			where = where * 10 + el;
	return where;
}

/*
 * {PMSEE, EE of EL2}: EL3's 0 disables all, 3 takes all, then EL2's; of the
 * others, the lowest value that takes what the pointer leads to.
 */
static void check_targets(u64 pointer, unsigned el3_takes, unsigned el2_takes,
			  unsigned ec, u64 bits)
{
	for (unsigned i = 0; i < 16; i++) {
		unsigned el3 = i / 4, el2 = i % 4;
		unsigned wanted = el3 >= el3_takes ? 3 :
				  el3 && el2 >= el2_takes ? 2 : 1;

		EXPECT_EQ(event(pointer, el3, el2, 0), wanted);
		EXPECT_EQ(PMBSR_EC(pmbsr(wanted)), ec);
		EXPECT_EQ(pmbsr(wanted) & bits, bits);
	}
}

ROW_OF(RHJXHT_buffer_full, lacks_exc(3),
       check_targets(base(), 3, 3, PMBSR_EC_OTHER, PMBSR_BSC_FULL))

/* A stage 1 fault of EL1 targets EL1, one of stage 2 targets EL2. */
TEST(RHJXHT_MMU_fault, lacks_exc(3))
{
	mmu_enable_el1();
	check_targets(MMU_UNMAPPED, 3, 3, PMBSR_EC_STAGE1, 0);
	mmu_disable_el1();
	mmu_enable_stage2(0);
	check_targets(MMU_UNMAPPED, 3, 2, PMBSR_EC_STAGE2, 0);
}

/*
 * No memory there, and EL1 does not translate. With EE of 0b10 the target is
 * that of such an exception.
 */
TEST(RHJXHT_External_abort, lacks_exc(3))
{
	for (unsigned i = 0; i < 4; i++) {
		bool ea = i & 1, tea = i & 2;

		change_sysreg(SCR_EL3, SCR_EA, ea ? SCR_EA : 0);
		set_sysreg(HCR_RW | (tea ? HCR_TEA : 0), hcr_el2);
		check_targets(MMU_UNMAPPED, 3 - ea, 3 - tea, PMBSR_EC_STAGE1,
			      PMBSR_EA);
	}
}

static bool runs(void)
{
	u64 pointer = read_sysreg(PMBPTR_EL1);

	run_at(1, write_records, 4);
	return read_sysreg(PMBPTR_EL1) != pointer;
}

/*
 * S stops profiling in PMBSR_EL1, and in the higher ones if their level takes
 * events.
 */
TEST(RHJXHT_stopped_by_each_PMBSR_ELx, lacks_exc(3))
{
	for (unsigned ee = 0; ee < 4; ee++) {
		spe_setup(base(), BUFFER_SIZE, 0);
		write_sysreg(0, PMBSR_EL2);
		write_sysreg(0, PMBSR_EL3);
		spe_interval(1, false);
		set_ee(1, ee, 0);
		EXPECT(runs());
		set_sysreg(PMBSR_S, PMBSR_EL2);
		EXPECT_EQ(runs(), ee < 2);
		set_sysreg(0, PMBSR_EL2);
		set_ee(ee, 1, 0);
		EXPECT(runs());
		set_sysreg(PMBSR_S, PMBSR_EL3);
		EXPECT_EQ(runs(), ee < 2);
		write_sysreg(0, PMBSR_EL3);
		set_sysreg(PMBSR_S, PMBSR_EL1);
		EXPECT(!runs());
	}
}

static bool pmbirq(void)
{
	return GICR_ISPENDR0 & PMBIRQ;
}

TEST(RHJXHT_PMBIRQ_only_with_EE_0, lacks_exc(3))
{
	EXPECT_EQ(event(base(), 1, 1, 0), 1);
	EXPECT(pmbirq());
	EXPECT_EQ(event(base(), 1, 1, 3), 1);
	EXPECT(!pmbirq());
	/* EE of EL1 has no effect while EL2 or EL3 disables the exception. */
	EXPECT_EQ(event(base(), 1, 0, 3), 1);
	EXPECT(pmbirq());
	EXPECT_EQ(event(base(), 0, 1, 3), 1);
	EXPECT(pmbirq());
	/* PMBSR_EL2.S drives no interrupt of EL1. */
	EXPECT_EQ(event(base(), 1, 3, 0), 2);
	EXPECT(!pmbirq());
}

/* Meant for a hypervisor below: 0b01 is as 0b00, and 0b10 as 0b11. */
TEST(RHJXHT_PMBIRQ_with_a_reserved_EE, lacks_exc(3))
{
	EXPECT_EQ(event(base(), 1, 1, 1), 1);
	EXPECT(pmbirq());
	EXPECT_EQ(event(base(), 1, 1, 2), 1);
	EXPECT(!pmbirq());
}

/* The line follows the controls, not only PMBSR_EL1. */
TEST(RHJXHT_PMBIRQ_follows_each_control, lacks_exc(3))
{
	EXPECT_EQ(event(base(), 1, 1, 3), 1);
	EXPECT(!pmbirq());
	set_pmsee(0);
	EXPECT(pmbirq());
	set_pmsee(1);
	EXPECT(!pmbirq());
	set_sysreg(PMSCR_EE(0), PMSCR_EL2);
	EXPECT(pmbirq());
	/* If EL2 is disabled, it delegates. */
	enter_secure(true, false);
	run_at(1, run_loop, 1);
	EXPECT(!pmbirq());
	enter_secure(false, false);
	run_at(1, run_loop, 1);
	EXPECT(pmbirq());
}

/* Profiling stopped by PMBSR_EL3.S resumes when MDCR_EL3 ignores it. */
TEST(RHJXHT_PMSEE_restarts_profiling, lacks_exc(3))
{
	spe_setup(base(), BUFFER_SIZE, 0);
	write_sysreg(0, PMBSR_EL2);
	write_sysreg(PMBSR_S, PMBSR_EL3);
	spe_interval(1, false);
	set_ee(2, 1, 0);
	set_sysreg(PMSCR_E1SPE, PMSCR_EL1);
	run_at(1, run_loop, 3000);
	EXPECT_REG(PMBPTR_EL1, base());
	set_pmsee(1);
	run_at(1, run_loop, 3000);
	spe_disable();
	spe_drain();
	EXPECT_NE(read_sysreg(PMBPTR_EL1), base());
}

/* Counts at EL3, without a change of Exception level in between. */
TEST(RHSGZX_freezes_as_long_as_EE_heeds_S, lacks_exc(3))
{
	u64 frozen;

	spe_setup(base(), SPE_PAGE, PMBLIMITR_PMFZ);
	write_sysreg(PMBSR_S, PMBSR_EL2);
	write_sysreg(PMBSR_S, PMBSR_EL3);
	set_ee(1, 2, 0);
	count_everywhere(BIT(0), PMCR_E | PMCR_FZS);
	frozen = read_counter(0);
	EXPECT(!moves(0, 3));
	set_sysreg(PMSCR_EE(1), PMSCR_EL2);
	work(WORK);
	EXPECT(read_counter(0) - frozen >= WORK);
	set_pmsee(2);
	frozen = read_counter(0);
	EXPECT(!moves(0, 3));
	set_pmsee(1);
	work(WORK);
	EXPECT(read_counter(0) - frozen >= WORK);
}

static u64 read_pmbsr(u64 el12)
{
	return el12 ? read_sysreg(PMBSR_EL12) : read_sysreg(PMBSR_EL1);
}

static u64 write_pmbsr(u64 value)
{
	set_sysreg(value, PMBSR_EL1);
	return 0;
}

/* At EL2 PMBSR_EL1 names PMBSR_EL2 with E2H, if EE is not 0. */
static void access_at_el2(bool redirected)
{
	write_sysreg(PMBSR_COLL, PMBSR_EL1);
	write_sysreg(PMBSR_DL, PMBSR_EL2);
	EXPECT_EQ(run_at(2, read_pmbsr, false),
		  redirected ? PMBSR_DL : PMBSR_COLL);
	run_at(2, write_pmbsr, PMBSR_EA);
	EXPECT_REG(PMBSR_EL1, redirected ? PMBSR_COLL : PMBSR_EA);
	EXPECT_REG(PMBSR_EL2, redirected ? PMBSR_EA : PMBSR_DL);
}

TEST(PMBSR_EL1_at_EL2_with_E2H, lacks_exc(3))
{
	for (unsigned el3 = 0; el3 < 4; el3++)
		for (unsigned el2 = 0; el2 < 4; el2++) {
			set_ee(el3, el2, 0);
			write_sysreg(HCR_RW | HCR_E2H, hcr_el2);
			access_at_el2(el3 && el2);
			EXPECT_EQ(run_at(2, read_pmbsr, true),
				  read_sysreg(PMBSR_EL1));
			write_sysreg(HCR_RW, hcr_el2);
			access_at_el2(false);
		}
}

TEST(IRCCQG_collision_is_reported_in_PMBSR_ELx,
     lacks_exc(3) || lacks_property("spe-collide-every"))
{
	for (unsigned el3 = 0; el3 < 4; el3++)
		for (unsigned el2 = 0; el2 < 4; el2++) {
			unsigned wanted = el3 == 3 ? 3 :
					  el3 && el2 == 3 ? 2 : 1;

			spe_setup(base(), BUFFER_SIZE, 0);
			write_sysreg(PMBSR_DL | 1, PMBSR_EL1);
			write_sysreg(PMBSR_DL | 2, PMBSR_EL2);
			write_sysreg(PMBSR_DL | 3, PMBSR_EL3);
			spe_interval(1, false);
			set_ee(el3, el2, 0);
			run_at(1, write_records, 20);
			for (unsigned el = 1; el <= 3; el++)
				EXPECT_EQ(pmbsr(el), (PMBSR_DL | el) |
					  (el == wanted ? PMBSR_COLL : 0));
		}
}
