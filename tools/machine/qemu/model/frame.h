/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory-mapped view of a CPU: its debug frame and its PMU frame, 64 KB
 * apart as in a v8 memory map, where others reach it.
 */
#ifndef TARGET_ARM_PMSCOPE_FRAME_H
#define TARGET_ARM_PMSCOPE_FRAME_H

#include "exec/memory.h"
#include "power.h"

typedef enum FrameKind {
    FRAME_DEBUG,
    FRAME_PMU,
} FrameKind;

extern const MemoryRegionOps frame_arch_ops;    /* pmss_frame.c */
extern const MemoryRegionOps frame_arm_ops;     /* frame_arm.c */

/* The Core power domain answers; under the OS Double Lock it does not. */
static inline bool frame_has_power(const ARMCPU *cpu)
{
    return power_is_on(cpu) && !cpu->pmss.dlk;
}

/* Is this one of the registers that identify a frame, of 32 bits each? */
static inline bool frame_is_id(hwaddr offset)
{
    return offset >= 0xfa8 || offset == 0xe00;
}

MemTxResult frame_read_id(ARMCPU *cpu, FrameKind kind, hwaddr offset,
                          uint64_t *data);

/* The software lock of frame_arm.c, locked by a reset. */
void frame_reset(ARMCPU *cpu);
void frame_unlock(ARMCPU *cpu, uint64_t key);

/* PC samples: frame_pc.c. */
void frame_pc_sample(ARMCPU *cpu, FramePC *to);
void frame_pc_at_capture(ARMCPU *cpu);
uint64_t frame_pc_control(ARMCPU *cpu);
void frame_pc_set_control(ARMCPU *cpu, uint64_t value);
bool frame_pc_is_register(hwaddr offset);
uint32_t frame_pc_read(ARMCPU *cpu, hwaddr offset);
uint64_t frame_pc_read64(ARMCPU *cpu, hwaddr offset);
bool frame_pc_debug_read(ARMCPU *cpu, hwaddr offset, uint64_t *data,
                         MemTxResult *result);
uint32_t frame_pc_id(const ARMCPU *cpu, FrameKind kind);
bool frame_pc_realize(ARMCPU *cpu, bool arm_layout, Error **errp);

bool frame_realize(ARMCPU *cpu, Error **errp);

/* Nodes of both in the device tree, whose CPU nodes are there. */
void frame_describe(void *fdt, unsigned cpus, uint32_t clock);

#endif
