/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System registers of FEAT_SPE (Arm ARM D24.7) and who may access them.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "qemu/log.h"
#include "cpu-features.h"
#include "cpregs.h"
#include "internals.h"
#include "pmss_firmware.h"
#include "spe.h"

FIELD(SPE_MDCR_EL2, E2PB, 12, 2)
FIELD(SPE_MDCR_EL2, TPMS, 14, 1)

FIELD(PMSIDR, FE, 0, 1)
FIELD(PMSIDR, FT, 1, 1)
FIELD(PMSIDR, FL, 2, 1)
FIELD(PMSIDR, ARCHINST, 3, 1)
FIELD(PMSIDR, LDS, 4, 1)
FIELD(PMSIDR, ERND, 5, 1)
FIELD(PMSIDR, FNE, 6, 1)
FIELD(PMSIDR, INTERVAL, 8, 4)
FIELD(PMSIDR, MAXSIZE, 12, 4)
FIELD(PMSIDR, COUNTSIZE, 16, 4)
FIELD(PMSIDR, FPF, 27, 1)

FIELD(PMBIDR, ALIGN, 0, 4)
FIELD(PMBIDR, P, 4, 1)
FIELD(PMBIDR, F, 5, 1)

#define PMSCR_EL1_MASK (R_PMSCR_E0SPE_MASK | R_PMSCR_E1SPE_MASK | \
                        R_PMSCR_CX_MASK | R_PMSCR_PA_MASK | \
                        R_PMSCR_TS_MASK | R_PMSCR_PCT_MASK)
#define PMSCR_EL2_MASK (R_PMSCR_EL2_E0HSPE_MASK | R_PMSCR_EL2_E2SPE_MASK | \
                        R_PMSCR_CX_MASK | R_PMSCR_PA_MASK | \
                        R_PMSCR_TS_MASK | R_PMSCR_PCT_MASK)
#define PMSIRR_MASK (R_PMSIRR_RND_MASK | R_PMSIRR_INTERVAL_MASK)
#define PMSFCR_MASK (R_PMSFCR_FE_MASK | R_PMSFCR_FT_MASK | \
                     R_PMSFCR_FL_MASK | R_PMSFCR_FNE_MASK | \
                     R_PMSFCR_B_MASK | R_PMSFCR_LD_MASK | R_PMSFCR_ST_MASK)
#define PMBLIMITR_MASK (PMBLIMITR_LIMIT | R_PMBLIMITR_E_MASK | \
                        R_PMBLIMITR_FM_MASK | R_PMBLIMITR_PMFZ_MASK)
#define PMBSR_MASK (R_PMBSR_MSS_MASK | R_PMBSR_COLL_MASK | R_PMBSR_S_MASK | \
                    R_PMBSR_EA_MASK | R_PMBSR_DL_MASK | R_PMBSR_EC_MASK)

/* Events that PMSEVFR_EL1 and PMSNEVFR_EL1 can name, SVE apart. */
#define EVENT_FILTER_MASK (SPE_EV_RETIRED | SPE_EV_L1D_ACCESS | \
                           SPE_EV_L1D_REFILL | SPE_EV_TLB_ACCESS | \
                           SPE_EV_TLB_WALK | SPE_EV_NOT_TAKEN | \
                           SPE_EV_MISPRED | SPE_EV_LLC_ACCESS | \
                           SPE_EV_LLC_MISS | SPE_EV_ALIGNMENT)
#define EVENT_FILTER_SVE_MASK (SPE_EV_SVE_PARTIAL | SPE_EV_SVE_EMPTY)

#define SPE_FGT(reg) (FGT_HDFGRTR | R_HDFGRTR_EL2_##reg##_SHIFT)
#define SPE_FGT_NOT(reg) (SPE_FGT(reg) | FGT_REV)

void spe_changed(CPUARMState *env)
{
    spe_update_irq(env);
    spe_rebuild_flags(env);
}

/* MDCR_EL3.NSPB lets this Security state use the extension. */
static bool el3_allows(CPUARMState *env)
{
    ARMSecuritySpace space;
    uint64_t mdcr = pmscope_mdcr_el3(env);

    spe_owning_el(env, &space);
    return (FIELD_EX64(mdcr, PMSS_MDCR_EL3, NSPB) & 1) &&
           space == arm_security_space_below_el3(env);
}

static bool el2_traps(CPUARMState *env, uint64_t mdcr_bits)
{
    return arm_current_el(env) < 2 &&
           (arm_mdcr_el2_eff(env) & mdcr_bits);
}

static CPAccessResult access_sampling(CPUARMState *env,
                                      const ARMCPRegInfo *ri, bool isread)
{
    if (el2_traps(env, R_SPE_MDCR_EL2_TPMS_MASK)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (arm_current_el(env) < 3 && !el3_allows(env)) {
        return pmscope_trap_el3(env);
    }
    return CP_ACCESS_OK;
}

static CPAccessResult access_pmsnevfr(CPUARMState *env,
                                      const ARMCPRegInfo *ri, bool isread)
{
    CPAccessResult result = access_sampling(env, ri, isread);

    if (result == CP_ACCESS_OK && arm_current_el(env) < 3 &&
        !FIELD_EX64(pmscope_mdcr_el3(env), PMSS_MDCR_EL3, EnPMSN)) {
        return pmscope_trap_el3(env);
    }
    return result;
}

static CPAccessResult access_buffer(CPUARMState *env,
                                    const ARMCPRegInfo *ri, bool isread)
{
    uint64_t mdcr = arm_mdcr_el2_eff(env);

    /* E2PB is 0bx0: EL1 does not control the buffer. */
    if (arm_current_el(env) < 2 && arm_is_el2_enabled(env) &&
        !(FIELD_EX64(mdcr, SPE_MDCR_EL2, E2PB) & 1)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (arm_current_el(env) < 3 && !el3_allows(env)) {
        return pmscope_trap_el3(env);
    }
    return CP_ACCESS_OK;
}

static uint64_t pmbidr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMCPU *cpu = env_archcpu(env);
    bool denied = access_buffer(env, ri, true) != CP_ACCESS_OK;
    uint64_t value = 0;

    value = FIELD_DP64(value, PMBIDR, ALIGN, ctz32(cpu->spe.align));
    value = FIELD_DP64(value, PMBIDR, P, denied);
    value = FIELD_DP64(value, PMBIDR, F, cpu_isar_feature(aa64_hafs, cpu));
    return value;
}

static uint64_t pmsidr_value(const SPEConfig *cfg)
{
    uint64_t value = 0;

    value = FIELD_DP64(value, PMSIDR, FE, 1);
    value = FIELD_DP64(value, PMSIDR, FT, 1);
    value = FIELD_DP64(value, PMSIDR, FL, 1);
    value = FIELD_DP64(value, PMSIDR, ARCHINST, 1);
    value = FIELD_DP64(value, PMSIDR, LDS, 1);
    value = FIELD_DP64(value, PMSIDR, ERND, cfg->ernd);
    value = FIELD_DP64(value, PMSIDR, FNE, 1);
    value = FIELD_DP64(value, PMSIDR, INTERVAL, 0);
    value = FIELD_DP64(value, PMSIDR, MAXSIZE, ctz32(cfg->max_size));
    value = FIELD_DP64(value, PMSIDR, COUNTSIZE,
                       cfg->count_bits == 16 ? 3 : 2);
    /* Operation Type packets tell FP and SIMD. */
    value = FIELD_DP64(value, PMSIDR, FPF, 1);
    return value;
}

static void masked_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value, uint64_t mask)
{
    if (value & ~mask) {
        qemu_log_mask(LOG_GUEST_ERROR, "SPE: %s: RES0 bits in 0x%" PRIx64
                      "\n", ri->name, value);
    }
    raw_write(env, ri, value & mask);
}

/* A register that switches profiling, or says where. */
static void control_write(CPUARMState *env, const ARMCPRegInfo *ri,
                          uint64_t value, uint64_t mask)
{
    spe_sync(env);
    masked_write(env, ri, value, mask);
    if (!spe_profiling_enabled(env, arm_current_el(env))) {
        spe_finish_sample(env);
    }
    spe_schedule(env);
    spe_changed(env);
}

static void pmscr_el1_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    control_write(env, ri, value, PMSCR_EL1_MASK);
}

static void pmscr_el2_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    control_write(env, ri, value, PMSCR_EL2_MASK);
}

static void pmblimitr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    bool freezes = FIELD_EX64(env->spe.pmbsr, PMBSR, S);

    if (freezes) {
        pmu_op_start(env);
    }
    control_write(env, ri, value, PMBLIMITR_MASK);
    if (freezes) {
        pmu_op_finish(env);
    }
    if (!FIELD_EX64(value, PMBLIMITR, E)) {
        spe_drop_queue(env);
    }
}

/* A spurious interrupt goes away when its handler looks for a reason. */
static uint64_t pmbsr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    if (env->spe.spurious) {
        env->spe.spurious = false;
        spe_update_irq(env);
    }
    return env->spe.pmbsr;
}

static void pmbsr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    pmu_op_start(env);
    env->spe.spurious = false;
    control_write(env, ri, value, PMBSR_MASK);
    pmu_op_finish(env);
}

static void pmbptr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    uint64_t align = env_archcpu(env)->spe.align;

    masked_write(env, ri, value, ~(align - 1));
}

static uint64_t pmsicr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    spe_sync(env);
    return spe_counter_read(env, spe_ops_ahead(env));
}

static void pmsicr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    spe_sync(env);
    spe_counter_write(env, value);
    spe_schedule(env);
}

static void pmsirr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    masked_write(env, ri, value, PMSIRR_MASK);
}

static void pmsfcr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    masked_write(env, ri, value, PMSFCR_MASK);
}

static void event_filter_write(CPUARMState *env, const ARMCPRegInfo *ri,
                               uint64_t value)
{
    uint64_t mask = EVENT_FILTER_MASK;

    if (cpu_isar_feature(aa64_sve, env_archcpu(env))) {
        mask |= EVENT_FILTER_SVE_MASK;
    }
    masked_write(env, ri, value, mask);
}

static void pmslatfr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                           uint64_t value)
{
    masked_write(env, ri, value,
                 MAKE_64BIT_MASK(0, env_archcpu(env)->spe.count_bits));
}

static const ARMCPRegInfo spe_regs[] = {
    { .name = "PMSCR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 0,
      .access = PL1_RW, .accessfn = access_sampling,
      .fgt = SPE_FGT(PMSCR_EL1), .type = ARM_CP_IO,
      .fieldoffset = offsetof(CPUARMState, spe.pmscr_el1),
      .writefn = pmscr_el1_write, .raw_writefn = raw_write },
    { .name = "PMSNEVFR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 1,
      .access = PL1_RW, .accessfn = access_pmsnevfr,
      .fgt = SPE_FGT_NOT(NPMSNEVFR_EL1),
      .fieldoffset = offsetof(CPUARMState, spe.pmsnevfr),
      .writefn = event_filter_write, .raw_writefn = raw_write },
    { .name = "PMSICR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 2,
      .access = PL1_RW, .accessfn = access_sampling,
      .fgt = SPE_FGT(PMSICR_EL1), .type = ARM_CP_IO,
      .nv2_redirect_offset = 0x838,
      .fieldoffset = offsetof(CPUARMState, spe.pmsicr),
      .resetfn = spe_reset,
      .readfn = pmsicr_read,
      .writefn = pmsicr_write, .raw_writefn = raw_write },
    { .name = "PMSIRR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 3,
      .access = PL1_RW, .accessfn = access_sampling,
      .fgt = SPE_FGT(PMSIRR_EL1),
      .nv2_redirect_offset = 0x840,
      .fieldoffset = offsetof(CPUARMState, spe.pmsirr),
      .writefn = pmsirr_write, .raw_writefn = raw_write },
    { .name = "PMSFCR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 4,
      .access = PL1_RW, .accessfn = access_sampling,
      .fgt = SPE_FGT(PMSFCR_EL1),
      .fieldoffset = offsetof(CPUARMState, spe.pmsfcr),
      .writefn = pmsfcr_write, .raw_writefn = raw_write },
    { .name = "PMSEVFR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 5,
      .access = PL1_RW, .accessfn = access_sampling,
      .fgt = SPE_FGT(PMSEVFR_EL1),
      .fieldoffset = offsetof(CPUARMState, spe.pmsevfr),
      .writefn = event_filter_write, .raw_writefn = raw_write },
    { .name = "PMSLATFR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 6,
      .access = PL1_RW, .accessfn = access_sampling,
      .fgt = SPE_FGT(PMSLATFR_EL1),
      .nv2_redirect_offset = 0x848,
      .fieldoffset = offsetof(CPUARMState, spe.pmslatfr),
      .writefn = pmslatfr_write, .raw_writefn = raw_write },
    { .name = "PMBLIMITR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 10, .opc2 = 0,
      .access = PL1_RW, .accessfn = access_buffer,
      .fgt = SPE_FGT(PMBLIMITR_EL1), .type = ARM_CP_IO,
      .nv2_redirect_offset = 0x800,
      .fieldoffset = offsetof(CPUARMState, spe.pmblimitr),
      .writefn = pmblimitr_write, .raw_writefn = raw_write },
    { .name = "PMBPTR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 10, .opc2 = 1,
      .access = PL1_RW, .accessfn = access_buffer,
      .fgt = SPE_FGT(PMBPTR_EL1),
      .nv2_redirect_offset = 0x810,
      .fieldoffset = offsetof(CPUARMState, spe.pmbptr),
      .writefn = pmbptr_write, .raw_writefn = raw_write },
    { .name = "PMBSR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 10, .opc2 = 3,
      .access = PL1_RW, .accessfn = access_buffer,
      .fgt = SPE_FGT(PMBSR_EL1), .type = ARM_CP_IO,
      .nv2_redirect_offset = 0x820,
      .fieldoffset = offsetof(CPUARMState, spe.pmbsr),
      .readfn = pmbsr_read,
      .writefn = pmbsr_write, .raw_writefn = raw_write },
    { .name = "PMBIDR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 10, .opc2 = 7,
      .access = PL1_R, .fgt = SPE_FGT(PMBIDR_EL1),
      .type = ARM_CP_NO_RAW, .readfn = pmbidr_read },
};

static const ARMCPRegInfo spe_el2_regs[] = {
    { .name = "PMSCR_EL2", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 4, .crn = 9, .crm = 9, .opc2 = 0,
      .access = PL2_RW, .accessfn = access_sampling, .type = ARM_CP_IO,
      .fieldoffset = offsetof(CPUARMState, spe.pmscr_el2),
      .writefn = pmscr_el2_write, .raw_writefn = raw_write },
};

void spe_define_regs(ARMCPU *cpu)
{
    ARMCPRegInfo pmsidr = {
        .name = "PMSIDR_EL1", .state = ARM_CP_STATE_AA64,
        .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 7,
        .access = PL1_R, .accessfn = access_sampling,
        .fgt = SPE_FGT(PMSIDR_EL1), .type = ARM_CP_CONST,
        .resetvalue = pmsidr_value(&cpu->spe),
    };

    define_arm_cp_regs(cpu, spe_regs);
    define_one_arm_cp_reg(cpu, &pmsidr);
    if (arm_feature(&cpu->env, ARM_FEATURE_EL2)) {
        define_arm_cp_regs(cpu, spe_el2_regs);
    }
}
