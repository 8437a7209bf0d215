/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FEAT_SPE and FEAT_PMUv3_SS on QEMU's AArch64 CPUs. */
#include "qemu/osdep.h"
#include "migration/vmstate.h"
#include "system/tcg.h"
#include "frame.h"
#include "icache.h"
#include "kinds.h"
#include "pmscope.h"
#include "pmss.h"
#include "spe.h"
#include "sync.h"

static bool pmscope_applies(ARMCPU *cpu)
{
    return tcg_enabled() && arm_feature(&cpu->env, ARM_FEATURE_AARCH64);
}

void pmscope_add_property_list(ARMCPU *cpu, const PMScopeProperty *list,
                               unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const Property *property = &list[i].property;

        qdev_property_add_static(DEVICE(cpu), property);
        object_property_set_description(OBJECT(cpu), property->name,
                                        list[i].meaning);
    }
}

void pmscope_add_properties(ARMCPU *cpu)
{
    if (pmscope_applies(cpu)) {
        spe_add_properties(cpu);
        pmss_add_properties(cpu);
        power_add_properties(cpu);
        kinds_add_properties(cpu);
        sync_add_properties(cpu);
    }
}

/* Before the registers of the CPU: its counters are set anew against these. */
static const VMStateDescription vmstate_counts = {
    .name = "cpu/pmscope-counts",
    .version_id = 1,
    .minimum_version_id = 1,
    .priority = MIG_PRI_IOMMU,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(env.pmss.snapshot_events, ARMCPU),
        VMSTATE_UINT64(env.spe.operations, ARMCPU),
        VMSTATE_UINT64_ARRAY(env.spe.event_count, ARMCPU, 4),
        VMSTATE_UINT64_ARRAY(env.pmss.tally, ARMCPU, PMSS_TALLIES),
        VMSTATE_UINT64(sync.random, ARMCPU),
        VMSTATE_END_OF_LIST()
    }
};

bool pmscope_realize(ARMCPU *cpu, Error **errp)
{
    if (!pmscope_applies(cpu)) {
        return true;
    }
    icache_realize(cpu);
    if (!sync_check_properties(cpu, errp) || !spe_realize(cpu, errp) ||
        !pmss_realize(cpu, errp) || !power_realize(cpu, errp)) {
        return false;
    }
    sync_realize(cpu);
    vmstate_register(NULL, CPU(cpu)->cpu_index, &vmstate_counts, cpu);
    return true;
}

void pmscope_reset(ARMCPU *cpu)
{
    if (pmscope_applies(cpu) && cpu->pmss.enabled) {
        pmss_reset(cpu);
    }
    power_reset(cpu);
    frame_reset(cpu);
    spe_update_irq(&cpu->env);
}
