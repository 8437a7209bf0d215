/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_SPE up to FEAT_SPEv1p5 (Arm ARM D17, D24.7). spe.c lists the
 * properties of the CPU: which of its features there are, and faults.
 *
 * The data flows one way:
 *   spe_translate.c  code in the TBs: counts operations, shows accesses
 *   spe_counter.c    selects operations (D17.3)
 *   spe_sample.c     follows a selected operation to its end
 *   spe_opcode.c     what kind of operation it is
 *   ooo.c            how long it waits and takes, with core=ooo
 *   spe_memory.c     caches and TLBs: latency, events, data source
 *   spe_lines.c      which CPU has a cache line
 *   spe_branch.c     branch prediction
 *   spe_filter.c     PMSFCR_EL1, PMSEVFR_EL1, PMSNEVFR_EL1, PMSLATFR_EL1
 *   spe_record.c     packets
 *   spe_buffer.c     Profiling Buffer
 *   spe_address.c    its addresses
 *   spe_event.c      management events, PMBIRQ
 * spe_owner.c tells who owns the buffer and where profiling is enabled;
 * spe_regs.c and spe_buffer_regs.c hold the System registers, spe_traps.c
 * says who may access them.
 */
#pragma once

#include "cpu.h"
#include "cpregs.h"
#include "internals.h"
#include "spe_state.h"

struct GetPhysAddrResult;
struct ARMMMUFaultInfo;

/* Descriptor of an access that a TB shows to the helper. */
FIELD(SPE_ACCESS, SIZE, 0, 16)
FIELD(SPE_ACCESS, WRITE, 16, 1)
FIELD(SPE_ACCESS, REGISTER, 17, 5)
FIELD(SPE_ACCESS, MMU_IDX, 22, 5)
FIELD(SPE_ACCESS, PROFILED, 27, 1)      /* not for the PMU alone */

FIELD(PMSCR, E0SPE, 0, 1)
FIELD(PMSCR, E1SPE, 1, 1)
FIELD(PMSCR, CX, 3, 1)
FIELD(PMSCR, PA, 4, 1)
FIELD(PMSCR, TS, 5, 1)
FIELD(PMSCR, PCT, 6, 2)
FIELD(PMSCR, EE, 8, 2)
FIELD(PMSCR, KE, 10, 1)
FIELD(PMSCR, ENVM, 11, 1)

FIELD(SPE_MDCR_EL3, PMSEE, 51, 2)

/* The same bits in PMSCR_EL2. */
FIELD(PMSCR_EL2, E0HSPE, 0, 1)
FIELD(PMSCR_EL2, E2SPE, 1, 1)

FIELD(PMSICR, COUNT, 0, 32)
FIELD(PMSICR, ECOUNT, 56, 8)

FIELD(PMSIRR, RND, 0, 1)
FIELD(PMSIRR, INTERVAL, 8, 24)

FIELD(PMSFCR, FE, 0, 1)
FIELD(PMSFCR, FT, 1, 1)
FIELD(PMSFCR, FL, 2, 1)
FIELD(PMSFCR, FNE, 3, 1)
FIELD(PMSFCR, FDS, 4, 1)
FIELD(PMSFCR, B, 16, 1)
FIELD(PMSFCR, LD, 17, 1)
FIELD(PMSFCR, ST, 18, 1)
FIELD(PMSFCR, FP, 19, 1)
FIELD(PMSFCR, SIMD, 20, 1)
FIELD(PMSFCR, TYPES, 16, 5)
FIELD(PMSFCR, MASKS, 48, 5)

FIELD(PMSLATFR, MINLAT, 0, 16)

FIELD(PMBLIMITR, E, 0, 1)
FIELD(PMBLIMITR, FM, 1, 2)
FIELD(PMBLIMITR, PMFZ, 5, 1)
FIELD(PMBLIMITR, NVM, 7, 1)
#define PMBLIMITR_LIMIT MAKE_64BIT_MASK(12, 52)
#define PMBLIMITR_FM_DISCARD 2

FIELD(PMBSR, MSS, 0, 16)
FIELD(PMBSR, COLL, 16, 1)
FIELD(PMBSR, S, 17, 1)
FIELD(PMBSR, EA, 18, 1)
FIELD(PMBSR, DL, 19, 1)
FIELD(PMBSR, EC, 26, 6)
FIELD(PMBSR, MSS2, 32, 24)

#define PMBSR_EC_OTHER 0x00
#define PMBSR_EC_GPC 0x1e
#define PMBSR_EC_STAGE1 0x24
#define PMBSR_EC_STAGE2 0x25
#define PMBSR_BSC_NOT_ALLOWED 0
#define PMBSR_BSC_FULL 1

/* Events packet: bits. */
#define SPE_EV_EXCEPTION (1ULL << 0)
#define SPE_EV_RETIRED (1ULL << 1)
#define SPE_EV_L1D_ACCESS (1ULL << 2)
#define SPE_EV_L1D_REFILL (1ULL << 3)
#define SPE_EV_TLB_ACCESS (1ULL << 4)
#define SPE_EV_TLB_WALK (1ULL << 5)
#define SPE_EV_NOT_TAKEN (1ULL << 6)
#define SPE_EV_MISPRED (1ULL << 7)
#define SPE_EV_LLC_ACCESS (1ULL << 8)
#define SPE_EV_LLC_MISS (1ULL << 9)
#define SPE_EV_REMOTE (1ULL << 10)
#define SPE_EV_ALIGNMENT (1ULL << 11)
#define SPE_EV_SVE_PARTIAL (1ULL << 17)
#define SPE_EV_SVE_EMPTY (1ULL << 18)
#define SPE_EV_L2D_ACCESS (1ULL << 19)
#define SPE_EV_L2D_MISS (1ULL << 20)
#define SPE_EV_HITM (1ULL << 21)
#define SPE_EV_RECENTLY_FETCHED (1ULL << 22)
#define SPE_EV_SNOOPED (1ULL << 23)
#define SPE_EVENTS_V1P4 (SPE_EV_L2D_ACCESS | SPE_EV_L2D_MISS | SPE_EV_HITM | \
                         SPE_EV_RECENTLY_FETCHED | SPE_EV_SNOOPED)

/* PMU events of the extension. */
enum {
    SPE_SAMPLE_POP = 0x4000,
    SPE_SAMPLE_FEED,
    SPE_SAMPLE_FILTRATE,
    SPE_SAMPLE_COLLISION,
};

static inline bool isar_feature_aa64_spe(const ARMISARegisters *id)
{
    return FIELD_EX64(id->id_aa64dfr0, ID_AA64DFR0, PMSVER) != 0;
}

static inline bool isar_feature_aa64_spe_exc(const ARMISARegisters *id)
{
    const ARMCPU *cpu = container_of(id, const ARMCPU, isar);

    return cpu->spe.enabled && cpu->spe.exc;
}

/* spe.c: the object. */
void spe_add_properties(ARMCPU *cpu);
bool spe_realize(ARMCPU *cpu, Error **errp);
void spe_reset(CPUARMState *env);
/* The value of ID_AA64DFR2_EL1. */
uint64_t spe_id_aa64dfr2(const ARMCPU *cpu);
/* What firmware leaves in MDCR_EL3 for FEAT_SPE_EXC. */
uint64_t spe_firmware_mdcr_el3(const ARMCPU *cpu);

/* spe_regs.c */
void spe_define_regs(ARMCPU *cpu);
/* PMSEE may stop or restart profiling. */
void spe_mdcr_el3_written(CPUARMState *env);
/* PMSIDR_EL1.Interval for an interval, -1 where it has no code for it. */
int spe_interval_code(unsigned interval);

/*
 * spe_owner.c: owning Exception level of the Profiling Buffer, and its
 * Security state in @space.
 */
int spe_owning_el(CPUARMState *env, ARMSecuritySpace *space);
unsigned spe_e2pb(CPUARMState *env);
bool spe_profiling_enabled(CPUARMState *env, int el);
bool spe_buffer_enabled(CPUARMState *env);
/* Effective values of PMSCR_EL2.EnVM and PMBLIMITR_EL1.nVM. */
bool spe_effective_envm(CPUARMState *env);
bool spe_effective_nvm(CPUARMState *env);
bool spe_collects_pa(CPUARMState *env);
bool spe_collects_context(CPUARMState *env, int reg_el);
bool spe_collects_time(CPUARMState *env, uint64_t *time);

/* True when a Profiling Buffer event freezes the PMU counters. */
bool spe_freezes_counters(CPUARMState *env);

/* Occurrences of a SAMPLE_* PMU event since reset. */
uint64_t spe_event_count(CPUARMState *env, unsigned event);

/* spe_counter.c: sample interval counters. */
/* The value before the last @ops operations, none of which reached zero. */
uint64_t spe_counter_read(CPUARMState *env, uint32_t ops);
void spe_counter_write(CPUARMState *env, uint64_t value);
/* Counts @ops operations; true when the last of them is selected. */
bool spe_counter_advance(CPUARMState *env, uint32_t ops);
/* Operations until the counters next reach zero, at least 1. */
uint32_t spe_counter_distance(CPUARMState *env);

/* spe_sample.c */
/* Brings counters up to the operations executed so far. */
void spe_sync(CPUARMState *env);
/* Operations that the TB in progress paid for and did not execute yet. */
uint32_t spe_ops_ahead(CPUARMState *env);
/* The TB in progress ended before its end, at env->pc. */
void spe_leave_tb(CPUARMState *env);
SPEMode spe_mode(CPUARMState *env, int el);
/* Sets when the TBs next call the helper. */
void spe_schedule(CPUARMState *env);
/* Ends a sample in flight at once. */
void spe_finish_sample(CPUARMState *env);
void spe_init_sample(ARMCPU *cpu);

/* spe_opcode.c */
/* Class of an Operation Type packet. */
enum { SPE_CLASS_OTHER, SPE_CLASS_LOAD_STORE, SPE_CLASS_BRANCH };

SPEOpType spe_decode(CPUARMState *env, uint32_t insn);
bool spe_insn_is_branch(uint32_t insn);
bool spe_insn_is_conditional_branch(uint32_t insn);
bool spe_insn_is_indirect_branch(uint32_t insn);
/* B or BL */
bool spe_insn_is_direct_branch(uint32_t insn);
/* Address of an access that the TBs do not show. */
bool spe_address_from_registers(CPUARMState *env, uint32_t insn,
                                bool load, uint64_t *va);
/* SVE_PARTIAL and SVE_EMPTY of a predicated SVE instruction. */
uint64_t spe_predicate_events(CPUARMState *env, uint32_t insn);

/* spe_memory.c; data sources: packet-format.md, 8.1. */
enum {
    SPE_SOURCE_L1 = 0x0,
    SPE_SOURCE_L2 = 0x8,
    SPE_SOURCE_PEER_CORE = 0x9,
    SPE_SOURCE_LOCAL_CLUSTER = 0xa,
    SPE_SOURCE_SYSTEM_CACHE = 0xb,
    SPE_SOURCE_PEER_CLUSTER = 0xc,
    SPE_SOURCE_REMOTE = 0xd,
    SPE_SOURCE_DRAM = 0xe,
};

typedef struct SPEAccess {
    uint64_t events;
    uint16_t cycles;    /* in the caches and beyond */
    uint16_t xlat;      /* in the TLBs */
    uint16_t source;
    bool utlb_miss;
    bool cached;
    bool watched;       /* the line may be another CPU's the next time */
} SPEAccess;

struct SPEMemory *spe_memory_new(CPUARMState *env);
/* The TBs forget the lines of another address space. */
void spe_memory_switch(CPUARMState *env);
void spe_memory_access(struct SPEMemory *mem, CPUARMState *env, uint64_t va,
                       unsigned size, bool write, int mmu_idx,
                       SPEAccess *access);

/* spe_branch.c: branch prediction. */
typedef enum SPEBranch {
    SPE_BRANCH_DIRECT,          /* B */
    SPE_BRANCH_CALL,            /* BL */
    SPE_BRANCH_CONDITIONAL,
    SPE_BRANCH_INDIRECT,
    SPE_BRANCH_INDIRECT_CALL,
    SPE_BRANCH_RETURN,
} SPEBranch;

SPEBranch spe_branch_type(uint32_t insn);
/* The branch went to @target, or was not taken; true if predicted. */
bool spe_predict(SPEState *s, SPEBranch type, uint64_t pc, uint64_t target,
                 bool taken);
/* Of an operation: the same for all mappings of the page. */
uint32_t spe_index_in_page(uint64_t pc);

/* spe_filter.c */
/* The bits of @events that this version of the extension has. */
uint64_t spe_version_events(CPUARMState *env, uint64_t events);
bool spe_filter_passes(CPUARMState *env, const SPESample *sample);
/* Which half of a load and store is recorded: true for the store. */
bool spe_filter_prefers_store(CPUARMState *env, const SPEOpType *op,
                              bool random);

/* spe_record.c: fills @data, SPE_RECORD_MAX bytes; returns the size. */
uint32_t spe_build_record(CPUARMState *env, const SPESample *sample,
                          uint8_t *data);

/* spe_buffer.c */
void spe_queue_record(CPUARMState *env, const uint8_t *data, uint32_t size);
/* PSB CSYNC: translates and hands on what is queued. */
void spe_drain_queue(CPUARMState *env);
/* DSB: completes the writes. */
void spe_complete_writes(CPUARMState *env);
/* RHXSYK */
bool spe_pointer_is_valid(CPUARMState *env);
/* Forgets records that a disabled buffer can no longer take. */
void spe_drop_queue(CPUARMState *env);

/*
 * spe_address.c: from @address in the buffer to a physical address; true on
 * a fault.
 */
bool spe_translate(CPUARMState *env, uint64_t address,
                   struct GetPhysAddrResult *res, struct ARMMMUFaultInfo *fi);
/*
 * D17.7.7: the stage of translation by which a record may not lie at both, as they
 * differ in memory type or Shareability or are Device; else 0.
 */
int spe_conflicting_stage(CPUARMState *env, uint64_t first, uint64_t second);

/* spe_event.c */
typedef struct SPEEvent {
    uint8_t ec;
    uint16_t mss;
    bool ea;
    bool dl;
    bool gpf;           /* Granule Protection Fault */
} SPEEvent;

void spe_report_event(CPUARMState *env, const SPEEvent *event);
void spe_report_collision(CPUARMState *env);
void spe_report_quiet_abort(CPUARMState *env);
/* SPEProfilingStopped() */
bool spe_stopped(CPUARMState *env);
void spe_update_irq(CPUARMState *env);
/* Does HCR_EL2.E2H make an access to the register one to that of EL2? */
bool spe_redirects(CPUARMState *env, const ARMCPRegInfo *ri);

/* What the TBs update while profiling is enabled; outlives a CPU reset. */
typedef struct SPECore {
    struct SPEMemory *memory;
    struct OOOCore *ooo;    /* with core=ooo */
    struct OOOCounts *counts;
    uint64_t executed;      /* operations, population or not */
    uint64_t miss_ready;    /* operation count when the last miss ends */
    uint64_t miss_line;
    unsigned miss_register; /* register it loads */
} SPECore;

/* Random number of the sampling unit. */
uint64_t spe_random(CPUARMState *env);

/* PMBIRQ and the translation flags depend on a register that changed. */
void spe_changed(CPUARMState *env);
/* The next TB is looked up with new flags. */
void spe_rebuild_flags(CPUARMState *env);
