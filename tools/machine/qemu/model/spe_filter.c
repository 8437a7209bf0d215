/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters of sample records, and the events they can name. */
#include "qemu/osdep.h"
#include "spe.h"

/* Bits of PMSFCR_EL1.TYPES */
enum {
    TYPE_B = 1 << 0,
    TYPE_LD = 1 << 1,
    TYPE_ST = 1 << 2,
    TYPE_FP = 1 << 3,
    TYPE_SIMD = 1 << 4,
};

static unsigned types_of(const SPEOpType *op)
{
    unsigned types = 0;

    types |= op->class == SPE_CLASS_BRANCH ? TYPE_B : 0;
    types |= op->class == SPE_CLASS_LOAD_STORE && op->load ? TYPE_LD : 0;
    types |= op->class == SPE_CLASS_LOAD_STORE && op->store ? TYPE_ST : 0;
    types |= op->fp ? TYPE_FP : 0;
    types |= op->simd ? TYPE_SIMD : 0;
    return types;
}

/*
 * A type whose mask bit is 1 must be as its control says; of the others one
 * that is asked for is enough. Without FEAT_SPE_EFT there are no masks, nor
 * FP and SIMD. A filter that asks for nothing is CONSTRAINED UNPREDICTABLE;
 * the model takes it as disabled.
 */
static bool passes_type(const SPEState *s, const SPEOpType *op)
{
    unsigned wanted = FIELD_EX64(s->pmsfcr, PMSFCR, TYPES);
    unsigned masks = FIELD_EX64(s->pmsfcr, PMSFCR, MASKS);
    unsigned types = types_of(op);

    if (!FIELD_EX64(s->pmsfcr, PMSFCR, FT)) {
        return true;
    }
    if ((types ^ wanted) & masks) {
        return false;
    }
    wanted &= ~masks;
    return !wanted || (types & wanted);
}

static bool passes_events(const SPEState *s, uint64_t events)
{
    if (FIELD_EX64(s->pmsfcr, PMSFCR, FNE) && (events & s->pmsnevfr)) {
        return false;
    }
    /* All selected events are required, not just one. */
    return !FIELD_EX64(s->pmsfcr, PMSFCR, FE) || !(~events & s->pmsevfr);
}

static bool passes_latency(const SPEState *s, uint16_t total)
{
    return !FIELD_EX64(s->pmsfcr, PMSFCR, FL) ||
           total >= FIELD_EX64(s->pmslatfr, PMSLATFR, MINLAT);
}

/* FEAT_SPE_FDS: bits 5:0 of the data source of a load. */
static bool passes_source(const SPEState *s, const SPESample *sample)
{
    return !FIELD_EX64(s->pmsfcr, PMSFCR, FDS) || !sample->has_source ||
           extract64(s->pmsdsfr, sample->source & 63, 1);
}

uint64_t spe_version_events(CPUARMState *env, uint64_t events)
{
    unsigned version = env_archcpu(env)->spe.version;

    if (version < 1) {
        events &= ~(SPE_EV_ALIGNMENT | SPE_EV_SVE_PARTIAL | SPE_EV_SVE_EMPTY);
    }
    if (version < 4) {
        events &= ~SPE_EVENTS_V1P4;
    }
    return events;
}

bool spe_filter_passes(CPUARMState *env, const SPESample *sample)
{
    const SPEState *s = &env->spe;

    return passes_events(s, sample->events) && passes_type(s, &sample->op) &&
           passes_latency(s, sample->total) && passes_source(s, sample);
}

bool spe_filter_prefers_store(CPUARMState *env, const SPEOpType *op,
                              bool random)
{
    SPEOpType load = *op, store = *op;
    bool load_passes, store_passes;

    load.store = false;
    store.load = false;
    load_passes = passes_type(&env->spe, &load);
    store_passes = passes_type(&env->spe, &store);
    return load_passes == store_passes ? random : store_passes;
}
