/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The third range of counters, which PMCCR.EPMN reserves for an external
 * agent (FEAT_PMUv3_EXTPMN): Arm ARM D13.5. The agent is the program, by the
 * external view of the PMU.
 */
#include "lib/counting.h"
#include "lib/frame.h"

#define EPMN	 4
#define COUNTERS 6

/* The last counter of each range. */
#define FIRST	 1
#define SECOND	 3
#define THIRD	 5

static unsigned hpmn(void)
{
	return have_el(2) ? 2 : EPMN;
}

static void set_pmccr(u64 bits)
{
	frame_write(PMCCR_EPMN(EPMN) | bits, FRAME_PMCCR);
}

/* Lets all counters in the mask count cycles; the agent may own some. */
static void count_all(u64 mask, u64 pmcr)
{
	write_sysreg(PMCR_LC | PMCR_LP | pmcr, PMCR_EL0);
	frame_write(~0UL, FRAME_PMCNTENCLR);
	frame_write(~0UL, FRAME_PMOVSCLR);
	for (unsigned n = 0; n < COUNTERS; n++) {
		frame_write(EVENT_CPU_CYCLES | FILTER_NSH, FRAME_PMEVTYPER(n));
		frame_write(0, FRAME_PMEVCNTR(n));
	}
	frame_write(mask, FRAME_PMCNTENSET);
}

/* Read at the highest level, where accesses are the most secure. */
static bool frame_moves(unsigned n, unsigned el)
{
	u64 before = frame_read(FRAME_PMEVCNTR(n));

	work_at(el);
	return frame_read(FRAME_PMEVCNTR(n)) - before >= WORK;
}

static void check_row(unsigned epme, unsigned hpme, unsigned e)
{
	if (!have_frame())
		return;
	if (have_el(2))
		set_mdcr_el2(MDCR_HPMN(2) | (hpme ? MDCR_EL2_HPME : 0));
	set_pmccr(epme ? PMCCR_EPME : 0);
	for (unsigned el = 1; el <= highest_el(); el++) {
		/* PMCNTENSET.P[n] == 0 */
		count_all(0, e ? PMCR_E : 0);
		for (unsigned n = 0; n < COUNTERS; n++)
			EXPECT(!frame_moves(n, el));
		count_all(GENMASK(COUNTERS - 1, 0), e ? PMCR_E : 0);
		for (unsigned n = 0; n < COUNTERS; n++)
			if (!EXPECT_EQ(frame_moves(n, el),
				       n < hpmn() ? e : n < EPMN ? hpme : epme))
				note("counter %u at EL%u", n, el);
	}
}

/* The number is EPME, HPME and E in binary, in the order of the table. */
#define ROW(name, index)						\
	TEST(name)							\
	{								\
		check_row((index) >> 2, (index) >> 1 & 1, (index) & 1);	\
	}

ROW(TableD13_4_EPME_0_HPME_0_E_0, 0)
ROW(TableD13_4_EPME_0_HPME_0_E_1, 1)
ROW(TableD13_4_EPME_0_HPME_1_E_0, 2)
ROW(TableD13_4_EPME_0_HPME_1_E_1, 3)
ROW(TableD13_4_EPME_1_HPME_0_E_0, 4)
ROW(TableD13_4_EPME_1_HPME_0_E_1, 5)
ROW(TableD13_4_EPME_1_HPME_1_E_0, 6)
ROW(TableD13_4_EPME_1_HPME_1_E_1, 7)

/* The properties epmn and epme are what the agent left after reset. */
TEST(PMCCR_EPMN_hides_counters_from_software, !have_frame())
{
	set_pmccr(0);
	EXPECT_EQ(frame_read(FRAME_PMCCR), PMCCR_EPMN(EPMN));
	EXPECT_EQ(event_counters(), EPMN);
	EXPECT_EQ(PMCR_N(frame_read(FRAME_PMCR)), COUNTERS);
	for (unsigned n = 0; n < COUNTERS; n++) {
		EXPECT_EQ(TRY((void)read_counter(n)), n >= EPMN);
		EXPECT_EQ(TRY((void)read_event_type(n)), n >= EPMN);
		EXPECT_EQ(TRY((void)read_saved(n)), n >= EPMN);
		if (n >= EPMN)
			EXPECT_EQ(ESR_EC(trap.esr), EC_UNKNOWN);
	}
	frame_write(~0UL, FRAME_PMCNTENCLR);
	write_sysreg(~0UL, PMCNTENSET_EL0);
	EXPECT_EQ(frame_read(FRAME_PMCNTENSET) & GENMASK(30, 0),
		  GENMASK(EPMN - 1, 0));
	frame_write(~0UL, FRAME_PMCNTENSET);
	EXPECT_EQ(read_sysreg(PMCNTENSET_EL0) & GENMASK(30, 0),
		  GENMASK(EPMN - 1, 0));
	EXPECT_EQ(frame_read(FRAME_PMCNTENSET) & GENMASK(30, 0),
		  GENMASK(COUNTERS - 1, 0));
}

/* D13.5.3: neither PMCR_EL0.P nor PMZR_EL0 reaches it. */
TEST(PMCR_EL0_P_and_PMZR_EL0_leave_the_third_range, !have_frame())
{
	set_pmccr(0);
	count_all(0, 0);
	frame_write(7, FRAME_PMEVCNTR(THIRD));
	write_sysreg(PMCR_LC | PMCR_P, PMCR_EL0);
	write_sysreg(~0UL, PMZR_EL0);
	frame_write(~0UL, FRAME_PMZR);
	frame_write(PMCR_P, FRAME_PMCR);
	EXPECT_EQ(frame_read(FRAME_PMEVCNTR(THIRD)), 7);
}

/* A freeze of the other ranges does not freeze it. */
TEST(ILKVKF_overflow_does_not_freeze_the_third_range, !have_frame())
{
	if (have_el(2))
		set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZO);
	set_pmccr(PMCCR_EPME);
	count_all(GENMASK(COUNTERS - 1, 0), PMCR_E | PMCR_FZO);
	frame_write(GENMASK(31, 0), FRAME_PMOVSSET);
	EXPECT(!frame_moves(FIRST, 1));
	EXPECT(!frame_moves(SECOND, 1));
	EXPECT(frame_moves(THIRD, 1));
}

/* Its own overflow flags freeze nothing. */
TEST(ILKVKF_overflow_of_the_third_range_freezes_nothing, !have_frame())
{
	if (have_el(2))
		set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZO);
	set_pmccr(PMCCR_EPME);
	count_all(GENMASK(COUNTERS - 1, 0) | CYCLES |
		  INSNS, PMCR_E | PMCR_FZO | PMCR_DP);
	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	write_event_type(INSN_COUNTER, FILTER_NSH);
	frame_write(BIT(4) | BIT(5), FRAME_PMOVSSET);
	for (unsigned n = 0; n < COUNTERS; n++)
		EXPECT(frame_moves(n, 1));
	EXPECT_COUNT(1, CYCLES | INSNS, 0);
}

/* Nor does counter 4 make counter 5 count CHAIN, as below the third range. */
TEST(ILKVKF_the_third_range_has_no_CHAIN, !have_frame())
{
	set_pmccr(PMCCR_EPME);
	count_all(0, PMCR_E);
	write_sysreg(PMCR_LC | PMCR_E, PMCR_EL0);
	for (unsigned n = 0; n < COUNTERS; n += 2) {
		frame_write(EVENT_CHAIN | FILTER_NSH, FRAME_PMEVTYPER(n + 1));
		frame_write(n < EPMN ? 0xffffffffUL - WORK : -(u64)WORK,
			    FRAME_PMEVCNTR(n));
	}
	frame_write(BIT(0) | BIT(1) | BIT(4) | BIT(5), FRAME_PMCNTENSET);
	work(4 * WORK);
	EXPECT_EQ(frame_read(FRAME_PMEVCNTR(1)), 1);
	EXPECT_EQ(frame_read(FRAME_PMOVSSET), BIT(0) | BIT(4));
	EXPECT_EQ(frame_read(FRAME_PMEVCNTR(5)), 0);
}

TEST(ILKVKF_SPE_event_does_not_freeze_the_third_range, !have_frame())
{
	if (have_el(2))
		set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZS);
	set_pmccr(PMCCR_EPME);
	count_all(GENMASK(COUNTERS - 1, 0), PMCR_E | PMCR_FZS);
	write_sysreg(PMBSR_S, PMBSR_EL1);
	set_sysreg(PMBLIMITR_E | PMBLIMITR_PMFZ, PMBLIMITR_EL1);
	EXPECT(!frame_moves(FIRST, 1));
	EXPECT(!frame_moves(SECOND, 1));
	EXPECT(frame_moves(THIRD, 1));
}

TEST(RKQDQS_nothing_prohibits_the_third_range, !have_frame() || lacks_el(3))
{
	set_mdcr_el2(MDCR_HPMN(2) | MDCR_EL2_HPMD);
	set_pmccr(PMCCR_EPME);
	count_all(BIT(THIRD), 0);
	for (unsigned i = 0; i < 4; i++) {
		set_spme_mpmx(i);
		for (unsigned el = 1; el <= 3; el++)
			EXPECT(frame_moves(THIRD, el));
		for (unsigned el = 1; el <= 2; el++) {
			enter_secure(true, el == 2);
			EXPECT(frame_moves(THIRD, el));
		}
		enter_secure(false, false);
	}
}

/* Its filters still apply. */
TEST(ILNLLM_filters_apply_to_the_third_range, !have_frame())
{
	set_pmccr(PMCCR_EPME);
	count_all(BIT(THIRD), 0);
	frame_write(EVENT_CPU_CYCLES | FILTER_NSH | FILTER_P,
		    FRAME_PMEVTYPER(THIRD));
	EXPECT(!frame_moves(THIRD, 1));
}

static u64 read_at_el1(u64 offset)
{
	return frame_read(offset);
}

static u64 write_at_el1(u64 offset)
{
	frame_write(BIT(THIRD) | BIT(SECOND), offset);
	return 0;
}

/* Only the most secure accesses see it: with EL3 those to Secure memory. */
TEST(ILNLLM_less_secure_accesses_do_not_see_the_third_range,
     !have_frame() || lacks_el(3))
{
	set_pmccr(PMCCR_EPME);
	count_all(0, 0);
	frame_write(0x77, FRAME_PMEVCNTR(THIRD));
	frame_write(0x33, FRAME_PMEVCNTR(SECOND));
	EXPECT_EQ(run_at(1, read_at_el1, FRAME_PMEVCNTR(THIRD)), 0);
	EXPECT_EQ(run_at(1, read_at_el1, FRAME_PMEVCNTR(SECOND)), 0x33);
	EXPECT_EQ(run_at(1, read_at_el1, FRAME_PMCCR), 0);
	EXPECT_EQ(PMCR_N(run_at(1, read_at_el1, FRAME_PMCR)), EPMN);
	run_at(1, write_at_el1, FRAME_PMCNTENSET);
	EXPECT_EQ(frame_read(FRAME_PMCNTENSET), BIT(SECOND));
	run_at(1, write_at_el1, FRAME_PMCCR);
	EXPECT_EQ(frame_read(FRAME_PMCCR), PMCCR_EPMN(EPMN) | PMCCR_EPME);
	enter_secure(true, false);
	EXPECT_EQ(run_at(1, read_at_el1, FRAME_PMEVCNTR(THIRD)), 0x77);
}

TEST(IVQXCB_EPME_gates_the_interrupt_of_the_third_range, !have_frame())
{
	set_pmccr(0);
	count_all(0, PMCR_E);
	frame_write(BIT(THIRD), FRAME_PMINTENSET);
	frame_write(BIT(THIRD), FRAME_PMOVSSET);
	EXPECT(!(GICR_ISPENDR0 & PMUIRQ));
	set_pmccr(PMCCR_EPME);
	EXPECT(GICR_ISPENDR0 & PMUIRQ);
	count_all(0, 0);
	EXPECT(!(GICR_ISPENDR0 & PMUIRQ));
	frame_write(BIT(THIRD), FRAME_PMINTENCLR);
}

/* Whatever LP and HLP say. */
TEST(the_third_range_overflows_at_64_bits, !have_frame())
{
	set_pmccr(PMCCR_EPME);
	count_all(BIT(THIRD), 0);
	write_sysreg(PMCR_LC, PMCR_EL0);
	frame_write(0xffffffffUL - WORK, FRAME_PMEVCNTR(THIRD));
	work(4 * WORK);
	EXPECT_EQ(frame_read(FRAME_PMOVSSET), 0);
	frame_write(-(u64)WORK, FRAME_PMEVCNTR(THIRD));
	work(4 * WORK);
	EXPECT_EQ(frame_read(FRAME_PMOVSSET), BIT(THIRD));
}

/* One saved value per counter, even if software cannot reach it. */
TEST(RVPZHN_saves_the_third_range_too, !have_frame())
{
	set_pmccr(0);
	count_all(0, 0);
	for (unsigned n = 0; n < COUNTERS; n++)
		frame_write(0x900 + n, FRAME_PMEVCNTR(n));
	set_sse(SSE_ALLOWED);
	EXPECT_EQ(capture(), STATUS_CAPTURED);
	for (unsigned n = 0; n < COUNTERS; n++)
		EXPECT_EQ(frame_read(FRAME_PMEVCNTSVR(n)), 0x900 + n);
}

/* D13.9: the external view of PMSSCR_EL1 requests captures, too. */
TEST(RSCLCQ_write_to_the_external_PMSSCR_captures, !have_frame())
{
	set_pmccr(0);
	count_all(0, 0);
	set_sse(SSE_ALLOWED);
	frame_write(0x123, FRAME_PMEVCNTR(0));
	frame_write(1, FRAME_PMSSCR);
	EXPECT_EQ(frame_read(FRAME_PMSSCR), STATUS_CAPTURED);
	EXPECT_REG(PMSSCR_EL1, STATUS_CAPTURED);
	EXPECT_EQ(read_saved(0), 0x123);
	set_sse(SSE_PROHIBITED);
	frame_write(1, FRAME_PMSSCR);
	EXPECT_EQ(frame_read(FRAME_PMSSCR), STATUS_NOT_CAPTURED);
	set_sse(SSE_DISABLED);
	frame_write(PMSSCR_NC | 1, FRAME_PMSSCR);
	EXPECT_EQ(frame_read(FRAME_PMSSCR), STATUS_NOT_CAPTURED);
	EXPECT_EQ(read_saved(0), 0x123);
	frame_write(0, FRAME_PMSSCR);
	EXPECT_REG(PMSSCR_EL1, STATUS_CAPTURED);
}

/* The OS Lock is for the rest of the external view, not for these. */
TEST(IKGJMV_OS_Lock_leaves_the_external_snapshot_registers, !have_frame())
{
	u64 value = 0;

	set_pmccr(0);
	count_all(0, 0);
	set_sse(SSE_ALLOWED);
	frame_write(0x321, FRAME_PMEVCNTR(0));
	write_counter(CYCLE_COUNTER, 0x432);
	write_counter(INSN_COUNTER, 0x543);
	capture();
	set_os_lock(true);
	EXPECT_EQ(TRY(value = frame_read(FRAME_PMEVCNTSVR(0))), 0);
	EXPECT_EQ(value, 0x321);
	EXPECT_EQ(TRY(value = frame_read(FRAME_PMCCNTSVR)), 0);
	EXPECT_EQ(value, 0x432);
	EXPECT_EQ(TRY(value = frame_read(FRAME_PMICNTSVR)), 0);
	EXPECT_EQ(value, 0x543);
	EXPECT_EQ(TRY((void)frame_read(FRAME_PMSSCR)), 0);
	EXPECT_EQ(TRY((void)frame_read(FRAME_PMEVCNTR(0))), 1);
	EXPECT_EQ(TRY(frame_write(0, FRAME_PMEVCNTR(0))), 1);
	set_pmccr(PMCCR_OSLO);
	EXPECT_EQ(TRY(value = frame_read(FRAME_PMEVCNTR(0))), 0);
	EXPECT_EQ(value, 0x321);
	set_os_lock(false);
	set_pmccr(0);
}
