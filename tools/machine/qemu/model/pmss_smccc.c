/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU's built-in firmware answers to SMC Calling Convention calls of
 * the Arm architecture range (Arm DEN0028, section 7).
 */
#include "qemu/osdep.h"
#include "pmss.h"
#include "pmss_firmware.h"
#include "sync.h"

#define PSCI_FEATURES                   0x8400000a
#define SMCCC_VERSION                   0x80000000
#define SMCCC_ARCH_FEATURES             0x80000001
#define SMCCC_ARCH_FEATURE_AVAILABILITY 0x80000003
#define SMCCC_64BIT                     0x40000000

#define SMCCC_VERSION_1_2               0x10002
#define SMCCC_VERSION_1_5               0x10005

#define SMCCC_SUCCESS                   0
#define SMCCC_NOT_SUPPORTED             (-1)
#define SMCCC_INVALID_PARAMETER         (-3)

/* The MRS encoding of a register, from op0 down to op2. */
#define SELECT_SCR_EL3                  0x1e1100
#define SELECT_CPTR_EL3                 0x1e1140
#define SELECT_MDCR_EL3                 0x1e1320

/*
 * One bit for each field that enables a feature, at the place of its lowest
 * bit, and 1 where there is the feature and the lower Exception levels can use
 * it. So fields that trap with 1 are inverted.
 */
static uint64_t spe_fields(CPUARMState *env)
{
    const SPEConfig *cfg = &env_archcpu(env)->spe;
    uint64_t mask = 0;

    if (!cfg->enabled) {
        return 0;
    }
    /* NSPB 0b11: Non-secure state owns the buffer and may use SPE. */
    if (FIELD_EX64(pmscope_mdcr_el3(env), PMSS_MDCR_EL3, NSPB) == 3) {
        mask |= 1ULL << R_PMSS_MDCR_EL3_NSPB_SHIFT;
    }
    mask |= cfg->version >= 2 ? R_PMSS_MDCR_EL3_EnPMSN_MASK : 0;
    mask |= cfg->fds ? R_PMSS_MDCR_EL3_EnPMS3_MASK : 0;
    mask |= cfg->nvm ? R_PMSS_MDCR_EL3_EnPMS4_MASK : 0;
    return mask;
}

/*
 * Fields for which Trusted Firmware-A answers 0 whatever they hold: it ignores
 * the first two, and does not know the others.
 */
#define UNKNOWN_TO_TFA                                              \
    (R_PMSS_MDCR_EL3_EnPMSN_MASK | R_PMSS_MDCR_EL3_EnPMS3_MASK |    \
     R_PMSS_MDCR_EL3_EnPMS4_MASK | R_PMSS_MDCR_EL3_EnPMSS_MASK |    \
     R_PMSS_MDCR_EL3_PMSSE_MASK)

static uint64_t available_mdcr_el3(CPUARMState *env)
{
    uint64_t mdcr = pmscope_mdcr_el3(env);
    uint64_t usable = R_PMSS_MDCR_EL3_TDA_MASK | R_PMSS_MDCR_EL3_TDOSA_MASK |
                      R_PMSS_MDCR_EL3_TDCC_MASK | R_PMSS_MDCR_EL3_TPM_MASK;
    uint64_t present = usable | spe_fields(env);

    if (env_archcpu(env)->pmss.enabled) {
        present |= R_PMSS_MDCR_EL3_EnPM2_MASK | R_PMSS_MDCR_EL3_EnPMSS_MASK |
                   1ULL << R_PMSS_MDCR_EL3_PMSSE_SHIFT;
    }
    if (env_archcpu(env)->pmss.smccc_answer == SMCCC_FEAT_TFA) {
        present &= ~UNKNOWN_TO_TFA;
    }
    return (mdcr ^ usable) & present;
}

static uint64_t available_scr_el3(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    uint64_t mask = 0;

    mask |= cpu_isar_feature(aa64_pauth, cpu) ? SCR_APK | SCR_API : 0;
    mask |= cpu_isar_feature(aa64_scxtnum, cpu) ? SCR_ENSCXT : 0;
    mask |= cpu_isar_feature(aa64_mte, cpu) ? SCR_ATA : 0;
    mask |= cpu_isar_feature(aa64_fgt, cpu) ? SCR_FGTEN : 0;
    mask |= cpu_isar_feature(aa64_ecv, cpu) ? SCR_ECVEN : 0;
    mask |= cpu_isar_feature(aa64_hcx, cpu) ? SCR_HXEN : 0;
    mask |= cpu_isar_feature(aa64_sme, cpu) ? SCR_ENTP2 : 0;
    if (cpu->pmss.enabled) {
        mask |= pmscope_scr_el3(env) & SCR_FGTEN2;
    }
    return mask;
}

static uint64_t available_cptr_el3(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    uint64_t mask = R_CPTR_EL3_TFP_MASK | R_CPTR_EL3_TCPAC_MASK;

    mask |= cpu_isar_feature(aa64_sve, cpu) ? R_CPTR_EL3_EZ_MASK : 0;
    mask |= cpu_isar_feature(aa64_sme, cpu) ? R_CPTR_EL3_ESM_MASK : 0;
    return mask;
}

static int32_t feature_availability(CPUARMState *env, uint64_t selector,
                                    uint64_t *mask)
{
    *mask = 0;
    switch (selector) {
    case SELECT_SCR_EL3:
        *mask = available_scr_el3(env);
        return SMCCC_SUCCESS;
    case SELECT_CPTR_EL3:
        *mask = available_cptr_el3(env);
        return SMCCC_SUCCESS;
    case SELECT_MDCR_EL3:
        *mask = available_mdcr_el3(env);
        return SMCCC_SUCCESS;
    default:
        return SMCCC_INVALID_PARAMETER;
    }
}

static bool answers(const ARMCPU *cpu)
{
    return cpu->pmss.smccc_answer != SMCCC_FEAT_OFF;
}

static int32_t arch_features(ARMCPU *cpu, uint32_t function)
{
    switch (function) {
    case SMCCC_VERSION:
    case SMCCC_ARCH_FEATURES:
        return SMCCC_SUCCESS;
    case SMCCC_ARCH_FEATURE_AVAILABILITY:
    case SMCCC_ARCH_FEATURE_AVAILABILITY | SMCCC_64BIT:
        return answers(cpu) ? SMCCC_SUCCESS : SMCCC_NOT_SUPPORTED;
    default:
        return SMCCC_NOT_SUPPORTED;
    }
}

/* The result is 64 bits wide, so there is no SMC32 form of this call. */
static void answer_feature_availability(CPUARMState *env)
{
    uint64_t mask;

    env->xregs[0] = feature_availability(env, env->xregs[1], &mask);
    env->xregs[1] = mask;
}

static void answer(CPUARMState *env, int32_t result)
{
    if (is_a64(env)) {
        env->xregs[0] = result;
    } else {
        env->regs[0] = result;
    }
}

bool pmscope_smccc_call(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    uint32_t function = is_a64(env) ? env->xregs[0] : env->regs[0];
    uint32_t arg = is_a64(env) ? env->xregs[1] : env->regs[1];

    if (!cpu->pmss.enabled && !cpu->spe.enabled) {
        return false;
    }
    if (cpu->sync.on) {
        sync_context(env);
    }
    switch (function) {
    case PSCI_FEATURES:
        if (arg != SMCCC_VERSION) {
            return false;
        }
        answer(env, SMCCC_SUCCESS);
        return true;
    case SMCCC_VERSION:
        answer(env, answers(cpu) ? SMCCC_VERSION_1_5 : SMCCC_VERSION_1_2);
        return true;
    case SMCCC_ARCH_FEATURES:
        answer(env, arch_features(cpu, arg));
        return true;
    case SMCCC_ARCH_FEATURE_AVAILABILITY | SMCCC_64BIT:
        if (!is_a64(env) || !answers(cpu)) {
            return false;       /* PSCI: NOT_SUPPORTED */
        }
        answer_feature_availability(env);
        return true;
    default:
        return false;
    }
}
