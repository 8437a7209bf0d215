/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches and TLBs that profiled accesses go through. They hold tags only, and
 * see accesses only while profiling is enabled.
 *
 *   L1 data cache   64 KiB, 4 ways
 *   L2 cache        512 KiB, 8 ways
 *   system cache    4 MiB, 16 ways, shared by all CPUs
 *   cluster cache   1 MiB, 16 ways, shared by two CPUs (with spe-nodes=on)
 *   L1 data TLB     64 entries, 4 ways;  L2 TLB  1024 entries, 4 ways
 * with 64-byte lines and 4 KiB pages, in LRU order. The data source codes are
 * those that Neoverse cores share.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "qemu/atomic.h"
#include "exec/cpu_ldst.h"
#include "spe.h"
#include "spe_lines.h"

#define LINE_BITS SPE_LINE_BITS
#define PAGE_BITS 12

#define L1_SETS SPE_LINE_SETS
#define L1_WAYS 4
#define L2_SETS 1024
#define L2_WAYS 8
#define LLC_SETS 4096
#define LLC_WAYS 16
#define CLUSTER_SETS 1024
#define CLUSTER_WAYS 16
#define UTLB_SETS 16
#define UTLB_WAYS 4
#define TLB_SETS 256
#define TLB_WAYS 4

/* Memory of one node, with spe-nodes=on */
#define NODE_BITS 21
#define CLUSTERS 2
#define CLUSTER_CPUS 2

/* Cycles. */
#define L1_CYCLES 4
#define L2_CYCLES 13
#define PEER_CYCLES 70
#define PEER_CLUSTER_CYCLES 110
#define CLUSTER_CYCLES 28
#define LLC_CYCLES 45
#define DRAM_CYCLES 180
#define DRAM_SPREAD 64
#define REMOTE_CYCLES 140       /* more */
#define UTLB_CYCLES 1
#define TLB_CYCLES 6
#define WALK_CYCLES 40
#define WALK_SPREAD 16

struct SPEMemory {
    uint16_t id;            /* from 1 */
    uint32_t l1[L1_SETS][L1_WAYS];
    uint32_t l2[L2_SETS][L2_WAYS];
    uint32_t utlb[UTLB_SETS][UTLB_WAYS];
    uint32_t tlb[TLB_SETS][TLB_WAYS];
};

/* CPUs run in threads of their own: a lost update costs a wrong guess. */
static struct {
    uint32_t llc[LLC_SETS][LLC_WAYS];
    uint32_t cluster[CLUSTERS][CLUSTER_SETS][CLUSTER_WAYS];
} *shared;

struct SPEMemory *spe_memory_new(CPUARMState *env)
{
    struct SPEMemory *mem = g_new0(struct SPEMemory, 1);

    if (!shared) {
        shared = g_malloc0(sizeof(*shared));
    }
    mem->id = spe_lines_add_cpu(env);
    return mem;
}

void spe_memory_switch(CPUARMState *env)
{
    uint64_t space = env->cp15.ttbr0_el[1] ^ env->cp15.ttbr0_el[2] ^
                     rol64(env->cp15.ttbr1_el[1], 7);

    if (env->spe.line_space != space) {
        env->spe.line_space = space;
        memset(env->spe.read_line, 0xff, sizeof(env->spe.read_line));
        memset(env->spe.written_line, 0xff, sizeof(env->spe.written_line));
    }
}

/* Tag of 0 is an empty way. */
static uint32_t tag_of(uint64_t number)
{
    return (number ^ (number >> 32)) | 0x80000000u;
}

/* Makes @tag the first way; true if it was there. */
static bool touch(uint32_t *ways, unsigned count, uint32_t tag)
{
    uint32_t moved = tag;
    unsigned i;

    for (i = 0; i < count; i++) {
        uint32_t old = qatomic_read(&ways[i]);

        qatomic_set(&ways[i], moved);
        if (old == tag) {
            return true;
        }
        moved = old;
    }
    return false;
}

static unsigned spread(uint64_t number, unsigned range)
{
    return ((number * 0x9e3779b97f4a7c15ull) >> 40) % range;
}

/*
 * @page is what the guest page is mapped to, so that two address spaces do
 * not share an entry.
 */
static void translate(struct SPEMemory *mem, uint64_t va, uint64_t page,
                      SPEAccess *access)
{
    uint64_t vpn = va >> PAGE_BITS;
    uint32_t tag = tag_of(vpn ^ (page << 7));

    access->events |= SPE_EV_TLB_ACCESS;
    if (touch(mem->utlb[vpn % UTLB_SETS], UTLB_WAYS, tag)) {
        access->xlat = UTLB_CYCLES;
        return;
    }
    access->utlb_miss = true;
    if (touch(mem->tlb[vpn % TLB_SETS], TLB_WAYS, tag)) {
        access->xlat = TLB_CYCLES;
    } else {
        access->events |= SPE_EV_TLB_WALK;
        access->xlat = WALK_CYCLES + spread(vpn, WALK_SPREAD);
    }
}

static unsigned cluster_of(unsigned id)
{
    return (id - 1) / CLUSTER_CPUS % CLUSTERS;
}

static bool in_cluster(struct SPEMemory *mem, uint64_t line, uint32_t tag)
{
    return touch(shared->cluster[cluster_of(mem->id)][line % CLUSTER_SETS],
                 CLUSTER_WAYS, tag);
}

static void come_from_peer(CPUARMState *env, struct SPEMemory *mem,
                           unsigned peer, SPEAccess *access)
{
    access->events |= SPE_EV_HITM | SPE_EV_SNOOPED;
    access->cycles = PEER_CYCLES;
    access->source = SPE_SOURCE_PEER_CORE;
    if (env_archcpu(env)->spe.nodes && cluster_of(peer) != cluster_of(mem->id)) {
        access->cycles = PEER_CLUSTER_CYCLES;
        access->source = SPE_SOURCE_PEER_CLUSTER;
    }
}

static void come_from_memory(CPUARMState *env, struct SPEMemory *mem,
                             uint64_t line, uint64_t va, SPEAccess *access)
{
    unsigned node = (line >> (NODE_BITS - LINE_BITS)) % CLUSTERS;

    access->events |= SPE_EV_LLC_MISS;
    access->cycles = DRAM_CYCLES + spread(va >> LINE_BITS, DRAM_SPREAD);
    access->source = SPE_SOURCE_DRAM;
    if (env_archcpu(env)->spe.nodes && node != cluster_of(mem->id)) {
        access->events |= SPE_EV_REMOTE;
        access->cycles += REMOTE_CYCLES;
        access->source = SPE_SOURCE_REMOTE;
    }
}

static void look_up_line(struct SPEMemory *mem, CPUARMState *env,
                         uint64_t line, uint64_t va, bool write,
                         SPEAccess *access)
{
    SPELine at = spe_lines_access(env, mem->id, line, va, write);
    uint32_t tag = tag_of(line ^ (uint64_t)at.version << 40);
    bool held = at.state == SPE_LINE_HELD;
    bool in_l1 = touch(mem->l1[(va >> LINE_BITS) % L1_SETS], L1_WAYS, tag);
    bool in_l2;

    access->watched = at.watched;
    access->events |= SPE_EV_L1D_ACCESS;
    if (in_l1 && held) {
        access->cycles = L1_CYCLES;
        access->source = SPE_SOURCE_L1;
        return;
    }

    access->events |= SPE_EV_L1D_REFILL | SPE_EV_L2D_ACCESS;
    in_l2 = touch(mem->l2[line % L2_SETS], L2_WAYS, tag);
    if (in_l2 && held) {
        access->cycles = L2_CYCLES;
        access->source = SPE_SOURCE_L2;
        return;
    }

    access->events |= SPE_EV_L2D_MISS;
    if (env_archcpu(env)->spe.nodes && in_cluster(mem, line, tag) && held) {
        access->cycles = CLUSTER_CYCLES;
        access->source = SPE_SOURCE_LOCAL_CLUSTER;
        return;
    }

    access->events |= SPE_EV_LLC_ACCESS;
    if (touch(shared->llc[line % LLC_SETS], LLC_WAYS, tag_of(line)) ||
        !held) {
        access->cycles = LLC_CYCLES;
        access->source = SPE_SOURCE_SYSTEM_CACHE;
        if (at.state == SPE_LINE_AT_PEER) {
            come_from_peer(env, mem, at.peer, access);
        }
        return;
    }
    come_from_memory(env, mem, line, va, access);
}

/* Lets translated code find the line without calling a helper. */
static void show_line(CPUARMState *env, uint64_t va, bool write)
{
    uint64_t *lines = write ? env->spe.written_line : env->spe.read_line;

    qatomic_set(&lines[(va >> LINE_BITS) % L1_SETS],
                va & -(1ull << LINE_BITS));
}

/*
 * The host address stands for the physical one. A store is looked up as a
 * load, so that a clean page is found too. NULL for what is not memory.
 */
static void *host_address(CPUARMState *env, uint64_t va, int mmu_idx)
{
    CPUTLBDescFast *tlb = &env_cpu(env)->neg.tlb.f[mmu_idx];
    uintptr_t index = (va >> TARGET_PAGE_BITS) &
                      (tlb->mask >> CPU_TLB_ENTRY_BITS);
    CPUTLBEntry *entry = &tlb->table[index];

    if (likely(entry->addr_read == (va & TARGET_PAGE_MASK))) {
        return (void *)(uintptr_t)(va + entry->addend);
    }
    return tlb_vaddr_to_host(env, va, MMU_DATA_LOAD, mmu_idx);
}

void spe_memory_access(struct SPEMemory *mem, CPUARMState *env, uint64_t va,
                       unsigned size, bool write, int mmu_idx,
                       SPEAccess *access)
{
    void *host = host_address(env, va, mmu_idx);
    uint64_t address = (uintptr_t)host;

    access->events = 0;
    access->xlat = 0;
    access->source = 0;
    access->utlb_miss = false;
    access->cached = host != NULL;
    access->watched = false;
    if ((va & (size - 1)) && (va ^ (va + size - 1)) >> LINE_BITS) {
        access->events |= SPE_EV_ALIGNMENT;
    }
    if (!host) {
        access->cycles = env_archcpu(env)->spe.device_cycles;
        return;
    }
    translate(mem, va, address >> PAGE_BITS, access);
    look_up_line(mem, env, address >> LINE_BITS, va, write, access);
    if (!access->watched) {
        show_line(env, va, write);
    }
}
