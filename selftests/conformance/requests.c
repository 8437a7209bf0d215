/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures that are slow, never end, are requested by an external agent, or are
 * taken away: the CPU properties pmss-latency, pmss-stuck, pmss-stuck-after,
 * pmss-lapse and pmss-external.
 */
#include "lib/pmu.h"

TEST(PMSSCR_EL1_SS_reads_1_while_a_capture_is_in_progress,
     lacks_property("pmss-latency"))
{
	u64 latency = property("pmss-latency", 0), start, end;

	set_sse(SSE_ALLOWED);
	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	start_counters(BIT(CYCLE_COUNTER));
	start = read_counter(CYCLE_COUNTER);
	write_sysreg(PMSSCR_SS, PMSSCR_EL1);
	EXPECT(read_sysreg(PMSSCR_EL1) & PMSSCR_SS);
	while (read_sysreg(PMSSCR_EL1) & PMSSCR_SS)
		;
	end = read_counter(CYCLE_COUNTER);
	EXPECT_REG(PMSSCR_EL1, STATUS_CAPTURED);
	/* A cycle is a nanosecond. */
	EXPECT(end - start >= latency);
	EXPECT(read_saved(CYCLE_COUNTER) > start);
	EXPECT(read_saved(CYCLE_COUNTER) < end);
}

/* Counters of cycles and of instructions, where one takes the other's time. */
TEST(IVZCDM_a_slow_capture_is_of_one_cycle, lacks_property("pmss-latency"))
{
	set_sse(SSE_ALLOWED);
	write_event_type(0, EVENT_CPU_CYCLES | FILTER_NSH);
	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	write_event_type(INSN_COUNTER, FILTER_NSH);
	start_counters(BIT(0) | BIT(CYCLE_COUNTER) | BIT(INSN_COUNTER));
	for (unsigned i = 0; i < 10; i++) {
		work(100 + 37 * i);
		write_sysreg(PMSSCR_SS, PMSSCR_EL1);
		while (read_sysreg(PMSSCR_EL1) & PMSSCR_SS)
			;
		EXPECT_EQ(read_saved(CYCLE_COUNTER), read_saved(0));
		EXPECT_EQ(read_saved(CYCLE_COUNTER), read_saved(INSN_COUNTER));
	}
}

TEST(IYSWSD_saved_values_change_only_with_completion,
     lacks_property("pmss-latency"))
{
	set_sse(SSE_ALLOWED);
	write_counter(0, 1);
	capture();
	write_counter(0, 2);
	write_sysreg(PMSSCR_SS, PMSSCR_EL1);
	EXPECT_EQ(read_saved(0), 1);
	EXPECT(read_sysreg(PMSSCR_EL1) & PMSSCR_SS);
	while (read_sysreg(PMSSCR_EL1) & PMSSCR_SS)
		;
	EXPECT_EQ(read_saved(0), 2);
}

TEST(PMSSCR_EL1_a_stuck_capture_never_completes, lacks_property("pmss-stuck"))
{
	u64 saved;

	set_sse(SSE_ALLOWED);
	saved = read_saved(0);
	write_counter(0, saved + 1);
	write_sysreg(PMSSCR_SS, PMSSCR_EL1);
	for (unsigned i = 0; i < 10000; i++)
		if (!EXPECT(read_sysreg(PMSSCR_EL1) & PMSSCR_SS))
			break;
	EXPECT_EQ(read_saved(0), saved);
}

TEST(PMSSCR_EL1_captures_get_stuck, lacks_property("pmss-stuck-after"))
{
	u64 good = property("pmss-stuck-after", 0);

	set_sse(SSE_ALLOWED);
	for (u64 i = 0; i < good; i++) {
		write_sysreg(PMSSCR_SS, PMSSCR_EL1);
		EXPECT_REG(PMSSCR_EL1, STATUS_CAPTURED);
	}
	write_sysreg(PMSSCR_SS, PMSSCR_EL1);
	EXPECT(read_sysreg(PMSSCR_EL1) & PMSSCR_SS);
}

/* Captured or dropped, and in both cases complete */
static bool is_captured(u64 value)
{
	write_counter(0, value);
	write_sysreg(PMSSCR_SS, PMSSCR_EL1);
	EXPECT_REG(PMSSCR_EL1, STATUS_CAPTURED);
	return read_saved(0) == value;
}

TEST(RMFJWS_captures_that_are_taken_away, lacks_property("pmss-lapse"))
{
	u64 lapse = property("pmss-lapse", 0);

	set_sse(SSE_ALLOWED);
	for (u64 i = 0; i < 6 * lapse; i++)
		EXPECT_EQ(is_captured(i + 1), i / lapse % 2 == 0);
}

/* Waits for an external capture; the value it saved of counter 0. */
static u64 next_saved(u64 old)
{
	u64 saved;

	do {
		saved = read_saved(0);
	} while (saved == old);
	return saved;
}

TEST(RSCLCQ_external_requests_capture, lacks_property("pmss-external"))
{
	u64 interval = property("pmss-external", 0), first, last;

	set_sse(SSE_ALLOWED);
	write_event_type(0, EVENT_CPU_CYCLES | FILTER_NSH);
	start_counters(BIT(0));
	first = next_saved(read_saved(0));
	last = first;
	for (unsigned i = 0; i < 50; i++)
		last = next_saved(last);
	EXPECT_EQ(read_sysreg(PMSSCR_EL1) & PMSSCR_NC, 0);
	/* At most twice as far apart as asked for, on average. */
	EXPECT(last - first >= 50 * interval / 2);
}

/* The clock that the request is set by; a slow host lets it run ahead. */
static u64 clock_ns(void)
{
	isb();
	return read_sysreg(cntpct_el0) * (1000000000 / read_sysreg(cntfrq_el0));
}

TEST(RSCLCQ_external_request_at_one_instant, lacks_property("pmss-external-at"))
{
	u64 at = property("pmss-external-at", 0);

	set_sse(SSE_ALLOWED);
	write_event_type(0, EVENT_PMU_SNAPSHOT | FILTER_NSH);
	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	start_counters(BIT(0) | BIT(CYCLE_COUNTER));
	if (clock_ns() + 1000000 > at) {
		skip("the instant was before the program began");
		return;
	}
	EXPECT_REG(PMSSCR_EL1, PMSSCR_NC);
	while (read_sysreg(PMSSCR_EL1) & PMSSCR_NC)
		;
	EXPECT(read_saved(CYCLE_COUNTER) < at);
	EXPECT(clock_ns() >= at);
	/* There is no second one. */
	while (read_counter(CYCLE_COUNTER) < 3 * at)
		work(10000);
	EXPECT_EQ(read_counter(0), 1);
}

TEST(RMFJWS_external_requests_are_ignored_when_disabled,
     lacks_property("pmss-external"))
{
	u64 saved;

	set_sse(SSE_DISABLED);
	write_event_type(0, EVENT_CPU_CYCLES | FILTER_NSH);
	start_counters(BIT(0));
	saved = read_saved(0);
	work(200000);
	EXPECT_EQ(read_saved(0), saved);
}

TEST(RMPZSB_external_requests_are_prohibited_like_any,
     lacks_property("pmss-external"))
{
	set_sse(SSE_ALLOWED);
	write_event_type(0, EVENT_CPU_CYCLES | FILTER_NSH);
	start_counters(BIT(0));
	next_saved(read_saved(0));
	set_sse(SSE_PROHIBITED);
	while (!(read_sysreg(PMSSCR_EL1) & PMSSCR_NC))
		;
	EXPECT_REG(PMSSCR_EL1, STATUS_NOT_CAPTURED);
}
