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
#define DEVID		0xfc8
#define DEVTYPE		0xfcc
#define PIDR0		0xfe0
#define PIDR1		0xfe4
#define CIDR0		0xff0

#define EDPCSR		0x0a0
#define EDCIDSR		0x0a4
#define EDVIDSR		0x0a8
#define EDPCSR_HI	0x0ac

#define PMPCSCTL_EN	BIT(0)
#define PMPCSCTL_IMP	BIT(1)
#define PMPCSCTL_SS	BIT(4)
#define NO_PC		0xffffffffU

#define PMPCSSR		0x600
#define PMCIDSSR	0x608
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
	/* Nothing changes it but the next one. */
	EXPECT_EQ(frame_read32(PMCCNTSR), (u32)saved);
}

TEST(a_capture_without_authentication_is_none,
     !have_arm_frame() || has_no_frame() ||
     skip_if(property("nid", 1), "nid=on"))
{
	EXPECT_EQ(arm_capture(), 1);
	EXPECT_EQ(frame_read32(PMCCNTSR), 0);
	EXPECT_EQ(frame_read32(PMPCSSR), NO_PC);
}

/* PC samples: FEAT_PCSRv8, v8p2, v8p9 as 8, 2, 9 */

static u64 pcsr(void)
{
	return property("pcsr", property("pmu-frame", 0) == FRAME_ARCH ? 9 : 2);
}

static bool lacks_pcsr(u64 kind)
{
	return has_no_frame() || skip_if(pcsr() != kind, "FEAT_PCSR");
}

static bool is_denied(void)
{
	return !property("nid", 1) || highest_el() == 3;
}

static bool lacks_samples(u64 kind)
{
	return lacks_pcsr(kind) || skip_if(is_denied(), "nid=off, or Secure");
}

static bool lacks_pmpcsr(void)
{
	return has_no_frame() ||
	       skip_if(!pcsr() || pcsr() == 8, "FEAT_PCSRv8p2");
}

/* An address in @function, which is short, executed here; bits as in PMPCSR */
static bool is_sample(u64 pc, const void *function)
{
	u64 address = pc & GENMASK(55, 0), start = (u64)function;

	return pc >> 63 == 1 && (pc >> 61 & 3) == current_el() &&
	       address >= start && address < start + 64;
}

/* FEAT_PMUv3_EXT64, or EXT32 */
static bool is_wide(void)
{
	return property("pmu-frame", 0) == FRAME_ARCH;
}

static u64 read_pmpcsr(void)
{
	u64 low;

	if (is_wide())
		return frame_read(FRAME_PMPCSR);
	low = frame_read32(FRAME_PMPCSR);
	return low | (u64)frame_read32(FRAME_PMPCSR + 4) << 32;
}

TEST(DEVID_tells_of_PC_samples, has_no_frame())
{
	u64 kind = pcsr();

	EXPECT_EQ(frame_read32(DEVID), kind == 9 ? 2 : kind == 2 ? 1 : 0);
	EXPECT_EQ(debug_frame_read(DEVID), kind == 8 ? 3 : 0);
}

TEST(a_read_of_PMPCSR_samples,
     lacks_pmpcsr() || skip_if(is_denied(), "nid=off, or Secure"))
{
	set_sysreg(0x1234, CONTEXTIDR_EL1);
	read_pmpcsr();
	EXPECT(is_sample(read_pmpcsr(), is_wide() ? (void *)frame_read :
						    (void *)frame_read32));
	set_sysreg(0, CONTEXTIDR_EL1);
	/* With the PC, not when it is read */
	EXPECT_EQ((u32)(is_wide() ? frame_read(FRAME_PMVCIDSR) :
				    frame_read32(FRAME_PMVCIDSR)), 0x1234);
}

TEST(a_read_of_PMPCSR_makes_sampling_active, lacks_samples(9))
{
	frame_write(0, FRAME_PMPCSCTL);
	EXPECT_EQ(frame_read(FRAME_PMPCSCTL), PMPCSCTL_IMP);
	EXPECT_EQ((u32)frame_read(FRAME_PMPCSR), NO_PC);
	EXPECT_EQ(frame_read(FRAME_PMPCSCTL), PMPCSCTL_IMP | PMPCSCTL_EN);
}

static void request_outside(void)
{
	frame_write(PMSSCR_SS, FRAME_PMSSCR);
}

/* Not at the read, which comes from another function */
TEST(RWSVYM_a_capture_samples_the_PC, lacks_samples(9))
{
	u64 pc;

	set_sse(SSE_ALLOWED);
	frame_write(PMPCSCTL_SS, FRAME_PMPCSCTL);
	request_outside();
	EXPECT_REG(PMSSCR_EL1, 0);
	pc = frame_read(FRAME_PMPCSR);
	EXPECT(is_sample(pc, frame_write));
	EXPECT_EQ(frame_read(FRAME_PMPCSR), pc);
	EXPECT_EQ(capture(), STATUS_CAPTURED);
	EXPECT_NE(frame_read(FRAME_PMPCSR), pc);
}

TEST(RMPZSB_a_prohibited_capture_samples_no_PC, lacks_samples(9))
{
	u64 pc;

	set_sse(SSE_ALLOWED);
	frame_write(PMPCSCTL_SS, FRAME_PMPCSCTL);
	request_outside();
	pc = frame_read(FRAME_PMPCSR);
	set_sse(SSE_PROHIBITED);
	EXPECT_EQ(capture(), STATUS_NOT_CAPTURED);
	EXPECT_EQ(frame_read(FRAME_PMPCSR), pc);
}

TEST(a_capture_without_PMPCSCTL_SS_samples_no_PC, lacks_samples(9))
{
	set_sse(SSE_ALLOWED);
	frame_write(PMPCSCTL_EN, FRAME_PMPCSCTL);
	frame_read(FRAME_PMPCSR);
	set_sysreg(0x1234, CONTEXTIDR_EL1);
	EXPECT_EQ(capture(), STATUS_CAPTURED);
	EXPECT_EQ((u32)frame_read(FRAME_PMVCIDSR), 0);
	set_sysreg(0, CONTEXTIDR_EL1);
	EXPECT(is_sample(frame_read(FRAME_PMPCSR), frame_read));
}

/* Non-invasive debug is denied, or Secure state has none. */
TEST(RTYNSW_no_PC_where_it_is_denied,
     lacks_pmpcsr() || skip_if(!is_denied(), "nid=on"))
{
	read_pmpcsr();
	EXPECT_EQ((u32)read_pmpcsr(), NO_PC);
	if (pcsr() != 9)
		return;
	set_sse(SSE_ALLOWED);
	frame_write(PMPCSCTL_SS, FRAME_PMPCSCTL);
	EXPECT_EQ(capture(), STATUS_CAPTURED);
	EXPECT_EQ((u32)frame_read(FRAME_PMPCSR), NO_PC);
}

TEST(a_read_of_EDPCSR_samples, lacks_samples(8))
{
	u64 pc;

	set_sysreg(0x1234, CONTEXTIDR_EL1);
	pc = debug_frame_read(EDPCSR);
	set_sysreg(0, CONTEXTIDR_EL1);
	pc |= (u64)debug_frame_read(EDPCSR_HI) << 32;
	EXPECT(pc >= (u64)debug_frame_read && pc < (u64)debug_frame_read + 64);
	EXPECT_EQ(debug_frame_read(EDCIDSR), 0x1234);
	EXPECT_EQ(debug_frame_read(EDVIDSR) >> 29, current_el() == 2 ? 6 : 4);
	EXPECT_EQ(frame_read32(FRAME_PMPCSR), 0);
}

TEST(PMPCSSR_is_of_the_snapshot, !have_arm_frame() || lacks_samples(2))
{
	u64 pc;

	set_sysreg(0x1234, CONTEXTIDR_EL1);
	arm_capture();
	set_sysreg(0, CONTEXTIDR_EL1);
	read_pmpcsr();
	pc = frame_read32(PMPCSSR) | (u64)frame_read32(PMPCSSR + 4) << 32;
	EXPECT(is_sample(pc, frame_write32));
	EXPECT_EQ(frame_read32(PMCIDSSR), 0x1234);
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
