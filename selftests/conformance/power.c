/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU that is switched off (PSCI CPU_SUSPEND, Arm DEN0022) and comes back
 * from reset, also seen from another CPU.
 */
#include "lib/firmware.h"
#include "lib/frame.h"
#include "lib/pmu.h"
#include "lib/spe.h"

#define SECOND_CPU 1
#define SECOND_FRAME FRAME_OF_CPU(SECOND_CPU)
#define STACK_SIZE 0x1000

static u8 second_stack[STACK_SIZE] __attribute__((aligned(16)));
static volatile bool second_runs;

TEST(CPU_SUSPEND_loses_all_registers)
{
	write_sysreg(0x123000, PMBPTR_EL1);
	write_sysreg(PMCR_E | PMCR_LC | PMCR_LP, PMCR_EL0);
	write_sysreg(PMBLIMITR_E, PMBLIMITR_EL1);
	set_sysreg(PMBSR_S, PMBSR_EL1);
	wake_up_by(PMBIRQ);
	EXPECT_EQ(power_down(), 0);
	EXPECT_EQ(read_sysreg(PMCR_EL0) & PMCR_E, 0);
	EXPECT_EQ(read_sysreg(PMBLIMITR_EL1) & PMBLIMITR_E, 0);
	EXPECT_NE(read_sysreg(PMBPTR_EL1), 0x123000);
	EXPECT_REG(PMSSCR_EL1, PMSSCR_NC);
}

static void suspend_and_wake_up(void)
{
	set_sysreg(PMBSR_S, PMBSR_EL1);
	wake_up_by(PMBIRQ);
	EXPECT_EQ(power_down(), 0);
	set_sysreg(0, PMBSR_EL1);
}

TEST(PMSSCR_EL1_warm_reset_after_a_capture,
     skip_if(property("pmss-stuck", 0), "pmss-stuck"))
{
	set_sse(SSE_ALLOWED);
	EXPECT_EQ(capture(), STATUS_CAPTURED);
	suspend_and_wake_up();
	EXPECT_REG(PMSSCR_EL1, PMSSCR_NC);
}

TEST(PMSSCR_EL1_warm_reset_during_a_capture, lacks_property("pmss-stuck"))
{
	set_sse(SSE_ALLOWED);
	write_sysreg(PMSSCR_SS, PMSSCR_EL1);
	EXPECT_REG(PMSSCR_EL1, PMSSCR_SS);
	suspend_and_wake_up();
	EXPECT_REG(PMSSCR_EL1, PMSSCR_NC);
}

/* PMUIRQ needs PMCR_EL0.E, which a reset clears; PMBIRQ is PMBSR_EL1.S. */
TEST(interrupts_follow_a_reset)
{
	write_sysreg(BIT(0), PMINTENSET_EL1);
	write_sysreg(PMCR_E | PMCR_LC | PMCR_LP, PMCR_EL0);
	write_sysreg(BIT(0), PMOVSSET_EL0);
	set_sysreg(PMBSR_S, PMBSR_EL1);
	EXPECT_EQ(GICR_ISPENDR0 & (PMBIRQ | PMUIRQ), PMBIRQ | PMUIRQ);
	wake_up_by(PMBIRQ);
	EXPECT_EQ(power_down(), 0);
	EXPECT_EQ(GICR_ISPENDR0 & PMUIRQ, 0);
	EXPECT_EQ(!!(GICR_ISPENDR0 & PMBIRQ),
		  !!(read_sysreg(PMBSR_EL1) & PMBSR_S));
}

static bool has_second_cpu(void)
{
	int info = firmware(PSCI_AFFINITY_INFO, SECOND_CPU, 0, 0).x0;

	return !skip_if(info < 0, "one CPU");
}

/* Nothing wakes it up. */
void second_main(void);
void second_main(void)
{
	second_runs = true;
	power_down();
	for (;;)
		;
}

SECOND_ENTRY

static int cpu_on(void)
{
	return firmware(PSCI_CPU_ON, SECOND_CPU, (u64)second_entry,
			(u64)second_stack + STACK_SIZE).x0;
}

/* Else an External abort. The OS Lock is not for this register. */
static bool frame_answers(void)
{
	return !TRY((void)frame_read(SECOND_FRAME + FRAME_PMSSCR));
}

/* Off, on, and then idle: PSCI's word for that is on. */
TEST(a_CPU_without_power_does_not_answer, !has_second_cpu() || !have_frame())
{
	EXPECT(!frame_answers());
	EXPECT_EQ(TRY(frame_write(1, SECOND_FRAME + FRAME_PMSSCR)), 1);
	EXPECT_EQ(cpu_on(), 0);
	while (!second_runs || frame_answers())
		;
	EXPECT_EQ(firmware(PSCI_AFFINITY_INFO, SECOND_CPU, 0, 0).x0, PSCI_ON);
	EXPECT_EQ(cpu_on(), PSCI_ALREADY_ON);
}
