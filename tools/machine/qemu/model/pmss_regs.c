/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMU registers that FEAT_PMUv3p9 and FEAT_PMUv3_ICNTR add or change, and the
 * rules by which MDCR_EL2.HPMN, PMUSERENR_EL0 and PMUACR_EL1 hide counters.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "cpu-features.h"
#include "internals.h"
#include "pmss.h"
#include "pmss_firmware.h"
#include "pmss_regs.h"

FIELD(PMUSERENR_EL0, EN, 0, 1)
FIELD(PMUSERENR_EL0, SW, 1, 1)
FIELD(PMUSERENR_EL0, CR, 2, 1)
FIELD(PMUSERENR_EL0, ER, 3, 1)
FIELD(PMUSERENR_EL0, UEN, 4, 1)
FIELD(PMUSERENR_EL0, IR, 5, 1)
FIELD(PMUSERENR_EL0, TID, 6, 1)

/* Bits of HDFGRTR2_EL2 and HDFGWTR2_EL2. */
#define FGT2_PMICNTR 2
#define FGT2_PMICFILTR 3
#define FGT2_PMUACR 4
#define FGT2_PMZR 21

#define PMSVER_V1P2 3

#define EVENT_COUNTERS MAKE_64BIT_MASK(0, PMSS_EVENT_COUNTERS)
#define CYCLE_COUNTER (1ULL << PMSS_CYCLE_COUNTER)
#define INSN_COUNTER (1ULL << PMSS_INSN_COUNTER)

/* INST_RETIRED: what PMICFILTR_EL0.evtCount always reads. */
#define PMICFILTR_EVTCOUNT 0x8

static bool userenr(CPUARMState *env, uint64_t field)
{
    return env->cp15.c9_pmuserenr & field;
}

/* EL0, with PMUACR_EL1 in force. UEN is treated as 0 with an AArch32 EL1. */
static bool under_pmuacr(CPUARMState *env)
{
    return pmss_pmuv3p9(env) && arm_current_el(env) == 0 &&
           arm_el_is_aa64(env, 1) && userenr(env, R_PMUSERENR_EL0_UEN_MASK);
}

bool pmss_el0_enabled(CPUARMState *env)
{
    return userenr(env, R_PMUSERENR_EL0_EN_MASK) || under_pmuacr(env);
}

/* Counters that the control bits make read-only at EL0. */
static uint64_t read_only_counters(CPUARMState *env)
{
    uint64_t mask = 0;

    if (userenr(env, R_PMUSERENR_EL0_ER_MASK)) {
        mask |= EVENT_COUNTERS;
    }
    if (userenr(env, R_PMUSERENR_EL0_CR_MASK)) {
        mask |= CYCLE_COUNTER;
    }
    if (userenr(env, R_PMUSERENR_EL0_IR_MASK)) {
        mask |= INSN_COUNTER;
    }
    return mask;
}

/* GetNumEventCountersAccessible() */
static unsigned accessible_event_counters(CPUARMState *env)
{
    if (arm_current_el(env) < 2 && arm_is_el2_enabled(env)) {
        return pmss_effective_hpmn(env);
    }
    return pmss_effective_epmn(env);
}

/* GetPMUAccessMask() */
static uint64_t access_mask(CPUARMState *env)
{
    uint64_t mask = pmss_counters_below(accessible_event_counters(env));

    mask |= CYCLE_COUNTER;
    if (pmss_has_icntr(env) &&
        (arm_current_el(env) > 0 || under_pmuacr(env))) {
        mask |= INSN_COUNTER;
    }
    if (under_pmuacr(env)) {
        mask &= env->pmss.pmuacr_el1;
    }
    return mask;
}

static bool pm2_trapped_to_el3(CPUARMState *env)
{
    return arm_current_el(env) < 3 &&
           !FIELD_EX64(pmscope_mdcr_el3(env), PMSS_MDCR_EL3, EnPM2);
}

/*
 * GetPMUReadMask() and GetPMUWriteMask(): the controls of PMICNTR_EL0 follow
 * the traps on PMICFILTR_EL0, or on PMICNTR_EL0 when it is being zeroed.
 */
static uint64_t control_mask(CPUARMState *env, bool isread, unsigned fgt2_bit)
{
    uint64_t mask = access_mask(env);

    if (!isread && under_pmuacr(env)) {
        mask &= ~read_only_counters(env);
    }
    if (pm2_trapped_to_el3(env) || pmscope_fgt2_trap(env, isread, fgt2_bit)) {
        mask &= ~INSN_COUNTER;
    }
    return mask;
}

static uint64_t read_mask(CPUARMState *env)
{
    return control_mask(env, true, FGT2_PMICFILTR);
}

static uint64_t write_mask(CPUARMState *env)
{
    return control_mask(env, false, FGT2_PMICFILTR);
}

bool pmss_reads_counter(CPUARMState *env, unsigned counter)
{
    return !under_pmuacr(env) || extract64(access_mask(env), counter, 1);
}

bool pmss_writes_counter(CPUARMState *env, unsigned counter)
{
    uint64_t mask = access_mask(env) & ~read_only_counters(env);

    return !under_pmuacr(env) || extract64(mask, counter, 1);
}

CPAccessResult pmss_access_counter(CPUARMState *env, unsigned counter)
{
    if (!pmss_pmuv3p9(env) || counter >= PMSS_EVENT_COUNTERS ||
        counter < accessible_event_counters(env)) {
        return CP_ACCESS_OK;
    }
    return counter < pmss_effective_epmn(env) ? CP_ACCESS_TRAP_EL2
                                              : CP_ACCESS_UNDEFINED;
}

uint64_t pmss_swinc_mask(CPUARMState *env)
{
    if (!pmss_pmuv3p9(env)) {
        return EVENT_COUNTERS;
    }
    if (userenr(env, R_PMUSERENR_EL0_SW_MASK)) {
        return pmss_counters_below(accessible_event_counters(env));
    }
    return access_mask(env) & EVENT_COUNTERS;
}

static CPAccessResult tpm_trap(CPUARMState *env)
{
    int el = arm_current_el(env);

    if (el < 2 && (arm_mdcr_el2_eff(env) & MDCR_TPM)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (el < 3 && (pmscope_mdcr_el3(env) & MDCR_TPM)) {
        return pmscope_trap_el3(env);
    }
    return CP_ACCESS_OK;
}

CPAccessResult pmss_access_pm2(CPUARMState *env, bool isread,
                               unsigned fgt2_bit)
{
    CPAccessResult tpm = tpm_trap(env);

    if (pmscope_fgt2_trap(env, isread, fgt2_bit)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (tpm != CP_ACCESS_TRAP_EL2 && pm2_trapped_to_el3(env)) {
        return pmscope_trap_el3(env);
    }
    return tpm;
}

CPAccessResult pmss_access_pmu(CPUARMState *env, const ARMCPRegInfo *ri,
                               bool isread)
{
    if (arm_current_el(env) == 0 && !pmss_el0_enabled(env)) {
        return CP_ACCESS_TRAP_EL1;
    }
    return tpm_trap(env);
}

static CPAccessResult access_pmuserenr(CPUARMState *env,
                                       const ARMCPRegInfo *ri, bool isread)
{
    return tpm_trap(env);
}

CPAccessResult pmss_access_pmceid(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    if (arm_current_el(env) == 0 && userenr(env, R_PMUSERENR_EL0_TID_MASK)) {
        return CP_ACCESS_TRAP_EL1;
    }
    return pmss_access_pmu(env, ri, isread);
}

CPAccessResult pmss_access_pmcr(CPUARMState *env, const ARMCPRegInfo *ri,
                                bool isread)
{
    bool el0_enabled = userenr(env, R_PMUSERENR_EL0_EN_MASK) &&
                       !under_pmuacr(env);

    if (arm_current_el(env) == 0 && !el0_enabled) {
        return CP_ACCESS_TRAP_EL1;
    }
    if (arm_current_el(env) < 2 && (arm_mdcr_el2_eff(env) & MDCR_TPMCR)) {
        return CP_ACCESS_TRAP_EL2;
    }
    return tpm_trap(env);
}

static CPAccessResult access_pmuacr(CPUARMState *env, const ARMCPRegInfo *ri,
                                    bool isread)
{
    return pmss_access_pm2(env, isread, FGT2_PMUACR);
}

static CPAccessResult access_pmzr(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    if (arm_current_el(env) == 0 && !pmss_el0_enabled(env)) {
        return CP_ACCESS_TRAP_EL1;
    }
    if (pmscope_fgt2_trap(env, isread, FGT2_PMZR)) {
        return CP_ACCESS_TRAP_EL2;
    }
    return tpm_trap(env);
}

static CPAccessResult access_icntr(CPUARMState *env, bool isread,
                                   unsigned fgt2_bit)
{
    if (arm_current_el(env) == 0 && !under_pmuacr(env)) {
        return CP_ACCESS_TRAP_EL1;
    }
    return pmss_access_pm2(env, isread, fgt2_bit);
}

static CPAccessResult access_pmicntr(CPUARMState *env,
                                     const ARMCPRegInfo *ri, bool isread)
{
    return access_icntr(env, isread, FGT2_PMICNTR);
}

static CPAccessResult access_pmicfiltr(CPUARMState *env,
                                       const ARMCPRegInfo *ri, bool isread)
{
    return access_icntr(env, isread, FGT2_PMICFILTR);
}

/* ZeroPMUCounters(), between pmu_op_start() and pmu_op_finish(). */
static void zero_counters(CPUARMState *env, uint64_t counters)
{
    counters &= control_mask(env, false, FGT2_PMICNTR);
    for (unsigned i = 0; i < pmu_num_counters(env); i++) {
        if (extract64(counters, i, 1)) {
            env->cp15.c14_pmevcntr[i] = 0;
        }
    }
    if (counters & CYCLE_COUNTER) {
        env->cp15.c15_ccnt = 0;
    }
    if (counters & INSN_COUNTER) {
        env->pmss.pmicntr_el0 = 0;
    }
}

/* P and C read as zero. */
uint64_t pmss_pmcr_writable(CPUARMState *env)
{
    uint64_t dfr0 = env_archcpu(env)->isar.id_aa64dfr0;
    uint64_t mask = PMCR_WRITABLE_MASK | PMCR_FZO;

    if (FIELD_EX64(dfr0, ID_AA64DFR0, PMSVER) >= PMSVER_V1P2) {
        mask |= PMCR_FZS;
    }
    return mask;
}

void pmss_pmcr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                     uint64_t value)
{
    uint64_t writable = pmss_pmcr_writable(env);

    pmu_op_start(env);
    if (value & PMCRP) {
        zero_counters(env, EVENT_COUNTERS);
    }
    if (value & PMCRC) {
        zero_counters(env, CYCLE_COUNTER);
    }
    env->cp15.c9_pmcr &= ~writable;
    env->cp15.c9_pmcr |= value & writable;
    pmu_op_finish(env);
}

uint64_t pmss_pmcr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return deposit64(env->cp15.c9_pmcr, PMCRN_SHIFT, 5,
                     accessible_event_counters(env));
}

static void pmzr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                       uint64_t value)
{
    pmu_op_start(env);
    zero_counters(env, value);
    pmu_op_finish(env);
}

static void pmuserenr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    uint64_t mask = MAKE_64BIT_MASK(0, 7);

    if (!pmss_has_icntr(env)) {
        mask &= ~R_PMUSERENR_EL0_IR_MASK;
    }
    env->cp15.c9_pmuserenr = value & mask;
}

static uint64_t pmuacr_fields(CPUARMState *env)
{
    return access_mask(env);
}

static uint64_t pmuacr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env->pmss.pmuacr_el1 & pmuacr_fields(env);
}

static void pmuacr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    uint64_t fields = pmuacr_fields(env);

    env->pmss.pmuacr_el1 &= ~fields;
    env->pmss.pmuacr_el1 |= value & fields;
}

static uint64_t field_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return CPREG_FIELD64(env, ri);
}

/* PMCNTEN, PMOVS and PMINTEN: one bit a counter, a set and a clear register. */
uint64_t pmss_bits_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    uint64_t value;

    pmu_op_start(env);
    value = CPREG_FIELD64(env, ri) & read_mask(env);
    pmu_op_finish(env);
    return value;
}

void pmss_bits_set(CPUARMState *env, const ARMCPRegInfo *ri,
                   uint64_t value)
{
    pmu_op_start(env);
    CPREG_FIELD64(env, ri) |= value & write_mask(env);
    pmu_op_finish(env);
}

void pmss_bits_clear(CPUARMState *env, const ARMCPRegInfo *ri,
                     uint64_t value)
{
    pmu_op_start(env);
    CPREG_FIELD64(env, ri) &= ~(value & write_mask(env));
    pmu_op_finish(env);
}

static uint64_t pmicntr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    uint64_t value;

    pmu_op_start(env);
    value = env->pmss.pmicntr_el0;
    pmu_op_finish(env);
    return pmss_reads_counter(env, PMSS_INSN_COUNTER) ? value : 0;
}

static void pmicntr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                          uint64_t value)
{
    if (pmss_writes_counter(env, PMSS_INSN_COUNTER)) {
        pmu_op_start(env);
        env->pmss.pmicntr_el0 = value;
        pmu_op_finish(env);
    }
}

static uint64_t pmicfiltr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    if (!pmss_reads_counter(env, PMSS_INSN_COUNTER)) {
        return 0;
    }
    return env->pmss.pmicfiltr_el0 | PMICFILTR_EVTCOUNT;
}

static void pmicfiltr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    if (pmss_writes_counter(env, PMSS_INSN_COUNTER)) {
        pmu_op_start(env);
        env->pmss.pmicfiltr_el0 = value & pmss_filter_mask(env);
        pmu_op_finish(env);
    }
}

static uint64_t pmccfiltr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return pmss_reads_counter(env, PMSS_CYCLE_COUNTER) ?
        env->cp15.pmccfiltr_el0 : 0;
}

static void pmccfiltr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    if (pmss_writes_counter(env, PMSS_CYCLE_COUNTER)) {
        pmu_op_start(env);
        env->cp15.pmccfiltr_el0 = value & pmss_filter_mask(env);
        pmu_op_finish(env);
    }
}

#define PMU_BITS(NAME, OP1, CRM, OP2, ACCESS, FGT, FIELD, WRITE) \
    { .name = NAME, .state = ARM_CP_STATE_AA64, \
      .type = ARM_CP_OVERRIDE | ARM_CP_IO, \
      .opc0 = 3, .opc1 = OP1, .crn = 9, .crm = CRM, .opc2 = OP2, \
      .access = ACCESS, .accessfn = pmss_access_pmu, .fgt = FGT, \
      .fieldoffset = offsetof(CPUARMState, cp15.FIELD), \
      .readfn = pmss_bits_read, .raw_readfn = field_read, \
      .writefn = WRITE, .raw_writefn = raw_write }

/* These take the place of QEMU's, which know no counter above 31. */
static const ARMCPRegInfo changed_reginfo[] = {
    PMU_BITS("PMCNTENSET_EL0", 3, 12, 1, PL0_RW, FGT_PMCNTEN, c9_pmcnten,
             pmss_bits_set),
    PMU_BITS("PMCNTENCLR_EL0", 3, 12, 2, PL0_RW, FGT_PMCNTEN, c9_pmcnten,
             pmss_bits_clear),
    PMU_BITS("PMOVSCLR_EL0", 3, 12, 3, PL0_RW, FGT_PMOVS, c9_pmovsr,
             pmss_bits_clear),
    PMU_BITS("PMOVSSET_EL0", 3, 14, 3, PL0_RW, FGT_PMOVS, c9_pmovsr,
             pmss_bits_set),
    PMU_BITS("PMINTENSET_EL1", 0, 14, 1, PL1_RW, FGT_PMINTEN, c9_pminten,
             pmss_bits_set),
    PMU_BITS("PMINTENCLR_EL1", 0, 14, 2, PL1_RW, FGT_PMINTEN, c9_pminten,
             pmss_bits_clear),
    { .name = "PMCCFILTR_EL0", .state = ARM_CP_STATE_AA64,
      .type = ARM_CP_OVERRIDE | ARM_CP_IO,
      .opc0 = 3, .opc1 = 3, .crn = 14, .crm = 15, .opc2 = 7,
      .access = PL0_RW, .accessfn = pmss_access_pmu, .fgt = FGT_PMCCFILTR_EL0,
      .fieldoffset = offsetof(CPUARMState, cp15.pmccfiltr_el0),
      .readfn = pmccfiltr_read, .raw_readfn = field_read,
      .writefn = pmccfiltr_write, .raw_writefn = raw_write },
    { .name = "PMUSERENR_EL0", .state = ARM_CP_STATE_AA64,
      .type = ARM_CP_OVERRIDE,
      .opc0 = 3, .opc1 = 3, .crn = 9, .crm = 14, .opc2 = 0,
      .access = PL0_R | PL1_RW, .accessfn = access_pmuserenr,
      .fieldoffset = offsetof(CPUARMState, cp15.c9_pmuserenr),
      .writefn = pmuserenr_write, .raw_writefn = raw_write },
};

static const ARMCPRegInfo pmuv3p9_reginfo[] = {
    { .name = "PMUACR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 14, .opc2 = 4,
      .access = PL1_RW, .accessfn = access_pmuacr,
      .fieldoffset = offsetof(CPUARMState, pmss.pmuacr_el1),
      .readfn = pmuacr_read, .raw_readfn = field_read,
      .writefn = pmuacr_write, .raw_writefn = raw_write },
    { .name = "PMZR_EL0", .state = ARM_CP_STATE_AA64,
      .type = ARM_CP_NO_RAW | ARM_CP_IO,
      .opc0 = 3, .opc1 = 3, .crn = 9, .crm = 13, .opc2 = 4,
      .access = PL0_W, .accessfn = access_pmzr, .writefn = pmzr_write },
};

static const ARMCPRegInfo icntr_reginfo[] = {
    { .name = "PMICNTR_EL0", .state = ARM_CP_STATE_AA64, .type = ARM_CP_IO,
      .opc0 = 3, .opc1 = 3, .crn = 9, .crm = 4, .opc2 = 0,
      .access = PL0_RW, .accessfn = access_pmicntr,
      .fieldoffset = offsetof(CPUARMState, pmss.pmicntr_el0),
      .readfn = pmicntr_read, .raw_readfn = field_read,
      .writefn = pmicntr_write, .raw_writefn = raw_write },
    { .name = "PMICFILTR_EL0", .state = ARM_CP_STATE_AA64, .type = ARM_CP_IO,
      .opc0 = 3, .opc1 = 3, .crn = 9, .crm = 6, .opc2 = 0,
      .access = PL0_RW, .accessfn = access_pmicfiltr,
      .fieldoffset = offsetof(CPUARMState, pmss.pmicfiltr_el0),
      .readfn = pmicfiltr_read, .raw_readfn = field_read,
      .writefn = pmicfiltr_write, .raw_writefn = raw_write },
};

/* Changed registers whose reset value depends on the CPU. */
static void define_id_regs(ARMCPU *cpu)
{
    const ARMCPRegInfo reginfo[] = {
        { .name = "PMCR_EL0", .state = ARM_CP_STATE_AA64,
          .type = ARM_CP_OVERRIDE | ARM_CP_IO,
          .opc0 = 3, .opc1 = 3, .crn = 9, .crm = 12, .opc2 = 0,
          .access = PL0_RW, .accessfn = pmss_access_pmcr, .fgt = FGT_PMCR_EL0,
          .fieldoffset = offsetof(CPUARMState, cp15.c9_pmcr),
          .resetvalue = cpu->isar.reset_pmcr_el0,
          .readfn = pmss_pmcr_read, .raw_readfn = field_read,
          .writefn = pmss_pmcr_write, .raw_writefn = raw_write },
        { .name = "PMCEID0_EL0", .state = ARM_CP_STATE_AA64,
          .type = ARM_CP_OVERRIDE | ARM_CP_CONST,
          .opc0 = 3, .opc1 = 3, .crn = 9, .crm = 12, .opc2 = 6,
          .access = PL0_R, .accessfn = pmss_access_pmceid, .fgt = FGT_PMCEIDN_EL0,
          .resetvalue = cpu->pmceid0 },
        { .name = "PMCEID1_EL0", .state = ARM_CP_STATE_AA64,
          .type = ARM_CP_OVERRIDE | ARM_CP_CONST,
          .opc0 = 3, .opc1 = 3, .crn = 9, .crm = 12, .opc2 = 7,
          .access = PL0_R, .accessfn = pmss_access_pmceid, .fgt = FGT_PMCEIDN_EL0,
          .resetvalue = cpu->pmceid1 },
    };

    define_arm_cp_regs(cpu, reginfo);
}

void pmss_define_pmu_regs(ARMCPU *cpu)
{
    define_id_regs(cpu);
    define_arm_cp_regs(cpu, changed_reginfo);
    define_arm_cp_regs(cpu, pmuv3p9_reginfo);
    if (pmss_has_icntr(&cpu->env)) {
        define_arm_cp_regs(cpu, icntr_reginfo);
    }
    pmss_define_aarch32_regs(cpu);
}
