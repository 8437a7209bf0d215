/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sync=late: accesses to the registers of the PMU, of snapshots and of SPE take
 * effect as late as the architecture allows, or at a random moment before that.
 */
#pragma once

#include "cpu.h"

void sync_add_properties(ARMCPU *cpu);
bool sync_check_properties(ARMCPU *cpu, Error **errp);
void sync_realize(ARMCPU *cpu);
/* Registers of the model are defined, before and after VHE's aliases. */
void sync_wrap_registers(ARMCPU *cpu);

/* Which of @n behaviours that the architecture leaves open */
unsigned sync_choice(CPUARMState *env, unsigned n);
/* At random with sync=late, else false */
bool sync_coin(CPUARMState *env);

/* The PE is about to change a register, or all the snapshot registers. */
void sync_hide(CPUARMState *env, SyncView view);
void sync_hide_saved(CPUARMState *env);

/* A PSB CSYNC, and a context synchronization event */
void sync_drained(CPUARMState *env);
void sync_context(CPUARMState *env);
