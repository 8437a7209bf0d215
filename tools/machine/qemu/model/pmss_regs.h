/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the AArch32 and the AArch64 registers of the PMU have in common. */
#pragma once

#include "cpu.h"
#include "cpregs.h"
#include "internals.h"

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
CPAccessFn pmss_access_pmu, pmss_access_pmcr, pmss_access_pmceid,
    pmss_access_pmuserenr, pmss_access_pmuacr, pmss_access_pmzr,
    pmss_access_pmicntr, pmss_access_pmicfiltr;

/* pmss_regs.c: one bit per counter that the Exception level can access. */
CPReadFn pmss_bits_read;
CPWriteFn pmss_bits_set, pmss_bits_clear;

CPReadFn pmss_pmcr_read;
CPWriteFn pmss_pmcr_write;

/* pmss_aarch32.c */
void pmss_define_aarch32_regs(ARMCPU *cpu);
