/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cpu.h"
#include "cpregs.h"

/* At realize: clears CTR_EL0.DIC. */
void icache_realize(ARMCPU *cpu);

/* IC IVAU: ends the translations of a line, whichever CPU has them. */
void icache_invalidate_line(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value);
