/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qapi/util.h"
#include "pmscope.h"
#include "pmss.h"
#include "pmss_firmware.h"
#include "spe.h"

#define PMSSE_NOT_GIVEN 0xff

static const PMScopeProperty firmware_properties[] = {
    { DEFINE_PROP_UINT8("pmsse-el3", ARMCPU, pmss.pmsse_el3, 1),
      "MDCR_EL3.PMSSE, 0 to 3" },
    { DEFINE_PROP_UINT8("pmsse-el2", ARMCPU, pmss.pmsse_el2,
                        PMSSE_NOT_GIVEN),
      "MDCR_EL2.PMSSE after reset, 0 to 3; without EL2 in the CPU, what a "
      "hypervisor holds" },
    { DEFINE_PROP_UINT8("nspb", ARMCPU, pmss.nspb, 3),
      "MDCR_EL3.NSPB, 0 to 3" },
    { DEFINE_PROP_BOOL("enpmss", ARMCPU, pmss.enpmss, true),
      "MDCR_EL3.EnPMSS; off traps PMSSCR_EL1 and the saved values" },
    { DEFINE_PROP_BOOL("enpm2", ARMCPU, pmss.enpm2, true),
      "MDCR_EL3.EnPM2; off traps PMECR_EL1, PMUACR_EL1 and PMICNTR_EL0" },
    { DEFINE_PROP_BOOL("fgten2", ARMCPU, pmss.fgten2, true),
      "SCR_EL3.FGTEn2; off traps the FEAT_FGT2 registers" },
    { DEFINE_PROP_STRING("smccc-feat", ARMCPU, pmss.smccc_feat),
      "firmware answers SMCCC_ARCH_FEATURE_AVAILABILITY: on (default), off, "
      "or tfa, 0 for EnPMSN, EnPMS3, EnPMS4, EnPMSS and PMSSE whatever they "
      "are" },
};

void pmscope_add_firmware_properties(ARMCPU *cpu)
{
    pmscope_add_property_list(cpu, firmware_properties,
                              ARRAY_SIZE(firmware_properties));
}

static bool check_field(const char *property, const char *field,
                        unsigned value, Error **errp)
{
    return pmscope_check(errp, value <= 3, "%s=%u: %s takes 0 to 3", property,
                         value, field);
}

static bool parse_smccc_feat(PMSSConfig *cfg, Error **errp)
{
    bool on;

    if (!cfg->smccc_feat) {
        cfg->smccc_answer = SMCCC_FEAT_ON;
    } else if (!strcmp(cfg->smccc_feat, "tfa")) {
        cfg->smccc_answer = SMCCC_FEAT_TFA;
    } else if (qapi_bool_parse("smccc-feat", cfg->smccc_feat, &on, NULL)) {
        cfg->smccc_answer = on ? SMCCC_FEAT_ON : SMCCC_FEAT_OFF;
    } else {
        error_setg(errp, "smccc-feat=%s: on, off or tfa", cfg->smccc_feat);
        return false;
    }
    return true;
}

bool pmscope_realize_firmware(ARMCPU *cpu, Error **errp)
{
    PMSSConfig *cfg = &cpu->pmss;

    if (!check_field("pmsse-el3", "MDCR_EL3.PMSSE", cfg->pmsse_el3, errp) ||
        !check_field("nspb", "MDCR_EL3.NSPB", cfg->nspb, errp) ||
        !parse_smccc_feat(cfg, errp)) {
        return false;
    }
    return cfg->pmsse_el2 == PMSSE_NOT_GIVEN ||
           check_field("pmsse-el2", "MDCR_EL2.PMSSE", cfg->pmsse_el2, errp);
}

static uint64_t firmware_mdcr_el3(const ARMCPU *cpu)
{
    const PMSSConfig *cfg = &cpu->pmss;
    uint64_t mdcr = spe_firmware_mdcr_el3(cpu);

    mdcr = FIELD_DP64(mdcr, PMSS_MDCR_EL3, PMSSE, cfg->pmsse_el3);
    mdcr = FIELD_DP64(mdcr, PMSS_MDCR_EL3, NSPB, cfg->nspb);
    mdcr = FIELD_DP64(mdcr, PMSS_MDCR_EL3, EnPMSS, cfg->enpmss);
    mdcr = FIELD_DP64(mdcr, PMSS_MDCR_EL3, EnPM2, cfg->enpm2);
    mdcr = FIELD_DP64(mdcr, PMSS_MDCR_EL3, EnPMSN, 1);
    mdcr = FIELD_DP64(mdcr, PMSS_MDCR_EL3, EnPMS3, 1);
    mdcr = FIELD_DP64(mdcr, PMSS_MDCR_EL3, EnPMS4, 1);
    return mdcr;
}

uint64_t pmscope_mdcr_el3(CPUARMState *env)
{
    if (arm_feature(env, ARM_FEATURE_EL3)) {
        return env->cp15.mdcr_el3;
    }
    return firmware_mdcr_el3(env_archcpu(env));
}

uint64_t pmscope_scr_el3(CPUARMState *env)
{
    if (arm_feature(env, ARM_FEATURE_EL3)) {
        return env->cp15.scr_el3;
    }
    return SCR_FGTEN | (env_archcpu(env)->pmss.fgten2 ? SCR_FGTEN2 : 0);
}

void pmscope_reset_mdcr_el3(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMCPU *cpu = env_archcpu(env);
    bool modelled = cpu->pmss.enabled || cpu->spe.enabled;

    env->cp15.mdcr_el3 = modelled ? firmware_mdcr_el3(cpu) : 0;
}

uint64_t pmscope_mdcr_el2_reset(ARMCPU *cpu)
{
    if (!cpu->pmss.enabled || cpu->pmss.pmsse_el2 == PMSSE_NOT_GIVEN) {
        return 0;
    }
    return FIELD_DP64(0, PMSS_MDCR_EL2, PMSSE, cpu->pmss.pmsse_el2);
}

bool pmscope_mdcr_el2_pmsse(CPUARMState *env, unsigned *pmsse)
{
    ARMCPU *cpu = env_archcpu(env);

    if (arm_feature(env, ARM_FEATURE_EL2)) {
        /* HDCR, of an AArch32 EL2, has no such field: disabled. */
        *pmsse = arm_el_is_aa64(env, 2) ?
            FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, PMSSE) : 0;
        return true;
    }
    *pmsse = cpu->pmss.pmsse_el2;
    return cpu->pmss.pmsse_el2 != PMSSE_NOT_GIVEN;
}

CPAccessResult pmscope_trap_el3(CPUARMState *env)
{
    return arm_feature(env, ARM_FEATURE_EL3) ? CP_ACCESS_TRAP_EL3
                                             : CP_ACCESS_UNDEFINED;
}
