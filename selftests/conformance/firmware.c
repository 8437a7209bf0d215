/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine plays the firmware: the CPU has no EL3, so what EL3 would trap is
 * UNDEFINED, and SMCs report what it has enabled (Arm DEN0028). Command line:
 * the properties of the CPU.
 */
#include "lib/firmware.h"
#include "lib/pmu.h"

#define SMCCC_VERSION			0x80000000
#define SMCCC_ARCH_FEATURES		0x80000001
#define SMCCC_ARCH_FEATURE_AVAILABILITY	0xc0000003
#define SMCCC_NOT_SUPPORTED		(-1)
#define SMCCC_INVALID_PARAMETER		(-3)

#define SELECT_SCR_EL3			0x1e1100
#define SELECT_MDCR_EL3			0x1e1320
#define SELECT_SCTLR_EL3		0x1e1000

/* smccc-feat=tfa: what firmware does not tell, as Trusted Firmware-A. */
static bool tells_all(void)
{
	return property("smccc-feat", 1) == 1;
}

static void expect_undefined(unsigned traps, bool wanted)
{
	EXPECT_EQ(traps, wanted);
	if (traps) {
		EXPECT_EQ(trap.el, current_el());
		EXPECT_EQ(ESR_EC(trap.esr), EC_UNKNOWN);
	}
}

TEST(MDCR_EL3_EnPMSS_of_firmware)
{
	bool trapped = !property("enpmss", 1);

	expect_undefined(TRY((void)read_sysreg(PMSSCR_EL1)), trapped);
	expect_undefined(TRY(write_sysreg(1, PMSSCR_EL1)), trapped);
	expect_undefined(TRY((void)read_sysreg(PMCCNTSVR_EL1)), trapped);
	expect_undefined(TRY((void)read_sysreg(PMICNTSVR_EL1)), trapped);
	expect_undefined(TRY((void)read_saved(0)), trapped);
}

TEST(MDCR_EL3_EnPM2_of_firmware)
{
	bool trapped = !property("enpm2", 1);

	expect_undefined(TRY((void)read_sysreg(PMECR_EL1)), trapped);
	expect_undefined(TRY(write_sysreg(0, PMECR_EL1)), trapped);
	expect_undefined(TRY((void)read_sysreg(PMUACR_EL1)), trapped);
	expect_undefined(TRY((void)read_sysreg(PMICNTR_EL0)), trapped);
	expect_undefined(TRY((void)read_sysreg(PMICFILTR_EL0)), trapped);
	expect_undefined(TRY(write_sysreg(0, PMZR_EL0)), false);
}

/* With EnPM2 0 the controls of the instruction counter are RAZ/WI. */
TEST(MDCR_EL3_EnPM2_hides_F0)
{
	u64 f0 = property("enpm2", 1) ? BIT(INSN_COUNTER) : 0;

	write_sysreg(BIT(INSN_COUNTER) | 1, PMCNTENSET_EL0);
	write_sysreg(BIT(INSN_COUNTER) | 1, PMINTENSET_EL1);
	write_sysreg(BIT(INSN_COUNTER) | 1, PMOVSSET_EL0);
	EXPECT_REG(PMCNTENSET_EL0, f0 | 1);
	EXPECT_REG(PMINTENSET_EL1, f0 | 1);
	EXPECT_REG(PMOVSCLR_EL0, f0 | 1);
}

static u64 read_pmsscr(u64 unused)
{
	return TRY((void)read_sysreg(PMSSCR_EL1));
}

TEST(SCR_EL3_FGTEn2_of_firmware, skip_if(!have_el(2), "needs EL2"))
{
	bool trapped = !property("fgten2", 1);

	expect_undefined(TRY((void)read_sysreg(HDFGRTR2_EL2)), trapped);
	if (!property("enpmss", 1))
		return;
	EXPECT_EQ(run_at(1, read_pmsscr, 0), trapped);
	if (trapped)
		EXPECT_EQ(trap.el, 2);
	EXPECT_EQ(read_pmsscr(0), 0);
}

TEST(SMCCC_version)
{
	struct result result = firmware(PSCI_FEATURES, SMCCC_VERSION, 0, 0);
	bool feat = property("smccc-feat", 1);

	EXPECT_EQ((int)result.x0, 0);
	result = firmware(SMCCC_VERSION, 0, 0, 0);
	/* SMCCC_ARCH_FEATURE_AVAILABILITY came with version 1.5. */
	EXPECT_EQ(result.x0 >= 0x10005, feat);
	EXPECT(result.x0 >= 0x10001);
}

TEST(SMCCC_ARCH_FEATURES_lists_FEATURE_AVAILABILITY)
{
	bool feat = property("smccc-feat", 1);
	struct result result = firmware(SMCCC_ARCH_FEATURES,
					SMCCC_ARCH_FEATURE_AVAILABILITY, 0, 0);

	EXPECT_EQ((int)result.x0, feat ? 0 : SMCCC_NOT_SUPPORTED);
	result = firmware(SMCCC_ARCH_FEATURES, SMCCC_ARCH_FEATURES, 0, 0);
	EXPECT_EQ((int)result.x0, 0);
	result = firmware(SMCCC_ARCH_FEATURES, 0x80007fff, 0, 0);
	EXPECT_EQ((int)result.x0, SMCCC_NOT_SUPPORTED);
}

/* Features that the CPU lacks are not available. */
static void expect_spe_fields(u64 mask)
{
	bool spe = property("spe", 1);

	EXPECT_EQ(!!(mask & MDCR_EL3_NSPB(1)), spe && property("nspb", 3) == 3);
	EXPECT_EQ(!!(mask & MDCR_EL3_ENPMSN),
		  tells_all() && spe && property("spe-version", 2) >= 2);
	EXPECT_EQ(!!(mask & MDCR_EL3_ENPMS3),
		  tells_all() && spe && property("spe-fds", 0));
	EXPECT_EQ(!!(mask & MDCR_EL3_ENPMS4),
		  tells_all() && spe && property("spe-nvm", 1));
}

TEST(SMCCC_FEATURE_AVAILABILITY_of_MDCR_EL3)
{
	struct result result = firmware(SMCCC_ARCH_FEATURE_AVAILABILITY,
					SELECT_MDCR_EL3, 0, 0);
	u64 pmsse = property("pmsse-el3", 1);

	if (!property("smccc-feat", 1)) {
		EXPECT_EQ((int)result.x0, SMCCC_NOT_SUPPORTED);
		return;
	}
	EXPECT_EQ((int)result.x0, 0);
	EXPECT_EQ(!!(result.x1 & MDCR_EL3_ENPMSS),
		  tells_all() && property("enpmss", 1));
	EXPECT_EQ(!!(result.x1 & MDCR_EL3_ENPM2), property("enpm2", 1));
	EXPECT_EQ(!!(result.x1 & MDCR_PMSSE(1)), tells_all() && pmsse & 1);
	expect_spe_fields(result.x1);
	/* An active-low field: 1 if nothing is trapped. */
	EXPECT(result.x1 & MDCR_TPM);
}

TEST(SMCCC_FEATURE_AVAILABILITY_of_SCR_EL3,
     skip_if(!property("smccc-feat", 1), "smccc-feat=off"))
{
	struct result result = firmware(SMCCC_ARCH_FEATURE_AVAILABILITY,
					SELECT_SCR_EL3, 0, 0);

	EXPECT_EQ((int)result.x0, 0);
	EXPECT_EQ(!!(result.x1 & SCR_FGTEN2), property("fgten2", 1));
	EXPECT(result.x1 & SCR_FGTEN);
}

TEST(SMCCC_FEATURE_AVAILABILITY_of_another_register,
     skip_if(!property("smccc-feat", 1), "smccc-feat=off"))
{
	struct result result = firmware(SMCCC_ARCH_FEATURE_AVAILABILITY,
					SELECT_SCTLR_EL3, 0, 0);

	EXPECT_EQ((int)result.x0, SMCCC_INVALID_PARAMETER);
	EXPECT_EQ(result.x1, 0);
}

ROW_OF(PSCI_still_answers, false,
       EXPECT_EQ(firmware(PSCI_VERSION, 0, 0, 0).x0, 0x10001))
