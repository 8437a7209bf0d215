/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "frame.h"
#include "pmscope.h"
#include "pmss.h"
#include "pmss_firmware.h"
#include "sync.h"

FIELD(ID_AA64DFR1, PMICNTR, 36, 4)
FIELD(ID_AA64DFR1, DPFZS, 52, 4)

/* As many as the CPU type has; none is reserved for an external agent. */
#define NOT_GIVEN 0xff

static const PMScopeProperty pmss_properties[] = {
    { DEFINE_PROP_ON_OFF_AUTO("pmss", ARMCPU, pmss.pmss, ON_OFF_AUTO_AUTO),
      "FEAT_PMUv3_SS and FEAT_PMUv3p9; auto is on where the CPU has "
      "FEAT_PMUv3p5" },
    { DEFINE_PROP_ON_OFF_AUTO("icntr", ARMCPU, pmss.icntr, ON_OFF_AUTO_AUTO),
      "FEAT_PMUv3_ICNTR: PMICNTR_EL0; auto is as pmss" },
    { DEFINE_PROP_BOOL("dpfzs", ARMCPU, pmss.dpfzs, false),
      "FEAT_SPE_DPFZS: PMCR_EL0.FZS and DP freeze the cycle counter too" },
    { DEFINE_PROP_UINT8("pmu-counters", ARMCPU, pmss.counters, NOT_GIVEN),
      "number of event counters, 0 to 31" },
    { DEFINE_PROP_UINT8("epmn", ARMCPU, pmss.epmn, NOT_GIVEN),
      "FEAT_PMUv3_EXTPMN: PMCCR.EPMN, the event counters that are not the "
      "external agent's, 0 to the number of event counters" },
    { DEFINE_PROP_BOOL("epme", ARMCPU, pmss.epme, false),
      "PMCCR.EPME: the external agent's counters are enabled" },
    { DEFINE_PROP_UINT8("slots", ARMCPU, pmss.slots, 0),
      "PMMIR_EL1.SLOTS, and with it the events of slots and of branches, or 0" },
    { DEFINE_PROP_ON_OFF_AUTO("more-events", ARMCPU, pmss.more,
                              ON_OFF_AUTO_AUTO),
      "events of loads, stores, caches, TLBs, branches and exceptions; auto is on "
      "with event-fault" },
    { DEFINE_PROP_STRING("event-fault", ARMCPU, pmss.event_fault),
      "EVENT:FAULT, with + between several: these events count wrongly; faults are "
      "dead, doubled, halved, speculative, unfiltered, silent" },
    { DEFINE_PROP_BOOL("own-cycles", ARMCPU, pmss.own_cycles, false),
      "the cycles of a CPU are its own instructions, also with icount and several "
      "CPUs, which share the clock" },
    { DEFINE_PROP_STRING("pmu-frame", ARMCPU, pmss.frame),
      "debug and PMU frame in memory: arch, with the registers of FEAT_PMUv3_SS, "
      "arm, with those of Arm's own cores before it (pmss=off), or off" },
    { DEFINE_PROP_STRING("pmu-frame-lie", ARMCPU, pmss.frame_lie),
      "what the PMU frame says wrongly of itself: affinity, arch, class, part or "
      "type" },
    { DEFINE_PROP_STRING("pcsr", ARMCPU, pmss.pcsr),
      "FEAT_PCSR of the frames: v8 (EDPCSR), v8p2 (PMPCSR), v8p9 (PMPCSR at "
      "captures; with pmu-frame=arch), or off" },
    { DEFINE_PROP_BOOL("nid", ARMCPU, pmss.nid, true),
      "the authentication interface allows Non-invasive debug (NIDEN)" },
    { DEFINE_PROP_BOOL("dlk", ARMCPU, pmss.dlk, false),
      "the OS Double Lock is locked: the PMU frame answers with an abort" },
    { DEFINE_PROP_UINT64("pmss-latency", ARMCPU, pmss.latency_ns, 0),
      "a capture completes so many ns (with icount: instructions) after its "
      "request, 0 to a day" },
    { DEFINE_PROP_BOOL("pmss-stuck", ARMCPU, pmss.stuck, false),
      "a capture never completes" },
    { DEFINE_PROP_UINT64("pmss-stuck-after", ARMCPU, pmss.stuck_after, 0),
      "no capture completes after so many since the reset of the CPU, or 0" },
    { DEFINE_PROP_UINT64("pmss-lapse", ARMCPU, pmss.lapse, 0),
      "after so many allowed requests of the CPU captures are disabled for as "
      "many, again and again, or 0" },
    { DEFINE_PROP_BOOL("pmss-nc-ro", ARMCPU, pmss.nc_ro, false),
      "software cannot write PMSSCR_EL1.NC" },
    { DEFINE_PROP_UINT64("pmss-external", ARMCPU, pmss.external_ns, 0),
      "an external agent requests a capture every so many ns, 100 to a day, "
      "or 0" },
    { DEFINE_PROP_UINT64("pmss-external-seed", ARMCPU, pmss.external_seed, 0),
      "not 0: it does so at random instants, so many ns apart on average" },
    { DEFINE_PROP_UINT64("pmss-external-at", ARMCPU, pmss.external_at, 0),
      "an external agent requests one capture so many ns after the start, up "
      "to a day, or 0" },
    { DEFINE_PROP_UINT64("unknown-at-reset", ARMCPU, pmss.unknown_seed, 0),
      "not 0: PMU and SPE registers that the architecture leaves UNKNOWN reset to "
      "values made from this number" },
};

void pmss_add_properties(ARMCPU *cpu)
{
    pmscope_add_property_list(cpu, pmss_properties,
                              ARRAY_SIZE(pmss_properties));
    pmscope_add_firmware_properties(cpu);
    pmss_add_request_property(cpu);
}

static void set_id_registers(ARMCPU *cpu)
{
    const PMSSConfig *cfg = &cpu->pmss;
    ARMISARegisters *isar = &cpu->isar;

    isar->id_aa64dfr0 = FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0, PMUVER, 9);
    isar->id_dfr0 = FIELD_DP32(isar->id_dfr0, ID_DFR0, PERFMON, 9);
    isar->id_aa64dfr0 = FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0, PMSS, 1);
    isar->id_aa64dfr1 = FIELD_DP64(isar->id_aa64dfr1, ID_AA64DFR1, PMICNTR,
                                   cfg->has_icntr);
    isar->id_aa64dfr1 = FIELD_DP64(isar->id_aa64dfr1, ID_AA64DFR1, DPFZS,
                                   cfg->dpfzs);
    isar->id_aa64mmfr0 = FIELD_DP64(isar->id_aa64mmfr0, ID_AA64MMFR0, FGT, 2);
    isar->reset_pmcr_el0 = deposit64(isar->reset_pmcr_el0, PMCRN_SHIFT, 5,
                                     cfg->counters);
}

/* Times are below a day, so that sums of them with the clock cannot wrap. */
#define LONGEST_NS (86400ULL * NANOSECONDS_PER_SECOND)

static bool check_time(const char *property, uint64_t ns, Error **errp)
{
    return pmscope_check(errp, ns <= LONGEST_NS,
                         "%s=%" PRIu64 ": at most %llu ns (a day)", property,
                         ns, LONGEST_NS);
}

static bool check_faults(const PMSSConfig *cfg, Error **errp)
{
    return check_time("pmss-latency", cfg->latency_ns, errp) &&
           check_time("pmss-external", cfg->external_ns, errp) &&
           check_time("pmss-external-at", cfg->external_at, errp) &&
           pmscope_check(errp, !cfg->external_ns || cfg->external_ns >= 100,
                         "pmss-external=%" PRIu64 ": at least 100 ns, or 0",
                         cfg->external_ns) &&
           pmscope_check(errp, !cfg->external_seed || cfg->external_ns,
                         "pmss-external-seed needs pmss-external") &&
           pmscope_check(errp, !cfg->stuck || !cfg->latency_ns,
                         "pmss-stuck=on and pmss-latency exclude each other");
}

/* A property that would do nothing is a mistake. */
static bool check_unused(const PMSSConfig *cfg, Error **errp)
{
    const char *unused =
        cfg->icntr == ON_OFF_AUTO_ON ? "icntr=on" :
        cfg->dpfzs ? "dpfzs=on" :
        cfg->counters != NOT_GIVEN ? "pmu-counters" :
        cfg->epmn != NOT_GIVEN ? "epmn" :
        cfg->slots ? "slots" :
        cfg->more == ON_OFF_AUTO_ON ? "more-events=on" :
        cfg->event_fault ? "event-fault" :
        cfg->latency_ns ? "pmss-latency" :
        cfg->stuck ? "pmss-stuck=on" :
        cfg->stuck_after ? "pmss-stuck-after" :
        cfg->lapse ? "pmss-lapse" :
        cfg->nc_ro ? "pmss-nc-ro=on" :
        cfg->external_ns ? "pmss-external" :
        cfg->external_at ? "pmss-external-at" :
        cfg->unknown_seed ? "unknown-at-reset" : NULL;

    return pmscope_check(errp, !unused, "%s needs pmss=on", unused);
}

static bool set_counters(ARMCPU *cpu, Error **errp)
{
    PMSSConfig *cfg = &cpu->pmss;

    if (cfg->counters == NOT_GIVEN) {
        cfg->counters = pmu_num_counters(&cpu->env);
    } else if (cfg->counters > PMSS_EVENT_COUNTERS) {
        error_setg(errp, "pmu-counters=%u: 0 to %u", cfg->counters,
                   PMSS_EVENT_COUNTERS);
        return false;
    }
    if (cfg->epmn == NOT_GIVEN) {
        if (cfg->epme) {
            error_setg(errp, "epme=on needs epmn");
            return false;
        }
        cfg->epmn = cfg->counters;
    } else if (cfg->epmn > cfg->counters) {
        error_setg(errp, "epmn=%u: there are %u event counters", cfg->epmn,
                   cfg->counters);
        return false;
    }
    cfg->pmccr = FIELD_DP32(0, PMCCR, EPMN, cfg->epmn);
    cfg->pmccr = FIELD_DP32(cfg->pmccr, PMCCR, EPME, cfg->epme);
    return true;
}

/* It extends FEAT_PMUv3p5: not with pmu=off, nor on an older type of CPU. */
static bool settle_features(ARMCPU *cpu, Error **errp)
{
    PMSSConfig *cfg = &cpu->pmss;
    bool possible = arm_feature(&cpu->env, ARM_FEATURE_PMU) &&
                    cpu_isar_feature(aa64_pmuv3p5, cpu);

    if (cfg->pmss == ON_OFF_AUTO_ON && !possible) {
        error_setg(errp, "pmss=on needs a CPU with FEAT_PMUv3p5, and pmu=on");
        return false;
    }
    cfg->enabled = cfg->pmss != ON_OFF_AUTO_OFF && possible;
    cfg->pmccr = FIELD_DP32(0, PMCCR, EPMN, pmu_num_counters(&cpu->env));
    cfg->has_icntr = cfg->icntr != ON_OFF_AUTO_OFF && cfg->enabled;
    if (cfg->enabled && cfg->dpfzs && !cpu->spe.enabled) {
        error_setg(errp, "dpfzs=on needs spe=on");
        return false;
    }
    return cfg->enabled || check_unused(cfg, errp);
}

bool pmss_realize(ARMCPU *cpu, Error **errp)
{
    if (!pmscope_realize_firmware(cpu, errp) ||
        !check_faults(&cpu->pmss, errp) || !settle_features(cpu, errp)) {
        return false;
    }
    if (cpu->pmss.enabled) {
        if (!set_counters(cpu, errp)) {
            return false;
        }
        set_id_registers(cpu);
        cpu->pmss.more_events = cpu->pmss.more == ON_OFF_AUTO_ON ||
            (cpu->pmss.more == ON_OFF_AUTO_AUTO && cpu->pmss.event_fault);
        if (cpu->pmss.more_events && !cpu->spe.enabled) {
            error_setg(errp, "more-events=on and event-fault need spe=on");
            return false;
        }
        pmss_announce_events(cpu);
        if (!pmss_realize_faults(cpu, errp)) {
            return false;
        }
        pmss_init_capture(cpu);
        pmss_register_vmstate(cpu);
    }
    return frame_realize(cpu, errp);
}

void pmss_define_regs(ARMCPU *cpu)
{
    if (cpu->pmss.enabled) {
        pmscope_define_fgt2_regs(cpu);
        pmss_define_pmu_regs(cpu);
        pmss_define_capture_regs(cpu);
    }
    sync_wrap_registers(cpu);
}
