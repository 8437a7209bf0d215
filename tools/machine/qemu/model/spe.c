/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_SPE: CPU properties, PMBIRQ, reset and migration.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "qapi/error.h"
#include "cpregs.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "internals.h"
#include "migration/vmstate.h"
#include "spe.h"

#define PMSVER_V1P2 3

static const Property spe_properties[] = {
    DEFINE_PROP_BOOL("spe", ARMCPU, spe.enabled, true),
    DEFINE_PROP_UINT64("spe-seed", ARMCPU, spe.seed, 1),
    DEFINE_PROP_BOOL("spe-ernd", ARMCPU, spe.ernd, false),
    DEFINE_PROP_UINT16("spe-maxsize", ARMCPU, spe.max_size, 64),
    DEFINE_PROP_UINT16("spe-align", ARMCPU, spe.align, 64),
    DEFINE_PROP_UINT8("spe-countsize", ARMCPU, spe.count_bits, 12),
    DEFINE_PROP_UINT64("spe-fault-at", ARMCPU, spe.fault_at, 0),
    DEFINE_PROP_UINT8("spe-fault-fsc", ARMCPU, spe.fault_fsc, 0x07),
    DEFINE_PROP_BOOL("spe-fault-dl", ARMCPU, spe.fault_dl, false),
    DEFINE_PROP_UINT64("spe-abort-at", ARMCPU, spe.abort_at, 0),
    DEFINE_PROP_UINT64("spe-collide-every", ARMCPU, spe.collide_every, 0),
    DEFINE_PROP_UINT64("spe-spurious-every", ARMCPU, spe.spurious_every, 0),
};

void spe_add_properties(ARMCPU *cpu)
{
    for (int i = 0; i < ARRAY_SIZE(spe_properties); i++) {
        qdev_property_add_static(DEVICE(cpu), &spe_properties[i]);
    }
}

static bool check_power_of_2(const char *property, unsigned value,
                             unsigned min, Error **errp)
{
    if (!is_power_of_2(value) || value < min || value > 2048) {
        error_setg(errp, "%s=%u: a power of 2 from %u to 2048 is needed",
                   property, value, min);
        return false;
    }
    return true;
}

static bool check_properties(const SPEConfig *cfg, Error **errp)
{
    if (cfg->count_bits != 12 && cfg->count_bits != 16) {
        error_setg(errp, "spe-countsize=%u: 12 or 16 is needed",
                   cfg->count_bits);
        return false;
    }
    if (cfg->fault_fsc > 0x3f) {
        error_setg(errp, "spe-fault-fsc=%u: the field has 6 bits",
                   cfg->fault_fsc);
        return false;
    }
    if (!check_power_of_2("spe-maxsize", cfg->max_size, SPE_RECORD_MAX,
                          errp) ||
        !check_power_of_2("spe-align", cfg->align, 1, errp)) {
        return false;
    }
    if (cfg->align > cfg->max_size) {
        error_setg(errp, "spe-align=%u is larger than spe-maxsize=%u",
                   cfg->align, cfg->max_size);
        return false;
    }
    return true;
}

static const VMStateDescription vmstate_queued_record = {
    .name = "cpu/spe/record",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(size, SPEQueuedRecord),
        VMSTATE_UINT8_ARRAY(data, SPEQueuedRecord, SPE_RECORD_MAX),
        VMSTATE_END_OF_LIST()
    }
};

/* A sample in flight becomes a record, and writes are completed. */
static int spe_pre_save(void *opaque)
{
    CPUARMState *env = &ARM_CPU(opaque)->env;

    spe_sync(env);
    spe_finish_sample(env);
    spe_complete_writes(env);
    return 0;
}

static int spe_post_load(void *opaque, int version_id)
{
    CPUARMState *env = &ARM_CPU(opaque)->env;

    spe_schedule(env);
    spe_update_irq(env);
    return 0;
}

/* The System registers migrate with those of the CPU. */
static const VMStateDescription vmstate_spe = {
    .name = "cpu/spe",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = spe_pre_save,
    .post_load = spe_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(env.spe.reload, ARMCPU),
        VMSTATE_BOOL(env.spe.spurious, ARMCPU),
        VMSTATE_UINT64(env.spe.random, ARMCPU),
        VMSTATE_UINT64(env.spe.operations, ARMCPU),
        VMSTATE_UINT64_ARRAY(env.spe.event_count, ARMCPU, 4),
        VMSTATE_UINT64(env.spe.records, ARMCPU),
        VMSTATE_UINT64(env.spe.samples, ARMCPU),
        VMSTATE_UINT32(env.spe.queued, ARMCPU),
        VMSTATE_STRUCT_ARRAY(env.spe.queue, ARMCPU, SPE_QUEUE, 1,
                             vmstate_queued_record, SPEQueuedRecord),
        VMSTATE_END_OF_LIST()
    }
};

void spe_reset(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMCPU *cpu = env_archcpu(env);
    uint64_t number = CPU(cpu)->cpu_index + 1;

    env->spe.pmsicr = 0;
    env->spe.random = (cpu->spe.seed + 1) * (number * 0x9e3779b97f4a7c15ull);
    if (env->spe.random == 0) {
        env->spe.random = 1;
    }
    env->spe.parked = true;
    cpu->spe.core->miss_ready = 0;
}

bool spe_realize(ARMCPU *cpu, Error **errp)
{
    SPEConfig *cfg = &cpu->spe;

    if (!cfg->enabled) {
        return true;
    }
    if (!check_properties(cfg, errp)) {
        return false;
    }
    cpu->isar.id_aa64dfr0 = FIELD_DP64(cpu->isar.id_aa64dfr0, ID_AA64DFR0,
                                       PMSVER, PMSVER_V1P2);
    cfg->core = g_new0(SPECore, 1);
    cfg->core->memory = spe_memory_new(&cpu->env);
    cfg->core->predictor = spe_predictor_new();
    qdev_init_gpio_out_named(DEVICE(cpu), &cfg->irq, "spe-interrupt", 1);
    spe_define_regs(cpu);
    spe_init_sample(cpu);
    vmstate_register(NULL, CPU(cpu)->cpu_index, &vmstate_spe, cpu);
    return true;
}
