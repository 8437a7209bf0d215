/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Actions from outside the machine that the program requests: ./agent reads the
 * lines "# agent ...".
 */
#include "lib/pmu.h"

static bool counts_captures(void)
{
	return property("pmss-lapse", 0) || property("pmss-stuck-after", 0);
}

TEST(RSCLCQ_request_while_the_machine_runs,
     skip_if(counts_captures(), "captures are counted"))
{
	u64 start, end;

	set_sse(SSE_ALLOWED);
	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	start_counters(BIT(CYCLE_COUNTER));
	EXPECT_REG(PMSSCR_EL1, PMSSCR_NC);
	start = read_counter(CYCLE_COUNTER);
	note("agent request");
	while (read_sysreg(PMSSCR_EL1) & PMSSCR_NC)
		;
	isb();
	end = read_counter(CYCLE_COUNTER);
	EXPECT(read_saved(CYCLE_COUNTER) > start);
	EXPECT(read_saved(CYCLE_COUNTER) < end);
}

#define FGT2_SOME (FGT2_PMSSCR | FGT2_PMSSDATA | FGT2_PMECR)

static bool is_captured(u64 value)
{
	write_counter(0, value);
	write_sysreg(PMSSCR_SS, PMSSCR_EL1);
	isb();
	return read_saved(0) == value;
}

/* With each property a migration in the middle of what it counts */
TEST(captures_until_a_fault_migrate,
     skip_if(!counts_captures(), "captures are not counted"))
{
	u64 lapse = property("pmss-lapse", 0);

	set_sse(SSE_ALLOWED);
	write_event_type(1, EVENT_PMU_SNAPSHOT | FILTER_NSH);
	start_counters(BIT(1));
	for (u64 i = 1; i < 4; i++)
		EXPECT(is_captured(i));
	set_sse(SSE_PROHIBITED);
	note("agent migrate");
	/* Only this machine refuses the requests of the agent. */
	while (!(read_sysreg(PMSSCR_EL1) & PMSSCR_NC))
		;
	set_sse(SSE_ALLOWED);
	/* They count as captures, but for no lapse. */
	for (u64 i = 4; i <= 2 * lapse; i++)
		EXPECT_EQ(is_captured(i), i <= lapse);
	if (lapse)
		return;
	while (!(read_sysreg(PMSSCR_EL1) & PMSSCR_SS))
		write_sysreg(PMSSCR_SS, PMSSCR_EL1);
	EXPECT_EQ(read_counter(1), property("pmss-stuck-after", 0));
}

/* The last test: the second QEMU does not follow another migration. */
TEST(snapshot_state_migrates, skip_if(counts_captures(), "captures are counted"))
{
	u64 latency, status, cycles;
	bool pending = option("pmss-latency", &latency);

	set_sse(SSE_ALLOWED);
	write_counter(0, 0x111);
	write_counter(INSN_COUNTER, 0x222);
	EXPECT_EQ(capture(), STATUS_CAPTURED);
	write_sysreg(BIT(0) | BIT(INSN_COUNTER), PMUACR_EL1);
	write_event_type(INSN_COUNTER, FILTER_NSH | FILTER_U);
	write_event_type(1, EVENT_PMU_SNAPSHOT | FILTER_NSH);
	write_event_type(2, EVENT_INST_RETIRED | FILTER_NSH);
	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	write_counter(1, 0x333);
	write_counter(2, 0x444);
	if (have_el(2))
		write_sysreg(FGT2_SOME, HDFGRTR2_EL2);
	start_counters(BIT(1) | BIT(2) | BIT(CYCLE_COUNTER));
	if (pending)
		write_sysreg(PMSSCR_SS, PMSSCR_EL1);
	cycles = read_counter(CYCLE_COUNTER);
	note("agent migrate");

	/* In either case the capture in progress completes. */
	do {
		status = read_sysreg(PMSSCR_EL1);
	} while (status & PMSSCR_SS);
	EXPECT_EQ(status, STATUS_CAPTURED);
	/* Only this machine refuses the requests of the agent. */
	set_sse(SSE_PROHIBITED);
	while (!(read_sysreg(PMSSCR_EL1) & PMSSCR_NC))
		;
	EXPECT_EQ(read_saved(0), 0x111);
	EXPECT_EQ(read_saved(INSN_COUNTER), 0x222);
	/* A request may have come before it was prohibited. */
	EXPECT(read_counter(1) >= 0x333UL + pending);
	EXPECT(read_counter(1) < 0x333UL + pending + 10);
	EXPECT(read_counter(2) > 0x444);
	EXPECT(read_counter(CYCLE_COUNTER) > cycles);
	EXPECT_REG(PMUACR_EL1, BIT(0) | BIT(INSN_COUNTER));
	EXPECT_EQ(read_event_type(INSN_COUNTER),
		  FILTER_U | EVENT_INST_RETIRED |
		  (have_el(2) ? FILTER_NSH : 0));
	if (have_el(2))
		EXPECT_REG(HDFGRTR2_EL2, FGT2_SOME);
}
