/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Capture events (Arm ARM D13.9) and PMSSCR_EL1, with all higher Exception
 * levels delegating to PMECR_EL1.SSE.
 */
#include "lib/pmu.h"

static u64 all_counters(void)
{
	return GENMASK(event_counters() - 1, 0) | BIT(CYCLE_COUNTER) |
	       BIT(INSN_COUNTER);
}

/* A different value for each counter and each call; the counters do not run. */
static u64 preset(unsigned n, u64 salt)
{
	return 0x0101010100000000UL * (n + 1) + (salt << 8) + n;
}

static void preset_counters(u64 salt)
{
	u64 mask = all_counters();

	for (unsigned n = 0; n <= INSN_COUNTER; n++)
		if (mask & BIT(n))
			write_counter(n, preset(n, salt));
}

static void expect_saved(u64 salt)
{
	u64 mask = all_counters();

	for (unsigned n = 0; n <= INSN_COUNTER; n++)
		if (mask & BIT(n) && !EXPECT_EQ(read_saved(n), preset(n, salt)))
			note("counter %u", n);
}

/* Must be the first test: it checks the state after reset. */
ROW_OF(PMSSCR_EL1_warm_reset, false, EXPECT_REG(PMSSCR_EL1, PMSSCR_NC))

TEST(ID_AA64DFR0_EL1_PMSS)
{
	u64 dfr0 = read_sysreg(id_aa64dfr0_el1);

	EXPECT_EQ(FIELD(dfr0, 19, 16), 1);
	/* FEAT_PMUv3_SS implies FEAT_PMUv3p9. */
	EXPECT_EQ(FIELD(dfr0, 11, 8), 9);
}

/* capture(), which keeps NC, instead of a value that is written. */
#define CAPTURE ~0UL

#define SS	 PMSSCR_SS
#define NC	 PMSSCR_NC
#define YES	 STATUS_CAPTURED
#define NO	 STATUS_NOT_CAPTURED

struct step {
	u8 sse, preset;		/* the salt of the counters' values, or 0 */
	u64 written, status;
	u8 saved;		/* the salt of the saved values, or 0 */
};

static void take_steps(const struct step *steps, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct step *s = &steps[i];

		set_sse(s->sse);
		if (s->preset)
			preset_counters(s->preset);
		if (s->written == CAPTURE)
			EXPECT_EQ(capture(), s->status);
		else
			write_sysreg(s->written, PMSSCR_EL1);
		if (!EXPECT_REG(PMSSCR_EL1, s->status))
			note("step %u", i);
		if (s->saved)
			expect_saved(s->saved);
	}
}

#define ROW(name, ...)							\
	TEST(name)							\
	{								\
		static const struct step steps[] = { __VA_ARGS__ };	\
									\
		take_steps(steps, ARRAY_SIZE(steps));			\
	}

ROW(RSCLCQ_write_of_SS_generates_capture_event,
    { SSE_ALLOWED, 1, CAPTURE, YES, 1 })
ROW(RVPZHN_capture_saves_every_counter,
    { SSE_ALLOWED, 2, CAPTURE, YES, 2 }, { SSE_ALLOWED, 3, CAPTURE, YES, 3 },
    { SSE_ALLOWED, 4, CAPTURE, YES, 4 }, { SSE_ALLOWED, 5, CAPTURE, YES, 5 })
ROW(RMFJWS_disabled_request_is_ignored,
    { SSE_ALLOWED, 7, CAPTURE, YES, 7 }, { SSE_DISABLED, 8, SS, YES, 7 })
ROW(RMFJWS_disabled_request_leaves_NC,
    { SSE_PROHIBITED, 0, CAPTURE, NO }, { SSE_DISABLED, 0, CAPTURE, NO },
    { SSE_DISABLED, 0, 0, YES }, { SSE_DISABLED, 0, CAPTURE, YES })
ROW(RMPZSB_prohibited_capture_leaves_saved_values,
    { SSE_ALLOWED, 9, CAPTURE, YES, 9 }, { SSE_PROHIBITED, 10, CAPTURE, NO, 9 })
ROW(PMSSCR_EL1_write_of_0_is_ignored,
    { SSE_ALLOWED, 11, CAPTURE, YES, 11 }, { SSE_ALLOWED, 12, 0, YES, 11 })
/*
 * The field's page restricts SS only. A dropped request leaves the fields
 * written with it; an event sets its own status, whatever was written.
 */
ROW(PMSSCR_EL1_NC_is_writable,
    { SSE_DISABLED, 0, NC, NO }, { SSE_DISABLED, 0, 0, YES },
    { SSE_PROHIBITED, 0, NC, NO }, { SSE_PROHIBITED, 0, 0, YES },
    { SSE_ALLOWED, 0, NC, NO }, { SSE_ALLOWED, 0, 0, YES },
    { SSE_DISABLED, 0, NC | SS, NO }, { SSE_DISABLED, 0, SS, YES },
    { SSE_ALLOWED, 0, NC | SS, YES }, { SSE_PROHIBITED, 0, SS, NO })
ROW(PMECR_EL1_reserved_SSE_does_not_capture,
    { SSE_PROHIBITED, 0, CAPTURE, NO }, { 1, 0, CAPTURE, NO })

/* PMCR_EL0.LP says where a counter overflows, not how much of it is saved. */
TEST(RVPZHN_all_64_bits_are_saved)
{
	set_sse(SSE_ALLOWED);
	for (unsigned lp = 0; lp < 2; lp++) {
		set_sysreg(PMCR_LC | (lp ? PMCR_LP : 0), PMCR_EL0);
		preset_counters(14 + lp);
		EXPECT_EQ(capture(), STATUS_CAPTURED);
		expect_saved(14 + lp);
	}
}

TEST(RVPZHN_counters_are_unchanged)
{
	set_sse(SSE_ALLOWED);
	preset_counters(6);
	capture();
	for (unsigned n = 0; n < event_counters(); n++)
		EXPECT_EQ(read_counter(n), preset(n, 6));
	EXPECT_EQ(read_counter(CYCLE_COUNTER), preset(CYCLE_COUNTER, 6));
	EXPECT_EQ(read_counter(INSN_COUNTER), preset(INSN_COUNTER, 6));
}

TEST(RVPZHN_running_counters_are_saved_at_one_instant)
{
	unsigned counters = event_counters();

	set_sse(SSE_ALLOWED);
	for (unsigned n = 0; n < counters; n++)
		write_event_type(n, EVENT_CPU_CYCLES | FILTER_NSH);
	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	start_counters(all_counters());
	for (unsigned round = 0; round < 20; round++) {
		work(1000 + 37 * round);
		EXPECT_EQ(capture(), STATUS_CAPTURED);
		for (unsigned n = 1; n < counters; n++)
			EXPECT_EQ(read_saved(n), read_saved(0));
		EXPECT_EQ(read_saved(CYCLE_COUNTER), read_saved(0));
		EXPECT_NE(read_saved(0), 0);
	}
}

TEST(PMSSCR_EL1_reserved_bits)
{
	set_sse(SSE_ALLOWED);
	set_sysreg(~0UL, PMSSCR_EL1);
	EXPECT_EQ(read_sysreg(PMSSCR_EL1) & ~(PMSSCR_NC | PMSSCR_SS), 0);
}

TEST(PMECR_EL1_reserved_bits)
{
	set_sysreg(~0UL, PMECR_EL1);
	EXPECT_EQ(read_sysreg(PMECR_EL1) & ~PMECR_SSE(3), 0);
}

TEST(RPLPCY_PMU_SNAPSHOT_is_counted_after_the_capture)
{
	set_sse(SSE_ALLOWED);
	write_event_type(0, EVENT_PMU_SNAPSHOT | FILTER_NSH);
	start_counters(BIT(0));
	for (unsigned captures = 0; captures < 5; captures++) {
		EXPECT_EQ(read_counter(0), captures);
		EXPECT_EQ(capture(), STATUS_CAPTURED);
		EXPECT_EQ(read_saved(0), captures);
	}
	EXPECT_EQ(read_counter(0), 5);
}

TEST(RPLPCY_only_successful_captures_are_counted)
{
	write_event_type(0, EVENT_PMU_SNAPSHOT | FILTER_NSH);
	start_counters(BIT(0));
	set_sse(SSE_PROHIBITED);
	capture();
	set_sse(SSE_DISABLED);
	write_sysreg(PMSSCR_SS, PMSSCR_EL1);
	EXPECT_EQ(read_counter(0), 0);
}

TEST(RPLPCY_PMU_SNAPSHOT_can_overflow_a_counter)
{
	set_sse(SSE_ALLOWED);
	write_event_type(0, EVENT_PMU_SNAPSHOT | FILTER_NSH);
	write_counter(0, ~0UL);
	start_counters(BIT(0));
	capture();
	EXPECT_REG(PMOVSCLR_EL0, BIT(0));
	EXPECT_EQ(read_counter(0), 0);
}

TEST(RTSYTY_OS_Lock_prohibits_captures)
{
	set_sse(SSE_ALLOWED);
	preset_counters(13);
	capture();
	preset_counters(14);
	set_os_lock(true);
	EXPECT_EQ(capture(), STATUS_NOT_CAPTURED);
	set_os_lock(false);
	expect_saved(13);
	EXPECT_EQ(capture(), STATUS_CAPTURED);
	expect_saved(14);
}

TEST(IKGJMV_OS_Lock_leaves_access_to_the_saved_values)
{
	set_sse(SSE_ALLOWED);
	preset_counters(15);
	capture();
	set_os_lock(true);
	expect_saved(15);
}

TEST(RVLKCZ_as_many_saved_values_as_counters)
{
	unsigned counters = event_counters();

	for (unsigned n = 0; n < MAX_EVENT_COUNTERS; n++) {
		unsigned traps = TRY((void)read_saved(n));

		if (!EXPECT_EQ(traps, n >= counters))
			note("PMEVCNTSVR%u_EL1", n);
		if (traps)
			EXPECT_EQ(ESR_EC(trap.esr), EC_UNKNOWN);
	}
}

TEST(saved_values_are_read_only)
{
	EXPECT_EQ(TRY(write_sysreg(0, PMCCNTSVR_EL1)), 1);
	EXPECT_EQ(ESR_EC(trap.esr), EC_UNKNOWN);
	EXPECT_EQ(TRY(write_sysreg(0, PMICNTSVR_EL1)), 1);
	EXPECT_EQ(TRY(write_sysreg(0, S2_0_C14_C8_0)), 1);
}

static u64 touch_at_el0(u64 which)
{
	if (which == 0)
		(void)read_sysreg(PMSSCR_EL1);
	else if (which == 1)
		(void)read_sysreg(PMECR_EL1);
	else
		(void)read_sysreg(PMCCNTSVR_EL1);
	return 0;
}

static u64 touch_from_el1(u64 unused)
{
	for (u64 which = 0; which < 3; which++) {
		EXPECT_EQ(TRY(run_at(0, touch_at_el0, which)), 1);
		EXPECT_EQ(trap.el, 1);
		EXPECT_EQ(ESR_EC(trap.esr), EC_UNKNOWN);
	}
	return unused;
}

ROW_OF(EL0_has_no_access, false, run_at(1, touch_from_el1, 0))
