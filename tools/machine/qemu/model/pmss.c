/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "cpu-features.h"
#include "hw/qdev-properties.h"
#include "qemu/timer.h"
#include "pmss.h"
#include "pmss_firmware.h"

FIELD(ID_AA64DFR1, PMICNTR, 36, 4)

static const Property pmss_properties[] = {
    DEFINE_PROP_BOOL("pmss", ARMCPU, pmss.enabled, true),
    DEFINE_PROP_BOOL("icntr", ARMCPU, pmss.icntr, true),
    DEFINE_PROP_UINT64("pmss-latency", ARMCPU, pmss.latency_ns, 0),
    DEFINE_PROP_BOOL("pmss-stuck", ARMCPU, pmss.stuck, false),
    DEFINE_PROP_UINT64("pmss-external", ARMCPU, pmss.external_ns, 0),
    DEFINE_PROP_UINT64("pmss-external-seed", ARMCPU, pmss.external_seed, 0),
};

void pmss_add_properties(ARMCPU *cpu)
{
    for (int i = 0; i < ARRAY_SIZE(pmss_properties); i++) {
        qdev_property_add_static(DEVICE(cpu), &pmss_properties[i]);
    }
    pmscope_add_firmware_properties(cpu);
}

static void set_id_registers(ARMCPU *cpu)
{
    ARMISARegisters *isar = &cpu->isar;

    isar->id_aa64dfr0 = FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0, PMUVER, 9);
    isar->id_dfr0 = FIELD_DP32(isar->id_dfr0, ID_DFR0, PERFMON, 9);
    isar->id_aa64dfr0 = FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0, PMSS, 1);
    isar->id_aa64dfr1 = FIELD_DP64(isar->id_aa64dfr1, ID_AA64DFR1, PMICNTR,
                                   cpu->pmss.icntr);
    isar->id_aa64mmfr0 = FIELD_DP64(isar->id_aa64mmfr0, ID_AA64MMFR0, FGT, 2);
}

/* Times are below a day, so that sums of them with the clock cannot wrap. */
#define LONGEST_NS (86400ULL * NANOSECONDS_PER_SECOND)

static bool check_faults(const PMSSConfig *cfg, Error **errp)
{
    if (cfg->latency_ns > LONGEST_NS) {
        error_setg(errp, "pmss-latency=%" PRIu64 ": at most %llu ns (a day)",
                   cfg->latency_ns, LONGEST_NS);
        return false;
    }
    if (cfg->external_ns &&
        (cfg->external_ns < 100 || cfg->external_ns > LONGEST_NS)) {
        error_setg(errp, "pmss-external=%" PRIu64 ": 100 to %llu ns, or 0",
                   cfg->external_ns, LONGEST_NS);
        return false;
    }
    if (cfg->external_seed && !cfg->external_ns) {
        error_setg(errp, "pmss-external-seed needs pmss-external");
        return false;
    }
    return true;
}

bool pmss_realize(ARMCPU *cpu, Error **errp)
{
    if (!pmscope_realize_firmware(cpu, errp) ||
        !check_faults(&cpu->pmss, errp)) {
        return false;
    }
    /* It extends FEAT_PMUv3p5: not with pmu=off, nor on an older CPU type. */
    if (!arm_feature(&cpu->env, ARM_FEATURE_PMU) ||
        !cpu_isar_feature(aa64_pmuv3p5, cpu)) {
        cpu->pmss.enabled = false;
    }
    if (cpu->pmss.enabled) {
        set_id_registers(cpu);
        pmss_announce_events(cpu);
        pmss_init_capture(cpu);
    }
    return true;
}

void pmss_define_regs(ARMCPU *cpu)
{
    if (cpu->pmss.enabled) {
        pmscope_define_fgt2_regs(cpu);
        pmss_define_pmu_regs(cpu);
        pmss_define_capture_regs(cpu);
    }
}
