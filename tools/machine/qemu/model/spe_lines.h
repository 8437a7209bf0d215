/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TARGET_ARM_PMSCOPE_SPE_LINES_H
#define TARGET_ARM_PMSCOPE_SPE_LINES_H

typedef enum SPELineState {
    SPE_LINE_HELD,      /* no other CPU is in the way */
    SPE_LINE_SHARED,    /* others have copies, which a write ends */
    SPE_LINE_AT_PEER,   /* another CPU wrote it */
} SPELineState;

/* Returns the number of the CPU, from 1. */
uint16_t spe_lines_add_cpu(CPUARMState *env);
/* Copies of another version are stale; translated code must show all accesses
 * to a watched line. */
SPELineState spe_lines_access(CPUARMState *env, uint16_t cpu, uint64_t number,
                              uint64_t va, bool write, uint16_t *version,
                              bool *watched);

#endif
