/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many instructions a PE has retired. With icount, QEMU knows; without,
 * translated code adds one at the start of each instruction.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "qemu/timer.h"
#include "system/cpu-timers.h"
#include "pmss.h"

/* Without icount the next overflow is a guess, made at most this often. */
#define SHORTEST_GUESS_NS 10000

uint64_t pmss_instructions(CPUARMState *env)
{
    return icount_enabled() ? icount_get_raw() : env->pmss.insns;
}

int64_t pmss_instructions_ns(uint64_t instructions)
{
    int64_t count = MIN(instructions, INT64_MAX / 2);

    if (icount_enabled() == ICOUNT_PRECISE) {
        return icount_to_ns(count);
    }
    /* At best one instruction a nanosecond. */
    return MAX(count, SHORTEST_GUESS_NS);
}

void pmss_uncount_faulting(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    int exception = CPU(cpu)->exception_index;

    if (env->pmss.count_insns &&
        (exception == EXCP_DATA_ABORT || exception == EXCP_UDEF)) {
        env->pmss.insns--;
    }
}
