/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the frames are, what identifies them, and the debug frame, of which only
 * EDPRSR is here, and EDPCSR in frame_pc.c. It is in the Debug power domain and always
 * answers.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "internals.h"
#include "exec/address-spaces.h"
#include "hw/core/cpu.h"
#include "hw/registerfields.h"
#include "system/device_tree.h"
#include "frame.h"
#include "pmss.h"

/* As the ROM tables of Arm's cores have it, from an unused place of virt on. */
#define FRAMES_BASE 0x0b000000
#define FRAMES_STRIDE 0x100000
#define FRAMES_MAX 16
#define DEBUG_OFFSET 0x10000
#define PMU_OFFSET 0x30000
#define FRAME_SIZE 0x1000

REG32(EDPRSR, 0x314)
    FIELD(EDPRSR, PU, 0, 1)
    FIELD(EDPRSR, OSLK, 5, 1)
    FIELD(EDPRSR, DLK, 6, 1)
REG32(PMCFGR, 0xe00)
    FIELD(PMCFGR, N, 0, 8)
    FIELD(PMCFGR, SIZE, 8, 6)
REG32(DEVAFF0, 0xfa8)
REG32(DEVAFF1, 0xfac)
REG32(LAR, 0xfb0)
REG32(LSR, 0xfb4)
    FIELD(LSR, SLI, 0, 1)
    FIELD(LSR, SLK, 1, 1)
REG32(AUTHSTATUS, 0xfb8)
    FIELD(AUTHSTATUS, NSNID, 2, 2)
REG32(DEVARCH, 0xfbc)
    FIELD(DEVARCH, ARCHID, 0, 16)
    FIELD(DEVARCH, PRESENT, 20, 1)
    FIELD(DEVARCH, ARCHITECT, 21, 11)
REG32(DEVID, 0xfc8)
REG32(DEVTYPE, 0xfcc)
REG32(PIDR4, 0xfd0)
REG32(PIDR0, 0xfe0)
REG32(PIDR1, 0xfe4)
REG32(PIDR2, 0xfe8)
REG32(CIDR0, 0xff0)
REG32(CIDR1, 0xff4)
REG32(CIDR2, 0xff8)
REG32(CIDR3, 0xffc)

#define ARM_JEP106 0x23b
#define LOCK_KEY 0xc5acce55

/* Of a field of two bits in AUTHSTATUS: implemented and disabled, or enabled */
#define AUTH_DISABLED 2
#define AUTH_ENABLED 3

static bool lies(const ARMCPU *cpu, FrameKind kind, const char *what)
{
    return kind == FRAME_PMU && !g_strcmp0(cpu->pmss.frame_lie, what);
}

static bool has_arm_layout(const ARMCPU *cpu)
{
    return !g_strcmp0(cpu->pmss.frame, "arm");
}

void frame_reset(ARMCPU *cpu)
{
    cpu->pmss.frame_locked = has_arm_layout(cpu);
    cpu->pmss.pmpcsctl = 0;
}

void frame_unlock(ARMCPU *cpu, uint64_t key)
{
    cpu->pmss.frame_locked = has_arm_layout(cpu) && key != LOCK_KEY;
}

static uint32_t cfgr(CPUARMState *env)
{
    bool wide = cpu_isar_feature(any_pmuv3p5, env_archcpu(env));
    uint32_t value = FIELD_DP32(0, PMCFGR, N, pmu_num_counters(env));

    return FIELD_DP32(value, PMCFGR, SIZE, wide ? 63 : 31);
}

static uint32_t lock_status(const ARMCPU *cpu, FrameKind kind)
{
    uint32_t value = 0;

    if (kind == FRAME_PMU && has_arm_layout(cpu)) {
        value = FIELD_DP32(value, LSR, SLI, 1);
        value = FIELD_DP32(value, LSR, SLK, cpu->pmss.frame_locked);
    }
    return value;
}

static uint32_t devarch(const ARMCPU *cpu, FrameKind kind)
{
    unsigned archid = kind == FRAME_DEBUG ? 0x6a15 :
                      lies(cpu, kind, "arch") ? 0x4a13 : 0x2a16;
    uint32_t value = FIELD_DP32(0, DEVARCH, ARCHID, archid);

    value = FIELD_DP32(value, DEVARCH, PRESENT, 1);
    return FIELD_DP32(value, DEVARCH, ARCHITECT, ARM_JEP106);
}

static uint32_t read_id(ARMCPU *cpu, FrameKind kind, hwaddr offset)
{
    uint64_t mpidr = cpu->mp_affinity | 1u << 31;
    unsigned part = extract64(cpu->midr, 4, 12);
    bool off = lies(cpu, kind, "class");

    if (lies(cpu, kind, "affinity")) {
        mpidr ^= 1;
    }
    if (lies(cpu, kind, "part")) {
        part ^= 1;
    }
    switch (offset) {
    case A_PMCFGR:
        return kind == FRAME_PMU ? cfgr(&cpu->env) : 0;
    case A_DEVAFF0:
        return mpidr;
    case A_DEVAFF1:
        return mpidr >> 32;
    case A_LSR:
        return lock_status(cpu, kind);
    case A_AUTHSTATUS:
        return FIELD_DP32(0, AUTHSTATUS, NSNID,
                          cpu->pmss.nid ? AUTH_ENABLED : AUTH_DISABLED);
    case A_DEVARCH:
        return devarch(cpu, kind);
    case A_DEVID:
        return frame_pc_id(cpu, kind);
    case A_DEVTYPE:
        return kind == FRAME_DEBUG ? 0x15 : lies(cpu, kind, "type") ? 0x13 : 0x16;
    case A_PIDR4:
        return 4;
    case A_PIDR0:
        return extract32(part, 0, 8);
    case A_PIDR1:
        return 0xb0 | extract32(part, 8, 4);
    case A_PIDR2:
        return 0x0b;
    case A_CIDR0:
        return off ? 0 : 0x0d;
    case A_CIDR1:
        return 0x90;
    case A_CIDR2:
        return 0x05;
    case A_CIDR3:
        return 0xb1;
    default:
        return 0;
    }
}

/* Where those of a PMU are is IMPLEMENTATION DEFINED: here with the counters. */
MemTxResult frame_read_id(ARMCPU *cpu, FrameKind kind, hwaddr offset,
                          uint64_t *data)
{
    if (kind == FRAME_PMU && !frame_has_power(cpu)) {
        return MEMTX_ERROR;
    }
    *data = read_id(cpu, kind, offset);
    return MEMTX_OK;
}

static uint32_t edprsr(const ARMCPU *cpu)
{
    uint32_t value = FIELD_DP32(0, EDPRSR, PU, power_is_on(cpu));

    value = FIELD_DP32(value, EDPRSR, OSLK,
                       extract64(cpu->env.cp15.oslsr_el1, 1, 1));
    return FIELD_DP32(value, EDPRSR, DLK, cpu->pmss.dlk);
}

static MemTxResult debug_read(void *opaque, hwaddr offset, uint64_t *data,
                              unsigned size, MemTxAttrs attrs)
{
    MemTxResult result;

    if (offset == A_EDPRSR) {
        *data = edprsr(opaque);
        return MEMTX_OK;
    }
    if (frame_pc_debug_read(opaque, offset, data, &result)) {
        return result;
    }
    return frame_read_id(opaque, FRAME_DEBUG, offset, data);
}

static MemTxResult debug_write(void *opaque, hwaddr offset, uint64_t value,
                               unsigned size, MemTxAttrs attrs)
{
    return MEMTX_OK;
}

static const MemoryRegionOps debug_ops = {
    .read_with_attrs = debug_read,
    .write_with_attrs = debug_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.min_access_size = 4,
    .impl.max_access_size = 4,
};

static hwaddr block_of(unsigned cpu)
{
    return FRAMES_BASE + (hwaddr)cpu * FRAMES_STRIDE;
}

static void map(ARMCPU *cpu, const MemoryRegionOps *ops, const char *name,
                hwaddr offset)
{
    MemoryRegion *frame = g_new0(MemoryRegion, 1);

    memory_region_init_io(frame, OBJECT(cpu), ops, cpu, name, FRAME_SIZE);
    memory_region_add_subregion(get_system_memory(),
                                block_of(CPU(cpu)->cpu_index) + offset, frame);
}

static bool check(ARMCPU *cpu, Error **errp)
{
    const char *lie = cpu->pmss.frame_lie, *layout = cpu->pmss.frame;
    static const char *const known[] = {
        "affinity", "arch", "class", "part", "type", NULL,
    };

    if (lie && !g_strv_contains(known, lie)) {
        error_setg(errp, "pmu-frame-lie=%s: affinity, arch, class, part or type",
                   lie);
    } else if (!layout) {
        const char *unused = lie ? "pmu-frame-lie" : cpu->pmss.dlk ? "dlk=on" :
                             cpu->pmss.pcsr ? "pcsr" :
                             cpu->pmss.nid ? NULL : "nid=off";

        if (unused) {
            error_setg(errp, "%s needs pmu-frame", unused);
        }
        return !unused;
    } else if (strcmp(layout, "arch") && !has_arm_layout(cpu)) {
        error_setg(errp, "pmu-frame=%s: arch, arm or off", layout);
    } else if (has_arm_layout(cpu) == cpu->pmss.enabled) {
        error_setg(errp, "pmu-frame=%s needs pmss=%s", layout,
                   cpu->pmss.enabled ? "off" : "on");
    } else if (CPU(cpu)->cpu_index >= FRAMES_MAX) {
        error_setg(errp, "pmu-frame: up to %d CPUs", FRAMES_MAX);
    } else {
        return frame_pc_realize(cpu, has_arm_layout(cpu), errp);
    }
    return false;
}

bool frame_realize(ARMCPU *cpu, Error **errp)
{
    if (!g_strcmp0(cpu->pmss.frame, "off")) {
        g_clear_pointer(&cpu->pmss.frame, g_free);
    }
    if (!check(cpu, errp)) {
        return false;
    }
    if (cpu->pmss.frame) {
        map(cpu, &debug_ops, "debug-frame", DEBUG_OFFSET);
        map(cpu, has_arm_layout(cpu) ? &frame_arm_ops : &frame_arch_ops,
            "pmu-frame", PMU_OFFSET);
    }
    return true;
}

static void describe(void *fdt, const char *name, hwaddr address, unsigned n)
{
    g_autofree char *cpu = g_strdup_printf("/cpus/cpu@%u", n);

    qemu_fdt_add_subnode(fdt, name);
    qemu_fdt_setprop_sized_cells(fdt, name, "reg", 2, address, 2, FRAME_SIZE);
    qemu_fdt_setprop_cell(fdt, name, "cpu", qemu_fdt_get_phandle(fdt, cpu));
}

void frame_describe(void *fdt, unsigned cpus, uint32_t clock)
{
    for (unsigned i = 0; i < cpus; i++) {
        hwaddr debug = block_of(i) + DEBUG_OFFSET, pmu = block_of(i) + PMU_OFFSET;
        g_autofree char *debug_node = g_strdup_printf("/debug@%" PRIx64, debug);
        g_autofree char *pmu_node = g_strdup_printf("/pmu-frame@%" PRIx64, pmu);
        static const char compatible[] = "arm,coresight-cpu-debug\0arm,primecell";

        if (!ARM_CPU(qemu_get_cpu(i))->pmss.frame) {
            continue;
        }
        describe(fdt, debug_node, debug, i);
        qemu_fdt_setprop(fdt, debug_node, "compatible", compatible,
                         sizeof(compatible));
        qemu_fdt_setprop_cell(fdt, debug_node, "clocks", clock);
        qemu_fdt_setprop_string(fdt, debug_node, "clock-names", "apb_pclk");
        describe(fdt, pmu_node, pmu, i);
        qemu_fdt_setprop_string(fdt, pmu_node, "compatible", "pmscope,pmu-frame");
        qemu_fdt_setprop_cell(fdt, pmu_node, "clocks", clock);
        qemu_fdt_setprop_string(fdt, pmu_node, "clock-names", "apb_pclk");
    }
}
