/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table D13-10: every combination of MDCR_EL3.PMSSE, MDCR_EL2.PMSSE and
 * PMECR_EL1.SSE. Fields that the program cannot set come from its command line:
 * pmsse-el3=N, pmsse-el2=N.
 */
#include "lib/pmu.h"

enum outcome { DISABLED, PROHIBITED, ALLOWED };

static const char *const outcome_names[] = { "disabled", "prohibited",
					     "allowed" };

static const struct row {
	u8 el3, el2, el1;	/* bit masks of the values the row covers */
	enum outcome outcome;
} rows[] = {
	{ 0x1, 0xf, 0xf, DISABLED },
	{ 0x2, 0x1, 0xf, DISABLED },
	{ 0x2, 0x2, 0x1, DISABLED },
	{ 0x2, 0x2, 0x4, PROHIBITED },
	{ 0x2, 0x2, 0x8, ALLOWED },
	{ 0x2, 0x4, 0xf, PROHIBITED },
	{ 0x2, 0x8, 0xf, ALLOWED },
	{ 0x4, 0xf, 0xf, PROHIBITED },
	{ 0x8, 0xf, 0xf, ALLOWED },
};

static bool covers(const struct row *row, unsigned el3, unsigned el2,
		   unsigned el1)
{
	return row->el3 & BIT(el3) && row->el2 & BIT(el2) &&
	       row->el1 & BIT(el1);
}

/* Any value at a level that the program has; else only the one that is set. */
static bool settable(unsigned el, unsigned value)
{
	u64 given;

	if (have_el(el))
		return true;
	if (option(el == 3 ? "pmsse-el3" : "pmsse-el2", &given))
		return value == given;
	/* The CPU's defaults: all levels delegate. */
	return value == 1;
}

static void set_controls(unsigned el3, unsigned el2, unsigned el1)
{
	if (have_el(3))
		change_sysreg(MDCR_EL3, MDCR_PMSSE_MASK, MDCR_PMSSE(el3));
	if (have_el(2))
		change_sysreg(MDCR_EL2, MDCR_PMSSE_MASK, MDCR_PMSSE(el2));
	set_sse(el1);
}

/* The counter increments with each call, and so does the saved value. */
static enum outcome observe(void)
{
	static u64 value = 0x1000;
	u64 before = read_saved(0), old = read_sysreg(PMSSCR_EL1), status;

	write_counter(0, ++value);
	status = capture();
	if (read_saved(0) == value)
		return status == STATUS_CAPTURED ? ALLOWED : -1;
	if (read_saved(0) != before)
		return -1;
	if (status == old)
		return DISABLED;
	return status == STATUS_NOT_CAPTURED ? PROHIBITED : -1;
}

/* So that a prohibited capture changes it. */
static void clear_nc(void)
{
	write_sysreg(0, PMSSCR_EL1);
}

static void check(unsigned el3, unsigned el2, unsigned el1,
		  enum outcome wanted)
{
	clear_nc();
	set_controls(el3, el2, el1);
	if (!EXPECT_EQ(observe(), wanted))
		note("PMSSE %u, PMSSE %u, SSE %u should be %s", el3, el2, el1,
		     outcome_names[wanted]);
}

static void check_row(const struct row *row)
{
	unsigned checked = 0;

	for (unsigned i = 0; i < 64; i++) {
		unsigned el3 = i / 16, el2 = i / 4 % 4, el1 = i % 4;

		/* SSE 0b01 is reserved. */
		if (!covers(row, el3, el2, el1) || el1 == 1 ||
		    !settable(3, el3) || !settable(2, el2))
			continue;
		check(el3, el2, el1, row->outcome);
		checked++;
	}
	if (!checked)
		skip("this machine cannot be in the state of the row");
}

#define ROW(name, index)						\
	TEST(name)							\
	{								\
		check_row(&rows[index]);				\
	}

ROW(TableD13_10_EL3_00_disabled, 0)
ROW(TableD13_10_EL3_01_EL2_00_disabled, 1)
ROW(TableD13_10_EL3_01_EL2_01_SSE_00_disabled, 2)
ROW(TableD13_10_EL3_01_EL2_01_SSE_10_prohibited, 3)
ROW(TableD13_10_EL3_01_EL2_01_SSE_11_allowed, 4)
ROW(TableD13_10_EL3_01_EL2_10_prohibited, 5)
ROW(TableD13_10_EL3_01_EL2_11_allowed, 6)
ROW(TableD13_10_EL3_10_prohibited, 7)
ROW(TableD13_10_EL3_11_allowed, 8)

static u64 capture_at(u64 unused)
{
	return capture();
}

/* The controls belong to the PE, not to the requesting level. */
TEST(RSCLCQ_capture_from_lower_levels)
{
	set_controls(1, 1, SSE_ALLOWED);
	if (!settable(3, 1) || !settable(2, 1)) {
		skip("a higher level does not delegate");
		return;
	}
	for (unsigned el = 1; el < highest_el(); el++) {
		if (!have_el(el))
			continue;
		write_counter(0, 0x2000 + el);
		EXPECT_EQ(run_at(el, capture_at, 0), STATUS_CAPTURED);
		EXPECT_EQ(read_saved(0), 0x2000 + el);
	}
}

/* The OS Lock prohibits captures whichever level it is that allows them. */
TEST(RTSYTY_OS_Lock_prohibits_at_each_level)
{
	bool allowed = false;

	for (unsigned i = 0; i < 16; i++) {
		unsigned el3 = i / 4, el2 = i % 4;

		if (!settable(3, el3) || !settable(2, el2))
			continue;
		set_controls(el3, el2, SSE_ALLOWED);
		if (observe() != ALLOWED)
			continue;
		allowed = true;
		set_os_lock(true);
		if (!EXPECT_EQ(observe(), PROHIBITED))
			note("PMSSE %u, PMSSE %u", el3, el2);
		set_os_lock(false);
		EXPECT_EQ(observe(), ALLOWED);
	}
	if (!allowed)
		skip("this machine cannot be in a state that allows captures");
}

/* MDCR_EL2.PMSSE counts even where EL2 is disabled: Secure state, EEL2 0. */
TEST(RYWLFL_MDCR_EL2_counts_with_EL2_disabled, lacks_el(3) || lacks_el(2))
{
	change_sysreg(SCR_EL3, SCR_NS | SCR_EEL2, 0);
	set_controls(1, 3, SSE_DISABLED);
	write_counter(0, 0x3001);
	EXPECT_EQ(run_at(1, capture_at, 0), STATUS_CAPTURED);
	EXPECT_EQ(read_saved(0), 0x3001);
	set_controls(1, 0, SSE_ALLOWED);
	write_counter(0, 0x3002);
	run_at(1, capture_at, 0);
	EXPECT_EQ(read_saved(0), 0x3001);
}
