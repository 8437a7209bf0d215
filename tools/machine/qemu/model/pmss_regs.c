/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PMU registers that FEAT_PMUv3p9 and FEAT_PMUv3_ICNTR add or change. */
#include "qemu/osdep.h"
#include "pmss.h"
#include "pmss_regs.h"

#define PMSVER_V1P2 3

/* INST_RETIRED: what PMICFILTR_EL0.evtCount always reads. */
#define PMICFILTR_EVTCOUNT 0x8

/* ZeroPMUCounters(), between pmu_op_start() and pmu_op_finish(). */
static void zero_counters(CPUARMState *env, uint64_t counters)
{
    counters &= pmss_zero_mask(env);
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
                     pmss_accessible_event_counters(env));
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

static uint64_t pmuacr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env->pmss.pmuacr_el1 & pmss_access_mask(env);
}

static void pmuacr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    uint64_t fields = pmss_access_mask(env);

    env->pmss.pmuacr_el1 &= ~fields;
    env->pmss.pmuacr_el1 |= value & fields;
}

static uint64_t field_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return CPREG_FIELD64(env, ri);
}

/* PMCNTEN, PMOVS, PMINTEN: one bit per counter, a set and a clear register. */
uint64_t pmss_bits_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    uint64_t value;

    pmu_op_start(env);
    value = CPREG_FIELD64(env, ri) & pmss_read_mask(env);
    pmu_op_finish(env);
    return value;
}

void pmss_bits_set(CPUARMState *env, const ARMCPRegInfo *ri,
                   uint64_t value)
{
    pmu_op_start(env);
    CPREG_FIELD64(env, ri) |= value & pmss_write_mask(env);
    pmu_op_finish(env);
}

void pmss_bits_clear(CPUARMState *env, const ARMCPRegInfo *ri,
                     uint64_t value)
{
    pmu_op_start(env);
    CPREG_FIELD64(env, ri) &= ~(value & pmss_write_mask(env));
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

#define PMU_REG(NAME, OP1, CRN, CRM, OP2, ACCESS, CHECK, FIELD, READ, WRITE) \
    .name = NAME, .state = ARM_CP_STATE_AA64, .opc0 = 3, .opc1 = OP1, \
    .crn = CRN, .crm = CRM, .opc2 = OP2, .access = ACCESS, .accessfn = CHECK, \
    .fieldoffset = offsetof(CPUARMState, FIELD), .readfn = READ, \
    .raw_readfn = field_read, .writefn = WRITE, .raw_writefn = raw_write

#define PMU_BITS(NAME, OP1, CRM, OP2, ACCESS, FGT, FIELD, WRITE) \
    { PMU_REG(NAME, OP1, 9, CRM, OP2, ACCESS, pmss_access_pmu, cp15.FIELD, \
              pmss_bits_read, WRITE), \
      .fgt = FGT, .type = ARM_CP_OVERRIDE | ARM_CP_IO }

/* These replace QEMU's, which have no counters above 31. */
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
    { PMU_REG("PMCCFILTR_EL0", 3, 14, 15, 7, PL0_RW, pmss_access_pmu,
              cp15.pmccfiltr_el0, pmccfiltr_read, pmccfiltr_write),
      .fgt = FGT_PMCCFILTR_EL0, .type = ARM_CP_OVERRIDE | ARM_CP_IO },
    { .name = "PMUSERENR_EL0", .state = ARM_CP_STATE_AA64,
      .type = ARM_CP_OVERRIDE,
      .opc0 = 3, .opc1 = 3, .crn = 9, .crm = 14, .opc2 = 0,
      .access = PL0_R | PL1_RW, .accessfn = pmss_access_pmuserenr,
      .fgt = FGT_HDFGRTR | R_HDFGRTR_EL2_PMUSERENR_EL0_SHIFT,
      .fieldoffset = offsetof(CPUARMState, cp15.c9_pmuserenr),
      .writefn = pmuserenr_write, .raw_writefn = raw_write },
};

static const ARMCPRegInfo pmuv3p9_reginfo[] = {
    { PMU_REG("PMUACR_EL1", 0, 9, 14, 4, PL1_RW, pmss_access_pmuacr,
              pmss.pmuacr_el1, pmuacr_read, pmuacr_write) },
    { .name = "PMZR_EL0", .state = ARM_CP_STATE_AA64,
      .type = ARM_CP_NO_RAW | ARM_CP_IO,
      .opc0 = 3, .opc1 = 3, .crn = 9, .crm = 13, .opc2 = 4,
      .access = PL0_W, .accessfn = pmss_access_pmzr, .writefn = pmzr_write },
};

static const ARMCPRegInfo icntr_reginfo[] = {
    { PMU_REG("PMICNTR_EL0", 3, 9, 4, 0, PL0_RW, pmss_access_pmicntr,
              pmss.pmicntr_el0, pmicntr_read, pmicntr_write),
      .type = ARM_CP_IO },
    { PMU_REG("PMICFILTR_EL0", 3, 9, 6, 0, PL0_RW, pmss_access_pmicfiltr,
              pmss.pmicfiltr_el0, pmicfiltr_read, pmicfiltr_write),
      .type = ARM_CP_IO },
};

#define PMCEID(NAME, OP2, VALUE) \
    { .name = NAME, .state = ARM_CP_STATE_AA64, .opc0 = 3, .opc1 = 3, \
      .crn = 9, .crm = 12, .opc2 = OP2, .access = PL0_R, \
      .accessfn = pmss_access_pmceid, .fgt = FGT_PMCEIDN_EL0, \
      .type = ARM_CP_OVERRIDE | ARM_CP_CONST, .resetvalue = VALUE }

/* Changed registers whose reset value depends on the CPU. */
static void define_id_regs(ARMCPU *cpu)
{
    const ARMCPRegInfo reginfo[] = {
        { PMU_REG("PMCR_EL0", 3, 9, 12, 0, PL0_RW, pmss_access_pmcr,
                  cp15.c9_pmcr, pmss_pmcr_read, pmss_pmcr_write),
          .fgt = FGT_PMCR_EL0, .type = ARM_CP_OVERRIDE | ARM_CP_IO,
          .resetvalue = cpu->isar.reset_pmcr_el0 },
        PMCEID("PMCEID0_EL0", 6, cpu->pmceid0),
        PMCEID("PMCEID1_EL0", 7, cpu->pmceid1),
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
