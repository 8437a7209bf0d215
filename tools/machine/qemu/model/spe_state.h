/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FEAT_SPE: what each CPU holds. */
#pragma once

/* The largest record that the model makes: every packet of spe_record.c. */
#define SPE_RECORD_MAX 64

/* Records that wait for a PSB CSYNC, and writes that wait for a DSB. */
#define SPE_QUEUE 4

/* What the TBs do: TBFLAG_A64.SPE. */
typedef enum SPEMode {
    SPE_OFF,
    SPE_FAST,           /* count once a TB */
    SPE_PRECISE,        /* count each operation */
} SPEMode;

/* Sets of the L1 data cache; the TBs know the last line of each. */
#define SPE_LINE_BITS 6
#define SPE_LINE_SETS 256

/* The branch predictor. */
#define SPE_DIRECTIONS 4096
#define SPE_TARGETS 512
#define SPE_RETURNS 16

typedef enum SPEPhase {
    SPE_IDLE,
    SPE_EXECUTING,      /* selected; the instruction has not ended */
    SPE_IN_FLIGHT,      /* ended for QEMU, its latency has not passed */
} SPEPhase;

/* Operation Type packet: header and payload of packet-format.md, 7. */
typedef struct SPEOpType {
    uint8_t class;
    uint8_t subclass;
    bool conditional;
    bool load;
    bool store;
    bool fp;
    bool simd;
    uint8_t latency;    /* of execution without memory, in cycles */
    uint32_t sources;   /* general registers read, one bit each */
} SPEOpType;

/* A sampled operation. */
typedef struct SPESample {
    SPEPhase phase;
    SPEOpType op;
    uint32_t insn;
    uint8_t el;
    uint8_t space;      /* ARMSecuritySpace */
    uint8_t pa_space;
    bool has_va;
    bool has_pa;
    bool has_target;
    bool has_previous;  /* branch target before this one: FEAT_SPE_PBT */
    bool has_source;
    bool has_time;
    bool has_context[2];
    uint32_t context[2];
    uint16_t source;
    uint16_t total;
    uint16_t issue;
    uint16_t xlat;
    uint16_t memory;    /* cycles in the memory system */
    uint64_t events;
    uint64_t pc;
    uint64_t target;
    uint64_t previous;
    uint64_t va;
    uint64_t pa;
    uint64_t time;
    uint64_t due;       /* operation count at which it leaves the pipeline */
} SPESample;

/* A record that spe-align makes longer than its data ends in zeros. */
typedef struct SPEQueuedRecord {
    uint32_t size;
    uint8_t data[SPE_RECORD_MAX];
} SPEQueuedRecord;

typedef struct SPEPendingWrite {
    uint64_t pa;
    uint32_t size;
    uint32_t used;      /* bytes of data; the rest are zeros */
    bool secure;
    uint8_t space;      /* ARMSecuritySpace */
    uint8_t data[SPE_RECORD_MAX];
} SPEPendingWrite;

/* In CPUARMState, cleared by a CPU reset. */
typedef struct SPEState {
    /* What the TBs use; see spe_translate.c. */
    int32_t countdown;  /* operations until the next call of the helper */
    int32_t loaded;     /* what countdown was set to */
    uint32_t tb;        /* operations that the TB in progress paid for; from bit
                         * 16 on, how many lie before it in its page */
    bool precise;
    uint64_t read_line[SPE_LINE_SETS];
    uint64_t written_line[SPE_LINE_SETS];
    uint64_t line_space;    /* address space of those lines */
    uint32_t history;
    uint8_t direction[SPE_DIRECTIONS];
    uint64_t target[SPE_TARGETS];
    uint64_t returns[SPE_RETURNS];
    uint32_t last_return;
    uint64_t last_target;   /* of a taken branch, in precise code */
    bool has_last_target;

    uint64_t pmscr_el1;
    uint64_t pmscr_el2;
    uint64_t pmsicr;    /* see spe_counter.c */
    uint64_t pmsirr;
    uint64_t pmsfcr;
    uint64_t pmsevfr;
    uint64_t pmsnevfr;
    uint64_t pmslatfr;
    uint64_t pmsdsfr;
    uint64_t pmblimitr;
    uint64_t pmbptr;
    uint64_t pmbmar;
    uint64_t pmbsr[4];  /* by Exception level; 1 only, without FEAT_SPE_EXC */

    bool parked;        /* the countdown means nothing: profiling stopped */
    bool reload;        /* COUNT reads 0 until the next operation */
    uint64_t random;
    uint64_t operations;
    uint64_t event_count[4];    /* SAMPLE_POP, FEED, FILTRATE, COLLISION */

    SPESample sample;
    uint32_t queued;
    SPEQueuedRecord queue[SPE_QUEUE];
    uint32_t writes;
    SPEPendingWrite write[SPE_QUEUE];

    uint64_t records;   /* written or tried, for the fault properties */
    uint64_t samples;   /* selected, for the fault properties */
    bool spurious;
    bool moved;         /* spe-bias: the next operation is selected */
} SPEState;

struct SPECore;

/* In ARMCPU: properties, and what a CPU reset keeps. */
typedef struct SPEConfig {
    bool enabled;
    bool ernd;
    bool nvm;
    bool exc;
    bool fds;
    bool eft;
    bool pbt;
    bool crr;
    uint8_t version;    /* FEAT_SPEv1p<version> */
    bool fault_dl;
    bool abort_quiet;
    bool late;
    uint8_t fault_fsc;
    uint16_t max_size;
    uint16_t align;
    uint8_t count_bits;
    bool forms;
    bool nodes;
    uint16_t device_cycles;
    uint16_t interval;
    uint64_t seed;
    uint64_t fault_at;
    uint64_t fault_every;
    uint64_t abort_at;
    uint64_t abort_every;
    uint64_t collide_every;
    uint16_t skid;
    uint16_t bias;
    bool source_off;
    uint64_t spurious_every;

    char *core_kind;    /* as the properties have them */
    char *truth;

    qemu_irq irq;       /* PMBIRQ */
    struct SPECore *core;
} SPEConfig;
