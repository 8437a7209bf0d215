/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

typedef enum SPELineState {
    SPE_LINE_HELD,      /* no other CPU is in the way */
    SPE_LINE_SHARED,    /* others have copies, which a write ends */
    SPE_LINE_AT_PEER,   /* another CPU wrote it */
} SPELineState;

typedef struct SPELine {
    SPELineState state;
    uint16_t peer;      /* SPE_LINE_AT_PEER: that CPU */
    uint16_t version;   /* copies of another are stale */
    bool watched;       /* translated code must show all accesses */
} SPELine;

/* Returns the number of the CPU, from 1. */
uint16_t spe_lines_add_cpu(CPUARMState *env);
SPELine spe_lines_access(CPUARMState *env, uint16_t cpu, uint64_t number,
                         uint64_t va, bool write);
