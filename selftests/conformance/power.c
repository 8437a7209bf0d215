/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU that is switched off (PSCI CPU_SUSPEND, Arm DEN0022) and comes back from
 * reset.
 */
#include "lib/firmware.h"
#include "lib/pmu.h"
#include "lib/spe.h"

/* PMBIRQ is PPI 5, INTID 21, and PMUIRQ PPI 7, INTID 23. */
#define GICR_ISPENDR0 (*(volatile u32 *)0x080b0200)
#define PMBIRQ BIT(21)
#define PMUIRQ BIT(23)

TEST(CPU_SUSPEND_loses_all_registers)
{
	write_sysreg(0x123000, PMBPTR_EL1);
	write_sysreg(PMCR_E | PMCR_LC | PMCR_LP, PMCR_EL0);
	write_sysreg(PMBLIMITR_E, PMBLIMITR_EL1);
	write_sysreg(PMBSR_S, PMBSR_EL1);
	isb();
	wake_up_by(PMBIRQ);
	EXPECT_EQ(power_down(), 0);
	EXPECT_EQ(read_sysreg(PMCR_EL0) & PMCR_E, 0);
	EXPECT_EQ(read_sysreg(PMBLIMITR_EL1) & PMBLIMITR_E, 0);
	EXPECT_NE(read_sysreg(PMBPTR_EL1), 0x123000);
	EXPECT_EQ(read_sysreg(PMSSCR_EL1), PMSSCR_NC);
}

/* PMUIRQ takes PMCR_EL0.E, which a reset clears, and PMBIRQ is PMBSR_EL1.S. */
TEST(interrupts_follow_a_reset)
{
	write_sysreg(BIT(0), PMINTENSET_EL1);
	write_sysreg(PMCR_E | PMCR_LC | PMCR_LP, PMCR_EL0);
	write_sysreg(BIT(0), PMOVSSET_EL0);
	write_sysreg(PMBSR_S, PMBSR_EL1);
	isb();
	EXPECT_EQ(GICR_ISPENDR0 & (PMBIRQ | PMUIRQ), PMBIRQ | PMUIRQ);
	wake_up_by(PMBIRQ);
	EXPECT_EQ(power_down(), 0);
	EXPECT_EQ(GICR_ISPENDR0 & PMUIRQ, 0);
	EXPECT_EQ(!!(GICR_ISPENDR0 & PMBIRQ),
		  !!(read_sysreg(PMBSR_EL1) & PMBSR_S));
	write_sysreg(0, PMBSR_EL1);
	isb();
}
