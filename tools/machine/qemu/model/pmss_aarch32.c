/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The AArch32 registers of the PMU, which are the low halves of the AArch64
 * ones: FEAT_PMUv3p9 applies to EL0 using AArch32 below an AArch64 EL1. They
 * take the place of QEMU's, and migrate with the AArch64 registers.
 */
#include "qemu/osdep.h"
#include "pmss.h"
#include "pmss_regs.h"

/* Not visible in AArch32 state: M, SH, and the bits of Realm state. */
#define VISIBLE_FILTERS (PMXEVTYPER_P | PMXEVTYPER_U | PMXEVTYPER_NSK | \
                         PMXEVTYPER_NSU | PMXEVTYPER_NSH)

#define PMUSERENR_ER (1 << 3)

static uint32_t low_half(uint64_t value)
{
    return value;
}

static void pmcr32_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    pmss_pmcr_write(env, ri, deposit64(env->cp15.c9_pmcr, 0, 32, value));
}

static uint64_t filter_read(CPUARMState *env, uint64_t filter,
                            unsigned counter, uint64_t visible)
{
    return pmss_reads_counter(env, counter) ? filter & visible : 0;
}

static void filter_write(CPUARMState *env, uint64_t *filter, unsigned counter,
                         uint64_t value, uint64_t visible)
{
    uint64_t mask = visible & (pmss_filter_mask(env) | PMXEVTYPER_EVTCOUNT);

    if (pmss_writes_counter(env, counter)) {
        pmu_op_start(env);
        *filter = (*filter & ~mask) | (value & mask);
        /* Again, because the counter may have a different event now. */
        pmu_op_start(env);
        pmu_op_finish(env);
    }
}

static uint64_t pmccfiltr32_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return filter_read(env, env->cp15.pmccfiltr_el0, PMSS_CYCLE_COUNTER,
                       VISIBLE_FILTERS);
}

static void pmccfiltr32_write(CPUARMState *env, const ARMCPRegInfo *ri,
                              uint64_t value)
{
    filter_write(env, &env->cp15.pmccfiltr_el0, PMSS_CYCLE_COUNTER, value,
                 VISIBLE_FILTERS);
}

/* PMEVCNTR<n> and PMEVTYPER<n>, or by way of PMSELR. */
static unsigned counter_of(CPUARMState *env, const ARMCPRegInfo *ri)
{
    if (ri->crn == 14) {
        return ((ri->crm & 3) << 3) | (ri->opc2 & 7);
    }
    return env->cp15.c9_pmselr & 31;
}

static CPAccessResult access_counter(CPUARMState *env, const ARMCPRegInfo *ri,
                                     bool isread)
{
    CPAccessResult res = pmss_access_pmu(env, ri, isread);

    return res == CP_ACCESS_OK ? pmss_access_counter(env, counter_of(env, ri))
                               : res;
}

/* PMUSERENR_EL0.ER lets EL0 read what EN and UEN do not. */
static CPAccessResult access_count(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread)
{
    if (arm_current_el(env) == 0 && isread && !pmss_el0_enabled(env) &&
        (env->cp15.c9_pmuserenr & PMUSERENR_ER)) {
        return pmss_access_counter(env, counter_of(env, ri));
    }
    return access_counter(env, ri, isread);
}

static uint64_t count_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    unsigned counter = counter_of(env, ri);
    uint64_t value;

    if (counter >= pmu_num_counters(env) ||
        !pmss_reads_counter(env, counter)) {
        return 0;
    }
    pmu_op_start(env);
    value = env->cp15.c14_pmevcntr[counter];
    pmu_op_finish(env);
    return low_half(value);
}

/* The high half keeps its value. */
static void count_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    unsigned counter = counter_of(env, ri);

    if (counter < pmu_num_counters(env) &&
        pmss_writes_counter(env, counter)) {
        pmu_op_start(env);
        env->cp15.c14_pmevcntr[counter] =
            deposit64(env->cp15.c14_pmevcntr[counter], 0, 32, value);
        pmu_op_finish(env);
    }
}

static uint64_t type_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    unsigned counter = counter_of(env, ri);

    if (counter == PMSS_CYCLE_COUNTER) {
        return pmccfiltr32_read(env, ri);
    }
    return counter >= pmu_num_counters(env) ? 0 :
        filter_read(env, env->cp15.c14_pmevtyper[counter], counter,
                    VISIBLE_FILTERS | PMXEVTYPER_EVTCOUNT);
}

static void type_write(CPUARMState *env, const ARMCPRegInfo *ri,
                       uint64_t value)
{
    unsigned counter = counter_of(env, ri);

    if (counter == PMSS_CYCLE_COUNTER) {
        pmccfiltr32_write(env, ri, value);
    } else if (counter < pmu_num_counters(env)) {
        filter_write(env, &env->cp15.c14_pmevtyper[counter], counter, value,
                     VISIBLE_FILTERS | PMXEVTYPER_EVTCOUNT);
    }
}

#define CP15(NAME, CRN, CRM, OP2) \
    .name = NAME, .state = ARM_CP_STATE_AA32, .cp = 15, .opc1 = 0, \
    .crn = CRN, .crm = CRM, .opc2 = OP2, \
    .type = ARM_CP_OVERRIDE | ARM_CP_NO_RAW | ARM_CP_IO

#define PMU_BITS32(NAME, CRM, OP2, ACCESS, FGT, FIELD, WRITE) \
    { CP15(NAME, 9, CRM, OP2), .access = ACCESS, \
      .accessfn = pmss_access_pmu, .fgt = FGT, \
      .fieldoffset = offsetof(CPUARMState, cp15.FIELD), \
      .readfn = pmss_bits_read, .writefn = WRITE }

static const ARMCPRegInfo aarch32_reginfo[] = {
    PMU_BITS32("PMCNTENSET", 12, 1, PL0_RW, FGT_PMCNTEN, c9_pmcnten,
               pmss_bits_set),
    PMU_BITS32("PMCNTENCLR", 12, 2, PL0_RW, FGT_PMCNTEN, c9_pmcnten,
               pmss_bits_clear),
    PMU_BITS32("PMOVSR", 12, 3, PL0_RW, FGT_PMOVS, c9_pmovsr,
               pmss_bits_clear),
    PMU_BITS32("PMOVSSET", 14, 3, PL0_RW, FGT_PMOVS, c9_pmovsr,
               pmss_bits_set),
    PMU_BITS32("PMINTENSET", 14, 1, PL1_RW, FGT_PMINTEN, c9_pminten,
               pmss_bits_set),
    PMU_BITS32("PMINTENCLR", 14, 2, PL1_RW, FGT_PMINTEN, c9_pminten,
               pmss_bits_clear),
    { CP15("PMCR", 9, 12, 0), .access = PL0_RW,
      .accessfn = pmss_access_pmcr, .fgt = FGT_PMCR_EL0,
      .readfn = pmss_pmcr_read, .writefn = pmcr32_write },
    { CP15("PMCCFILTR", 14, 15, 7), .access = PL0_RW,
      .accessfn = pmss_access_pmu, .fgt = FGT_PMCCFILTR_EL0,
      .readfn = pmccfiltr32_read, .writefn = pmccfiltr32_write },
    { CP15("PMXEVTYPER", 9, 13, 1), .access = PL0_RW,
      .accessfn = access_counter, .fgt = FGT_PMEVTYPERN_EL0,
      .readfn = type_read, .writefn = type_write },
    { CP15("PMXEVCNTR", 9, 13, 2), .access = PL0_RW,
      .accessfn = access_count, .fgt = FGT_PMEVCNTRN_EL0,
      .readfn = count_read, .writefn = count_write },
};

static void define_pmceid(ARMCPU *cpu)
{
    const struct {
        const char *name;
        unsigned crm, opc2;
        uint64_t value;
    } rows[] = {
        { "PMCEID0", 12, 6, extract64(cpu->pmceid0, 0, 32) },
        { "PMCEID1", 12, 7, extract64(cpu->pmceid1, 0, 32) },
        { "PMCEID2", 14, 4, extract64(cpu->pmceid0, 32, 32) },
        { "PMCEID3", 14, 5, extract64(cpu->pmceid1, 32, 32) },
    };

    for (int i = 0; i < ARRAY_SIZE(rows); i++) {
        ARMCPRegInfo ri = {
            .name = rows[i].name, .state = ARM_CP_STATE_AA32, .cp = 15,
            .opc1 = 0, .crn = 9, .crm = rows[i].crm, .opc2 = rows[i].opc2,
            .type = ARM_CP_OVERRIDE | ARM_CP_CONST, .access = PL0_R,
            .accessfn = pmss_access_pmceid, .fgt = FGT_PMCEIDN_EL0,
            .resetvalue = rows[i].value,
        };

        define_one_arm_cp_reg(cpu, &ri);
    }
}

static void define_counter(ARMCPU *cpu, unsigned counter)
{
    g_autofree char *cntr = g_strdup_printf("PMEVCNTR%u", counter);
    g_autofree char *typer = g_strdup_printf("PMEVTYPER%u", counter);
    const ARMCPRegInfo reginfo[] = {
        { CP15(cntr, 14, 8 | (counter >> 3), counter & 7), .access = PL0_RW,
          .accessfn = access_count, .fgt = FGT_PMEVCNTRN_EL0,
          .readfn = count_read, .writefn = count_write },
        { CP15(typer, 14, 12 | (counter >> 3), counter & 7), .access = PL0_RW,
          .accessfn = access_counter, .fgt = FGT_PMEVTYPERN_EL0,
          .readfn = type_read, .writefn = type_write },
    };

    define_arm_cp_regs(cpu, reginfo);
}

void pmss_define_aarch32_regs(ARMCPU *cpu)
{
    define_arm_cp_regs(cpu, aarch32_reginfo);
    define_pmceid(cpu);
    for (unsigned i = 0; i < pmu_num_counters(&cpu->env); i++) {
        define_counter(cpu, i);
    }
}
