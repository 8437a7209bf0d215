/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the AArch32 and the AArch64 registers of the PMU have in common.
 */
#ifndef TARGET_ARM_PMSCOPE_PMSS_REGS_H
#define TARGET_ARM_PMSCOPE_PMSS_REGS_H

#include "cpu.h"
#include "cpregs.h"
#include "hw/registerfields.h"

FIELD(PMUSERENR_EL0, EN, 0, 1)
FIELD(PMUSERENR_EL0, SW, 1, 1)
FIELD(PMUSERENR_EL0, CR, 2, 1)
FIELD(PMUSERENR_EL0, ER, 3, 1)
FIELD(PMUSERENR_EL0, UEN, 4, 1)
FIELD(PMUSERENR_EL0, IR, 5, 1)
FIELD(PMUSERENR_EL0, TID, 6, 1)

/* Counters, by their bits in PMCNTENSET_EL0 and its like. */
#define EVENT_COUNTERS MAKE_64BIT_MASK(0, PMSS_EVENT_COUNTERS)
#define CYCLE_COUNTER (1ULL << PMSS_CYCLE_COUNTER)
#define INSN_COUNTER (1ULL << PMSS_INSN_COUNTER)

/*
 * pmss_access.c: those that the Exception level can access, can control with
 * the bits of a register that it reads or writes, and can zero.
 */
uint64_t pmss_access_mask(CPUARMState *env);
uint64_t pmss_read_mask(CPUARMState *env);
uint64_t pmss_write_mask(CPUARMState *env);
uint64_t pmss_zero_mask(CPUARMState *env);
unsigned pmss_accessible_event_counters(CPUARMState *env);

/* Access checks: PMUSERENR_EL0, then MDCR_EL2 and MDCR_EL3. */
CPAccessResult pmss_access_pmu(CPUARMState *env, const ARMCPRegInfo *ri,
                               bool isread);
CPAccessResult pmss_access_pmcr(CPUARMState *env, const ARMCPRegInfo *ri,
                                bool isread);
CPAccessResult pmss_access_pmceid(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread);
CPAccessResult pmss_access_pmuserenr(CPUARMState *env, const ARMCPRegInfo *ri,
                                     bool isread);
CPAccessResult pmss_access_pmuacr(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread);
CPAccessResult pmss_access_pmzr(CPUARMState *env, const ARMCPRegInfo *ri,
                                bool isread);
CPAccessResult pmss_access_pmicntr(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread);
CPAccessResult pmss_access_pmicfiltr(CPUARMState *env, const ARMCPRegInfo *ri,
                                     bool isread);

/* pmss_regs.c: one bit per counter that the Exception level can access. */
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
