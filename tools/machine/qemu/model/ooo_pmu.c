/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cycles, stalls and slots of core=ooo. The scoreboard knows those of the
 * operations that it followed. While profiling is enabled, the others are taken to
 * be as the last of these; while it is not, the clock and pmss_slots.c decide.
 */
#include "qemu/osdep.h"
#include "ooo.h"
#include "pmss.h"
#include "spe_sample.h"

/* The past counts half after so many operations. */
#define RECENT 2048

static OOOCounts *counts_of(CPUARMState *env)
{
    SPECore *core = env_archcpu(env)->spe.core;

    return core ? core->counts : NULL;
}

bool ooo_counts(CPUARMState *env)
{
    return counts_of(env);
}

static void add(OOOSums *to, const OOOSums *sums, double times)
{
    to->ops += sums->ops * times;
    to->cycles += sums->cycles * times;
    to->speculated += sums->speculated * times;
    to->frontend += sums->frontend * times;
    to->stall_frontend += sums->stall_frontend * times;
    to->stall_backend += sums->stall_backend * times;
    to->mispredicted += sums->mispredicted * times;
}

void ooo_account(CPUARMState *env, const OOOSums *sums)
{
    OOOCounts *c = counts_of(env);

    if (c->recent.ops >= RECENT) {
        add(&c->recent, &c->recent, -0.5);
    }
    add(&c->sum, sums, 1);
    add(&c->recent, sums, 1);
    c->detailed += sums->ops;
}

/* Operations that profiling saw but the scoreboard did not. */
static void extrapolate(OOOCounts *c, double ops)
{
    if (ops > 0 && c->recent.ops > 0) {
        add(&c->sum, &c->recent, ops / c->recent.ops);
    } else if (ops > 0) {
        c->sum.ops += ops;
        c->sum.cycles += ops;
    }
}

static void add_unprofiled(CPUARMState *env, OOOCounts *c, uint64_t clock)
{
    PMSSState *s = &env->pmss;
    double cycles = clock - c->clock, insns = pmss_instructions(env) - c->insns;
    unsigned others = env_archcpu(env)->pmss.slots - 1;
    OOOSums sums = {
        .ops = insns,
        .cycles = cycles,
        .speculated = (s->mispredicted - c->pmu_mispredicted) * others,
        .frontend = (s->redirected - c->pmu_redirected) * others,
        .stall_backend = MAX(0, cycles - insns),
        .mispredicted = s->mispredicted - c->pmu_mispredicted,
    };

    add(&c->sum, &sums, 1);
}

uint64_t ooo_cycles(CPUARMState *env, uint64_t clock)
{
    OOOCounts *c = counts_of(env);
    uint64_t ops;

    if (!c) {
        return env_archcpu(env)->pmss.own_cycles ? pmss_instructions(env) : clock;
    }
    ops = spe_executed(env);
    if (ops != c->ops || c->detailed) {
        extrapolate(c, (double)(ops - c->ops) - c->detailed);
    } else if (spe_mode(env, arm_current_el(env)) == SPE_OFF &&
               clock > c->clock) {
        add_unprofiled(env, c, clock);
    }
    c->detailed = 0;
    c->ops = ops;
    c->clock = clock;
    c->insns = pmss_instructions(env);
    c->pmu_mispredicted = env->pmss.mispredicted;
    c->pmu_redirected = env->pmss.redirected;
    return c->sum.cycles;
}

uint64_t ooo_slots_count(CPUARMState *env, uint16_t number)
{
    OOOCounts *c = counts_of(env);
    const OOOSums *sum = &c->sum;

    c->most_backend = MAX(c->most_backend,
                          sum->cycles * env_archcpu(env)->pmss.slots -
                          sum->ops - sum->speculated - sum->frontend);

    switch (number) {
    case PMSS_EVENT_BR_MIS_PRED:
    case PMSS_EVENT_BR_MIS_PRED_RETIRED:
        return sum->mispredicted;
    case PMSS_EVENT_STALL:
        return sum->stall_frontend + sum->stall_backend;
    case PMSS_EVENT_STALL_FRONTEND:
        return sum->stall_frontend;
    case PMSS_EVENT_STALL_BACKEND:
        return sum->stall_backend;
    case PMSS_EVENT_OP_RETIRED:
        return sum->ops;
    case PMSS_EVENT_OP_SPEC:
        return sum->ops + sum->speculated;
    case PMSS_EVENT_STALL_SLOT_FRONTEND:
        return sum->frontend;
    case PMSS_EVENT_STALL_SLOT_BACKEND:
        return c->most_backend;
    case PMSS_EVENT_STALL_SLOT:
        return c->most_backend + sum->frontend;
    default:
        return env->pmss.branches;
    }
}
