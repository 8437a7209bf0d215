/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of the slots for operations, of which a cycle has
 * PMMIR_EL1.SLOTS: the events of the first level of the top-down method.
 *
 * An instruction is one operation, and starts in a cycle of its own. The other
 * slots of that cycle
 *   - hold operations that do not retire, after a mispredicted branch;
 *   - stay empty because of the front end, after another taken branch;
 *   - stay empty because of the back end, after all other instructions.
 * A cycle in which no instruction starts is empty because of the back end.
 * pmss_translate.c counts the branches.
 */
#include "qemu/osdep.h"
#include "ooo.h"
#include "pmss.h"

/*
 * Without icount more instructions than cycles may pass for a moment. No count
 * goes back for that.
 */
static uint64_t grown(uint64_t *most, uint64_t value)
{
    *most = MAX(*most, value);
    return *most;
}

static uint64_t other_slots(CPUARMState *env, uint64_t cycles)
{
    return cycles * (env_archcpu(env)->pmss.slots - 1);
}

static uint64_t speculated(CPUARMState *env)
{
    return pmss_instructions(env) + other_slots(env, env->pmss.mispredicted);
}

static uint64_t frontend(CPUARMState *env)
{
    return other_slots(env, env->pmss.redirected);
}

static uint64_t backend(CPUARMState *env)
{
    uint64_t slots = env->pmss.stopped_cycles * env_archcpu(env)->pmss.slots;

    return grown(&env->pmss.backend_slots,
                 slots - speculated(env) - frontend(env));
}

/* Operations start in all cycles but these. */
static uint64_t stalled_cycles(CPUARMState *env)
{
    return grown(&env->pmss.stalled_cycles,
                 env->pmss.stopped_cycles - pmss_instructions(env));
}

uint64_t pmss_slots_count(CPUARMState *env, uint16_t number, unsigned counter)
{
    if (ooo_counts(env)) {
        return ooo_slots_count(env, number);
    }
    switch (number) {
    case PMSS_EVENT_BR_MIS_PRED:
    case PMSS_EVENT_BR_MIS_PRED_RETIRED:
        return env->pmss.mispredicted;
    case PMSS_EVENT_BR_PRED:
    case PMSS_EVENT_BR_RETIRED:
        return env->pmss.branches;
    case PMSS_EVENT_STALL:
    case PMSS_EVENT_STALL_BACKEND:
        return stalled_cycles(env);
    case PMSS_EVENT_OP_RETIRED:
        return pmss_instructions(env);
    case PMSS_EVENT_OP_SPEC:
        return speculated(env);
    case PMSS_EVENT_STALL_SLOT_BACKEND:
        return backend(env);
    case PMSS_EVENT_STALL_SLOT_FRONTEND:
        return frontend(env);
    case PMSS_EVENT_STALL_SLOT:
        return backend(env) + frontend(env);
    default:
        return 0;       /* STALL_FRONTEND */
    }
}
