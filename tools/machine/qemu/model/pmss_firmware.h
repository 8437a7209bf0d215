/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controls above the Exception levels of the guest.
 *
 * The architecture has EL3 in every PE with FEAT_PMUv3_SS; QEMU's CPU often
 * has none, and QEMU plays firmware. What that firmware programmed is in
 * force all the same.
 *
 * With EL3 in the CPU, properties that name its fields are reset values of MDCR_EL3.
 */
#pragma once

#include "cpu.h"
#include "cpregs.h"
#include "internals.h"

FIELD(PMSS_MDCR_EL3, TPM, 6, 1)
FIELD(PMSS_MDCR_EL3, EnPM2, 7, 1)
FIELD(PMSS_MDCR_EL3, TDA, 9, 1)
FIELD(PMSS_MDCR_EL3, TDOSA, 10, 1)
FIELD(PMSS_MDCR_EL3, NSPBE, 11, 1)
FIELD(PMSS_MDCR_EL3, NSPB, 12, 2)
FIELD(PMSS_MDCR_EL3, SPME, 17, 1)
FIELD(PMSS_MDCR_EL3, SCCD, 23, 1)
FIELD(PMSS_MDCR_EL3, TDCC, 27, 1)
FIELD(PMSS_MDCR_EL3, PMSSE, 30, 2)
FIELD(PMSS_MDCR_EL3, MCCD, 34, 1)
FIELD(PMSS_MDCR_EL3, MPMX, 35, 1)
FIELD(PMSS_MDCR_EL3, EnPMSN, 36, 1)
FIELD(PMSS_MDCR_EL3, EnPMS3, 42, 1)
FIELD(PMSS_MDCR_EL3, EnPMSS, 44, 1)
FIELD(PMSS_MDCR_EL3, EnPMS4, 55, 1)

FIELD(PMSS_MDCR_EL2, HPMN, 0, 5)
FIELD(PMSS_MDCR_EL2, TPM, 6, 1)
FIELD(PMSS_MDCR_EL2, HPME, 7, 1)
FIELD(PMSS_MDCR_EL2, HPMD, 17, 1)
FIELD(PMSS_MDCR_EL2, HCCD, 23, 1)
FIELD(PMSS_MDCR_EL2, HPMFZO, 29, 1)
FIELD(PMSS_MDCR_EL2, PMSSE, 30, 2)
FIELD(PMSS_MDCR_EL2, HPMFZS, 36, 1)

#define SCR_FGTEN2 (1ULL << 59)

void pmscope_add_firmware_properties(ARMCPU *cpu);
bool pmscope_realize_firmware(ARMCPU *cpu, Error **errp);

/* MDCR_EL3 and SCR_EL3 as they are in force. */
uint64_t pmscope_mdcr_el3(CPUARMState *env);
uint64_t pmscope_scr_el3(CPUARMState *env);

/* Reset values of the registers that the CPU itself has. */
void pmscope_reset_mdcr_el3(CPUARMState *env, const ARMCPRegInfo *ri);
uint64_t pmscope_mdcr_el2_reset(ARMCPU *cpu);

/*
 * MDCR_EL2.PMSSE of a hypervisor that the guest may or may not see. False
 * when there is none.
 */
bool pmscope_mdcr_el2_pmsse(CPUARMState *env, unsigned *pmsse);

/* An access that EL3 traps: UNDEFINED where the CPU has no EL3. */
CPAccessResult pmscope_trap_el3(CPUARMState *env);

/* True when HDFGRTR2_EL2 or HDFGWTR2_EL2 traps the access to EL2. */
bool pmscope_fgt2_trap(CPUARMState *env, bool isread, unsigned bit);

/* FEAT_FGT2 registers. */
void pmscope_define_fgt2_regs(ARMCPU *cpu);

/*
 * Answers an SMC Calling Convention call to firmware. False when the call
 * is not one of the Arm architecture calls.
 */
bool pmscope_smccc_call(ARMCPU *cpu);
