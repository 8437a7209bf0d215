/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of FEAT_PMUv3_SS, FEAT_PMUv3_ICNTR, FEAT_PMUv3p9 and FEAT_FGT2. */
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

/* What events count that translated code shows: pmss_events.c. */
typedef enum PMSSTally {
    PMSS_LOADS,
    PMSS_STORES,
    PMSS_UNALIGNED,
    PMSS_L1D,
    PMSS_L1D_REFILL,
    PMSS_L2D,
    PMSS_L2D_REFILL,
    PMSS_LL_RD,
    PMSS_LL_MISS_RD,
    PMSS_L1D_TLB,
    PMSS_L1D_TLB_REFILL,
    PMSS_WALKS,
    PMSS_IMMED,
    PMSS_RETURNS,
    PMSS_TAKEN,
    PMSS_EXC_TAKEN,
    PMSS_EXC_RETURN,
    PMSS_TALLIES
} PMSSTally;

/* How an event counts wrongly: pmss_faults.c. */
typedef enum PMSSFault {
    PMSS_SOUND,
    PMSS_DEAD,
    PMSS_DOUBLED,
    PMSS_HALVED,
    PMSS_SPECULATIVE,   /* also operations behind a wrong guess */
    PMSS_UNFILTERED,    /* at all Exception levels */
    PMSS_SILENT,        /* its overflow makes no interrupt */
} PMSSFault;

#define PMSS_FAULTS 16

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
    uint64_t stopped_insns;

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

    /* With more-events; @last are bits of what the last access added to. */
    uint64_t tally[PMSS_TALLIES];
    uint32_t last_access;
    bool count_accesses;
} PMSSState;

/* The PC Sample-based Profiling Extension (frame_pc.c). */
typedef enum FramePCSR {
    PCSR_OFF,
    PCSR_V8,
    PCSR_V8P2,
    PCSR_V8P9,
} FramePCSR;

typedef struct FramePC {
    uint64_t pc;            /* as PMPCSR */
    uint32_t context;
    uint32_t context2;
    uint32_t vmid;
} FramePC;

/* What the last capture of frame_arm.c saved. */
typedef struct FrameSnapshot {
    bool captured;
    FramePC pc;
    uint64_t cycles;
    uint64_t events[PMSS_EVENT_COUNTERS];
    uint32_t overflows;
} FrameSnapshot;

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
    OnOffAuto more;
    bool more_events;       /* the result */
    bool epme;
    bool own_cycles;
    uint64_t unknown_seed;

    /* The memory-mapped view (frame.c). */
    char *frame;            /* as the property has it, NULL for off */
    char *frame_lie;
    bool nid;
    bool dlk;
    bool frame_locked;
    FrameSnapshot frame_saved;
    char *pcsr;             /* as the property has it, NULL for the layout's */
    FramePCSR pcsr_kind;
    FramePC frame_pc;
    uint64_t pmpcsctl;

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
    char *event_fault;      /* as the property has it */
    struct {
        uint16_t event;
        PMSSFault kind;
    } fault[PMSS_FAULTS];
    unsigned nr_faults;

    /* The external agent's. */
    uint32_t pmccr;

    QEMUTimer *capture_timer;
    QEMUTimer *external_timer;
    QEMUTimer *external_at_timer;
    uint64_t allowed_requests;
    uint64_t random;
} PMSSConfig;

#endif
