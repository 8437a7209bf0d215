/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_SPE in a machine that migrates: ./agent reads the line "# agent
 * migrate".
 */
#include "lib/pmu.h"
#include "lib/spe.h"

#define PMSCR_SOME	 (PMSCR_TS | PMSCR_PA | PMSCR_PCT(1))

/* Two samples; no PSB CSYNC, so their records stay in the queue. */
static u64 take_two_samples(u64 unused)
{
	spe_enable();
	for (unsigned i = 0; i < 2 * 128 + 60; i++)
		asm volatile("");
	spe_disable();
	return 0;
}

/* Only this machine refuses the requests of the agent. */
static void migrate(void)
{
	set_sse(SSE_ALLOWED);
	EXPECT_EQ(capture(), STATUS_CAPTURED);
	set_sse(SSE_PROHIBITED);
	note("agent migrate");
	while (!(read_sysreg(PMSSCR_EL1) & PMSSCR_NC))
		;
}

TEST(SPE_state_migrates, lacks_spe(1))
{
	u64 base = (u64)spe_buffer, pc, counter, limit;
	const u8 *p = spe_buffer, *end;
	unsigned records = 0;

	write_event_type(0, EVENT_SAMPLE_FEED | FILTER_NSH);
	start_counters(BIT(0));
	spe_start(base, BUFFER_SIZE, PMBLIMITR_PMFZ);
	run_at(1, take_two_samples, 0);
	EXPECT_EQ(read_counter(0), 2);
	EXPECT_REG(PMBPTR_EL1, base);
	write_sysreg(PMSCR_SOME, PMSCR_EL1);
	write_sysreg(0x2ff, PMBMAR_EL1);
	write_sysreg(PMBSR_COLL, PMBSR_EL1);
	write_sysreg(PMSFCR_FL, PMSFCR_EL1);
	write_sysreg(BIT(3), PMSEVFR_EL1);
	set_sysreg(0x7a, PMSLATFR_EL1);
	counter = read_sysreg(PMSICR_EL1);
	limit = read_sysreg(PMBLIMITR_EL1);

	migrate();
	EXPECT_EQ(read_counter(0), 2);
	EXPECT_REG(PMSICR_EL1, counter);
	EXPECT_REG(PMBLIMITR_EL1, limit);
	EXPECT_REG(PMSCR_EL1, PMSCR_SOME);
	EXPECT_REG(PMBMAR_EL1, 0x2ff);
	EXPECT_REG(PMSFCR_EL1, PMSFCR_FL);
	EXPECT_REG(PMSEVFR_EL1, BIT(3));
	EXPECT_REG(PMSLATFR_EL1, 0x7a);
	EXPECT_REG(PMSIRR_EL1, PMSIRR_INTERVAL(1));
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL);
	EXPECT_REG(PMBPTR_EL1, base);

	spe_drain();
	end = (u8 *)read_sysreg(PMBPTR_EL1);
	while (p < end && spe_record(p, end, &pc, &p))
		records++;
	EXPECT_EQ(records, 2);

	/* The interval continues from there. */
	write_sysreg(0, PMSFCR_EL1);
	profile_at(1, 257 * 3);
	EXPECT(read_sysreg(PMBPTR_EL1) >= (u64)end + 3 * (end - spe_buffer) / 2);
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL);
}
