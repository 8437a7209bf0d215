/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of sample records.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "spe.h"

/* No type, event or latency that a filter could pass: CONSTRAINED
 * UNPREDICTABLE; the model takes such a filter as disabled. */
static bool passes_type(const SPEState *s, const SPEOpType *op)
{
    bool b = FIELD_EX64(s->pmsfcr, PMSFCR, B);
    bool ld = FIELD_EX64(s->pmsfcr, PMSFCR, LD);
    bool st = FIELD_EX64(s->pmsfcr, PMSFCR, ST);

    if (!FIELD_EX64(s->pmsfcr, PMSFCR, FT) || !(b || ld || st)) {
        return true;
    }
    return (b && op->class == 2) ||
           (ld && op->class == 1 && op->load) ||
           (st && op->class == 1 && op->store);
}

static bool passes_events(const SPEState *s, uint64_t events)
{
    if (FIELD_EX64(s->pmsfcr, PMSFCR, FNE) && (events & s->pmsnevfr)) {
        return false;
    }
    /* All the selected events, not any of them. */
    return !FIELD_EX64(s->pmsfcr, PMSFCR, FE) || !(~events & s->pmsevfr);
}

static bool passes_latency(const SPEState *s, uint16_t total)
{
    return !FIELD_EX64(s->pmsfcr, PMSFCR, FL) ||
           total >= FIELD_EX64(s->pmslatfr, PMSLATFR, MINLAT);
}

bool spe_filter_passes(CPUARMState *env, const SPESample *sample)
{
    const SPEState *s = &env->spe;

    return passes_events(s, sample->events) && passes_type(s, &sample->op) &&
           passes_latency(s, sample->total);
}

bool spe_filter_prefers_store(CPUARMState *env, bool random)
{
    const SPEState *s = &env->spe;
    bool ld = FIELD_EX64(s->pmsfcr, PMSFCR, LD);
    bool st = FIELD_EX64(s->pmsfcr, PMSFCR, ST);

    if (FIELD_EX64(s->pmsfcr, PMSFCR, FT) && ld != st) {
        return st;
    }
    return random;
}
