/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System registers that control sampling (Arm ARM D24.7). */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "spe.h"
#include "spe_regs.h"
#include "sync.h"

FIELD(PMSIDR, FE, 0, 1)
FIELD(PMSIDR, FT, 1, 1)
FIELD(PMSIDR, FL, 2, 1)
FIELD(PMSIDR, ARCHINST, 3, 1)
FIELD(PMSIDR, LDS, 4, 1)
FIELD(PMSIDR, ERND, 5, 1)
FIELD(PMSIDR, FNE, 6, 1)
FIELD(PMSIDR, FDS, 7, 1)
FIELD(PMSIDR, INTERVAL, 8, 4)
FIELD(PMSIDR, MAXSIZE, 12, 4)
FIELD(PMSIDR, COUNTSIZE, 16, 4)
FIELD(PMSIDR, PBT, 24, 1)
FIELD(PMSIDR, CRR, 25, 1)
FIELD(PMSIDR, EFT, 26, 1)
FIELD(PMSIDR, FPF, 27, 1)

/* Bits 0 and 1 are E0SPE and E1SPE, or E0HSPE and E2SPE. */
#define PMSCR_MASK (R_PMSCR_E0SPE_MASK | R_PMSCR_E1SPE_MASK | \
                    R_PMSCR_CX_MASK | R_PMSCR_PA_MASK | \
                    R_PMSCR_TS_MASK | R_PMSCR_PCT_MASK)
/* The upper bit of PCT needs FEAT_ECV. */
#define PMSCR_PCT_ECV (2ULL << R_PMSCR_PCT_SHIFT)
#define PMSIRR_MASK (R_PMSIRR_RND_MASK | R_PMSIRR_INTERVAL_MASK)
#define PMSFCR_MASK (R_PMSFCR_FE_MASK | R_PMSFCR_FT_MASK | \
                     R_PMSFCR_FL_MASK | R_PMSFCR_B_MASK | \
                     R_PMSFCR_LD_MASK | R_PMSFCR_ST_MASK)
#define PMSFCR_EFT_MASK (R_PMSFCR_FP_MASK | R_PMSFCR_SIMD_MASK | \
                         R_PMSFCR_MASKS_MASK)

/* Events that PMSEVFR_EL1 and PMSNEVFR_EL1 can name. */
#define EVENTS_V1P0 (SPE_EV_RETIRED | SPE_EV_L1D_ACCESS | \
                     SPE_EV_L1D_REFILL | SPE_EV_TLB_ACCESS | \
                     SPE_EV_TLB_WALK | SPE_EV_MISPRED | \
                     SPE_EV_LLC_ACCESS | SPE_EV_LLC_MISS)
#define EVENTS_V1P1_SVE (SPE_EV_SVE_PARTIAL | SPE_EV_SVE_EMPTY)

void spe_changed(CPUARMState *env)
{
    spe_update_irq(env);
    spe_rebuild_flags(env);
}

int spe_interval_code(unsigned interval)
{
    static const uint16_t intervals[] = {
        [0] = 256, [2] = 512, [3] = 768, [4] = 1024,
        [5] = 1536, [6] = 2048, [7] = 3072, [8] = 4096,
    };

    for (int code = 0; code < ARRAY_SIZE(intervals); code++) {
        if (intervals[code] && intervals[code] == interval) {
            return code;
        }
    }
    return -1;
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
    value = FIELD_DP64(value, PMSIDR, FNE, cfg->version >= 2);
    value = FIELD_DP64(value, PMSIDR, FDS, cfg->fds);
    value = FIELD_DP64(value, PMSIDR, INTERVAL,
                       spe_interval_code(cfg->interval));
    value = FIELD_DP64(value, PMSIDR, MAXSIZE, ctz32(cfg->max_size));
    value = FIELD_DP64(value, PMSIDR, COUNTSIZE,
                       cfg->count_bits == 16 ? 3 : 2);
    value = FIELD_DP64(value, PMSIDR, PBT, cfg->pbt);
    value = FIELD_DP64(value, PMSIDR, CRR, cfg->crr);
    value = FIELD_DP64(value, PMSIDR, EFT, cfg->eft);
    /* Operation Type packets report FP and SIMD. */
    value = FIELD_DP64(value, PMSIDR, FPF, 1);
    return value;
}

static uint64_t pmscr_mask(ARMCPU *cpu)
{
    uint64_t mask = PMSCR_MASK;

    if (!cpu_isar_feature(aa64_ecv_traps, cpu)) {
        mask &= ~PMSCR_PCT_ECV;
    }
    if (cpu->spe.exc) {
        mask |= R_PMSCR_EE_MASK | R_PMSCR_KE_MASK;
    }
    return cpu->spe.nvm ? mask | R_PMSCR_ENVM_MASK : mask;
}

/* Without EL2 there is one time, and PMSCR_EL1.PCT says so. */
static uint64_t with_fixed_bits(CPUARMState *env, const ARMCPRegInfo *ri,
                                uint64_t value)
{
    if (ri->fieldoffset == offsetof(CPUARMState, spe.pmscr_el1) &&
        !arm_feature(env, ARM_FEATURE_EL2)) {
        value = FIELD_DP64(value, PMSCR, PCT, 1);
    }
    return value;
}

static uint64_t pmsfcr_mask(const SPEConfig *cfg)
{
    uint64_t mask = PMSFCR_MASK;

    mask |= cfg->version >= 2 ? R_PMSFCR_FNE_MASK : 0;
    mask |= cfg->fds ? R_PMSFCR_FDS_MASK : 0;
    mask |= cfg->eft ? PMSFCR_EFT_MASK : 0;
    return mask;
}

static uint64_t event_filter_mask(ARMCPU *cpu)
{
    uint64_t mask = EVENTS_V1P0;

    if (cpu->spe.version >= 1) {
        mask |= SPE_EV_ALIGNMENT;
        mask |= cpu_isar_feature(aa64_sve, cpu) ? EVENTS_V1P1_SVE : 0;
    }
    mask |= cpu->spe.version >= 2 ? SPE_EV_NOT_TAKEN : 0;
    mask |= cpu->spe.version >= 4 ? SPE_EVENTS_V1P4 : 0;
    return mask;
}

/* Bits that are not RES0. */
static uint64_t implemented_bits(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMCPU *cpu = env_archcpu(env);

    switch (ri->fieldoffset) {
    case offsetof(CPUARMState, spe.pmscr_el1):
    case offsetof(CPUARMState, spe.pmscr_el2):
        return pmscr_mask(cpu);
    case offsetof(CPUARMState, spe.pmsirr):
        return PMSIRR_MASK;
    case offsetof(CPUARMState, spe.pmsicr):
        return R_PMSICR_COUNT_MASK |
               (cpu->spe.ernd ? R_PMSICR_ECOUNT_MASK : 0);
    case offsetof(CPUARMState, spe.pmsfcr):
        return pmsfcr_mask(&cpu->spe);
    case offsetof(CPUARMState, spe.pmsevfr):
    case offsetof(CPUARMState, spe.pmsnevfr):
        return event_filter_mask(cpu);
    case offsetof(CPUARMState, spe.pmslatfr):
        return MAKE_64BIT_MASK(0, cpu->spe.count_bits);
    case offsetof(CPUARMState, spe.pmsdsfr):
        return UINT64_MAX;
    default:
        return spe_buffer_bits(&cpu->spe, ri);
    }
}

/* SplitMix64, of the register and the CPU: nothing that a reset could use up. */
static uint64_t unknown_value(CPUARMState *env, const ARMCPRegInfo *ri)
{
    const ARMCPU *cpu = env_archcpu(env);
    uint64_t x = cpu->pmss.unknown_seed + ri->fieldoffset +
                 (CPU(cpu)->cpu_index + 1) * 0x9e3779b97f4a7c15ull;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

void spe_reset_register(CPUARMState *env, const ARMCPRegInfo *ri)
{
    uint64_t value = 0;

    if (env_archcpu(env)->pmss.unknown_seed) {
        value = unknown_value(env, ri) & implemented_bits(env, ri);
    }
    raw_write(env, ri, with_fixed_bits(env, ri, value));
}

void spe_masked_write(CPUARMState *env, const ARMCPRegInfo *ri,
                      uint64_t value)
{
    uint64_t mask = implemented_bits(env, ri);

    if (value & ~mask) {
        qemu_log_mask(LOG_GUEST_ERROR, "SPE: %s: RES0 bits in 0x%" PRIx64
                      "\n", ri->name, value);
    }
    raw_write(env, ri, with_fixed_bits(env, ri, value & mask));
}

void spe_control_write(CPUARMState *env, const ARMCPRegInfo *ri,
                       uint64_t value)
{
    spe_sync(env);
    spe_masked_write(env, ri, value);
    if (!spe_profiling_enabled(env, arm_current_el(env))) {
        spe_finish_sample(env);
    }
    spe_schedule(env);
    spe_changed(env);
}

/* EE may freeze the PMU counters, or thaw them. */
static void pmscr_el2_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    pmu_op_start(env);
    spe_control_write(env, ri, value);
    pmu_op_finish(env);
}

void spe_mdcr_el3_written(CPUARMState *env)
{
    if (env_archcpu(env)->spe.exc) {
        spe_sync(env);
        spe_schedule(env);
        spe_changed(env);
    }
}

static void pmsicr_reset(CPUARMState *env, const ARMCPRegInfo *ri)
{
    spe_reset_register(env, ri);
    spe_reset(env);
}

static uint64_t pmsicr_raw_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    spe_sync(env);
    return CPREG_FIELD64(env, ri);
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

static const ARMCPRegInfo spe_regs[] = {
    { SPE_REG("PMSCR_EL1", 0, 9, 0, PL1_RW, spe_access_sampling, pmscr_el1,
              spe_reset_register, spe_control_write),
      .fgt = SPE_FGT(PMSCR_EL1), .type = ARM_CP_IO },
    { SPE_REG("PMSICR_EL1", 0, 9, 2, PL1_RW, spe_access_sampling, pmsicr,
              pmsicr_reset, pmsicr_write),
      .fgt = SPE_FGT(PMSICR_EL1), .type = ARM_CP_IO,
      .nv2_redirect_offset = 0x838, .readfn = pmsicr_read,
      .raw_readfn = pmsicr_raw_read },
    { SPE_REG("PMSIRR_EL1", 0, 9, 3, PL1_RW, spe_access_sampling, pmsirr,
              spe_reset_register, spe_masked_write),
      .fgt = SPE_FGT(PMSIRR_EL1), .nv2_redirect_offset = 0x840 },
    { SPE_REG("PMSFCR_EL1", 0, 9, 4, PL1_RW, spe_access_sampling, pmsfcr,
              spe_reset_register, spe_masked_write),
      .fgt = SPE_FGT(PMSFCR_EL1) },
    { SPE_REG("PMSEVFR_EL1", 0, 9, 5, PL1_RW, spe_access_sampling, pmsevfr,
              spe_reset_register, spe_masked_write),
      .fgt = SPE_FGT(PMSEVFR_EL1) },
    { SPE_REG("PMSLATFR_EL1", 0, 9, 6, PL1_RW, spe_access_sampling, pmslatfr,
              spe_reset_register, spe_masked_write),
      .fgt = SPE_FGT(PMSLATFR_EL1), .nv2_redirect_offset = 0x848 },
};

/* FEAT_SPE_FnE */
static const ARMCPRegInfo fne_regs[] = {
    { SPE_REG("PMSNEVFR_EL1", 0, 9, 1, PL1_RW, spe_access_pmsnevfr, pmsnevfr,
              spe_reset_register, spe_masked_write),
      .fgt = SPE_FGT_NOT(NPMSNEVFR_EL1) },
};

/* FEAT_SPE_FDS */
static const ARMCPRegInfo fds_regs[] = {
    { SPE_REG("PMSDSFR_EL1", 0, 10, 4, PL1_RW, spe_access_pmsdsfr, pmsdsfr,
              spe_reset_register, spe_masked_write) },
};

static const ARMCPRegInfo spe_el2_regs[] = {
    { SPE_REG("PMSCR_EL2", 4, 9, 0, PL2_RW, spe_access_sampling, pmscr_el2,
              spe_reset_register, pmscr_el2_write),
      .type = ARM_CP_IO },
};

void spe_define_regs(ARMCPU *cpu)
{
    ARMCPRegInfo pmsidr = {
        .name = "PMSIDR_EL1", .state = ARM_CP_STATE_AA64,
        .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 7,
        .access = PL1_R, .accessfn = spe_access_sampling,
        .fgt = SPE_FGT(PMSIDR_EL1), .type = ARM_CP_CONST,
        .resetvalue = pmsidr_value(&cpu->spe),
    };

    define_arm_cp_regs(cpu, spe_regs);
    define_one_arm_cp_reg(cpu, &pmsidr);
    spe_define_buffer_regs(cpu);
    if (cpu->spe.version >= 2) {
        define_arm_cp_regs(cpu, fne_regs);
    }
    if (cpu->spe.fds) {
        define_arm_cp_regs(cpu, fds_regs);
    }
    /* RES0 where only EL3 is above EL1 */
    define_arm_cp_regs(cpu, spe_el2_regs);
    sync_wrap_registers(cpu);
}
