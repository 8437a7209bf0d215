/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the System registers of FEAT_SPE share: spe_regs.c has those that
 * control sampling, spe_buffer_regs.c those of the Profiling Buffer and
 * spe_traps.c the checks of an access.
 */
#ifndef TARGET_ARM_PMSCOPE_SPE_REGS_H
#define TARGET_ARM_PMSCOPE_SPE_REGS_H

#include "cpu.h"
#include "cpregs.h"

#define SPE_FGT(reg) (FGT_HDFGRTR | R_HDFGRTR_EL2_##reg##_SHIFT)
#define SPE_FGT_NOT(reg) (SPE_FGT(reg) | FGT_REV)

CPAccessResult spe_access_sampling(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread);
CPAccessResult spe_access_pmsnevfr(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread);
CPAccessResult spe_access_pmsdsfr(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread);
CPAccessResult spe_access_buffer(CPUARMState *env, const ARMCPRegInfo *ri,
                                 bool isread);
CPAccessResult spe_access_pmbmar(CPUARMState *env, const ARMCPRegInfo *ri,
                                 bool isread);

/* Writes the bits that are not RES0. */
void spe_masked_write(CPUARMState *env, const ARMCPRegInfo *ri,
                      uint64_t value);
/* The same for a register that switches profiling or says for which level. */
void spe_control_write(CPUARMState *env, const ARMCPRegInfo *ri,
                       uint64_t value);
/* Resets to 0, or to an UNKNOWN value. */
void spe_reset_register(CPUARMState *env, const ARMCPRegInfo *ri);

/* Bits of a register of the buffer that are not RES0. */
uint64_t spe_buffer_bits(const SPEConfig *cfg, const ARMCPRegInfo *ri);
void spe_define_buffer_regs(ARMCPU *cpu);

#endif
