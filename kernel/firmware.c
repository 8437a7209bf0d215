// SPDX-License-Identifier: GPL-2.0-only
/*
 * SMCCC_ARCH_FEATURE_AVAILABILITY (Arm DEN0028, SMCCC 1.5): the way to learn
 * what MDCR_EL3 traps without running into the trap.
 */
#include "firmware.h"
#include "sysreg.h"

#include <linux/arm-smccc.h>
#include <linux/errno.h>

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
