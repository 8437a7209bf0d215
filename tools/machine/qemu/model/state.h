/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State and configuration that the model adds to an Arm CPU: what cpu.h
 * includes.
 */
#pragma once

#include "spe_state.h"
#include "pmss_state.h"

/* second-kind: the property, equal on all CPUs, and what it says of this one. */
typedef struct KindConfig {
    char *second;
    bool is_second;
} KindConfig;

typedef enum PowerPhase {
    POWER_UP,
    POWER_DOWN,
    POWER_WAKING,
} PowerPhase;

/* In ARMCPU: what a power controller beside the PE knows. */
typedef struct PowerConfig {
    bool idle_state;

    uint8_t phase;      /* PowerPhase */
    bool wake_request;  /* from the Redistributor: an interrupt is pending */
    uint64_t entry;     /* the address at which the PE resumes, and its X0 */
    uint64_t context;
} PowerConfig;

/* Writes to System registers whose effect is not yet seen. */
#define SYNC_WRITES 32
#define SYNC_SAVED 33

/* Registers that the PE itself writes */
typedef enum SyncView {
    SYNC_PMBSR,         /* + Exception level; 0 is none */
    SYNC_PMBPTR = 4,
    SYNC_PMSSCR,
    SYNC_VIEWS,
    SYNC_NO_VIEW = SYNC_PMBSR,
} SyncView;

/* A direct write that has not taken effect */
typedef struct SyncWrite {
    const struct ARMCPRegInfo *ri;
    uint64_t value;
} SyncWrite;

/* What a direct read may still return of such a register */
typedef struct SyncHidden {
    bool hidden;
    bool drained;       /* there was a PSB CSYNC since */
    uint64_t before;
    uint64_t at_psb;
} SyncHidden;

/* In CPUARMState, cleared by a CPU reset. */
typedef struct SyncState {
    uint32_t writes;
    SyncWrite write[SYNC_WRITES];
    SyncHidden view[SYNC_VIEWS];

    /* Snapshot registers: by counter, the value before the capture. */
    uint64_t saved_hidden;
    uint64_t saved[SYNC_SAVED];
    bool captured_seen; /* a direct read of PMSSCR_EL1 told of the capture */

    uint64_t overflows_seen;
    uint64_t pmsicr_seen;
} SyncState;

/* In ARMCPU: the properties. */
typedef struct SyncConfig {
    char *mode;
    uint64_t seed;
    uint64_t random;
    uint8_t choice;
    bool late;          /* sync=late */
    bool on;            /* that, or spe-late=on */
} SyncConfig;
