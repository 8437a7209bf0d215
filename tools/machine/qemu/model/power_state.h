/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TARGET_ARM_PMSCOPE_POWER_STATE_H
#define TARGET_ARM_PMSCOPE_POWER_STATE_H

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

#endif
