/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults that properties of the CPU ask for, and what they leave in PMBSR_EL1.
 */
#include "lib/spe.h"

#define FSC_SYNC_EXTERNAL 0x10

static u64 size_of_records(u64 count)
{
	return count * PMSIDR_MAXSIZE(read_sysreg(PMSIDR_EL1));
}

static u64 profile_until_event(void)
{
	spe_start(base(), BUFFER_SIZE, 0);
	profile_at(1, 20 * 257);
	return read_sysreg(PMBSR_EL1);
}

static void expect_fault(u64 pmbsr, u64 at, unsigned fsc, bool ea)
{
	u64 dl = property("spe-fault-dl", 0);

	EXPECT(pmbsr & PMBSR_S);
	EXPECT_EQ(PMBSR_EC(pmbsr), PMBSR_EC_STAGE1);
	EXPECT_EQ(PMBSR_FSC(pmbsr), fsc);
	EXPECT_EQ(!!(pmbsr & PMBSR_EA), ea);
	EXPECT_EQ(!!(pmbsr & PMBSR_DL), dl);
	/* With DL the pointer is inside the record. */
	EXPECT_REG(PMBPTR_EL1, base() + size_of_records(at - 1) + dl);
	EXPECT(GICR_ISPENDR0 & PMBIRQ);
}

/* Records are counted from reset, so this test must be the first. */
TEST(fault_at_the_Nth_record, lacks_property("spe-fault-at"))
{
	expect_fault(profile_until_event(), property("spe-fault-at", 0),
		     property("spe-fault-fsc", 0x07), false);
	/* Once only. */
	EXPECT_EQ(profile_until_event(), 0);
}

TEST(abort_at_the_Nth_record, lacks_property("spe-abort-at"))
{
	expect_fault(profile_until_event(), property("spe-abort-at", 0),
		     FSC_SYNC_EXTERNAL, true);
	EXPECT_EQ(profile_until_event(), 0);
}

/* Each time the buffer is set up anew, as many records come first. */
static void expect_every(const char *name, unsigned fsc, bool ea)
{
	for (unsigned i = 0; i < 5; i++)
		expect_fault(profile_until_event(), property(name, 0), fsc, ea);
}

ROW_OF(fault_at_each_Nth_record, lacks_property("spe-fault-every"),
       expect_every("spe-fault-every", 0x07, false))
ROW_OF(abort_at_each_Nth_record, lacks_property("spe-abort-every"),
       expect_every("spe-abort-every", FSC_SYNC_EXTERNAL, true))

/* A read of PMBSR_EL1, which is 0, deasserts it. */
TEST(spurious_PMBIRQ, lacks_property("spe-spurious-every"))
{
	u64 every = property("spe-spurious-every", 0);

	spe_start(base(), BUFFER_SIZE, 0);
	EXPECT(!(GICR_ISPENDR0 & PMBIRQ));
	profile_at(1, (every + 1) * 257);
	EXPECT(GICR_ISPENDR0 & PMBIRQ);
	EXPECT_REG(PMBSR_EL1, 0);
	EXPECT(!(GICR_ISPENDR0 & PMBIRQ));
}

/* Before any test has written them. */
TEST(SPE_registers_are_UNKNOWN_after_a_reset,
     lacks_property("unknown-at-reset"))
{
	EXPECT_EQ(read_sysreg(PMBLIMITR_EL1) & PMBLIMITR_E, 0);
	EXPECT_NE(read_sysreg(PMBLIMITR_EL1), 0);
	EXPECT_NE(read_sysreg(PMBPTR_EL1), 0);
	EXPECT_NE(read_sysreg(PMBSR_EL1), 0);
	EXPECT_NE(read_sysreg(PMSCR_EL1), 0);
	EXPECT_NE(read_sysreg(PMSICR_EL1), 0);
	EXPECT_NE(read_sysreg(PMSIRR_EL1), 0);
	EXPECT_NE(read_sysreg(PMSFCR_EL1), 0);
	EXPECT_NE(read_sysreg(PMSEVFR_EL1), 0);
	EXPECT_NE(read_sysreg(PMSLATFR_EL1), 0);
	/* RES0 bits are 0 all the same. */
	EXPECT_EQ(read_sysreg(PMSIRR_EL1) & 0xfe, 0);
	EXPECT_EQ(read_sysreg(PMSIRR_EL1) >> 32, 0);
	EXPECT_EQ(read_sysreg(PMBPTR_EL1) &
		  (PMBIDR_ALIGN(read_sysreg(PMBIDR_EL1)) - 1), 0);
}
