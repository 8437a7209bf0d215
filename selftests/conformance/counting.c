/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which counters count: Arm ARM D13.5. There is no third range of counters.
 */
#include "lib/pmu.h"

#define WORK 2000

static bool lacks_el(unsigned el)
{
	if (highest_el() >= el)
		return false;
	skip("the program does not have that Exception level");
	return true;
}

static void set_mdcr_el2(u64 bits)
{
	u64 pmsse = MDCR_PMSSE(1);

	write_sysreg(bits | pmsse, MDCR_EL2);
	isb();
}

static void set_mdcr_el3(u64 clear, u64 set)
{
	write_sysreg((read_sysreg(MDCR_EL3) & ~clear) | set, MDCR_EL3);
	isb();
}

/* At each level, and what is given beside it in PMCR_EL0. */
static void count_everywhere(u64 mask, u64 pmcr)
{
	for (unsigned n = 0; n <= INSN_COUNTER; n++) {
		if (!(mask & BIT(n)))
			continue;
		write_event_type(n, (n < CYCLE_COUNTER ? EVENT_CPU_CYCLES : 0) |
				    FILTER_NSH);
		write_counter(n, 0);
	}
	write_sysreg(PMCR_LC | PMCR_LP | pmcr, PMCR_EL0);
	write_sysreg(mask, PMCNTENSET_EL0);
	isb();
}

static u64 work_here(u64 n)
{
	work(n);
	return 0;
}

static void work_at(unsigned el)
{
	if (el == current_el())
		work(WORK);
	else
		run_at(el, work_here, WORK);
}

/* Whether counter n moves while a level works. */
static bool moves(unsigned n, unsigned el)
{
	u64 before = read_counter(n);

	work_at(el);
	return read_counter(n) - before >= WORK;
}

/* D13.5.1: the rows of Table D13-4 for the ranges that there are. */
static void check_enables(bool hpme, bool e)
{
	unsigned counters = event_counters();
	unsigned hpmn = highest_el() >= 2 ? 2 : counters;
	u64 mask = GENMASK(counters - 1, 0) & ~BIT(0);

	if (highest_el() >= 2)
		set_mdcr_el2(MDCR_HPMN(hpmn) | (hpme ? MDCR_EL2_HPME : 0));
	count_everywhere(mask, e ? PMCR_E : 0);
	/* Counter 0 has PMCNTENSET.P[0] 0. */
	EXPECT(!moves(0, 1));
	for (unsigned n = 1; n < counters; n++)
		if (!EXPECT_EQ(moves(n, 1), n < hpmn ? e : hpme))
			note("counter %u, HPMN %u", n, hpmn);
}

TEST(TableD13_4_HPME_0_E_0)
{
	check_enables(false, false);
}

TEST(TableD13_4_HPME_0_E_1)
{
	check_enables(false, true);
}

TEST(TableD13_4_HPME_1_E_0)
{
	if (!lacks_el(2))
		check_enables(true, false);
}

TEST(TableD13_4_HPME_1_E_1)
{
	if (!lacks_el(2))
		check_enables(true, true);
}

/* The ranges are the same in each state and at each level. */
TEST(IQKDTZ_HPMN_applies_at_all_levels)
{
	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);
	count_everywhere(BIT(1) | BIT(2), 0);
	for (unsigned el = 1; el <= 2; el++) {
		EXPECT(!moves(1, el));
		EXPECT(moves(2, el));
	}
}

TEST(IBTGDJ_cycle_counter_enables)
{
	count_everywhere(BIT(CYCLE_COUNTER), 0);
	EXPECT(!moves(CYCLE_COUNTER, 1));
	count_everywhere(BIT(CYCLE_COUNTER), PMCR_E);
	EXPECT(moves(CYCLE_COUNTER, 1));
	write_sysreg(BIT(CYCLE_COUNTER), PMCNTENCLR_EL0);
	EXPECT(!moves(CYCLE_COUNTER, 1));
}

TEST(IWMNXT_instruction_counter_enables)
{
	count_everywhere(BIT(INSN_COUNTER), 0);
	EXPECT(!moves(INSN_COUNTER, 1));
	count_everywhere(BIT(INSN_COUNTER), PMCR_E);
	EXPECT(moves(INSN_COUNTER, 1));
	write_sysreg(BIT(INSN_COUNTER), PMCNTENCLR_EL0);
	EXPECT(!moves(INSN_COUNTER, 1));
}

TEST(PMICNTR_EL0_counts_as_INST_RETIRED)
{
	count_everywhere(BIT(0) | BIT(INSN_COUNTER), 0);
	write_event_type(0, EVENT_INST_RETIRED | FILTER_NSH);
	write_sysreg(read_sysreg(PMCR_EL0) | PMCR_E, PMCR_EL0);
	work(WORK);
	stop_counters();
	EXPECT_EQ(read_counter(0), read_counter(INSN_COUNTER));
	EXPECT(read_counter(0) >= WORK);
	EXPECT(read_counter(0) < 3 * WORK);
}

TEST(PMICFILTR_EL0_evtCount_reads_INST_RETIRED)
{
	write_event_type(INSN_COUNTER, FILTER_P | EVENT_CPU_CYCLES);
	EXPECT_EQ(read_event_type(INSN_COUNTER), FILTER_P | EVENT_INST_RETIRED);
}

/* D13.5.2.1: an overflow of one event counter stops the range. */
static void overflow(unsigned n)
{
	write_sysreg(BIT(n), PMOVSSET_EL0);
	isb();
}

TEST(RFGSDP_FZO_freezes_the_first_range)
{
	u64 mask = BIT(0) | BIT(1) | BIT(CYCLE_COUNTER) | BIT(INSN_COUNTER);

	count_everywhere(mask, PMCR_E | PMCR_FZO);
	EXPECT(moves(0, 1));
	overflow(1);
	EXPECT(!moves(0, 1));
	EXPECT(!moves(1, 1));
	EXPECT(!moves(INSN_COUNTER, 1));
	/* PMCR.DP is 0. */
	EXPECT(moves(CYCLE_COUNTER, 1));
}

TEST(RFGSDP_FZO_freezes_the_cycle_counter_with_DP)
{
	count_everywhere(BIT(0) | BIT(CYCLE_COUNTER),
			 PMCR_E | PMCR_FZO | PMCR_DP);
	EXPECT(moves(CYCLE_COUNTER, 1));
	overflow(0);
	EXPECT(!moves(CYCLE_COUNTER, 1));
}

TEST(RFGSDP_overflow_of_PMICNTR_freezes)
{
	count_everywhere(BIT(0) | BIT(INSN_COUNTER), PMCR_E | PMCR_FZO);
	overflow(INSN_COUNTER);
	EXPECT(!moves(0, 1));
}

TEST(RFGSDP_overflow_of_PMCCNTR_does_not_freeze)
{
	count_everywhere(BIT(0) | BIT(CYCLE_COUNTER), PMCR_E | PMCR_FZO);
	overflow(CYCLE_COUNTER);
	EXPECT(moves(0, 1));
	EXPECT(moves(CYCLE_COUNTER, 1));
}

TEST(RFGSDP_without_FZO_nothing_freezes)
{
	count_everywhere(BIT(0) | BIT(1), PMCR_E);
	overflow(1);
	EXPECT(moves(0, 1));
	EXPECT(moves(1, 1));
}

TEST(RFGSDP_clearing_the_flag_thaws)
{
	count_everywhere(BIT(0), PMCR_E | PMCR_FZO);
	overflow(0);
	EXPECT(!moves(0, 1));
	write_sysreg(BIT(0), PMOVSCLR_EL0);
	isb();
	EXPECT(moves(0, 1));
}

TEST(RFGSDP_freezes_on_a_counted_overflow)
{
	count_everywhere(BIT(0) | BIT(1), 0);
	write_counter(0, -(u64)WORK);
	write_sysreg(PMCR_LC | PMCR_LP | PMCR_E | PMCR_FZO, PMCR_EL0);
	work(20 * WORK);
	EXPECT_EQ(read_sysreg(PMOVSCLR_EL0), BIT(0));
	EXPECT(!moves(0, 1));
	EXPECT(!moves(1, 1));
	/* Counter 1 stopped soon after counter 0 overflowed. */
	EXPECT(read_counter(1) >= WORK);
	EXPECT(read_counter(1) < 10 * WORK);
}

TEST(ILMSFT_a_frozen_counter_reads_the_same)
{
	u64 value;

	count_everywhere(BIT(0) | BIT(1), 0);
	write_counter(0, -(u64)WORK);
	write_sysreg(PMCR_LC | PMCR_LP | PMCR_E | PMCR_FZO, PMCR_EL0);
	while (!read_sysreg(PMOVSCLR_EL0))
		isb();
	isb();
	value = read_counter(1);
	for (unsigned i = 0; i < 100; i++)
		EXPECT_EQ(read_counter(1), value);
}

TEST(RBHFSF_HPMFZO_freezes_the_second_range)
{
	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZO);
	count_everywhere(BIT(0) | BIT(2) | BIT(3), PMCR_E);
	EXPECT(moves(2, 1));
	overflow(3);
	EXPECT(!moves(2, 1));
	EXPECT(!moves(3, 1));
	EXPECT(moves(0, 1));
}

TEST(RBHFSF_first_range_does_not_freeze_the_second)
{
	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZO);
	count_everywhere(BIT(0) | BIT(2), PMCR_E | PMCR_FZO);
	overflow(0);
	EXPECT(!moves(0, 1));
	EXPECT(moves(2, 1));
}

TEST(RFGSDP_second_range_does_not_freeze_the_first)
{
	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);
	count_everywhere(BIT(0) | BIT(2), PMCR_E | PMCR_FZO);
	overflow(2);
	EXPECT(moves(0, 1));
	EXPECT(moves(2, 1));
}

/* D13.5.3 */
TEST(PMCR_EL0_P_and_C_reset)
{
	write_counter(0, 1);
	write_counter(1, 2);
	write_counter(CYCLE_COUNTER, 3);
	write_counter(INSN_COUNTER, 4);
	write_sysreg(PMCR_LC | PMCR_LP | PMCR_P, PMCR_EL0);
	EXPECT_EQ(read_counter(0), 0);
	EXPECT_EQ(read_counter(1), 0);
	EXPECT_EQ(read_counter(CYCLE_COUNTER), 3);
	write_sysreg(PMCR_LC | PMCR_LP | PMCR_C, PMCR_EL0);
	EXPECT_EQ(read_counter(CYCLE_COUNTER), 0);
	EXPECT_EQ(read_counter(INSN_COUNTER), 4);
	EXPECT_EQ(read_sysreg(PMCR_EL0) & (PMCR_P | PMCR_C), 0);
}

TEST(PMZR_EL0_resets_each_counter)
{
	u64 mask = GENMASK(event_counters() - 1, 0) | BIT(CYCLE_COUNTER) |
		   BIT(INSN_COUNTER);

	for (unsigned zero = 0; zero <= INSN_COUNTER; zero++) {
		if (!(mask & BIT(zero)))
			continue;
		for (unsigned n = 0; n <= INSN_COUNTER; n++)
			if (mask & BIT(n))
				write_counter(n, n + 5);
		write_sysreg(BIT(zero), PMZR_EL0);
		for (unsigned n = 0; n <= INSN_COUNTER; n++)
			if (mask & BIT(n))
				EXPECT_EQ(read_counter(n),
					  n == zero ? 0 : n + 5);
	}
}

static u64 zero_all(u64 unused)
{
	(void)unused;
	write_sysreg(~0UL, PMZR_EL0);
	return 0;
}

static u64 reset_all(u64 unused)
{
	(void)unused;
	write_sysreg(PMCR_LC | PMCR_LP | PMCR_P, PMCR_EL0);
	return 0;
}

static void expect_second_range_kept(u64 (*reset)(u64))
{
	set_mdcr_el2(MDCR_HPMN(2));
	for (unsigned n = 0; n < 4; n++)
		write_counter(n, n + 6);
	run_at(1, reset, 0);
	EXPECT_EQ(read_counter(0), 0);
	EXPECT_EQ(read_counter(1), 0);
	EXPECT_EQ(read_counter(2), 8);
	EXPECT_EQ(read_counter(3), 9);
}

TEST(PMZR_EL0_at_EL1_keeps_the_second_range)
{
	if (!lacks_el(2))
		expect_second_range_kept(zero_all);
}

TEST(PMCR_EL0_P_at_EL1_keeps_the_second_range)
{
	if (!lacks_el(2))
		expect_second_range_kept(reset_all);
}

static u64 enable_all(u64 unused)
{
	(void)unused;
	write_sysreg(~0UL, PMCNTENSET_EL0);
	return read_sysreg(PMCNTENSET_EL0);
}

TEST(PMCNTENSET_EL0_at_EL1_reaches_the_first_range)
{
	u64 first = BIT(0) | BIT(1) | BIT(CYCLE_COUNTER) | BIT(INSN_COUNTER);

	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(2));
	EXPECT_EQ(run_at(1, enable_all, 0), first);
	EXPECT_EQ(read_sysreg(PMCNTENSET_EL0), first);
}

/* D13.5.4 */
TEST(RMMZLZ_HPMD_prohibits_the_first_range_at_EL2)
{
	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMD);
	count_everywhere(BIT(0) | BIT(2), PMCR_E);
	EXPECT(moves(0, 1));
	EXPECT(!moves(0, 2));
	EXPECT(moves(2, 1));
	EXPECT(moves(2, 2));
}

TEST(RCSRMB_HPMD_prohibits_PMICNTR_at_EL2)
{
	if (lacks_el(2))
		return;
	count_everywhere(BIT(INSN_COUNTER), PMCR_E);
	EXPECT(moves(INSN_COUNTER, 2));
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPMD);
	EXPECT(!moves(INSN_COUNTER, 2));
	EXPECT(moves(INSN_COUNTER, 1));
}

TEST(RGKPZH_cycle_counter_runs_where_events_are_prohibited)
{
	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPMD);
	count_everywhere(BIT(CYCLE_COUNTER), PMCR_E);
	EXPECT(moves(CYCLE_COUNTER, 2));
	count_everywhere(BIT(CYCLE_COUNTER), PMCR_E | PMCR_DP);
	EXPECT(!moves(CYCLE_COUNTER, 2));
	EXPECT(moves(CYCLE_COUNTER, 1));
}

TEST(RGKPZH_HCCD_stops_the_cycle_counter_at_EL2)
{
	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HCCD);
	count_everywhere(BIT(CYCLE_COUNTER), PMCR_E);
	EXPECT(!moves(CYCLE_COUNTER, 2));
	EXPECT(moves(CYCLE_COUNTER, 1));
}

/* The four values of MDCR_EL3.{SPME,MPMX}, at EL3, for both ranges. */
TEST(RGNGCW_SPME_and_MPMX_at_EL3)
{
	if (lacks_el(3))
		return;
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);
	count_everywhere(BIT(0) | BIT(2), PMCR_E);
	for (unsigned i = 0; i < 4; i++) {
		bool spme = i & 2, mpmx = i & 1;

		set_mdcr_el3(MDCR_EL3_SPME | MDCR_EL3_MPMX,
			     (spme ? MDCR_EL3_SPME : 0) |
			     (mpmx ? MDCR_EL3_MPMX : 0));
		EXPECT_EQ(moves(0, 3), spme && !mpmx);
		EXPECT_EQ(moves(2, 3), spme);
		/* Non-secure state is not affected. */
		EXPECT(moves(0, 1));
		EXPECT(moves(2, 1));
	}
}

static void enter_secure(bool secure)
{
	u64 scr = read_sysreg(SCR_EL3);

	write_sysreg(secure ? scr & ~SCR_NS : scr | SCR_NS, SCR_EL3);
	isb();
}

TEST(RGNGCW_SPME_and_MPMX_at_Secure_EL1)
{
	if (lacks_el(3))
		return;
	count_everywhere(BIT(0), PMCR_E);
	for (unsigned i = 0; i < 4; i++) {
		set_mdcr_el3(MDCR_EL3_SPME | MDCR_EL3_MPMX,
			     (i & 2 ? MDCR_EL3_SPME : 0) |
			     (i & 1 ? MDCR_EL3_MPMX : 0));
		enter_secure(true);
		EXPECT_EQ(moves(0, 1), i != 0);
		enter_secure(false);
	}
}

TEST(RCSRMB_PMICNTR_at_EL3)
{
	if (lacks_el(3))
		return;
	count_everywhere(BIT(INSN_COUNTER), PMCR_E);
	set_mdcr_el3(MDCR_EL3_MPMX, MDCR_EL3_SPME);
	EXPECT(moves(INSN_COUNTER, 3));
	set_mdcr_el3(MDCR_EL3_SPME, 0);
	EXPECT(!moves(INSN_COUNTER, 3));
	EXPECT(moves(INSN_COUNTER, 1));
}

TEST(RGKPZH_SCCD_and_MCCD_stop_the_cycle_counter_at_EL3)
{
	if (lacks_el(3))
		return;
	count_everywhere(BIT(CYCLE_COUNTER), PMCR_E);
	EXPECT(moves(CYCLE_COUNTER, 3));
	set_mdcr_el3(0, MDCR_EL3_SCCD);
	EXPECT(!moves(CYCLE_COUNTER, 3));
	EXPECT(moves(CYCLE_COUNTER, 1));
	set_mdcr_el3(MDCR_EL3_SCCD, MDCR_EL3_MCCD);
	EXPECT(!moves(CYCLE_COUNTER, 3));
	EXPECT(moves(CYCLE_COUNTER, 1));
}

static u64 write_and_read(u64 value)
{
	write_counter(0, value);
	return read_counter(0);
}

TEST(RTDGMF_prohibited_counters_stay_accessible)
{
	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(event_counters()) | MDCR_EL2_HPMD);
	count_everywhere(BIT(0), PMCR_E);
	EXPECT_EQ(highest_el() == 2 ? write_and_read(77) :
				      run_at(2, write_and_read, 77), 77);
}

/* FEAT_PMUv3p5: 64-bit event counters, and where they overflow. */
static u64 flags_after(u64 start, u64 pmcr)
{
	count_everywhere(BIT(0), 0);
	write_counter(0, start);
	write_sysreg(PMCR_LC | pmcr | PMCR_E, PMCR_EL0);
	work(4 * WORK);
	stop_counters();
	return read_sysreg(PMOVSCLR_EL0);
}

TEST(PMCR_EL0_LP_selects_the_overflow)
{
	EXPECT_EQ(flags_after(0xffffffffUL - WORK, 0), BIT(0));
	/* It counts on with all 64 bits. */
	EXPECT(read_counter(0) > 0xffffffffUL);
	write_sysreg(BIT(0), PMOVSCLR_EL0);
	EXPECT_EQ(flags_after(0xffffffffUL - WORK, PMCR_LP), 0);
	EXPECT_EQ(flags_after(-(u64)WORK, PMCR_LP), BIT(0));
	EXPECT(read_counter(0) < 16 * WORK);
}

TEST(MDCR_EL2_HLP_selects_the_overflow)
{
	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);
	count_everywhere(BIT(2), PMCR_E);
	write_counter(2, 0xffffffffUL - WORK);
	work(4 * WORK);
	EXPECT_EQ(read_sysreg(PMOVSCLR_EL0), BIT(2));
	write_sysreg(BIT(2), PMOVSCLR_EL0);
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HLP);
	write_counter(2, 0xffffffffUL - WORK);
	work(4 * WORK);
	EXPECT_EQ(read_sysreg(PMOVSCLR_EL0), 0);
}

TEST(PMICNTR_EL0_overflows_at_64_bits)
{
	count_everywhere(BIT(INSN_COUNTER), PMCR_E);
	write_counter(INSN_COUNTER, 0xffffffffUL - WORK);
	work(4 * WORK);
	EXPECT_EQ(read_sysreg(PMOVSCLR_EL0), 0);
	write_counter(INSN_COUNTER, -(u64)WORK);
	work(4 * WORK);
	EXPECT_EQ(read_sysreg(PMOVSCLR_EL0), BIT(INSN_COUNTER));
}

/* PMUIRQ is PPI 7, INTID 23: its pending bit at the redistributor. */
#define GICR_ISPENDR0 (*(volatile u32 *)0x080b0200)
#define PMUIRQ BIT(23)

static bool interrupt_pending(void)
{
	return GICR_ISPENDR0 & PMUIRQ;
}

TEST(IVQXCB_E_gates_the_interrupt_of_the_first_range)
{
	overflow(0);
	EXPECT(!interrupt_pending());
	write_sysreg(BIT(0), PMINTENSET_EL1);
	EXPECT(!interrupt_pending());
	write_sysreg(PMCR_LC | PMCR_E, PMCR_EL0);
	EXPECT(interrupt_pending());
	write_sysreg(BIT(0), PMOVSCLR_EL0);
	EXPECT(!interrupt_pending());
	overflow(INSN_COUNTER);
	write_sysreg(BIT(INSN_COUNTER), PMINTENSET_EL1);
	EXPECT(interrupt_pending());
}

TEST(IVQXCB_HPME_gates_the_interrupt_of_the_second_range)
{
	if (lacks_el(2))
		return;
	set_mdcr_el2(MDCR_HPMN(2));
	write_sysreg(BIT(2), PMINTENSET_EL1);
	overflow(2);
	write_sysreg(PMCR_LC | PMCR_E, PMCR_EL0);
	EXPECT(!interrupt_pending());
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);
	EXPECT(interrupt_pending());
	write_sysreg(PMCR_LC, PMCR_EL0);
	EXPECT(interrupt_pending());
}

TEST(overflow_interrupt_comes_by_itself)
{
	count_everywhere(BIT(0), 0);
	write_counter(0, -(u64)WORK);
	write_sysreg(BIT(0), PMINTENSET_EL1);
	write_sysreg(PMCR_LC | PMCR_LP | PMCR_E, PMCR_EL0);
	for (unsigned i = 0; i < 100000 && !interrupt_pending(); i++)
		work(10);
	EXPECT(interrupt_pending());
	EXPECT_EQ(read_sysreg(PMOVSCLR_EL0), BIT(0));
}
