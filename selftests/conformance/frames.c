/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What identifies the debug and PMU frame of a CPU, what keeps others from them,
 * and the snapshot of Arm's own cores (Arm 100442, 100798).
 */
#include "lib/frame.h"
#include "lib/pmu.h"

#define EDPRSR		0x314
#define EDPRSR_PU	BIT(0)
#define EDPRSR_OSLK	BIT(5)
#define EDPRSR_DLK	BIT(6)
#define PMCFGR		0xe00
#define ARM_PMCR	0xe04
#define DEVAFF0		0xfa8
#define LAR		0xfb0
#define LSR		0xfb4
#define AUTHSTATUS	0xfb8
#define DEVARCH		0xfbc
#define DEVTYPE		0xfcc
#define PIDR0		0xfe0
#define PIDR1		0xfe4
#define CIDR0		0xff0

#define PMPCSSR		0x600
#define PMSSSR		0x610
#define PMCCNTSR	0x618
#define PMEVCNTSR(n)	(0x620 + 4 * (n))
#define ARM_PMSSCR	0x6f0

enum lie { LIE_NONE, LIE_AFFINITY, LIE_PART, LIE_TYPE, LIE_CLASS };

static bool lies(enum lie lie)
{
	return property("pmu-frame-lie", LIE_NONE) == lie;
}

static bool has_no_frame(void)
{
	return skip_if(!property("pmu-frame", 0) || property("dlk", 0),
		       "pmu-frame, or dlk=on");
}

TEST(a_frame_names_its_CPU, has_no_frame())
{
	u32 part = read_sysreg(MIDR_EL1) >> 4 & 0xfff;

	EXPECT_EQ(frame_read32(DEVAFF0) == (u32)read_sysreg(MPIDR_EL1),
		  !lies(LIE_AFFINITY));
	EXPECT_EQ((frame_read32(PIDR0) | (frame_read32(PIDR1) & 0xf) << 8) == part,
		  !lies(LIE_PART));
	EXPECT_EQ(frame_read32(DEVTYPE) == 0x16, !lies(LIE_TYPE));
	EXPECT_EQ(frame_read32(CIDR0) == 0x0d, !lies(LIE_CLASS));
	EXPECT_EQ(frame_read32(DEVARCH), 0x47702a16);
	EXPECT_EQ(frame_read32(PMCFGR) & 0xff, PMCR_N(read_sysreg(PMCR_EL0)));
	EXPECT_EQ(debug_frame_read(DEVTYPE), 0x15);
}

TEST(PMAUTHSTATUS_tells_of_noninvasive_debug, has_no_frame())
{
	EXPECT_EQ(frame_read32(AUTHSTATUS) >> 2 & 3, property("nid", 1) ? 3 : 2);
}

TEST(EDPRSR_tells_of_power_and_locks,
     skip_if(!property("pmu-frame", 0), "pmu-frame"))
{
	u32 dlk = property("dlk", 0) ? EDPRSR_DLK : 0;

	EXPECT_EQ(debug_frame_read(EDPRSR), EDPRSR_PU | dlk);
	set_os_lock(true);
	EXPECT_EQ(debug_frame_read(EDPRSR), EDPRSR_PU | EDPRSR_OSLK | dlk);
}

TEST(the_OS_Double_Lock_makes_an_abort, lacks_property("dlk"))
{
	EXPECT_EQ(TRY((void)frame_read32(DEVTYPE)), 1);
	EXPECT_EQ(TRY(frame_write32(1, ARM_PMSSCR)), 1);
}

TEST(registers_of_64_bits_are_accessed_whole, !have_frame() || has_no_frame())
{
	EXPECT_EQ(TRY((void)frame_read32(FRAME_PMCCNTSVR)), 1);
	EXPECT_EQ(TRY((void)frame_read(FRAME_PMCCNTSVR)), 0);
}

static u32 arm_capture(void)
{
	frame_write32(0xc5acce55, LAR);
	frame_write32(1, ARM_PMSSCR);
	return frame_read32(PMSSSR);
}

TEST(a_software_lock_keeps_writes_off, !have_arm_frame() || has_no_frame())
{
	frame_write32(0, LAR);
	EXPECT_EQ(frame_read32(LSR), 3);
	frame_write32(1, ARM_PMSSCR);
	EXPECT_EQ(frame_read32(PMSSSR), 1);
	frame_write32(0xc5acce55, LAR);
	EXPECT_EQ(frame_read32(LSR), 1);
}

TEST(the_snapshot_of_Arms_cores_is_of_one_instant,
     !have_arm_frame() || has_no_frame() || skip_if(!property("nid", 1), "nid=off"))
{
	u64 before, after, saved;

	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	write_event_type(0, EVENT_CPU_CYCLES | FILTER_NSH);
	write_counter(0, 0);
	write_counter(CYCLE_COUNTER, 0);
	start_counters(BIT(CYCLE_COUNTER) | BIT(0));
	EXPECT_EQ(frame_read32(ARM_PMCR) & PMCR_E, PMCR_E);
	EXPECT_EQ(frame_read32(FRAME_PMCNTENSET), (u32)BIT(CYCLE_COUNTER) | BIT(0));
	before = read_counter(CYCLE_COUNTER);
	EXPECT_EQ(arm_capture(), 0);
	isb();
	after = read_counter(CYCLE_COUNTER);
	saved = frame_read32(PMCCNTSR) | (u64)frame_read32(PMCCNTSR + 4) << 32;
	EXPECT(saved > before && saved < after);
	EXPECT_EQ(frame_read32(PMEVCNTSR(0)), (u32)saved);
	EXPECT_EQ(frame_read32(PMPCSSR) >> 20, (u64)arm_capture >> 20);
	/* Nothing changes it but the next one. */
	EXPECT_EQ(frame_read32(PMCCNTSR), (u32)saved);
}

TEST(a_capture_without_authentication_is_none,
     !have_arm_frame() || has_no_frame() ||
     skip_if(property("nid", 1), "nid=on"))
{
	EXPECT_EQ(arm_capture(), 1);
	EXPECT_EQ(frame_read32(PMCCNTSR), 0);
}

/* The other CPU does nothing, but the clock is one. */
TEST(cycles_are_the_instructions_of_the_CPU, lacks_property("own-cycles"))
{
	u64 before;

	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	write_event_type(INSN_COUNTER, FILTER_NSH);
	start_counters(BIT(CYCLE_COUNTER) | BIT(INSN_COUNTER));
	before = read_counter(CYCLE_COUNTER) - read_counter(INSN_COUNTER);
	for (volatile int i = 0; i < 1000; i++)
		;
	EXPECT_EQ(read_counter(CYCLE_COUNTER) - read_counter(INSN_COUNTER), before);
}
