/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers that translated code (TBs) calls while profiling is enabled. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "ooo.h"
#include "pmss.h"
#include "system/cpu-timers.h"
#include "spe_sample.h"
#include "sync.h"

/*
 * With icount, clocks may be read and interrupts raised only at the end of a
 * TB. The helper runs inside one; the time that it sees is that of the TB.
 */
static bool allow_io(CPUARMState *env)
{
    bool before = env_cpu(env)->neg.can_do_io;

    env_cpu(env)->neg.can_do_io = true;
    return before;
}

static void restore_io(CPUARMState *env, bool before)
{
    env_cpu(env)->neg.can_do_io = before;
}

void HELPER(spe_operation)(CPUARMState *env, uint64_t offset, uint32_t insn)
{
    bool io = allow_io(env);

    spe_operation(env, env->pc + offset, insn);
    restore_io(env, io);
}

void HELPER(spe_begin)(CPUARMState *env, uint64_t offset, uint32_t insn)
{
    ooo_begin(env, env->pc + offset, insn);
}

/* The TB starts again, in precise code. */
void HELPER(spe_precise)(CPUARMState *env, uint32_t ops)
{
    env->spe.precise = true;
    env->spe.has_last_target = false;
    env->spe.tb = 0;
    arm_rebuild_hflags(env);
    if (icount_enabled()) {
        env_cpu(env)->neg.icount_decr.u16.low += ops;
    }
}

/* Loads that miss: what needs their result waits, their line is on its way. */
static void follow_misses(CPUARMState *env, uint64_t va, unsigned reg,
                          SPEAccess *access)
{
    SPECore *core = env_archcpu(env)->spe.core;
    uint64_t line = va >> SPE_LINE_BITS, now = spe_now(env);

    if (core->miss_ready > now && core->miss_line == line) {
        access->events |= SPE_EV_RECENTLY_FETCHED;
    }
    if (unlikely(access->cycles > SPE_SLOW_LOAD)) {
        core->miss_register = reg;
        core->miss_line = line;
        core->miss_ready = now + access->xlat + access->cycles;
    }
}

void HELPER(spe_access)(CPUARMState *env, uint64_t va, uint32_t desc)
{
    bool write = FIELD_EX32(desc, SPE_ACCESS, WRITE);
    unsigned size = FIELD_EX32(desc, SPE_ACCESS, SIZE);
    int mmu_idx = FIELD_EX32(desc, SPE_ACCESS, MMU_IDX);
    SPECore *core = env_archcpu(env)->spe.core;
    SPEAccess access;

    spe_memory_access(core->memory, env, va, size, write, mmu_idx, &access);
    if (env->pmss.count_accesses) {
        pmss_count_access(env, write, va & (size - 1), &access);
    }
    if (!FIELD_EX32(desc, SPE_ACCESS, PROFILED)) {
        return;
    }
    if (!write) {
        follow_misses(env, va, FIELD_EX32(desc, SPE_ACCESS, REGISTER),
                      &access);
    }
    if (core->ooo) {
        ooo_access(env, va, &access);
    }
    if (unlikely(env->spe.sample.phase == SPE_EXECUTING)) {
        spe_sample_access(env, va, write, mmu_idx, &access);
    }
}

void HELPER(spe_branch)(CPUARMState *env, uint64_t offset, uint64_t target,
                        uint32_t type, uint32_t taken)
{
    SPECore *core = env_archcpu(env)->spe.core;
    uint64_t pc = env->pc + offset;
    bool foreseen;

    if (type < SPE_BRANCH_INDIRECT) {
        target += pc;
    }
    foreseen = spe_predict(&env->spe, type, pc, target, taken);
    if (core->ooo) {
        ooo_branch(env, taken, foreseen);
    }
    if (unlikely(env->spe.sample.phase == SPE_EXECUTING)) {
        spe_sample_branch(env, target, taken, foreseen);
    }
    if (taken) {
        env->spe.last_target = target;
        env->spe.has_last_target = true;
    }
}

void HELPER(spe_psb_csync)(CPUARMState *env)
{
    spe_sync(env);
    spe_finish_sample(env);
    spe_drain_queue(env);
    sync_drained(env);
    spe_schedule(env);
}

void HELPER(sync_context)(CPUARMState *env)
{
    sync_context(env);
}

void HELPER(spe_dsb)(CPUARMState *env)
{
    spe_complete_writes(env);
}
