/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Life of a sampled operation, between spe_helper.c and spe_sample.c. */
#pragma once

#include "spe.h"

/* A load that takes longer makes those that need its result wait. */
#define SPE_SLOW_LOAD 8

/* Operations so far. */
static inline uint64_t spe_now(CPUARMState *env)
{
    return env->spe.operations + (env->spe.loaded - env->spe.countdown);
}

/* The same, and those while an event had stopped profiling. */
static inline uint64_t spe_executed(CPUARMState *env)
{
    return env_archcpu(env)->spe.core->executed +
           (env->spe.loaded - env->spe.countdown);
}

/* The countdown ended just before @insn at @pc. */
void spe_operation(CPUARMState *env, uint64_t pc, uint32_t insn);

/* What the sampled operation does. */
void spe_sample_access(CPUARMState *env, uint64_t va, bool write,
                       int mmu_idx, const SPEAccess *access);
void spe_sample_branch(CPUARMState *env, uint64_t target, bool taken,
                       bool foreseen);
