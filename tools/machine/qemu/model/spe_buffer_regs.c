/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System registers of the Profiling Buffer (Arm ARM D24.7). */
#include "qemu/osdep.h"
#include "spe.h"
#include "spe_regs.h"

FIELD(PMBIDR, ALIGN, 0, 4)
FIELD(PMBIDR, P, 4, 1)
FIELD(PMBIDR, F, 5, 1)
FIELD(PMBIDR, ADDRMODE, 6, 2)

FIELD(PMBMAR, ATTR, 0, 8)
FIELD(PMBMAR, SH, 8, 2)

#define ADDRMODE_VA_AND_PA 1

#define PMBMAR_MASK (R_PMBMAR_ATTR_MASK | R_PMBMAR_SH_MASK)
#define PMBSR_MASK (R_PMBSR_MSS_MASK | R_PMBSR_COLL_MASK | R_PMBSR_S_MASK | \
                    R_PMBSR_EA_MASK | R_PMBSR_DL_MASK | R_PMBSR_EC_MASK | \
                    R_PMBSR_MSS2_MASK)

/* Owned by a higher Exception level or by another Security state. */
static bool owned_by_others(CPUARMState *env)
{
    ARMSecuritySpace space;
    int el = arm_current_el(env);
    int owner = spe_owning_el(env, &space);

    return el < 3 &&
           (el < owner || space != arm_security_space_below_el3(env));
}

static uint64_t pmbidr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMCPU *cpu = env_archcpu(env);
    bool p = owned_by_others(env);
    bool physical = cpu->spe.nvm && !p && spe_effective_envm(env);
    uint64_t value = 0;

    value = FIELD_DP64(value, PMBIDR, ALIGN, ctz32(cpu->spe.align));
    value = FIELD_DP64(value, PMBIDR, P, p);
    value = FIELD_DP64(value, PMBIDR, F, cpu_isar_feature(aa64_hafs, cpu));
    value = FIELD_DP64(value, PMBIDR, ADDRMODE,
                       physical ? ADDRMODE_VA_AND_PA : 0);
    return value;
}

static uint64_t pmblimitr_mask(const SPEConfig *cfg)
{
    uint64_t mask = PMBLIMITR_LIMIT | R_PMBLIMITR_E_MASK;

    if (cfg->version >= 2) {
        mask |= R_PMBLIMITR_FM_MASK | R_PMBLIMITR_PMFZ_MASK;
    }
    return cfg->nvm ? mask | R_PMBLIMITR_NVM_MASK : mask;
}

uint64_t spe_buffer_bits(const SPEConfig *cfg, const ARMCPRegInfo *ri)
{
    switch (ri->fieldoffset) {
    case offsetof(CPUARMState, spe.pmblimitr):
        return pmblimitr_mask(cfg);
    case offsetof(CPUARMState, spe.pmbptr):
        return ~(uint64_t)(cfg->align - 1);
    case offsetof(CPUARMState, spe.pmbmar):
        return PMBMAR_MASK;
    default:
        return PMBSR_MASK;
    }
}

/* E alone is 0 after a reset. */
static void pmblimitr_reset(CPUARMState *env, const ARMCPRegInfo *ri)
{
    spe_reset_register(env, ri);
    env->spe.pmblimitr &= ~R_PMBLIMITR_E_MASK;
}

static void pmblimitr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    bool freezes = spe_stopped(env);

    if (freezes) {
        pmu_op_start(env);
    }
    spe_control_write(env, ri, value);
    if (freezes) {
        pmu_op_finish(env);
    }
    if (!FIELD_EX64(value, PMBLIMITR, E)) {
        spe_drop_queue(env);
    }
}

static uint64_t pmbsr_raw_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return CPREG_FIELD64(env, ri);
}

/* A spurious interrupt goes away when its handler looks for a reason. */
static uint64_t pmbsr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    if (env->spe.spurious) {
        env->spe.spurious = false;
        spe_update_irq(env);
    }
    return pmbsr_raw_read(env, ri);
}

static void pmbsr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    unsigned el = (ri->fieldoffset - offsetof(CPUARMState, spe.pmbsr)) /
                  sizeof(uint64_t);

    env->sync.view[SYNC_PMBSR + el].hidden = false;
    pmu_op_start(env);
    env->spe.spurious = false;
    spe_control_write(env, ri, value);
    pmu_op_finish(env);
}

static const ARMCPRegInfo buffer_regs[] = {
    { SPE_REG("PMBLIMITR_EL1", 0, 10, 0, PL1_RW, spe_access_buffer, pmblimitr,
              pmblimitr_reset, pmblimitr_write),
      .fgt = SPE_FGT(PMBLIMITR_EL1), .type = ARM_CP_IO,
      .nv2_redirect_offset = 0x800 },
    { SPE_REG("PMBPTR_EL1", 0, 10, 1, PL1_RW, spe_access_buffer, pmbptr,
              spe_reset_register, spe_masked_write),
      .fgt = SPE_FGT(PMBPTR_EL1), .nv2_redirect_offset = 0x810 },
    { .name = "PMBIDR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 10, .opc2 = 7,
      .access = PL1_R, .fgt = SPE_FGT(PMBIDR_EL1),
      .type = ARM_CP_NO_RAW, .readfn = pmbidr_read },
};

/* FEAT_SPE_nVM */
static const ARMCPRegInfo nvm_regs[] = {
    { SPE_REG("PMBMAR_EL1", 0, 10, 5, PL1_RW, spe_access_pmbmar, pmbmar,
              spe_reset_register, spe_masked_write) },
};

/* FEAT_SPE_EXC */
static const ARMCPRegInfo exc_el2_regs[] = {
    { SPE_REG("PMBSR_EL2", 4, 10, 3, PL2_RW, spe_access_buffer, pmbsr[2],
              spe_reset_register, pmbsr_write),
      .type = ARM_CP_IO },
};

static const ARMCPRegInfo exc_el3_regs[] = {
    { SPE_REG("PMBSR_EL3", 6, 10, 3, PL3_RW, NULL, pmbsr[3],
              spe_reset_register, pmbsr_write),
      .type = ARM_CP_IO },
};

void spe_define_buffer_regs(ARMCPU *cpu)
{
    ARMCPRegInfo pmbsr = {
        .name = "PMBSR_EL1", .state = ARM_CP_STATE_AA64,
        .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 10, .opc2 = 3,
        .access = PL1_RW, .accessfn = spe_access_buffer,
        .fgt = SPE_FGT(PMBSR_EL1), .type = ARM_CP_IO,
        .nv2_redirect_offset = 0x820 | (cpu->spe.exc ? NV2_REDIR_NV1 : 0),
        .fieldoffset = offsetof(CPUARMState, spe.pmbsr[1]),
        .resetfn = spe_reset_register,
        .readfn = pmbsr_read, .raw_readfn = pmbsr_raw_read,
        .writefn = pmbsr_write, .raw_writefn = raw_write,
    };

    define_arm_cp_regs(cpu, buffer_regs);
    define_one_arm_cp_reg(cpu, &pmbsr);
    if (cpu->spe.nvm) {
        define_arm_cp_regs(cpu, nvm_regs);
    }
    if (cpu->spe.exc && arm_feature(&cpu->env, ARM_FEATURE_EL2)) {
        define_arm_cp_regs(cpu, exc_el2_regs);
    }
    if (cpu->spe.exc && arm_feature(&cpu->env, ARM_FEATURE_EL3)) {
        define_arm_cp_regs(cpu, exc_el3_regs);
    }
}
