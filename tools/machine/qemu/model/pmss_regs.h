/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the AArch32 and the AArch64 registers of the PMU have in common.
 */
#ifndef TARGET_ARM_PMSCOPE_PMSS_REGS_H
#define TARGET_ARM_PMSCOPE_PMSS_REGS_H

#include "cpu.h"
#include "cpregs.h"

/* Access checks: PMUSERENR_EL0, then MDCR_EL2 and MDCR_EL3. */
CPAccessResult pmss_access_pmu(CPUARMState *env, const ARMCPRegInfo *ri,
                               bool isread);
CPAccessResult pmss_access_pmcr(CPUARMState *env, const ARMCPRegInfo *ri,
                                bool isread);
CPAccessResult pmss_access_pmceid(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread);

/* One bit a counter, as far as the Exception level can reach it. */
uint64_t pmss_bits_read(CPUARMState *env, const ARMCPRegInfo *ri);
void pmss_bits_set(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value);
void pmss_bits_clear(CPUARMState *env, const ARMCPRegInfo *ri,
                     uint64_t value);

uint64_t pmss_pmcr_read(CPUARMState *env, const ARMCPRegInfo *ri);
void pmss_pmcr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                     uint64_t value);

/* pmss_aarch32.c */
void pmss_define_aarch32_regs(ARMCPU *cpu);

#endif
