// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is trapped, learnt without running into the trap: what MDCR_EL3 traps by
 * SMCCC_ARCH_FEATURE_AVAILABILITY (Arm DEN0028, SMCCC 1.5), what Linux's own EL2
 * does by what it is known to write there.
 */
#include "compat.h"
#include "firmware.h"
#include "sysreg.h"

#include <linux/arm-smccc.h>
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <asm/virt.h>

/* DEN0028 7.8; an SMC64 call, its result is a 64-bit mask */
#define FEATURE_AVAILABILITY                                            \
	ARM_SMCCC_CALL_VAL(ARM_SMCCC_FAST_CALL, ARM_SMCCC_SMC_64,       \
			   ARM_SMCCC_OWNER_ARCH, 3)

/* The selector of a register is its encoding, as sys_reg() makes it */
#define SELECT_MDCR_EL3 sys_reg(3, 6, 1, 3, 1)

/**
 * pmscope_fw_mdcr_el3() - the features that MDCR_EL3 controls and EL3 opened
 * @available: on success, a mask at the bit positions of MDCR_EL3.  A set bit
 *	means the feature is usable, whatever the polarity of the trap bit.
 *
 * The answer is of the CPU this runs on.  Any context: fast calls do not sleep.
 *
 * Return: 0, or -EOPNOTSUPP where firmware does not know the call.
 */
int pmscope_fw_mdcr_el3(u64 *available)
{
	struct arm_smccc_res res;

	if (arm_smccc_1_1_get_conduit() == SMCCC_CONDUIT_NONE)
		return -EOPNOTSUPP;

	arm_smccc_1_1_invoke(ARM_SMCCC_ARCH_FEATURES_FUNC_ID,
			     FEATURE_AVAILABILITY, &res);
	if ((int)res.a0 < 0)
		return -EOPNOTSUPP;

	arm_smccc_1_1_invoke(FEATURE_AVAILABILITY, SELECT_MDCR_EL3, &res);
	if ((int)res.a0 < 0)
		return -EOPNOTSUPP;

	*available = res.a1;
	return 0;
}

/**
 * pmscope_own_el2_traps() - what traps to an EL2 that is this kernel's own
 *
 * A kernel that was started at EL2 and runs at EL1 (nVHE, pKVM) has cleared in
 * HDFGxTR2_EL2 what it does not use itself, see __init_el2_fgt2 in el2_setup.h.
 * KVM panics at such a trap, and without KVM the access comes again and again.
 *
 * Modules are not told where the kernel was started.  A hypervisor hides EL2,
 * or FGT2, from its guests; where it does not, this errs on the safe side.
 *
 * The answer is of the CPU this runs on.
 *
 * Return: a mask at the bit positions of MDCR_EL3, which controls the same
 * registers.
 */
u64 pmscope_own_el2_traps(void)
{
	u64 pfr0 = read_sysreg_s(SYS_ID_AA64PFR0_EL1);
	u64 mmfr0 = read_sysreg_s(SYS_ID_AA64MMFR0_EL1);
	u64 traps = PMSCOPE_MDCR_EL3_ENPMSS | PMSCOPE_MDCR_EL3_ENPM2 |
		    PMSCOPE_MDCR_EL3_ENPMS4;

	if (is_kernel_in_hyp_mode() || !FIELD_GET(PMSCOPE_PFR0_EL2, pfr0) ||
	    FIELD_GET(PMSCOPE_MMFR0_FGT, mmfr0) < PMSCOPE_FGT_FGT2)
		return 0;
	if (!PMSCOPE_EL2_OPENS_PMSDSFR)
		traps |= PMSCOPE_MDCR_EL3_ENPMS3;
	return traps;
}
