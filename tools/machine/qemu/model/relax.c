/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * WFE and YIELD where each CPU is a thread of the host: a CPU that spins on a
 * lock gives way, since the CPU that holds the lock may wait for the host.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"

/* Most waits end within a few rounds, and these cost no system call. */
#define ROUNDS 32

void HELPER(relax)(void)
{
    static __thread unsigned rounds;

    if (++rounds % ROUNDS == 0) {
        sched_yield();
    }
}
