/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FEAT_SPE: CPU properties, PMBIRQ, reset and migration. */
#include "qemu/osdep.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "pmscope.h"
#include "system/runstate.h"
#include "ooo.h"
#include "spe.h"

#define NEWEST_VERSION 5

FIELD(ID_AA64DFR2, SPE_EXC, 16, 4)
FIELD(ID_AA64DFR2, SPE_NVM, 20, 4)

static const PMScopeProperty spe_properties[] = {
    { DEFINE_PROP_BOOL("spe", ARMCPU, spe.enabled, true),
      "FEAT_SPE" },
    { DEFINE_PROP_UINT8("spe-version", ARMCPU, spe.version, 2),
      "N of FEAT_SPEv1pN, 0 to 5" },
    { DEFINE_PROP_BOOL("spe-nvm", ARMCPU, spe.nvm, true),
      "FEAT_SPE_nVM: PMBLIMITR_EL1.nVM and PMBMAR_EL1" },
    { DEFINE_PROP_BOOL("spe-exc", ARMCPU, spe.exc, false),
      "FEAT_SPE_EXC: PMBSR_EL2 and PMBSR_EL3, without the exception" },
    { DEFINE_PROP_BOOL("spe-ernd", ARMCPU, spe.ernd, false),
      "FEAT_SPE_ERnd: PMSICR_EL1.ECOUNT" },
    { DEFINE_PROP_BOOL("spe-eft", ARMCPU, spe.eft, false),
      "FEAT_SPE_EFT: FP, SIMD and masks in the filter by type" },
    { DEFINE_PROP_BOOL("spe-fds", ARMCPU, spe.fds, false),
      "FEAT_SPE_FDS: the filter by data source; needs spe-version=4" },
    { DEFINE_PROP_BOOL("spe-pbt", ARMCPU, spe.pbt, false),
      "FEAT_SPE_PBT: branches tell the branch target before" },
    { DEFINE_PROP_BOOL("spe-crr", ARMCPU, spe.crr, false),
      "FEAT_SPE_CRR: branches tell calls and returns" },
    { DEFINE_PROP_UINT16("spe-maxsize", ARMCPU, spe.max_size, 64),
      "PMSIDR_EL1.MaxSize in bytes, a power of 2 from 64 to 2048" },
    { DEFINE_PROP_UINT16("spe-align", ARMCPU, spe.align, 64),
      "PMBIDR_EL1.Align in bytes, a power of 2 from 1 to spe-maxsize" },
    { DEFINE_PROP_UINT8("spe-countsize", ARMCPU, spe.count_bits, 12),
      "bits of a latency, 12 or 16: PMSIDR_EL1.CountSize" },
    { DEFINE_PROP_BOOL("spe-forms", ARMCPU, spe.forms, false),
      "packets have each size and header that the format permits, at random; an "
      "IMPLEMENTATION DEFINED counter, and padding between packets" },
    { DEFINE_PROP_BOOL("spe-nodes", ARMCPU, spe.nodes, false),
      "pairs of CPUs share a cache, and memory belongs to the first or second pair, "
      "by turns of 2 MiB: sources in the cluster, in another, and remote" },
    { DEFINE_PROP_UINT16("spe-device-cycles", ARMCPU, spe.device_cycles, 250),
      "cycles of an access to a device" },
    { DEFINE_PROP_UINT16("spe-interval", ARMCPU, spe.interval, 256),
      "PMSIDR_EL1.Interval: 256, 512, 768, 1024, 1536, 2048, 3072, 4096" },
    { DEFINE_PROP_UINT64("spe-seed", ARMCPU, spe.seed, 1),
      "seed of the random intervals and choices" },
    { DEFINE_PROP_UINT64("spe-fault-at", ARMCPU, spe.fault_at, 0),
      "an MMU fault at the Nth record written since reset, or 0" },
    { DEFINE_PROP_UINT64("spe-fault-every", ARMCPU, spe.fault_every, 0),
      "an MMU fault at each Nth record, or 0" },
    { DEFINE_PROP_UINT8("spe-fault-fsc", ARMCPU, spe.fault_fsc, 0x07),
      "the fault status code of these, 0 to 63" },
    { DEFINE_PROP_UINT64("spe-abort-at", ARMCPU, spe.abort_at, 0),
      "an External abort at the Nth record written since reset, or 0" },
    { DEFINE_PROP_UINT64("spe-abort-every", ARMCPU, spe.abort_every, 0),
      "an External abort at each Nth record, or 0" },
    { DEFINE_PROP_BOOL("spe-abort-quiet", ARMCPU, spe.abort_quiet, false),
      "these aborts set PMBSR_EL1.EA without a management event, and their "
      "record is lost" },
    { DEFINE_PROP_BOOL("spe-late", ARMCPU, spe.late, false),
      "PMBSR_EL1 reads as before an event until a PSB CSYNC and then a context "
      "synchronization event" },
    { DEFINE_PROP_BOOL("spe-fault-dl", ARMCPU, spe.fault_dl, false),
      "faults and aborts come after part of the record, with DL" },
    { DEFINE_PROP_UINT64("spe-collide-every", ARMCPU, spe.collide_every, 0),
      "every Nth selected operation collides (0: none)" },
    { DEFINE_PROP_UINT16("spe-skid", ARMCPU, spe.skid, 0),
      "the PC of a record is that of so many instructions later" },
    { DEFINE_PROP_UINT16("spe-bias", ARMCPU, spe.bias, 0),
      "an instruction at a multiple of N words is not sampled, but the next one "
      "is, or 0" },
    { DEFINE_PROP_BOOL("spe-source-off", ARMCPU, spe.source_off, false),
      "data sources are off by one" },
    { DEFINE_PROP_UINT64("spe-spurious-every", ARMCPU, spe.spurious_every, 0),
      "PMBIRQ without an event after every Nth record (0: never)" },
};

void spe_add_properties(ARMCPU *cpu)
{
    pmscope_add_property_list(cpu, spe_properties,
                              ARRAY_SIZE(spe_properties));
    ooo_add_properties(cpu);
}

/* A property that would do nothing is an error. */
static bool check_defaults(ARMCPU *cpu, Error **errp)
{
    for (int i = 1; i < ARRAY_SIZE(spe_properties); i++) {
        const Property *p = &spe_properties[i].property;
        uint64_t value = p->info == &qdev_prop_bool ?
            object_property_get_bool(OBJECT(cpu), p->name, &error_abort) :
            object_property_get_uint(OBJECT(cpu), p->name, &error_abort);

        if (!pmscope_check(errp, value == p->defval.u, "%s needs spe=on",
                           p->name)) {
            return false;
        }
    }
    return true;
}

static bool check_power_of_2(const char *property, unsigned value,
                             unsigned min, Error **errp)
{
    return pmscope_check(errp, is_power_of_2(value) && value >= min &&
                         value <= 2048,
                         "%s=%u: a power of 2 from %u to 2048 is needed",
                         property, value, min);
}

static bool check_features(const SPEConfig *cfg, Error **errp)
{
    return pmscope_check(errp, cfg->version <= NEWEST_VERSION,
                         "spe-version=%u: FEAT_SPEv1p0 to v1p%u are known",
                         cfg->version, NEWEST_VERSION) &&
           pmscope_check(errp, !cfg->fds || cfg->version >= 4,
                         "spe-fds=on needs spe-version=4") &&
           pmscope_check(errp, cfg->count_bits == 12 || cfg->count_bits == 16,
                         "spe-countsize=%u: 12 or 16 is needed",
                         cfg->count_bits) &&
           pmscope_check(errp, spe_interval_code(cfg->interval) >= 0,
                         "spe-interval=%u: 256, 512, 768, 1024, 1536, 2048, "
                         "3072 or 4096 is needed", cfg->interval) &&
           check_power_of_2("spe-maxsize", cfg->max_size, SPE_RECORD_MAX,
                            errp) &&
           check_power_of_2("spe-align", cfg->align, 1, errp) &&
           pmscope_check(errp, cfg->align <= cfg->max_size,
                         "spe-align=%u is larger than spe-maxsize=%u",
                         cfg->align, cfg->max_size);
}

static bool check_faults(const SPEConfig *cfg, Error **errp)
{
    bool aborts = cfg->abort_at || cfg->abort_every;

    return pmscope_check(errp, cfg->fault_fsc <= 0x3f,
                         "spe-fault-fsc=%u: 0 to 63, the field has 6 bits",
                         cfg->fault_fsc) &&
           pmscope_check(errp, !cfg->fault_dl || cfg->fault_at ||
                         cfg->fault_every || aborts,
                         "spe-fault-dl=on needs a fault or an abort: "
                         "spe-fault-at, spe-fault-every, spe-abort-at or "
                         "spe-abort-every") &&
           pmscope_check(errp, !cfg->abort_quiet ||
                         (aborts && !cfg->fault_dl),
                         "spe-abort-quiet=on needs spe-abort-at or "
                         "spe-abort-every, and no spe-fault-dl=on") &&
           pmscope_check(errp, !cfg->fault_at ||
                         cfg->fault_at != cfg->abort_at,
                         "spe-fault-at and spe-abort-at are the same record");
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

/*
 * A sample in flight becomes a record, and writes are completed. When the
 * state is saved it is too late for that: memory went before.
 */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
    CPUARMState *env = &ARM_CPU(opaque)->env;

    if (!running) {
        spe_sync(env);
        spe_finish_sample(env);
        spe_complete_writes(env);
        spe_schedule(env);
    }
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
    .post_load = spe_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(env.spe.reload, ARMCPU),
        VMSTATE_BOOL(env.spe.spurious, ARMCPU),
        VMSTATE_BOOL(env.spe.moved, ARMCPU),
        VMSTATE_UINT64(env.spe.random, ARMCPU),
        VMSTATE_UINT64(env.spe.records, ARMCPU),
        VMSTATE_UINT64(env.spe.samples, ARMCPU),
        VMSTATE_UINT32(env.spe.queued, ARMCPU),
        VMSTATE_STRUCT_ARRAY(env.spe.queue, ARMCPU, SPE_QUEUE, 1,
                             vmstate_queued_record, SPEQueuedRecord),
        VMSTATE_END_OF_LIST()
    }
};

void spe_reset(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    uint64_t number = CPU(cpu)->cpu_index + 1;

    env->spe.random = (cpu->spe.seed + 1) * (number * 0x9e3779b97f4a7c15ull);
    if (env->spe.random == 0) {
        env->spe.random = 1;
    }
    env->spe.parked = true;
    cpu->spe.core->miss_ready = 0;
}

uint64_t spe_id_aa64dfr2(const ARMCPU *cpu)
{
    uint64_t value = 0;

    if (cpu->spe.enabled) {
        value = FIELD_DP64(value, ID_AA64DFR2, SPE_EXC, cpu->spe.exc);
        value = FIELD_DP64(value, ID_AA64DFR2, SPE_NVM, cpu->spe.nvm);
    }
    return value;
}

bool spe_realize(ARMCPU *cpu, Error **errp)
{
    SPEConfig *cfg = &cpu->spe;

    if (!cfg->enabled) {
        return check_defaults(cpu, errp) && ooo_realize(cpu, errp);
    }
    if (!check_features(cfg, errp) || !check_faults(cfg, errp)) {
        return false;
    }
    cpu->isar.id_aa64dfr0 = FIELD_DP64(cpu->isar.id_aa64dfr0, ID_AA64DFR0,
                                       PMSVER, cfg->version + 1);
    cfg->core = g_new0(SPECore, 1);
    cfg->core->memory = spe_memory_new(&cpu->env);
    if (!ooo_realize(cpu, errp)) {
        return false;
    }
    qdev_init_gpio_out_named(DEVICE(cpu), &cfg->irq, "spe-interrupt", 1);
    spe_define_regs(cpu);
    spe_init_sample(cpu);
    qemu_add_vm_change_state_handler(vm_state_changed, cpu);
    vmstate_register(NULL, CPU(cpu)->cpu_index, &vmstate_spe, cpu);
    return true;
}
