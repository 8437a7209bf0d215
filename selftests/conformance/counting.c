/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which counters count: Arm ARM D13.5. The third range of counters is in
 * ranges.c.
 */
#include "lib/counting.h"

/* D13.5.1: the rows of Table D13-4 for the ranges that there are. */
static void check_enables(bool hpme, bool e)
{
	unsigned counters = event_counters();
	unsigned hpmn = have_el(2) ? 2 : counters;
	u64 mask = GENMASK(counters - 1, 0) & ~BIT(0);

	if (have_el(2))
		set_mdcr_el2(MDCR_HPMN(hpmn) | (hpme ? MDCR_EL2_HPME : 0));
	count_everywhere(mask, e ? PMCR_E : 0);
	/* Counter 0 has PMCNTENSET.P[0] 0. */
	write_event_type(0, EVENT_CPU_CYCLES | FILTER_NSH);
	EXPECT(!moves(0, 1));
	for (unsigned n = 1; n < counters; n++)
		if (!EXPECT_EQ(moves(n, 1), n < hpmn ? e : hpme))
			note("counter %u, HPMN %u", n, hpmn);
}

ROW_OF(TableD13_4_HPME_0_E_0, false, check_enables(false, false))
ROW_OF(TableD13_4_HPME_0_E_1, false, check_enables(false, true))
ROW_OF(TableD13_4_HPME_1_E_0, lacks_el(2), check_enables(true, false))
ROW_OF(TableD13_4_HPME_1_E_1, lacks_el(2), check_enables(true, true))

/* The ranges are the same in each state and at each level. */
TEST(IQKDTZ_HPMN_applies_at_all_levels, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);
	count_everywhere(BIT(1) | BIT(2), 0);
	for (unsigned el = 1; el <= 2; el++) {
		EXPECT_COUNT(el, BIT(2), BIT(1));
	}
}

TEST(IQKDTZ_HPMN_applies_in_Secure_state, lacks_el(3) || lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);
	count_everywhere(BIT(1) | BIT(2), 0);
	for (unsigned eel2 = 0; eel2 <= 1; eel2++) {
		enter_secure(true, eel2);
		EXPECT_COUNT(1, BIT(2), BIT(1));
	}
}

/* FEAT_HPMN0: all event counters are in the second range. */
TEST(IQKDTZ_HPMN_0_reserves_all_event_counters, lacks_el(2))
{
	EXPECT_EQ(FIELD(read_sysreg(id_aa64dfr0_el1), 63, 60), 1);
	set_mdcr_el2(MDCR_HPMN(0) | MDCR_EL2_HPME);
	count_everywhere(BIT(0) | BIT(1), 0);
	EXPECT_COUNT(1, BIT(0) | BIT(1), 0);
	set_mdcr_el2(MDCR_HPMN(0));
	count_everywhere(BIT(0) | CYCLES, PMCR_E);
	EXPECT_COUNT(1, CYCLES, BIT(0));
}

static void check_enable(unsigned n)
{
	count_everywhere(BIT(n), 0);
	EXPECT(!moves(n, 1));
	count_everywhere(BIT(n), PMCR_E);
	EXPECT(moves(n, 1));
	write_sysreg(BIT(n), PMCNTENCLR_EL0);
	EXPECT(!moves(n, 1));
}

ROW_OF(IBTGDJ_cycle_counter_enables, false, check_enable(CYCLE_COUNTER))
ROW_OF(IWMNXT_instruction_counter_enables, false, check_enable(INSN_COUNTER))

TEST(PMICNTR_EL0_counts_as_INST_RETIRED)
{
	count_everywhere(BIT(0) | INSNS, 0);
	write_event_type(0, EVENT_INST_RETIRED | FILTER_NSH);
	change_sysreg(PMCR_EL0, 0, PMCR_E);
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
	u64 mask = GENMASK(event_counters() - 1, 0) | CYCLES |
		   INSNS;

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
	write_sysreg(~0UL, PMZR_EL0);
	return 0;
}

static u64 reset_all(u64 unused)
{
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

ROW_OF(PMZR_EL0_at_EL1_keeps_the_second_range, lacks_el(2),
       expect_second_range_kept(zero_all))
ROW_OF(PMCR_EL0_P_at_EL1_keeps_the_second_range, lacks_el(2),
       expect_second_range_kept(reset_all))

static u64 enable_all(u64 unused)
{
	write_sysreg(~0UL, PMCNTENSET_EL0);
	return read_sysreg(PMCNTENSET_EL0);
}

TEST(PMCNTENSET_EL0_at_EL1_reaches_the_first_range, lacks_el(2))
{
	u64 first = BIT(0) | BIT(1) | CYCLES | INSNS;

	set_mdcr_el2(MDCR_HPMN(2));
	EXPECT_EQ(run_at(1, enable_all, 0), first);
	EXPECT_REG(PMCNTENSET_EL0, first);
}

TEST(PMCNTENSET_EL0_at_EL1_with_HPMN_0, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(0));
	EXPECT_EQ(run_at(1, enable_all, 0),
		  CYCLES | INSNS);
}

#define FILTER_RLK BIT(22)
#define FILTER_RLU BIT(21)
#define FILTER_RLH BIT(20)

static u64 filters[2];

static void set_filters(unsigned value)
{
	write_event_type(0, EVENT_CPU_CYCLES | (value & 2 ? filters[0] : 0) |
			    (value & 1 ? filters[1] : 0));
}

/* Filters that select one level or state only: by the values of two bits. */
static void check_filters(u64 first, u64 second, const struct place *places,
			  unsigned count)
{
	filters[0] = first;
	filters[1] = second;
	expect_places(places, count, BIT(0), set_filters);
}

#define PLACES(...)							\
	(const struct place[]){ __VA_ARGS__ },				\
	sizeof((struct place[]){ __VA_ARGS__ }) / sizeof(struct place)

ROW_OF(PMEVTYPER_EL0_M_filters_EL3, lacks_el(3),
       check_filters(FILTER_P, FILTER_M, PLACES({ 0, 3, NS, 0x9 })))
ROW_OF(PMEVTYPER_EL0_NSH_and_SH_filter_EL2, lacks_el(3) || lacks_el(2),
       check_filters(FILTER_NSH, FILTER_SH,
		     PLACES({ 0, 2, NS, 0xc }, { 0, 2, S_EL2, 0x6 })))
ROW_OF(PMEVTYPER_EL0_P_and_NSK_filter_EL1, lacks_el(3),
       check_filters(FILTER_P, FILTER_NSK,
		     PLACES({ 0, 1, NS, 0x9 }, { 0, 1, S, 0x3 })))

/* EL0 has the filter of its Security state, whichever counter it is. */
TEST(PMEVTYPER_EL0_U_and_NSU_filter_EL0)
{
	static const u8 counters[] = { 0, CYCLE_COUNTER, INSN_COUNTER };
	bool el3 = have_el(3);

	count_everywhere(BIT(0) | CYCLES | INSNS,
			 PMCR_E);
	for (unsigned i = 0; i < 4; i++) {
		bool u = i & 2, nsu = el3 && (i & 1);
		u64 filter = (u ? FILTER_U : 0) | (nsu ? FILTER_NSU : 0);

		for (unsigned j = 0; j < ARRAY_SIZE(counters); j++) {
			unsigned n = counters[j];

			write_event_type(n, filter | FILTER_P | FILTER_NSK |
					    (n ? 0 : EVENT_CPU_CYCLES));
			EXPECT_EQ(moves(n, 0), u == nsu);
			if (!el3)
				continue;
			EXPECT_EQ(moves_secure(n, 0, false), !u);
		}
	}
}

/* NSH permits EL2; the others forbid. */
TEST(PMEVTYPER_EL0_RLK_RLU_and_RLH_filter_Realm_state,
     lacks_el(3) || skip_if(!FIELD(read_sysreg(id_aa64pfr0_el1), 55, 52),
			    "no FEAT_RME"))
{
	change_sysreg(SCR_EL3, 0, SCR_NS | SCR_NSE);
	check_filters(FILTER_U, FILTER_RLU, PLACES({ 0, 0, NS, 0x9 }));
	check_filters(FILTER_P, FILTER_RLK, PLACES({ 0, 1, NS, 0x9 }));
	check_filters(FILTER_NSH, FILTER_RLH, PLACES({ 0, 2, NS, 0x6 }));
}

/* Filters of Exception levels that are not implemented are RES0. */
TEST(PMEVTYPER_EL0_reserved_bits)
{
	u64 filters = FILTER_P | FILTER_U;

	if (have_el(2))
		filters |= FILTER_NSH;
	if (have_el(3))
		filters |= FILTER_NSK | FILTER_NSU | FILTER_M;
	if (have_el(3) && FIELD(read_sysreg(id_aa64pfr0_el1), 39, 36))
		filters |= FILTER_SH;
	if (FIELD(read_sysreg(id_aa64pfr0_el1), 55, 52))
		filters |= FILTER_RLK | FILTER_RLU | FILTER_RLH;
	write_event_type(0, ~0UL);
	EXPECT_EQ(read_event_type(0), filters | 0xffff);
	write_event_type(CYCLE_COUNTER, ~0UL);
	EXPECT_EQ(read_event_type(CYCLE_COUNTER), filters);
	write_event_type(INSN_COUNTER, ~0UL);
	EXPECT_EQ(read_event_type(INSN_COUNTER), filters | EVENT_INST_RETIRED);
}

/* FZS is RES0 without FEAT_SPEv1p2. */
TEST(PMCR_EL0_writable_bits)
{
	u64 dfr0 = read_sysreg(id_aa64dfr0_el1);
	u64 fzs = FIELD(dfr0, 35, 32) >= 3 ? PMCR_FZS : 0;

	set_sysreg(~(PMCR_P | PMCR_C), PMCR_EL0);
	EXPECT_EQ(read_sysreg(PMCR_EL0) & ~GENMASK(31, 11),
		  fzs | PMCR_FZO | GENMASK(7, 3) | PMCR_E);
	set_sysreg(0, PMCR_EL0);
	EXPECT_EQ(read_sysreg(PMCR_EL0) & ~GENMASK(31, 11), 0);
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
	/* It continues to count in all 64 bits. */
	EXPECT(read_counter(0) > 0xffffffffUL);
	write_sysreg(BIT(0), PMOVSCLR_EL0);
	EXPECT_EQ(flags_after(0xffffffffUL - WORK, PMCR_LP), 0);
	EXPECT_EQ(flags_after(-(u64)WORK, PMCR_LP), BIT(0));
	EXPECT(read_counter(0) < 16 * WORK);
}

TEST(MDCR_EL2_HLP_selects_the_overflow, lacks_el(2))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME);
	count_everywhere(BIT(2), PMCR_E);
	write_counter(2, 0xffffffffUL - WORK);
	work(4 * WORK);
	EXPECT_REG(PMOVSCLR_EL0, BIT(2));
	write_sysreg(BIT(2), PMOVSCLR_EL0);
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HLP);
	write_counter(2, 0xffffffffUL - WORK);
	work(4 * WORK);
	EXPECT_REG(PMOVSCLR_EL0, 0);
}

/* EL2 is disabled in Secure state if Secure EL2 is. */
TEST(MDCR_EL2_HLP_applies_when_EL2_is_disabled, lacks_el(3) || lacks_el(2))
{
	for (unsigned hlp = 0; hlp <= 1; hlp++) {
		set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME |
			     (hlp ? MDCR_EL2_HLP : 0));
		count_everywhere(BIT(2), PMCR_E);
		write_sysreg(BIT(2), PMOVSCLR_EL0);
		enter_secure(true, false);
		write_counter(2, 0xffffffffUL - WORK / 2);
		EXPECT(moves(2, 1));
		EXPECT_REG(PMOVSCLR_EL0, hlp ? 0 : BIT(2));
		enter_secure(false, false);
	}
}

/* Counter 1 counts CHAIN, and counter 0 overflows its low half. */
static u64 chained(u64 start, u64 pmcr)
{
	count_everywhere(BIT(0) | BIT(1), 0);
	write_event_type(1, EVENT_CHAIN | FILTER_NSH);
	write_counter(0, start);
	write_sysreg(PMCR_LC | pmcr | PMCR_E, PMCR_EL0);
	work(4 * WORK);
	stop_counters();
	return read_counter(1);
}

TEST(ITLHSZ_CHAIN_counts_overflows_while_LP_is_0)
{
	EXPECT_NE(read_sysreg(PMCEID0_EL0) & BIT(EVENT_CHAIN), 0);
	EXPECT_EQ(chained(0xffffffffUL - WORK, 0), 1);
	EXPECT_EQ(chained(0xffffffffUL - WORK, PMCR_LP), 0);
	EXPECT_EQ(chained(-(u64)WORK, PMCR_LP), 0);
	EXPECT_EQ(chained(0, 0), 0);
	/* Not of the odd counter itself. */
	count_everywhere(BIT(0) | BIT(1), 0);
	write_event_type(1, EVENT_CHAIN | FILTER_NSH);
	write_counter(0, 0xffffffffUL - WORK);
	write_counter(1, 0xffffffffUL);
	write_sysreg(PMCR_LC | PMCR_E, PMCR_EL0);
	work(4 * WORK);
	EXPECT_EQ(read_counter(1), 0x100000000UL);
	EXPECT_EQ(read_counter(1), 0x100000000UL);
	stop_counters();
	/* SW_INCR overflows, too; CHAIN is for the odd counter only. */
	count_everywhere(BIT(0) | BIT(1) | BIT(2), 0);
	write_event_type(0, EVENT_SW_INCR | FILTER_NSH);
	write_event_type(1, EVENT_CHAIN | FILTER_NSH);
	write_event_type(2, EVENT_CHAIN | FILTER_NSH);
	write_counter(0, 0xfffffffeUL);
	write_sysreg(PMCR_LC | PMCR_E, PMCR_EL0);
	for (unsigned i = 0; i < 4; i++)
		set_sysreg(BIT(0), PMSWINC_EL0);
	EXPECT_EQ(read_counter(1), 1);
	EXPECT_EQ(read_counter(2), 0);
}

TEST(ITLHSZ_CHAIN_in_the_second_range_takes_HLP, lacks_el(2))
{
	for (unsigned hlp = 0; hlp <= 1; hlp++) {
		set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME |
			     (hlp ? MDCR_EL2_HLP : 0));
		count_everywhere(BIT(2) | BIT(3), 0);
		write_event_type(3, EVENT_CHAIN | FILTER_NSH);
		write_counter(3, 0);
		write_counter(2, 0xffffffffUL - WORK);
		work(4 * WORK);
		EXPECT_EQ(read_counter(3), !hlp);
	}
}

TEST(PMICNTR_EL0_overflows_at_64_bits)
{
	count_everywhere(INSNS, PMCR_E);
	write_counter(INSN_COUNTER, 0xffffffffUL - WORK);
	work(4 * WORK);
	EXPECT_REG(PMOVSCLR_EL0, 0);
	write_counter(INSN_COUNTER, -(u64)WORK);
	work(4 * WORK);
	EXPECT_REG(PMOVSCLR_EL0, INSNS);
}

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
	write_sysreg(INSNS, PMINTENSET_EL1);
	EXPECT(interrupt_pending());
	write_sysreg(INSNS, PMOVSCLR_EL0);
	write_sysreg(INSNS, PMINTENCLR_EL1);
	write_sysreg(PMCR_LC, PMCR_EL0);
	/* The cycle counter, too. */
	overflow(CYCLE_COUNTER);
	write_sysreg(CYCLES, PMINTENSET_EL1);
	EXPECT(!interrupt_pending());
	write_sysreg(PMCR_LC | PMCR_E, PMCR_EL0);
	EXPECT(interrupt_pending());
}

TEST(IVQXCB_HPME_gates_the_interrupt_of_the_second_range, lacks_el(2))
{
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
	EXPECT_REG(PMOVSCLR_EL0, BIT(0));
}
