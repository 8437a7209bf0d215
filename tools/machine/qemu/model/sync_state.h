/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes to System registers whose effect is not yet seen.
 */
#ifndef TARGET_ARM_PMSCOPE_SYNC_STATE_H
#define TARGET_ARM_PMSCOPE_SYNC_STATE_H

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

#endif
