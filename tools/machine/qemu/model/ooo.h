/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core=ooo: when operations of a core that executes out of order issue and end.
 *
 *   ooo_decode.c  registers and latency of an instruction
 *   ooo.c         the scoreboard
 *   ooo_pmu.c     cycles and slots, for the PMU
 *   ooo_truth.c   where each cycle went, for tests
 */
#pragma once

#include "spe.h"

#define OOO_WINDOW 128
#define OOO_ISSUE_CYCLES 2    /* from dispatch, at least */

#define OOO_FLAGS (1ull << 31)      /* bit 63:32 are vector registers */

/* What holds up later operations beside their operands. */
typedef enum OOOOrder {
    OOO_NO_ORDER,
    OOO_ORDERS_MEMORY,
    OOO_WAITS_FOR_ALL,
    OOO_FLUSHES,
} OOOOrder;

typedef struct OOOInsn {
    uint64_t reads;
    uint64_t writes;
    uint64_t base;          /* written back, without a wait for memory */
    uint8_t cycles;
    OOOOrder order;
    bool load;
    bool store;
    bool branch;
    bool divides;
    bool float_or_vector;
    bool acquires;
} OOOInsn;

typedef enum OOOCause {
    OOO_RETIRING,
    OOO_FRONT_END,
    OOO_MISPREDICTED,
    OOO_EXECUTING,
    OOO_DIVIDING,
    OOO_FLOAT,
    OOO_BARRIER,
    OOO_STORE_BUFFER,
    OOO_TRANSLATING,
    OOO_CACHE_L1,
    OOO_CACHE_L2,
    OOO_PEER,
    OOO_SYSTEM_CACHE,
    OOO_MEMORY,
    OOO_DEVICE,
    OOO_CAUSES
} OOOCause;

/* Cycles of an operation's life. */
typedef struct OOOTimes {
    uint64_t dispatch;
    uint64_t issue;
    uint64_t translated;
    uint64_t complete;
    uint64_t commit;
} OOOTimes;

typedef struct OOOOperation {
    uint64_t pc;
    uint64_t va;
    int el;
    OOOInsn insn;
    bool accesses;
    bool mispredicted;
    bool taken;
    SPEAccess access;
    uint16_t awaited;       /* data source of the line that it waits for */
} OOOOperation;

/* Of operations that the scoreboard saw. */
typedef struct OOOSums {
    double ops;
    double cycles;
    double speculated;      /* slots, of operations that do not retire */
    double frontend;        /* slots */
    double stall_frontend;  /* cycles */
    double stall_backend;
    double mispredicted;
} OOOSums;

/* ooo.c; the functions do nothing without core=ooo. */
void ooo_add_properties(ARMCPU *cpu);
bool ooo_realize(ARMCPU *cpu, Error **errp);
/* Operations before a sample that the scoreboard follows. */
int ooo_detail(const ARMCPU *cpu);
/* @insn at @pc comes next; what the operation before it did is known. */
void ooo_begin(CPUARMState *env, uint64_t pc, uint32_t insn);
void ooo_access(CPUARMState *env, uint64_t va, const SPEAccess *access);
void ooo_branch(CPUARMState *env, bool taken, bool foreseen);
void ooo_end(CPUARMState *env);
/* Of the operation that ended last, or NULL. */
const OOOTimes *ooo_times(CPUARMState *env);
/* An exception. */
void ooo_flush(CPUARMState *env);

void ooo_decode(const SPEOpType *type, uint32_t insn, OOOInsn *op);

/* ooo_pmu.c: PMU events, which without core=ooo are what @clock says. */
typedef struct OOOCounts {
    OOOSums sum;
    OOOSums recent;         /* of the last operations that were followed */
    double most_backend;
    double detailed;        /* operations followed since the last update */
    uint64_t ops;
    uint64_t clock;
    uint64_t insns;
    uint64_t pmu_mispredicted;
    uint64_t pmu_redirected;
} OOOCounts;

bool ooo_counts(CPUARMState *env);
uint64_t ooo_cycles(CPUARMState *env, uint64_t clock);
uint64_t ooo_slots_count(CPUARMState *env, uint16_t number);
void ooo_account(CPUARMState *env, const OOOSums *sums);

/* ooo_truth.c */
typedef struct OOOTruth OOOTruth;

OOOTruth *ooo_truth_new(const char *file, int cpu, Error **errp);
/* @op ended; it followed one that left at @before. @blamed is the branch. */
void ooo_truth_add(OOOTruth *truth, const OOOOperation *op,
                   const OOOTimes *times, uint64_t before, OOOCause front,
                   uint64_t blamed);
