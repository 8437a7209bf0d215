/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of FEAT_PMUv3_SS, FEAT_PMUv3_ICNTR, FEAT_PMUv3p9 and FEAT_FGT2.
 */
#ifndef TARGET_ARM_PMSCOPE_PMSS_STATE_H
#define TARGET_ARM_PMSCOPE_PMSS_STATE_H

#include "qapi/qapi-types-common.h"

#define PMSS_EVENT_COUNTERS 31

/* How firmware answers SMCCC_ARCH_FEATURE_AVAILABILITY. */
typedef enum SMCCCFeat {
    SMCCC_FEAT_ON,          /* for every field that it knows */
    SMCCC_FEAT_OFF,         /* not at all */
    SMCCC_FEAT_TFA,         /* as Trusted Firmware-A */
} SMCCCFeat;

/* In CPUARMState, cleared by a CPU reset. */
typedef struct PMSSState {
    uint64_t pmsscr_el1;
    uint64_t pmecr_el1;
    uint64_t pmevcntsvr_el1[PMSS_EVENT_COUNTERS];
    uint64_t pmccntsvr_el1;
    uint64_t pmicntsvr_el1;

    uint64_t pmuacr_el1;
    uint64_t pmicfiltr_el0;
    uint64_t pmicntr_el0;
    uint64_t pmicntr_delta;

    /*
     * The counters that run now: bit n for PMEVCNTR<n>, 31 for PMCCNTR, 32
     * for PMICNTR. QEMU keeps the value of such a counter as a difference.
     */
    uint64_t counting;

    /* Between pmu_op_start() and pmu_op_finish(). */
    bool stopped;
    uint64_t stopped_cycles;

    uint64_t hfgrtr2_el2;
    uint64_t hfgwtr2_el2;
    uint64_t hfgitr2_el2;
    uint64_t hdfgrtr2_el2;
    uint64_t hdfgwtr2_el2;

    uint64_t snapshot_events;   /* PMU_SNAPSHOT since reset */
    uint64_t chained[(PMSS_EVENT_COUNTERS + 1) / 2];

    /*
     * Where the clock does not, translated code counts instructions while one
     * of the counters needs them.
     */
    uint64_t insns;
    bool count_insns;

    /* And branches, of which some go elsewhere than predicted (pmss_slots.c). */
    uint64_t branches;
    uint64_t mispredicted;
    uint64_t redirected;        /* taken, as predicted */
    uint64_t backend_slots;
    uint64_t stalled_cycles;
    bool count_branches;
} PMSSState;

/* In ARMCPU: properties and what belongs to the machine, not to the PE. */
typedef struct PMSSConfig {
    OnOffAuto pmss;
    OnOffAuto icntr;
    bool enabled;           /* results of the first two */
    bool has_icntr;
    bool dpfzs;
    uint8_t counters;
    uint8_t epmn;
    uint8_t slots;
    bool epme;
    uint64_t frame;
    uint64_t unknown_seed;

    /* What EL3 firmware, or a hypervisor above the CPU, has programmed. */
    uint8_t pmsse_el3;
    uint8_t pmsse_el2;
    uint8_t nspb;
    bool enpmss;
    bool enpm2;
    bool fgten2;
    char *smccc_feat;       /* as the property has it */
    SMCCCFeat smccc_answer;

    /* Faults. */
    uint64_t latency_ns;
    uint64_t external_ns;
    uint64_t external_seed;
    uint64_t external_at;
    bool stuck;
    uint64_t stuck_after;
    uint64_t lapse;
    bool nc_ro;

    /* The external agent's. */
    uint32_t pmccr;

    QEMUTimer *capture_timer;
    QEMUTimer *external_timer;
    QEMUTimer *external_at_timer;
    uint64_t allowed_requests;
    uint64_t random;
} PMSSConfig;

#endif
