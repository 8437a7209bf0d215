/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMU events that QEMU does not have.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "pmss.h"
#include "spe.h"
#include "sync.h"

static uint64_t samples(CPUARMState *env, uint16_t number,
                        unsigned counter)
{
    return spe_event_count(env, number);
}

static uint64_t snapshots(CPUARMState *env, uint16_t number, unsigned counter)
{
    return env->pmss.snapshot_events;
}

/* Each pair of counters has a CHAIN event of its own, for the odd one. */
static uint64_t chained(CPUARMState *env, uint16_t number, unsigned counter)
{
    return counter & 1 ? env->pmss.chained[counter / 2] : 0;
}

/* CHAIN is for 32-bit counters; the third range has none (ILKVKF). */
void pmss_chain(CPUARMState *env, unsigned counter)
{
    if (pmss_pmuv3p9(env) && !pmss_counter_is_64_bit(env, counter)) {
        env->pmss.chained[counter / 2] += !(counter & 1);
    }
}

/*
 * What a counter holds that has overflowed. Where that freezes its range, the
 * last events, of CHAIN too, are counted or not (RMZPBW, ITLHSZ).
 */
uint64_t pmss_overflowed(CPUARMState *env, unsigned counter, uint64_t value)
{
    unsigned bits = pmss_counter_is_64_bit(env, counter) ? 64 : 32;

    if (pmss_freezes_on_overflow(env, counter) && sync_choice(env, 2)) {
        return value & ~MAKE_64BIT_MASK(0, bits);
    }
    pmss_chain(env, counter);
    return value;
}

typedef struct PMSSEvent {
    uint16_t number;
    uint64_t (*count)(CPUARMState *env, uint16_t number, unsigned counter);
} PMSSEvent;

static const PMSSEvent events[] = {
    { PMSS_EVENT_BR_MIS_PRED, pmss_slots_count },
    { PMSS_EVENT_BR_PRED, pmss_slots_count },
    { PMSS_EVENT_BR_RETIRED, pmss_slots_count },
    { PMSS_EVENT_BR_MIS_PRED_RETIRED, pmss_slots_count },
    { PMSS_EVENT_STALL_FRONTEND, pmss_slots_count },
    { PMSS_EVENT_STALL_BACKEND, pmss_slots_count },
    { PMSS_EVENT_OP_RETIRED, pmss_slots_count },
    { PMSS_EVENT_OP_SPEC, pmss_slots_count },
    { PMSS_EVENT_STALL, pmss_slots_count },
    { PMSS_EVENT_STALL_SLOT_BACKEND, pmss_slots_count },
    { PMSS_EVENT_STALL_SLOT_FRONTEND, pmss_slots_count },
    { PMSS_EVENT_STALL_SLOT, pmss_slots_count },
    { PMSS_EVENT_CHAIN, chained },
    { SPE_SAMPLE_POP, samples },
    { SPE_SAMPLE_FEED, samples },
    { SPE_SAMPLE_FILTRATE, samples },
    { SPE_SAMPLE_COLLISION, samples },
    { PMSS_EVENT_PMU_SNAPSHOT, snapshots },
};

/* Events of slots and branches replace QEMU's, which always count 0. */
static const PMSSEvent *find_event(CPUARMState *env, uint16_t number)
{
    for (int i = 0; i < ARRAY_SIZE(events); i++) {
        if (events[i].number == number &&
            (events[i].count != pmss_slots_count ||
             env_archcpu(env)->pmss.slots)) {
            return &events[i];
        }
    }
    return NULL;
}

bool pmss_event_supported(CPUARMState *env, uint16_t number)
{
    return find_event(env, number);
}

uint64_t pmss_event_count(CPUARMState *env, uint16_t number, unsigned counter)
{
    const PMSSEvent *event = find_event(env, number);

    return event ? event->count(env, number, counter) : 0;
}

bool pmss_event_needs_branches(CPUARMState *env, uint16_t number)
{
    const PMSSEvent *event = find_event(env, number);

    return event && event->count == pmss_slots_count;
}

/* PMCEID<n>_EL0 list the events 0 to 0x3f, and in [63:32] 0x4000 to 0x403f. */
static void announce(ARMCPU *cpu, uint16_t number)
{
    uint64_t bit = 1ULL << ((number >= 0x4000 ? 32 : 0) + (number & 0x1f));

    if (number & 0x20) {
        cpu->pmceid1 |= bit;
    } else {
        cpu->pmceid0 |= bit;
    }
}

void pmss_announce_events(ARMCPU *cpu)
{
    for (int i = 0; i < ARRAY_SIZE(events); i++) {
        uint16_t number = events[i].number;

        if (find_event(&cpu->env, number) &&
            (number < 0x40 ||
             (cpu->spe.enabled && (number & ~0x3f) == 0x4000))) {
            announce(cpu, number);
        }
    }
}
