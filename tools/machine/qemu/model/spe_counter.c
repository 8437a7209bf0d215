/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sample interval counters (Arm ARM D17.3).
 *
 * The primary counter takes INTERVAL * 256 + 1 operations from one zero to
 * the next: the operation after the one that reached zero reloads it.
 */
#include "qemu/osdep.h"
#include "spe.h"

#define PMSICR_COUNT(s) FIELD_EX64((s)->pmsicr, PMSICR, COUNT)
#define PMSICR_ECOUNT(s) FIELD_EX64((s)->pmsicr, PMSICR, ECOUNT)

static bool has_ernd(CPUARMState *env)
{
    return env_archcpu(env)->spe.ernd;
}

/* The secondary counter counts while it is in use. */
static bool secondary_counts(CPUARMState *env)
{
    return PMSICR_ECOUNT(&env->spe) &&
           FIELD_EX64(env->spe.pmsirr, PMSIRR, RND);
}

uint64_t spe_random(CPUARMState *env)
{
    /* xorshift64*; spe_realize() makes sure that the state is not zero. */
    uint64_t x = env->spe.random;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    env->spe.random = x;
    return (x * 0x2545f4914f6cdd1dull) >> 32;
}

static uint32_t initial_count(CPUARMState *env)
{
    SPEState *s = &env->spe;
    uint32_t count = FIELD_EX64(s->pmsirr, PMSIRR, INTERVAL) << 8;

    if (FIELD_EX64(s->pmsirr, PMSIRR, RND) && !has_ernd(env)) {
        count |= spe_random(env) & 0xff;
    }
    return count;
}

static void set_count(SPEState *s, uint32_t count)
{
    s->pmsicr = FIELD_DP64(s->pmsicr, PMSICR, COUNT, count);
}

static void set_ecount(SPEState *s, uint8_t ecount)
{
    s->pmsicr = FIELD_DP64(s->pmsicr, PMSICR, ECOUNT, ecount);
}

uint64_t spe_counter_read(CPUARMState *env, uint32_t ops)
{
    SPEState *s = &env->spe;
    uint64_t value = s->pmsicr;

    value = FIELD_DP64(value, PMSICR, COUNT, PMSICR_COUNT(s) + ops);
    if (secondary_counts(env)) {
        value = FIELD_DP64(value, PMSICR, ECOUNT, PMSICR_ECOUNT(s) + ops);
    }
    return value;
}

void spe_counter_write(CPUARMState *env, uint64_t value)
{
    SPEState *s = &env->spe;

    s->pmsicr = 0;
    set_count(s, FIELD_EX64(value, PMSICR, COUNT));
    if (has_ernd(env)) {
        set_ecount(s, FIELD_EX64(value, PMSICR, ECOUNT));
    }
    /* With ECOUNT set, a COUNT of 0 is reloaded by the next operation. */
    s->reload = PMSICR_COUNT(s) == 0 && PMSICR_ECOUNT(s) != 0;
}

/* One operation. */
static bool count_one(CPUARMState *env)
{
    SPEState *s = &env->spe;
    bool selected = false;

    if (secondary_counts(env)) {
        set_ecount(s, PMSICR_ECOUNT(s) - 1);
        selected = PMSICR_ECOUNT(s) == 0;
    }

    if (s->reload) {
        s->reload = false;
        set_count(s, initial_count(env));
        return selected;
    }
    if (PMSICR_COUNT(s) == 0) {
        /* Arm ARM D17.3.3: zero when profiling becomes enabled. */
        set_count(s, initial_count(env));
    }
    if (PMSICR_COUNT(s)) {
        set_count(s, PMSICR_COUNT(s) - 1);
    }
    if (PMSICR_COUNT(s)) {
        return selected;
    }

    s->reload = true;
    if (!FIELD_EX64(s->pmsirr, PMSIRR, RND) || !has_ernd(env)) {
        return true;
    }
    set_ecount(s, spe_random(env));
    return PMSICR_ECOUNT(s) == 0;
}

bool spe_counter_advance(CPUARMState *env, uint32_t ops)
{
    SPEState *s = &env->spe;

    if (ops == 0) {
        return false;
    }
    /* All but the last are short of zero: see spe_counter_distance(). */
    if (ops > 1) {
        set_count(s, PMSICR_COUNT(s) - (ops - 1));
        if (secondary_counts(env)) {
            set_ecount(s, PMSICR_ECOUNT(s) - (ops - 1));
        }
    }
    return count_one(env);
}

uint32_t spe_counter_distance(CPUARMState *env)
{
    SPEState *s = &env->spe;
    uint32_t distance = PMSICR_COUNT(s);

    if (s->reload || distance == 0) {
        return 1;
    }
    if (secondary_counts(env)) {
        distance = MIN(distance, PMSICR_ECOUNT(s));
    }
    return MIN(distance, INT32_MAX);
}
