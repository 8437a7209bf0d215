/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the System registers of FEAT_SPE share: spe_regs.c has those that
 * control sampling, spe_buffer_regs.c those of the Profiling Buffer and
 * spe_traps.c the checks of an access.
 */
#pragma once

#include "cpu.h"
#include "cpregs.h"
#include "internals.h"

#define SPE_FGT(reg) (FGT_HDFGRTR | R_HDFGRTR_EL2_##reg##_SHIFT)
#define SPE_FGT_NOT(reg) (SPE_FGT(reg) | FGT_REV)

#define SPE_REG(NAME, OP1, CRM, OP2, ACCESS, CHECK, FIELD, RESET, WRITE) \
    .name = NAME, .state = ARM_CP_STATE_AA64, .opc0 = 3, .opc1 = OP1, \
    .crn = 9, .crm = CRM, .opc2 = OP2, .access = ACCESS, .accessfn = CHECK, \
    .fieldoffset = offsetof(CPUARMState, spe.FIELD), .resetfn = RESET, \
    .writefn = WRITE, .raw_writefn = raw_write

CPAccessFn spe_access_sampling, spe_access_pmsnevfr, spe_access_pmsdsfr,
    spe_access_buffer, spe_access_pmbmar;

/* Writes the bits that are not RES0. */
CPWriteFn spe_masked_write;
/* The same for a register that switches profiling or says for which level. */
CPWriteFn spe_control_write;
/* Resets to 0, or to an UNKNOWN value. */
CPResetFn spe_reset_register;

/* Bits of a register of the buffer that are not RES0. */
uint64_t spe_buffer_bits(const SPEConfig *cfg, const ARMCPRegInfo *ri);
void spe_define_buffer_regs(ARMCPU *cpu);
