/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instruction caches that are not coherent with stores.
 *
 * QEMU drops the translations of code that is written to, but before it stores:
 * until it has, another CPU can translate the old code once more, and keeps
 * that. Where a kernel changes its own code, it goes on without the change on
 * every CPU. So the CPUs have CTR_EL0.DIC = 0, for which software says after its
 * stores what to drop: IC IVAU. IC IALLU and IC IALLUIS stay without effect:
 * Linux has them where a CPU comes up, also from each idle state that loses its
 * registers, and to drop all there makes the machine ten times slower.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "exec/cpu-common.h"
#include "exec/exec-all.h"
#include "icache.h"

void icache_realize(ARMCPU *cpu)
{
    cpu->ctr = FIELD_DP64(cpu->ctr, CTR_EL0, DIC, 0);
}

/* NULL if the address is not mapped to RAM; nothing is cached then. */
static void *host_address(CPUARMState *env, uint64_t address)
{
    int mmu_idx = arm_env_mmu_index(env);
    void *host = NULL;

    if (probe_access_flags(env, address, 0, MMU_DATA_LOAD, mmu_idx, true,
                           &host, 0) & TLB_INVALID_MASK) {
        probe_access_flags(env, address, 0, MMU_INST_FETCH, mmu_idx, true,
                           &host, 0);
    }
    return host;
}

void icache_invalidate_line(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    uint64_t mask = (4 << FIELD_EX64(env_archcpu(env)->ctr, CTR_EL0,
                                     IMINLINE)) - 1;
    void *host = host_address(env, value);
    ram_addr_t line;

    if (host) {
        line = qemu_ram_addr_from_host_nofail(host) & ~mask;
        tb_invalidate_phys_range(line, line | mask);
    }
}
