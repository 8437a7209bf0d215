/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many instructions a PE has retired. With icount QEMU knows, if there is one
 * PE: several share its clock. Without, or with several, translated code adds one
 * at the start of each instruction.
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "system/cpu-timers.h"
#include "pmss.h"

/* Without icount the next overflow is a guess, made at most this often. */
#define SHORTEST_GUESS_NS 10000

/* ESR_ELx.InD of a Granule Protection Check exception. */
#define GPC_FETCH (1u << 20)

bool pmss_clock_counts_instructions(void)
{
    return icount_enabled() && !CPU_NEXT(first_cpu);
}

/* While the counters stand still it does, too, though the CPU of another may run. */
uint64_t pmss_instructions(CPUARMState *env)
{
    if (env->pmss.stopped) {
        return env->pmss.stopped_insns;
    }
    return pmss_clock_counts_instructions() ? icount_get_raw() :
                                              env->pmss.insns;
}

int64_t pmss_instructions_ns(uint64_t instructions)
{
    int64_t count = MIN(instructions, INT64_MAX / 2);

    if (icount_enabled() == ICOUNT_PRECISE) {
        return icount_to_ns(count);
    }
    /* At most one instruction per nanosecond. */
    return MAX(count, SHORTEST_GUESS_NS);
}

/* True when the exception replaces the instruction that its TB counted. */
static bool replaces_instruction(CPUARMState *env, int exception)
{
    switch (exception) {
    case EXCP_UDEF:
        switch (syn_get_ec(env->exception.syndrome)) {
        case EC_SOFTWARESTEP:
        case EC_SOFTWARESTEP_SAME_EL:
            return false;       /* of the one before */
        }
        return true;
    case EXCP_DATA_ABORT:
    case EXCP_HYP_TRAP:
        return true;
    case EXCP_GPC:
        return !(env->exception.syndrome & GPC_FETCH);
    default:
        return false;
    }
}

void pmss_uncount_faulting(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;

    if (env->pmss.count_insns && is_a64(env) &&
        replaces_instruction(env, CPU(cpu)->exception_index)) {
        env->pmss.insns--;
    }
}
