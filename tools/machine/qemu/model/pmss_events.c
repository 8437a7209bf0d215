/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PMU events that QEMU does not have. */
#include "qemu/osdep.h"
#include "pmss.h"
#include "spe.h"
#include "sync.h"

/* Instructions by which an overflow may be seen late. */
#define OVERFLOW_LATE 256

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

/* An event is one tally, or a sum of two. */
static const struct {
    uint16_t number;
    PMSSTally first, second;
} tallied[] = {
    { 0x0003, PMSS_L1D_REFILL },        /* L1D_CACHE_REFILL */
    { 0x0004, PMSS_L1D },               /* L1D_CACHE */
    { 0x0005, PMSS_L1D_TLB_REFILL },    /* L1D_TLB_REFILL */
    { 0x0006, PMSS_LOADS },             /* LD_RETIRED */
    { 0x0007, PMSS_STORES },            /* ST_RETIRED */
    { 0x0009, PMSS_EXC_TAKEN },         /* EXC_TAKEN */
    { 0x000a, PMSS_EXC_RETURN },        /* EXC_RETURN */
    { 0x000c, PMSS_TAKEN },             /* PC_WRITE_RETIRED */
    { 0x000d, PMSS_IMMED },             /* BR_IMMED_RETIRED */
    { 0x000e, PMSS_RETURNS },           /* BR_RETURN_RETIRED */
    { 0x000f, PMSS_UNALIGNED },         /* UNALIGNED_LDST_RETIRED */
    { 0x0013, PMSS_LOADS, PMSS_STORES },/* MEM_ACCESS */
    { 0x0016, PMSS_L2D },               /* L2D_CACHE */
    { 0x0017, PMSS_L2D_REFILL },        /* L2D_CACHE_REFILL */
    { 0x0025, PMSS_L1D_TLB },           /* L1D_TLB */
    { 0x002d, PMSS_WALKS },             /* L2D_TLB_REFILL */
    { 0x002f, PMSS_L1D_TLB_REFILL },    /* L2D_TLB */
    { 0x0034, PMSS_WALKS },             /* DTLB_WALK */
    { 0x0036, PMSS_LL_RD },             /* LL_CACHE_RD */
    { 0x0037, PMSS_LL_MISS_RD },        /* LL_CACHE_MISS_RD */
};

static int find_tallied(CPUARMState *env, uint16_t number)
{
    for (int i = 0; i < ARRAY_SIZE(tallied); i++) {
        if (tallied[i].number == number) {
            return env_archcpu(env)->pmss.more_events ? i : -1;
        }
    }
    return -1;
}

static bool is_of_branches(PMSSTally tally)
{
    return tally >= PMSS_IMMED && tally <= PMSS_TAKEN;
}

static void tally(CPUARMState *env, uint32_t tallies, int sign)
{
    for (; tallies; tallies &= tallies - 1) {
        env->pmss.tally[ctz32(tallies)] += sign;
    }
}

void pmss_count_access(CPUARMState *env, bool write, bool unaligned,
                       const SPEAccess *access)
{
    static const struct {
        uint64_t event;
        PMSSTally tally;
        bool read_only;
    } rows[] = {
        { SPE_EV_L1D_ACCESS, PMSS_L1D },
        { SPE_EV_L1D_REFILL, PMSS_L1D_REFILL },
        { SPE_EV_L2D_ACCESS, PMSS_L2D },
        { SPE_EV_L2D_MISS, PMSS_L2D_REFILL },
        { SPE_EV_LLC_ACCESS, PMSS_LL_RD, true },
        { SPE_EV_LLC_MISS, PMSS_LL_MISS_RD, true },
        { SPE_EV_TLB_ACCESS, PMSS_L1D_TLB },
        { SPE_EV_TLB_WALK, PMSS_WALKS },
    };
    uint32_t tallies = 1u << (write ? PMSS_STORES : PMSS_LOADS) |
                       unaligned << PMSS_UNALIGNED |
                       access->utlb_miss << PMSS_L1D_TLB_REFILL;

    for (int i = 0; i < ARRAY_SIZE(rows); i++) {
        if ((access->events & rows[i].event) &&
            !(write && rows[i].read_only)) {
            tallies |= 1u << rows[i].tally;
        }
    }
    env->pmss.last_access = tallies;
    tally(env, tallies, 1);
}

/* An access that faults does not retire. An exception return has no index. */
void pmss_count_exception(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    int index = CPU(cpu)->exception_index;

    if (index == EXCP_DATA_ABORT && env->pmss.count_accesses) {
        tally(env, env->pmss.last_access, -1);
    }
    env->pmss.last_access = 0;
    tally(env, 1u << (index < 0 ? PMSS_EXC_RETURN : PMSS_EXC_TAKEN), 1);
}

static uint64_t tally_count(CPUARMState *env, int i)
{
    return env->pmss.tally[tallied[i].first] +
           (tallied[i].second ? env->pmss.tally[tallied[i].second] : 0);
}

typedef struct PMSSEvent {
    uint16_t number;
    uint64_t (*count)(CPUARMState *env, uint16_t number, unsigned counter);
} PMSSEvent;

static bool is_branch_event(uint16_t number)
{
    return number == PMSS_EVENT_BR_MIS_PRED || number == PMSS_EVENT_BR_PRED ||
           number == PMSS_EVENT_BR_RETIRED ||
           number == PMSS_EVENT_BR_MIS_PRED_RETIRED;
}

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
             env_archcpu(env)->pmss.slots ||
             (env_archcpu(env)->pmss.more_events && is_branch_event(number)))) {
            return &events[i];
        }
    }
    return NULL;
}

bool pmss_event_supported(CPUARMState *env, uint16_t number)
{
    return find_event(env, number) || find_tallied(env, number) >= 0;
}

uint64_t pmss_event_count(CPUARMState *env, uint16_t number, unsigned counter)
{
    const PMSSEvent *event = find_event(env, number);
    int i = find_tallied(env, number);

    if (i >= 0) {
        return tally_count(env, i);
    }
    return event ? event->count(env, number, counter) : 0;
}

bool pmss_event_needs_branches(CPUARMState *env, uint16_t number)
{
    const PMSSEvent *event = find_event(env, number);
    int i = find_tallied(env, number);

    return (event && event->count == pmss_slots_count) ||
           (i >= 0 && is_of_branches(tallied[i].first)) ||
           pmss_fault_of(env, number) == PMSS_SPECULATIVE;
}

bool pmss_event_needs_accesses(CPUARMState *env, uint16_t number)
{
    int i = find_tallied(env, number);

    return i >= 0 && tallied[i].first < PMSS_IMMED;
}

/* No event happens more than once in each slot of each instruction. */
int64_t pmss_event_ns(CPUARMState *env, uint64_t count)
{
    return pmss_instructions_ns(count / MAX(1, env_archcpu(env)->pmss.slots) +
                                OVERFLOW_LATE);
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
    for (int i = 0; i < ARRAY_SIZE(tallied); i++) {
        if (find_tallied(&cpu->env, tallied[i].number) >= 0) {
            announce(cpu, tallied[i].number);
        }
    }
}
