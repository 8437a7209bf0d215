/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When accesses to System registers take effect, and an External abort that is no
 * management event.
 */
#include "lib/pmu.h"
#include "lib/spe.h"

#define TRIES 1000

static bool lacks(const char *property)
{
	u64 value = 0;

	if (have_spe() && option(property, &value) && value)
		return false;
	skip(property);
	return true;
}

/* Records are counted from reset, so this test must be the first. */
TEST(D17_7_4_EA_without_S, lacks("spe-abort-quiet"))
{
	spe_start(base(), BUFFER_SIZE, 0);
	profile_at(1, 20 * 257);
	EXPECT_REG(PMBSR_EL1, PMBSR_EA);
	EXPECT(read_sysreg(PMBPTR_EL1) > base() + 10 * max_size());
	EXPECT(!(GICR_ISPENDR0 & PMBIRQ));
}

static void expect_unseen(void)
{
	EXPECT_REG(PMBSR_EL1, 0);
}

/* No exception comes meanwhile, which would be a synchronization event, too. */
TEST(D17_7_PMBSR_EL1_needs_a_PSB_and_then_an_ISB, lacks("spe-late"))
{
	spe_start(base(), SPE_PAGE, 0);
	spe_enable();
	run_loop(100 * 257);
	spe_disable();
	EXPECT(GICR_ISPENDR0 & PMBIRQ);
	expect_unseen();
	isb();
	expect_unseen();
	asm volatile("hint #17" : : : "memory");
	expect_unseen();
	isb();
	EXPECT_EQ(read_sysreg(PMBSR_EL1) & ~PMBSR_COLL, PMBSR_S | 1);
}

TEST(D17_7_a_write_of_PMBSR_EL1_is_seen, lacks("spe-late"))
{
	spe_start(base(), SPE_PAGE, 0);
	spe_enable();
	run_loop(100 * 257);
	spe_disable();
	write_sysreg(PMBSR_COLL, PMBSR_EL1);
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL);
	spe_drain();
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL);
}

/* Behind no synchronization the value was the old one in some of the tries. */
static void expect_some(unsigned tries)
{
	EXPECT(tries > 0);
	EXPECT(tries < TRIES);
}

static void request(u64 nc)
{
	write_sysreg(nc | PMSSCR_SS, PMSSCR_EL1);
}

TEST(IMXCMM_SS_needs_an_ISB, lacks("sync"))
{
	unsigned old = 0;

	set_sse(SSE_ALLOWED);
	for (unsigned i = 0; i < TRIES; i++) {
		request(PMSSCR_NC);
		old += read_sysreg(PMSSCR_EL1) == (PMSSCR_NC | PMSSCR_SS);
		isb();
		EXPECT_EQ(read_sysreg(PMSSCR_EL1), STATUS_CAPTURED);
	}
	expect_some(old);
}

TEST(RMPZSB_NC_needs_an_ISB, lacks("sync"))
{
	unsigned old = 0;

	set_sse(SSE_PROHIBITED);
	for (unsigned i = 0; i < TRIES; i++) {
		request(0);
		old += read_sysreg(PMSSCR_EL1) == PMSSCR_SS;
		isb();
		EXPECT_EQ(read_sysreg(PMSSCR_EL1), STATUS_NOT_CAPTURED);
	}
	set_sse(SSE_ALLOWED);
	expect_some(old);
}

/* The one before the read that tells of the capture is not enough. */
TEST(IYSWSD_saved_values_need_an_ISB, lacks("sync"))
{
	unsigned old = 0;

	set_sse(SSE_ALLOWED);
	for (u64 i = 0; i < TRIES; i++) {
		write_counter(0, i);
		request(0);
		isb();
		EXPECT_EQ(read_sysreg(PMSSCR_EL1), STATUS_CAPTURED);
		old += read_saved(0) != i;
		isb();
		EXPECT_EQ(read_saved(0), i);
	}
	expect_some(old);
}

/* Writes to two registers come in either order. */
TEST(PMECR_EL1_needs_an_ISB_before_a_request, lacks("sync"))
{
	unsigned prohibited = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		set_sse(SSE_PROHIBITED);
		write_sysreg(PMECR_SSE(SSE_ALLOWED), PMECR_EL1);
		request(0);
		isb();
		prohibited += read_sysreg(PMSSCR_EL1) == STATUS_NOT_CAPTURED;
		set_sse(SSE_ALLOWED);
		EXPECT_EQ(capture(), STATUS_CAPTURED);
	}
	expect_some(prohibited);
}

static bool cycles_advance(void)
{
	u64 before = read_sysreg(PMCCNTR_EL0);

	work(50);
	return read_sysreg(PMCCNTR_EL0) != before;
}

TEST(PMCR_EL0_and_PMCNTENCLR_EL0_need_an_ISB, lacks("sync"))
{
	unsigned runs[2] = {};

	write_sysreg(0, PMCCFILTR_EL0);
	for (unsigned i = 0; i < TRIES; i++) {
		start_counters(BIT(CYCLE_COUNTER));
		if (i & 1)
			write_sysreg(BIT(CYCLE_COUNTER), PMCNTENCLR_EL0);
		else
			write_sysreg(PMCR_LC, PMCR_EL0);
		runs[i & 1] += cycles_advance();
		isb();
		EXPECT(!cycles_advance());
	}
	stop_counters();
	expect_some(runs[0]);
	expect_some(runs[1]);
}

/* P and C write the counters indirectly; what is written behind them stays. */
TEST(a_counter_keeps_what_is_written_behind_PMCR_EL0_P_and_C, lacks("sync"))
{
	stop_counters();
	for (u64 i = 1; i <= TRIES; i++) {
		write_sysreg(PMCR_P | PMCR_C | PMCR_LC, PMCR_EL0);
		write_counter(0, i);
		write_counter(CYCLE_COUNTER, i);
		isb();
		EXPECT_EQ(read_counter(0), i);
		EXPECT_EQ(read_counter(CYCLE_COUNTER), i);
	}
}

static u64 end_of_buffer(void)
{
	return base() + SPE_PAGE - max_size();
}

static void fill_buffer(void)
{
	write_sysreg(end_of_buffer(), PMBPTR_EL1);
	write_sysreg(0, PMBSR_EL1);
	isb();
	spe_enable();
	run_loop(300);
	spe_disable();
	asm volatile("hint #17" : : : "memory");
}

TEST(D17_7_4_PMBSR_EL1_and_PMBPTR_EL1_need_an_ISB,
     lacks("sync") || skip_if(property("spe-abort-every", 0), "aborts"))
{
	unsigned status = 0, pointer = 0;

	spe_start(end_of_buffer(), max_size(), 0);
	for (unsigned i = 0; i < TRIES; i++) {
		fill_buffer();
		status += !(read_sysreg(PMBSR_EL1) & PMBSR_S);
		pointer += read_sysreg(PMBPTR_EL1) == end_of_buffer();
		isb();
		EXPECT(read_sysreg(PMBSR_EL1) & PMBSR_S);
		EXPECT_EQ(read_sysreg(PMBPTR_EL1), base() + SPE_PAGE);
	}
	expect_some(status);
	expect_some(pointer);
}

TEST(RLTMKQ_COLL_needs_an_ISB_and_no_PSB,
     lacks("sync") || lacks("spe-collide-every"))
{
	unsigned unseen = 0;

	spe_interval(1, false);
	for (unsigned i = 0; i < TRIES; i++) {
		spe_setup(base(), SPE_PAGE, 0);
		spe_enable();
		run_loop(500);
		unseen += !(read_sysreg(PMBSR_EL1) & PMBSR_COLL);
		isb();
		EXPECT(read_sysreg(PMBSR_EL1) & PMBSR_COLL);
		spe_disable();
	}
	expect_some(unseen);
}

/* Sampled, though PMSCR_EL1 was written before */
TEST(PMSCR_EL1_needs_an_ISB,
     lacks("sync") || skip_if(property("spe-abort-every", 0), "aborts"))
{
	unsigned sampled = 0;

	spe_interval(1, false);
	for (unsigned i = 0; i < TRIES; i++) {
		spe_setup(base(), SPE_PAGE, 0);
		spe_enable();
		write_sysreg(0, PMSCR_EL1);
		run_loop(300);
		spe_disable();
		spe_drain();
		sampled += read_sysreg(PMBPTR_EL1) != base();
		spe_setup(base(), SPE_PAGE, 0);
		run_loop(300);
		spe_drain();
		EXPECT_EQ(read_sysreg(PMBPTR_EL1), base());
	}
	expect_some(sampled);
}

/* No synchronization is needed to read what was written. */
TEST(a_direct_read_sees_the_direct_write_before_it, lacks("sync"))
{
	write_sysreg(0, PMSCR_EL1);
	for (u64 i = 1; i <= TRIES; i++) {
		write_sysreg(i << 12, PMBLIMITR_EL1);
		write_sysreg(i << 12, PMBPTR_EL1);
		write_sysreg(i << 8, PMSIRR_EL1);
		write_sysreg(i, PMSICR_EL1);
		write_sysreg(BIT(CYCLE_COUNTER), PMCNTENSET_EL0);
		write_sysreg(BIT(CYCLE_COUNTER), PMCNTENCLR_EL0);
		EXPECT_EQ(read_sysreg(PMSIRR_EL1), i << 8);
		EXPECT_EQ(read_sysreg(PMCNTENSET_EL0), 0);
		EXPECT_EQ(read_sysreg(PMBPTR_EL1), i << 12);
		EXPECT_EQ(read_sysreg(PMBLIMITR_EL1), i << 12);
		EXPECT_EQ(read_sysreg(PMSICR_EL1), i);
	}
}

/* Where an overflow freezes, the events about that time are counted or not. */
static void expect_lost(u64 pmcr)
{
	unsigned lost = 0, chained = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		write_event_type(0, EVENT_INST_RETIRED | FILTER_NSH);
		write_event_type(1, EVENT_CHAIN | FILTER_NSH);
		write_counter(0, 0xffffffffUL - 100);
		write_counter(1, 0);
		write_sysreg(~0UL, PMOVSCLR_EL0);
		write_sysreg(BIT(0) | BIT(1), PMCNTENSET_EL0);
		set_sysreg(PMCR_LC | PMCR_E | pmcr, PMCR_EL0);
		work(500);
		isb();
		EXPECT_REG(PMOVSCLR_EL0, BIT(0));
		lost += FIELD(read_counter(0), 31, 0) == 0;
		chained += read_counter(1);
		stop_counters();
	}
	if (pmcr & PMCR_FZO) {
		expect_some(lost);
		expect_some(chained);
	} else {
		EXPECT_EQ(chained, TRIES);
	}
}

ROW_OF(RMZPBW_events_about_an_overflow_may_be_lost,
       lacks("sync") ||
       skip_if(property("icount", 0), "an overflow is seen at once"),
       expect_lost(PMCR_FZO))
ROW_OF(RMZPBW_without_a_freeze_none_is_lost, lacks("sync"), expect_lost(0))

/* One record each time, and of the aborts some are no management event. */
TEST(D17_7_4_an_abort_may_come_without_S,
     lacks("sync") || lacks("spe-abort-every"))
{
	unsigned quiet = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		spe_start(base(), SPE_PAGE, 0);
		spe_enable();
		run_loop(300);
		spe_disable();
		spe_drain();
		EXPECT(read_sysreg(PMBSR_EL1) & PMBSR_EA);
		quiet += !(read_sysreg(PMBSR_EL1) & PMBSR_S);
	}
	expect_some(quiet);
}

TEST(PMOVSCLR_EL0_needs_an_ISB, lacks("sync"))
{
	unsigned unseen = 0;

	start_counters(BIT(0));
	for (unsigned i = 0; i < TRIES; i++) {
		write_event_type(0, EVENT_SW_INCR);
		write_counter(0, ~0UL);
		write_sysreg(BIT(0), PMOVSCLR_EL0);
		isb();
		write_sysreg(BIT(0), PMSWINC_EL0);
		unseen += read_sysreg(PMOVSCLR_EL0) == 0;
		isb();
		EXPECT_EQ(read_sysreg(PMOVSCLR_EL0), BIT(0));
	}
	stop_counters();
	expect_some(unseen);
}
