/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU frame of Arm's own cores before FEAT_PMUv3_SS: the memory map of
 * FEAT_PMUv3_EXT32, and in it the IMPLEMENTATION DEFINED snapshot (Arm 100442,
 * 100798: Cortex-A55, A76). Every register is of 32 bits.
 */
#include "qemu/osdep.h"
#include "frame.h"
#include "pmss.h"

enum {
    A_PMEVCNTR = 0x000,     /* 8n, the upper half behind it */
    A_PMCCNTR = 0x0f8,
    A_PMPCSSR = 0x600,
    A_PMCIDSSR = 0x608,
    A_PMCID2SSR = 0x60c,
    A_PMSSSR = 0x610,
    A_PMOVSSR = 0x614,
    A_PMCCNTSR = 0x618,
    A_PMEVCNTSR = 0x620,    /* 4n */
    A_PMSSCR = 0x6f0,
    A_PMCNTENSET = 0xc00,
    A_PMCR = 0xe04,
    A_PMLAR = 0xfb0,
};

#define SNAPSHOT_COUNTERS 6

/* NC: it was prohibited. That says nothing of the PC. */
static void capture(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    FrameSnapshot *saved = &cpu->pmss.frame_saved;

    frame_pc_sample(cpu, &saved->pc);
    saved->captured = cpu->pmss.nid;
    if (!saved->captured) {
        return;
    }
    pmu_op_start(env);
    saved->overflows = env->cp15.c9_pmovsr;
    saved->cycles = env->cp15.c15_ccnt;
    memcpy(saved->events, env->cp15.c14_pmevcntr, sizeof(saved->events));
    pmu_op_finish(env);
}

static uint32_t half(uint64_t value, hwaddr offset)
{
    return offset & 4 ? value >> 32 : value;
}

static uint32_t read_snapshot(const ARMCPU *cpu, hwaddr offset)
{
    const FrameSnapshot *saved = &cpu->pmss.frame_saved;
    unsigned n = (offset - A_PMEVCNTSR) / 4;

    switch (offset) {
    case A_PMPCSSR:
    case A_PMPCSSR + 4:
        return half(saved->pc.pc, offset);
    case A_PMCIDSSR:
        return saved->pc.context;
    case A_PMCID2SSR:
        return saved->pc.context2;
    case A_PMSSSR:
        return !saved->captured;
    case A_PMOVSSR:
        return saved->overflows;
    case A_PMCCNTSR:
    case A_PMCCNTSR + 4:
        return half(saved->cycles, offset);
    default:
        return offset >= A_PMEVCNTSR && n < SNAPSHOT_COUNTERS ?
               saved->events[n] : 0;
    }
}

static uint32_t read_live(CPUARMState *env, hwaddr offset)
{
    unsigned n = offset / 8;
    uint32_t value = 0;

    pmu_op_start(env);
    if (n < pmu_num_counters(env)) {
        value = half(env->cp15.c14_pmevcntr[n], offset);
        /* PMEVCNTR<n>_EL0 has 64 bits with FEAT_PMUv3p5. */
        if (offset & 4 && !cpu_isar_feature(any_pmuv3p5, env_archcpu(env))) {
            value = 0;
        }
    } else if ((offset & ~4ULL) == A_PMCCNTR) {
        value = half(env->cp15.c15_ccnt, offset);
    } else if (offset == A_PMCNTENSET) {
        value = env->cp15.c9_pmcnten;
    } else if (offset == A_PMCR) {
        value = env->cp15.c9_pmcr;
    }
    pmu_op_finish(env);
    return value;
}

static bool answers(ARMCPU *cpu, hwaddr offset)
{
    bool snapshot = offset >= A_PMPCSSR && offset <= A_PMSSCR;

    return frame_has_power(cpu) &&
           (snapshot || frame_is_id(offset) ||
            !extract64(cpu->env.cp15.oslsr_el1, 1, 1));
}

static MemTxResult frame_read(void *opaque, hwaddr offset, uint64_t *data,
                              unsigned size, MemTxAttrs attrs)
{
    ARMCPU *cpu = opaque;

    if (frame_is_id(offset)) {
        return frame_read_id(cpu, FRAME_PMU, offset, data);
    }
    if (!answers(cpu, offset)) {
        return MEMTX_ERROR;
    }
    *data = offset >= A_PMPCSSR && offset < A_PMSSCR ?
            read_snapshot(cpu, offset) :
            frame_pc_is_register(offset) ? frame_pc_read(cpu, offset) :
            read_live(&cpu->env, offset);
    return MEMTX_OK;
}

static MemTxResult frame_write(void *opaque, hwaddr offset, uint64_t value,
                               unsigned size, MemTxAttrs attrs)
{
    ARMCPU *cpu = opaque;

    if (!answers(cpu, offset)) {
        return MEMTX_ERROR;
    }
    if (offset == A_PMLAR) {
        frame_unlock(cpu, value);
    } else if (offset == A_PMSSCR && value & 1 && !cpu->pmss.frame_locked) {
        capture(cpu);
    }
    return MEMTX_OK;
}

const MemoryRegionOps frame_arm_ops = {
    .read_with_attrs = frame_read,
    .write_with_attrs = frame_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid.min_access_size = 4,
    .valid.max_access_size = 4,
};
