/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine that migrates while its CPU is switched off: ./agent reads the line
 * "# agent migrate".
 */
#include "lib/firmware.h"
#include "lib/pmu.h"

/* The virtual timer is PPI 11, INTID 27. */
#define VIRTUAL_TIMER BIT(27)
#define TIMER_ENABLE 1
#define SECONDS 2

TEST(an_idle_CPU_migrates)
{
	write_sysreg(SECONDS * read_sysreg(cntfrq_el0), cntv_tval_el0);
	set_sysreg(TIMER_ENABLE, cntv_ctl_el0);
	wake_up_by(VIRTUAL_TIMER);
	note("agent migrate");
	EXPECT_EQ(power_down(), 0);
	write_sysreg(0, cntv_ctl_el0);
	/* The OS Lock also comes out of reset. */
	set_sysreg(0, oslar_el1);
	/* Only this machine gets requests. */
	set_sse(SSE_ALLOWED);
	EXPECT_EQ(capture(), STATUS_CAPTURED);
	set_sse(SSE_PROHIBITED);
	while (!(read_sysreg(PMSSCR_EL1) & PMSSCR_NC))
		;
}
