/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMU events that QEMU does not have.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "pmss.h"
#include "spe.h"

static uint64_t samples(CPUARMState *env, uint16_t number)
{
    return spe_event_count(env, number);
}

static uint64_t snapshots(CPUARMState *env, uint16_t number)
{
    return env->pmss.snapshot_events;
}

static const struct {
    uint16_t number;
    uint64_t (*count)(CPUARMState *env, uint16_t number);
} events[] = {
    { SPE_SAMPLE_POP, samples },
    { SPE_SAMPLE_FEED, samples },
    { SPE_SAMPLE_FILTRATE, samples },
    { SPE_SAMPLE_COLLISION, samples },
    { PMSS_EVENT_PMU_SNAPSHOT, snapshots },
};

bool pmss_event_supported(uint16_t number)
{
    for (int i = 0; i < ARRAY_SIZE(events); i++) {
        if (events[i].number == number) {
            return true;
        }
    }
    return false;
}

uint64_t pmss_event_count(CPUARMState *env, uint16_t number)
{
    for (int i = 0; i < ARRAY_SIZE(events); i++) {
        if (events[i].number == number) {
            return events[i].count(env, number);
        }
    }
    return 0;
}

/*
 * PMCEID<n>_EL0[63:32] list the events 0x4000 to 0x403f, of which this table
 * has those of FEAT_SPE.
 */
void pmss_announce_events(ARMCPU *cpu)
{
    if (!cpu->spe.enabled) {
        return;
    }
    for (int i = 0; i < ARRAY_SIZE(events); i++) {
        uint16_t number = events[i].number;

        if ((number & ~0x3f) == 0x4000) {
            uint64_t bit = 1ULL << (32 + (number & 0x1f));

            if (number & 0x20) {
                cpu->pmceid1 |= bit;
            } else {
                cpu->pmceid0 |= bit;
            }
        }
    }
}
